"""`gen diff --requests`: what becomes of recorded requests, compared with another version of the generated code."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from zipfile import ZipFile

import pytest
from typer.testing import CliRunner

from tests.checkout import ROOT
from tests.internals.compiler import app

WIRE = "openai_chat"
ROWS = [
    {"id": "a", "api": WIRE, "body": {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}], "seed": 7}},
    {"id": "b", "api": WIRE, "body": {"model": "gpt-4o", "messages": [{"role": "user", "content": "Ho"}], "seed": 7}},
    {"id": "c", "api": WIRE, "body": {"model": "o1", "messages": [{"role": "user", "content": "Hi"}], "temperature": 0.5}},
    {"id": "d", "api": WIRE, "body": {"model": "gpt-4o", "messages": [{"role": "user", "content": "Hi"}]}},
]  # fmt: skip


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "recorded.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS))
    return path


def older(folder: Path) -> Path:
    """Make a package of one wire that writes another key for the seed, and knows no rules."""
    shipped, made = ROOT / "generated" / "promptwire", folder / "generated" / "promptwire"
    shutil.copytree(shipped / WIRE, made / WIRE, ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copyfile(shipped / "__init__.py", made / "__init__.py")
    writing = made / WIRE / "writing.py"
    text = writing.read_text("utf-8")
    assert '"seed"' in text
    writing.write_text(text.replace('"seed"', '"random_seed"'), "utf-8")
    wire = made / WIRE / "wire.py"
    text = wire.read_text("utf-8").replace("load_rules=", "load_rules=tuple if True else ")
    wire.write_text(text.replace("load_known=", "load_known=tuple if True else "), "utf-8")
    return folder


def run(*arguments: str) -> tuple[int, str]:
    done = CliRunner().invoke(app, ["diff", *arguments])
    return done.exit_code, done.output


def test_changes_are_told_in_words_and_like_ones_once(tmp_path: Path, recorded: Path) -> None:
    folder = older(tmp_path / "older")
    code, output = run("--requests", str(recorded), "--against", str(folder))
    assert code == 1
    lines = output.splitlines()
    assert lines[:4] == [
        "a: openai_chat: built differently",
        "  random_seed: 7 is no longer sent",
        "  seed: 7 is sent now",
        "  the same in 1 more",
    ]
    assert lines[4] == "c: openai_chat: refused now"
    assert lines[5].startswith("  Refused: openai_chat: options: temperature 0.5 is refused for o1: ")
    assert lines[6:] == [f"4 requests against {folder}: 2 built differently, 1 refused now"]


def test_json_has_both_outcomes_of_each_request(tmp_path: Path, recorded: Path) -> None:
    folder = older(tmp_path / "older")
    code, output = run("--requests", str(recorded), "--against", str(folder), "--json")
    answer = json.loads(output)
    assert (code, answer["requests"], [row["name"] for row in answer["changes"]]) == (1, 4, ["a", "b", "c"])
    assert answer["changes"][0]["before"]["body"]["random_seed"] == 7
    assert answer["changes"][2]["now"].keys() == {"error"}


def test_annotations_name_file_and_line(tmp_path: Path, recorded: Path) -> None:
    folder = older(tmp_path / "older")
    _, output = run("--requests", str(recorded), "--against", str(folder), "--format", "github")
    assert output.splitlines()[0] == (
        f"::error file={recorded},line=1,title=built differently::random_seed: 7 is no longer sent; seed: 7 is sent now"
    )


def test_a_git_reference_is_what_was_committed(
    tmp_path: Path, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    project = older(tmp_path / "project")
    (project / "provider_specs").mkdir()
    for command in (
        ["init", "-q"],
        ["add", "."],
        ["-c", "user.name=a", "-c", "user.email=a@b", "commit", "-qm", "x"],
    ):
        subprocess.run(["git", *command], cwd=project, check=True)  # noqa: S607
    monkeypatch.chdir(project)
    code, output = run("--requests", str(recorded), "--against", "HEAD")
    assert (code, output.splitlines()[-1]) == (0, "4 requests against HEAD: none differs")
    code, output = run("--requests", str(recorded), "--against", "HEAD~9")
    assert code == 2
    assert output.startswith('gen: --against "HEAD~9": fatal: ')


def wheel(folder: Path, target: Path) -> Path:
    """Pack the generated code of a folder, and the runtime, as the wheel of a release."""
    path = target / "promptwire-0.0.9-py3-none-any.whl"
    info = "promptwire-0.0.9.dist-info"
    with ZipFile(path, "w") as packed:
        for root, name in ((folder / "generated", "promptwire"), (ROOT / "runtime", "promptwire_runtime")):
            for file in (root / name).rglob("*.py"):
                packed.write(file, file.relative_to(root))
        packed.writestr(f"{info}/METADATA", "Metadata-Version: 2.1\nName: promptwire\nVersion: 0.0.9\n")
        packed.writestr(f"{info}/WHEEL", "Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: py3-none-any\n")
        packed.writestr(f"{info}/RECORD", "")
    return path


@pytest.mark.slow
def test_a_wheel_and_a_release_are_installed_and_compared(
    tmp_path: Path, recorded: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = wheel(older(tmp_path / "older"), tmp_path)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(tmp_path))
    for version in (str(made), "0.0.9"):
        code, output = run("--requests", str(recorded), "--against", version)
        summary = f"4 requests against {version}: 2 built differently, 1 refused now"
        assert (code, output.splitlines()[-1]) == (1, summary)
    code, output = run("--requests", str(recorded), "--against", "0.0.8")
    assert code == 2
    assert output.startswith("gen: promptwire==0.0.8 cannot be installed: ERROR: No matching distribution")


def test_a_line_that_is_no_request_is_named(tmp_path: Path) -> None:
    path = tmp_path / "broken.jsonl"
    path.write_text('{"a": 1}\n')
    code, output = run("--requests", str(path))
    assert code == 2
    assert f"{path}:1: not a recorded request" in output
