"""mypy and pyright, both strict, agree with what the modules beside this file state."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from pprint import pformat

import promptwire
from tests.checkout import ROOT
from tests.examples import examples

HERE = Path(__file__).parent
MODULES = ("building.py", "parts.py", "loop.py", "mistakes.py")
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


def test_pyright_sees_the_stated_types(tmp_path: Path) -> None:
    assert pyright(copied(tmp_path)) == []


def test_pyright_accepts_the_calls_of_vendors_clients(tmp_path: Path) -> None:
    (tmp_path / "clients.py").write_text((HERE / "clients.py").read_text("utf-8"), "utf-8")
    # google-genai takes pictures of Pillow, which need not be installed
    for name, stub in (("__init__", ""), ("Image", "class Image: ...\n")):
        path = tmp_path / "PIL" / f"{name}.pyi"
        path.parent.mkdir(exist_ok=True)
        path.write_text(stub, "utf-8")
    assert pyright(tmp_path) == []


def test_example_bodies_have_the_stated_types(tmp_path: Path) -> None:
    """The TypedDict of a wire's body describes every body that its examples build."""
    lines = [f"from promptwire import {', '.join(promptwire.WIRES)}", ""]
    for number, example in enumerate(examples()):
        lines.append(
            f"body_{number}: {example.wire}.Body = {pformat(example.body, width=110, sort_dicts=False)}"
        )
    (tmp_path / "bodies.py").write_text("\n".join(lines) + "\n", "utf-8")
    assert pyright(tmp_path) == []
