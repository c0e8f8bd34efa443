"""Generated files are current, and `gen check` finds every kind of difference."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from typer.testing import CliRunner, Result

from tests.checkout import INPUTS, ROOT, copy_folders, keep_specs, run_python, tree
from tests.internals.compiler import MARK, app
from tests.spec_texts import first_page

WIRE = "openai_chat"
MODULES = ("__init__", "answers", "clients", "reading", "rules", "types", "wire", "writing")


def gen(*arguments: str) -> Result:
    """Run `gen` in the current folder."""
    return CliRunner().invoke(app, list(arguments), prog_name="gen")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A copy of this project with a few wires, all built; nobody changes it."""
    project = copy_folders(tmp_path_factory.mktemp("project"), *INPUTS)
    keep_specs(project, WIRE, "groq_chat", "mistral_chat")
    done = run_python("-m", "promptwire_gen", "build", folder=project)
    assert (done.returncode, done.stderr) == (0, "")
    return project


@pytest.fixture
def project(built: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A copy of the built project to change, which is the current folder: the same one, whose templates are known."""
    copied = shutil.copytree(built, built.with_name(f"{built.name}_copied"))
    monkeypatch.chdir(copied)
    yield copied
    shutil.rmtree(copied)


def test_every_generated_file_carries_the_mark() -> None:
    texts = {path: data.decode() for path, data in tree(ROOT / "generated").items()}
    assert [path for path, text in texts.items() if MARK not in text[:400]] == []


def edit_generated(project: Path) -> list[str]:
    """Change a generated file."""
    path = project / "generated" / "promptwire" / WIRE / "writing.py"
    path.write_text(path.read_text("utf-8") + "# mine\n", "utf-8")
    return [f"stale    generated/promptwire/{WIRE}/writing.py"]


def delete_generated(project: Path) -> list[str]:
    """Remove a generated file."""
    (project / "generated" / "tests" / "cases" / f"{WIRE}.json").unlink()
    return [f"missing  generated/tests/cases/{WIRE}.json"]


def rename_a_wire(project: Path) -> list[str]:
    """Leave the package of a wire that no spec describes."""
    folder = project / "generated" / "promptwire"
    shutil.copytree(folder / WIRE, folder / "older_chat")
    return [f"orphan   generated/promptwire/older_chat/{module}.py" for module in MODULES]


def add_a_stranger(project: Path) -> list[str]:
    """Put a file by hand among the generated ones."""
    (project / "generated" / "promptwire" / "mine.py").write_text("MINE = 1\n")
    return ["foreign  generated/promptwire/mine.py"]


def edit_a_spec(project: Path) -> list[str]:
    """Change what a spec says, and build nothing."""
    path = first_page(project, WIRE)
    text = path.read_text("utf-8")
    path.write_text(text.replace("title: OpenAI Chat Completions", "title: OpenAI Chat", 1), "utf-8")
    package = [f"promptwire/{WIRE}/{module}.py" for module in MODULES]
    # a dialect says what it differs from
    dialect = ("promptwire/groq_chat/reading.py", "promptwire/groq_chat/writing.py")
    return [f"stale    generated/{name}" for name in (*dialect, *package)]


def edit_a_template(project: Path) -> list[str]:
    """Change a template, and build nothing."""
    path = project / "templates" / "module" / "package.py.j2"
    path.write_text(path.read_text("utf-8") + "\nCHANGED = True\n", "utf-8")
    return ["stale    generated/promptwire/__init__.py"]


CHANGES = [edit_generated, delete_generated, rename_a_wire, add_a_stranger, edit_a_spec, edit_a_template]


@pytest.mark.slow
@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
def test_each_way_to_differ_fails_the_check(project: Path, change: Callable[[Path], list[str]]) -> None:
    expected = change(project)
    before = tree(project)
    result = gen("check")
    listed = [
        line
        for line in result.stdout.splitlines()
        if line.startswith(("stale ", "missing ", "orphan ", "foreign "))
    ]
    assert (result.exit_code, listed) == (1, expected)
    assert result.stdout.splitlines()[-1] == "run: gen build"
    assert tree(project) == before


@pytest.mark.slow
@pytest.mark.parametrize(
    "change", [c for c in CHANGES if c is not add_a_stranger], ids=lambda change: change.__name__
)
def test_the_command_that_the_check_names_mends_it(
    project: Path, change: Callable[[Path], list[str]]
) -> None:
    change(project)
    assert gen("build").exit_code == 0
    assert gen("check").exit_code == 0


@pytest.mark.slow
def test_a_stranger_stops_the_build_and_nothing_is_written(project: Path) -> None:
    edit_generated(project)
    add_a_stranger(project)
    before = tree(project)
    result = gen("build")
    assert (result.exit_code, result.stdout) == (2, "")
    assert result.stderr.splitlines() == [
        f'gen: generated/ holds files without the mark "{MARK}": move them away, then build again',
        "  promptwire/mine.py",
    ]
    assert tree(project) == before


@pytest.mark.slow
def test_a_problem_in_a_spec_stops_the_build_and_nothing_is_written(project: Path) -> None:
    edit_generated(project)
    path = first_page(project, WIRE)
    path.write_text(path.read_text("utf-8").replace("\nbody:\n", "\nbdoy:\n", 1), "utf-8")
    before = tree(project)
    for command in ("build", "check"):
        result = gen(command)
        assert (result.exit_code, result.stdout) == (2, "")
        assert 'did you mean "body"?' in result.stderr
    assert tree(project) == before


def test_a_second_build_touches_no_file(project: Path) -> None:
    times = {path: path.stat().st_mtime_ns for path in project.rglob("*")}
    result = gen("build")
    assert (
        result.stdout
        == f"generated/: 0 new, 0 changed, 0 removed, {len(tree(project / 'generated'))} unchanged\n"
    )
    assert {path: path.stat().st_mtime_ns for path in project.rglob("*")} == times
