"""build, check, diff, schema."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from tests.internals.commands import terminal
from tests.internals.compiler import MARK, Compilation, Layout, make_editor_schema

from .conftest import HEAD, Gen, compile_small, spoil

CURRENT = {
    "README.md": f"<!-- {MARK} -->\n",
    "promptwire/north_chat.py": f"{HEAD}wire: north_chat\n",
    "promptwire/south_chat.py": f"{HEAD}wire: south_chat\n",
    "provider_spec.schema.json": '{"title": "spec"}\n',
}


def tree(project: Path) -> dict[str, str]:
    """Read every generated file."""
    folder = project / "generated"
    return {
        path.relative_to(folder).as_posix(): path.read_text() for path in folder.rglob("*") if path.is_file()
    }


def drift(project: Path) -> None:
    """Make one generated file stale, one missing, one an orphan."""
    folder = project / "generated"
    (folder / "promptwire" / "north_chat.py").write_text(f"{HEAD}wire: older\n")
    (folder / "README.md").unlink()
    (folder / "gone.py").write_text(HEAD)


def test_build_writes_and_counts(project: Path, gen: Gen) -> None:
    assert gen("build").output == "generated/: 4 new, 0 changed, 0 removed, 0 unchanged\n"
    assert tree(project) == CURRENT
    drift(project)
    assert gen("build").output == "generated/: 1 new, 1 changed, 1 removed, 2 unchanged\n"
    assert tree(project) == CURRENT


def test_build_works_from_a_folder_inside_the_checkout(
    project: Path, gen: Gen, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(project / "templates")
    assert gen("build").exit_code == 0
    assert tree(project) == CURRENT


def test_build_of_one_wire_leaves_the_others_alone(project: Path, gen: Gen) -> None:
    gen("build")
    drift(project)
    (project / "generated" / "promptwire" / "south_chat.py").write_text(f"{HEAD}wire: older\n")
    assert gen("build", "north_chat").output == "generated/: 1 new, 1 changed, 0 removed, 1 unchanged\n"
    expected = CURRENT | {"promptwire/south_chat.py": f"{HEAD}wire: older\n", "gone.py": HEAD}
    assert tree(project) == expected


def test_check_compiles_anew_whatever_is_remembered(
    project: Path, gen: Gen, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, poison = "promptwire/north_chat.py", f"{HEAD}wire: poisoned\n"

    def compile_otherwise(layout: Layout, **options: Any) -> Compilation:
        compilation = compile_small(layout, **options)
        return replace(compilation, files={**compilation.files, path: poison})

    with monkeypatch.context() as patch:
        patch.setattr("promptwire_gen.pipeline.compile_project", compile_otherwise)
        gen("build")
    # a build takes what is remembered
    assert gen("build").output == "generated/: 0 new, 0 changed, 0 removed, 4 unchanged\n"
    assert tree(project)[path] == poison
    result = gen("check")
    assert result.exit_code == 1
    assert f"stale    generated/{path}\n" in result.stdout


def test_check_says_what_differs_and_last_what_to_run(project: Path, gen: Gen) -> None:
    gen("build")
    assert (gen("check").output, gen("check").exit_code) == ("generated/ is current (4 files)\n", 0)
    drift(project)
    before = tree(project)
    result = gen("check")
    assert result.exit_code == 1
    assert result.stdout == (
        "--- a/promptwire/north_chat.py\n+++ b/promptwire/north_chat.py\n@@ -1,2 +1,2 @@\n"
        f" {HEAD}-wire: older\n+wire: north_chat\n"
        "\n"
        f"--- /dev/null\n+++ b/README.md\n@@ -0,0 +1 @@\n+<!-- {MARK} -->\n"
        "\n"
        f"--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-{HEAD}"
        "\n"
        "stale    generated/promptwire/north_chat.py\n"
        "missing  generated/README.md\n"
        "orphan   generated/gone.py\n"
        "run: gen build\n"
    )
    assert tree(project) == before


@pytest.mark.parametrize("kind", ["stale", "missing", "orphan", "foreign"])
def test_each_kind_of_difference_alone_fails_the_check(project: Path, gen: Gen, kind: str) -> None:
    gen("build")
    folder = project / "generated"
    match kind:
        case "stale":
            (folder / "README.md").write_text(f"<!-- {MARK} older -->\n")
        case "missing":
            (folder / "README.md").unlink()
        case "orphan":
            (folder / "gone.py").write_text(HEAD)
        case _:
            (folder / "mine.py").write_text("mine\n")
    result = gen("check")
    assert result.exit_code == 1
    assert f"{kind:<8} generated/" in result.stdout
    assert result.stdout.splitlines()[-1] == "run: gen build"


def test_check_of_one_wire_names_the_command_for_it(project: Path, gen: Gen) -> None:
    gen("build")
    drift(project)
    lines = gen("check", "south_chat").stdout.splitlines()
    assert lines[-2:] == ["missing  generated/README.md", "run: gen build south_chat"]


def test_check_cuts_off_the_text_of_long_files_that_are_gone_and_of_many(project: Path, gen: Gen) -> None:
    gen("build")
    for index in range(7):
        (project / "generated" / f"gone_{index}.py").write_text(HEAD + "x\n" * 40)
    lines = gen("check").stdout.splitlines()
    assert lines.count("... 32 more lines: gen diff shows them") == 5
    assert [line for line in lines if line.startswith("orphan")] == [
        f"orphan   generated/gone_{index}.py" for index in range(7)
    ]


def test_foreign_files_stop_the_build(project: Path, gen: Gen) -> None:
    gen("build")
    (project / "generated" / "mine.txt").write_text("mine\n")
    result = gen("build")
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.endswith("move them away, then build again\n  mine.txt\n")
    assert "move foreign files away first" in gen("check").stdout
    assert (
        gen("diff").stderr
        == "gen: generated/mine.txt does not belong there, and a build would refuse to touch it\n"
    )


def test_diff_shows_new_changed_and_removed_files(project: Path, gen: Gen) -> None:
    gen("build")
    assert (gen("diff").output, gen("diff").exit_code) == ("", 0)
    drift(project)
    result = gen("diff")
    assert result.exit_code == 1
    assert result.stdout == (
        f"--- /dev/null\n+++ b/README.md\n@@ -0,0 +1 @@\n+<!-- {MARK} -->\n"
        f"--- a/gone.py\n+++ /dev/null\n@@ -1 +0,0 @@\n-{HEAD}"
        "--- a/promptwire/north_chat.py\n+++ b/promptwire/north_chat.py\n@@ -1,2 +1,2 @@\n"
        f" {HEAD}-wire: older\n+wire: north_chat\n"
    )


def test_differences_as_json_and_as_github_annotations(project: Path, gen: Gen) -> None:
    gen("build")
    drift(project)
    files = {
        "stale": ["promptwire/north_chat.py"],
        "missing": ["README.md"],
        "orphan": ["gone.py"],
        "foreign": [],
    }
    result = gen("check", "--format", "json")
    assert (result.exit_code, json.loads(result.stdout)) == (1, {"problems": [], **files, "run": "gen build"})
    result = gen("check", "--format", "github")
    assert result.exit_code == 1
    assert result.stdout == (
        "::error file=generated/promptwire/north_chat.py,title=stale::stale: run gen build\n"
        "::error file=generated/README.md,title=missing::missing: run gen build\n"
        "::error file=generated/gone.py,title=orphan::orphan: run gen build\n"
    )
    assert json.loads(gen("build", "--format", "json").stdout) == {"problems": [], **files, "run": None}
    nothing: dict[str, object] = {
        "problems": [],
        "stale": [],
        "missing": [],
        "orphan": [],
        "foreign": [],
        "run": None,
    }
    assert json.loads(gen("check", "--format", "json").stdout) == nothing
    assert json.loads(gen("check", "--json").stdout) == nothing
    assert json.loads(gen("build", "--json").stdout) == nothing
    assert json.loads(gen("diff", "--json").stdout) == {"diffs": [], "foreign": []}


def test_diff_as_json_has_the_text_of_each_file(project: Path, gen: Gen) -> None:
    gen("build")
    drift(project)
    result = gen("diff", "--json")
    answer = json.loads(result.stdout)
    assert (result.exit_code, answer["foreign"]) == (1, [])
    assert [row["path"] for row in answer["diffs"]] == ["README.md", "gone.py", "promptwire/north_chat.py"]
    assert "".join(row["diff"] for row in answer["diffs"]) == gen("diff").stdout


def test_schema_prints_the_editor_schema_whatever_the_specs_say(project: Path, gen: Gen) -> None:
    spoil(project)
    result = gen("schema")
    assert (result.exit_code, json.loads(result.stdout)) == (0, make_editor_schema())


def test_progress_is_shown_to_a_terminal_only(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with terminal.working("compiling") as say, terminal.measuring("reading", 2) as advance:
        assert (say, advance) == (None, None)
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with terminal.working("compiling") as say:
        assert say is not None
        say("north_chat [1]")
    with terminal.measuring("reading", 2) as advance:
        assert advance is not None
        advance(2)
    assert capsys.readouterr().out == ""
