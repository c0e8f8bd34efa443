"""This project as a user has it: copies of its folders, `gen` run in them, and wheels built from them."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from tests.internals.compiler import CACHE, CACHES, SPECS, compile_cached, find_layout

ROOT = Path(__file__).resolve().parents[1]
INPUTS = ("provider_specs", "templates")
SOURCE_ROOTS = ("generator", "runtime", "generated")


def copy_folders(target: Path, *names: str) -> Path:
    """Copy folders of this project, caches aside; return the folder that now holds them."""
    for name in names:
        shutil.copytree(ROOT / name, target / name, ignore=shutil.ignore_patterns(*CACHES))
    return target


def keep_compiled(project: Path) -> Path:
    """Copy the cache of a compilation of all specs into a project, so that a build there compiles only what differs.

    The cache is a folder in `build/`; the first test that needs it makes it, and the compiler checks that it is current.
    """
    compiled = ROOT / "build" / "compiled"
    (compiled / SPECS).mkdir(parents=True, exist_ok=True)
    compile_cached(find_layout(compiled))
    shutil.copytree(compiled / CACHE, project / CACHE)
    return project


def keep_specs(project: Path, *wires: str) -> Path:
    """Leave only these specs in a project: what does not depend on their number need not build them all."""
    shared = ("models", "hosts", "sources")
    for spec in (project / "provider_specs").iterdir():
        if spec.stem in shared:
            continue
        if spec.is_dir() and spec.name not in wires:
            shutil.rmtree(spec)
        elif spec.suffix == ".yaml" and spec.stem not in wires:
            spec.unlink()
    return project


def tree(folder: Path) -> dict[str, bytes]:
    """Read every file below a folder, caches aside: relative path -> bytes."""
    files = {path.relative_to(folder): path for path in sorted(folder.rglob("*")) if path.is_file()}
    return {
        name.as_posix(): path.read_bytes() for name, path in files.items() if CACHES.isdisjoint(name.parts)
    }


def run_python(
    *arguments: str,
    folder: Path,
    path: Sequence[Path] = (),
    variables: Mapping[str, str] | None = None,
) -> subprocess.CompletedProcess[str]:
    """Run this Python in a folder, with `path` (by default this project's source roots) as its only PYTHONPATH."""
    places = path or tuple(ROOT / name for name in SOURCE_ROOTS)
    return subprocess.run(
        [sys.executable, *arguments],
        cwd=folder,
        env=python_environment(places) | dict(variables or {}),
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )


def python_environment(path: Sequence[Path]) -> dict[str, str]:
    """Return the variables of a Python that finds these folders, and leaves no bytecode in them."""
    places = os.pathsep.join(map(str, path))
    return os.environ | {"PYTHONPATH": places, "PYTHONDONTWRITEBYTECODE": "1"}


def build_wheel(project: Path, target: Path) -> Path:
    """Build a project's wheel with the build backend that is installed here, and return it."""
    done = run_python(
        "-m", "build", "--wheel", "--no-isolation", "--outdir", str(target), str(project), folder=target
    )
    assert done.returncode == 0, done.stdout + done.stderr
    (wheel,) = target.glob("*.whl")
    return wheel


def unpack(wheel: Path, target: Path) -> Path:
    """Install a wheel of pure Python the plain way: unpack it; return the folder to put on the path."""
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(target)
    return target
