"""Failures of compiling commands: problems of the specs, files and folders, plugins, interruptions."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from promptwire_gen.plugin_api import Span, SpecProblem
from tests.internals.commands import CommandError
from tests.internals.compiler import Compilation, Layout, SpecError, environment

from .conftest import Gen, spoil

BAD = (
    'provider_specs/north_chat.yaml:2:1: bad-word: "bad" is no word\n    2 | bad\n      | ^^^ remove it\n'
)  # fmt: skip


@pytest.mark.parametrize("command", ["build", "check", "diff", "list"])
def test_problems_are_printed_and_nothing_is_written(project: Path, gen: Gen, command: str) -> None:
    spoil(project)
    result = gen(command)
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", BAD)
    assert not (project / "generated").exists()


@pytest.mark.parametrize("command", ["build", "check", "diff"])
def test_problems_as_json_and_as_github_annotations(project: Path, gen: Gen, command: str) -> None:
    spoil(project)
    row = {
        "file": "provider_specs/north_chat.yaml", "line": 2, "column": 1, "length": 3,
        "rule": "bad-word", "message": '"bad" is no word', "hint": "remove it",
    }  # fmt: skip
    result = gen(command, "--format", "json")
    assert (result.exit_code, json.loads(result.stdout), result.stderr) == (2, {"problems": [row]}, "")
    result = gen(command, "--format", "github")
    place = "file=provider_specs/north_chat.yaml,line=2,col=1,title=bad-word"
    expected = f'::error {place}::"bad" is no word (remove it)\n'
    assert (result.exit_code, result.stdout, result.stderr) == (2, expected, "")


@pytest.fixture
def many(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with 12,345 problems."""
    problems = [SpecProblem(Span("a.yaml", line + 1, 1, 1), "bad", "it is bad") for line in range(12_345)]

    def compile_badly(*_: object, **__: object) -> Compilation:
        raise SpecError(problems)

    monkeypatch.setattr("promptwire_gen.pipeline.compile_project", compile_badly)
    return project


@pytest.mark.usefixtures("many")
def test_of_many_problems_a_thousand_are_printed(gen: Gen) -> None:
    result = gen("check")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[999:] == ["a.yaml:1000:1: bad: it is bad", "and 11,345 more"]
    answer = json.loads(gen("check", "--json").stdout)
    assert (len(answer["problems"]), answer["left_out"]) == (1000, 11_345)
    lines = gen("check", "--format", "github").stdout.splitlines()
    assert (len(lines), lines[-1]) == (1001, "::error::and 11,345 more")


def test_of_a_request_with_many_problems_a_thousand_are_printed(
    project: Path, gen: Gen, monkeypatch: pytest.MonkeyPatch
) -> None:
    def load_badly(file: str) -> object:
        raise CommandError("\n".join(f"{file}:{line}:1: bad" for line in range(1, 1501)))

    monkeypatch.setattr("promptwire_cli.views.inputs.load_request", load_badly)
    (project / "request.yaml").write_text("model: m\n")
    result = gen("preview", "south_chat", "request.yaml")
    assert result.exit_code == 2
    assert result.stderr.splitlines()[999:] == ["request.yaml:1000:1: bad", "and 500 more"]


def test_remarks_are_printed_and_stop_nothing(project: Path, gen: Gen) -> None:
    spoil(project, "odd")
    result = gen("build")
    assert result.exit_code == 0
    assert result.stderr == BAD.replace("bad", "odd")
    assert (project / "generated" / "promptwire" / "north_chat.py").is_file()


@pytest.mark.parametrize("command", ["build", "check", "diff"])
def test_what_is_wrong_with_the_project_is_one_line(project: Path, gen: Gen, command: str) -> None:
    result = gen(command, "noth_chat")
    assert (result.exit_code, result.stdout, result.stderr) == (2, "", 'gen: "noth_chat" is not a wire\n')
    assert not (project / "generated").exists()


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "message"),
    [("first\n{% if %}\n", "2: Expected an expression"), ("{{ nothing }}\n", "1: 'nothing' is undefined")],
)
def test_a_template_that_fails_is_named_with_its_line(
    project: Path, gen: Gen, monkeypatch: pytest.MonkeyPatch, text: str, message: str
) -> None:
    def render(layout: Layout, **_: object) -> None:
        environment(layout.list_template_folders()).get_template("module.py.j2").render()

    (project / "templates" / "module.py.j2").write_text(text)
    monkeypatch.setattr("promptwire_gen.pipeline.compile_project", render)
    result = gen("build")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.startswith(f"gen: templates/module.py.j2:{message}")
    assert len(result.stderr.splitlines()) == 1


def test_no_project_at_all_is_one_clear_error(
    tmp_path: Path, gen: Gen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("promptwire_gen.layout.PACKAGE", tmp_path)
    result = gen("check")
    assert result.exit_code == 2
    assert result.stderr == f"gen: no folder from {tmp_path} upward holds provider_specs/ and templates/\n"


def test_interrupting_is_quiet(project: Path, gen: Gen, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object, **__: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("promptwire_gen.pipeline.compile_project", interrupted)
    result = gen("build")
    assert (result.exit_code, result.output) == (130, "")
