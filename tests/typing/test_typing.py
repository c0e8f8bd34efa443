"""mypy and pyright, both strict, agree with what the modules beside this file state."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from pprint import pformat

import pytest

import promptwire
from tests.checkout import ROOT
from tests.examples import examples

HERE = Path(__file__).parent
MODULES = ("building.py", "parts.py", "loop.py", "mistakes.py")
CLIENTS = "clients.py"
BODIES = "bodies.py"
STRICT = {
    "typeCheckingMode": "strict",
    "reportUnnecessaryTypeIgnoreComment": True,
    "enableTypeIgnoreComments": False,
    "extraPaths": [str(ROOT / name) for name in ("runtime", "generated")],
    "include": ["."],
}


def run(*command: str, folder: Path) -> str:
    """Run a type checker; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-m", *command], cwd=folder, capture_output=True, text=True, check=False
    )
    return done.stdout + done.stderr


def pyright(folder: Path) -> list[str]:
    """Return pyright's findings in a folder: file, line and message."""
    (folder / "pyrightconfig.json").write_text(json.dumps(STRICT))
    answer = json.loads(run("pyright", "--outputjson", "--pythonpath", sys.executable, folder=folder))
    assert answer["summary"]["filesAnalyzed"] > 0
    return [
        f"{Path(row['file']).name}:{row['range']['start']['line'] + 1}: {row['message']}"
        for row in answer["generalDiagnostics"]
    ]


def copied(target: Path) -> Path:
    """Copy the modules out of the project, so that no setting of it applies."""
    for name in MODULES:
        (target / name).write_text((HERE / name).read_text("utf-8"), "utf-8")
    return target


def test_mypy_sees_the_stated_types(tmp_path: Path) -> None:
    (tmp_path / "mypy.ini").write_text(
        "[mypy]\nstrict = true\nfollow_imports = silent\nenable_error_code = redundant-expr, truthy-bool\n"
        f"mypy_path = {ROOT / 'runtime'}:{ROOT / 'generated'}\n"
    )
    answer = run("mypy", "--cache-dir", str(tmp_path / "cache"), *MODULES, folder=copied(tmp_path))
    assert answer == f"Success: no issues found in {len(MODULES)} source files\n"


@pytest.fixture(scope="module")
def findings(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """What pyright finds in all modules of a folder, which it looks through once."""
    folder = copied(tmp_path_factory.mktemp("typed"))
    (folder / CLIENTS).write_text((HERE / CLIENTS).read_text("utf-8"), "utf-8")
    # google-genai takes pictures of Pillow, which need not be installed
    for name, stub in (("__init__", ""), ("Image", "class Image: ...\n")):
        path = folder / "PIL" / f"{name}.pyi"
        path.parent.mkdir(exist_ok=True)
        path.write_text(stub, "utf-8")
    (folder / BODIES).write_text(example_bodies(), "utf-8")
    return pyright(folder)


def example_bodies() -> str:
    """Return a module that states the type of every body that the examples of a wire build."""
    lines = [f"from promptwire import {', '.join(promptwire.WIRES)}", ""]
    for number, example in enumerate(examples()):
        lines.append(
            f"body_{number}: {example.wire}.Body = {pformat(example.body, width=110, sort_dicts=False)}"
        )
    return "\n".join(lines) + "\n"


@pytest.mark.slow
@pytest.mark.parametrize("name", [*MODULES, CLIENTS, BODIES])
def test_pyright_sees_the_stated_types(name: str, findings: list[str]) -> None:
    """Those of the modules beside this file, of the calls of vendors' clients, and of the bodies of all examples."""
    assert [finding for finding in findings if finding.startswith(f"{name}:")] == []


@pytest.mark.slow
def test_pyright_finds_nothing_elsewhere(findings: list[str]) -> None:
    names = {finding.partition(":")[0] for finding in findings}
    assert names - {*MODULES, CLIENTS, BODIES} == set()
