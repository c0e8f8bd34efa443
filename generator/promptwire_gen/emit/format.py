"""Formatting with ruff, pinned exactly and run isolated, so that the same input always gives the same bytes."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from collections.abc import Collection, Generator, Mapping
from contextlib import contextmanager
from pathlib import Path

from ruff.__main__ import find_ruff_bin  # type: ignore[import-untyped]  # ruff ships no types

from ..atomic_files import find_stale_files

LINE_LENGTH = 110
_MEMORY = "/dev/shm"  # noqa: S108  # Linux has it; the folder below it is private
_SCRATCH = "promptwire_gen.scratch."
# remove unused imports and sort the rest; `name as name` is a re-export and stays
_ISORT = (
    "lint.isort={combine-as-imports = true, split-on-trailing-comma = false, "
    "known-first-party = ['promptwire', 'promptwire_runtime']}"
)
_IMPORTS = ("check", "--fix", "--exit-zero", "--select", "F401,I", "--config", _ISORT)
_FORMAT = ("format", "--config", "format.skip-magic-trailing-comma=true")


class FormatError(Exception):
    """Generated code that ruff cannot parse, a defect of a template or a plugin; or no place for what it works on."""


@contextmanager
def scratch() -> Generator[Path]:
    """Yield a temporary folder, in memory where possible, because a hundred small files on a disk take a while.

    Folders of killed processes are removed first.
    """
    place = _MEMORY if os.access(_MEMORY, os.W_OK | os.X_OK) else tempfile.gettempdir()
    for left in find_stale_files(Path(place).glob(f"{_SCRATCH}*")):
        # never removes a symbolic link or a folder of another user
        shutil.rmtree(left, ignore_errors=True)
    with tempfile.TemporaryDirectory(prefix=_SCRATCH, dir=place, ignore_cleanup_errors=True) as folder:
        yield Path(folder)


def format_all(files: Mapping[str, str], untouched: Collection[str], scratch: Path) -> dict[str, str]:
    """Format every Python file of a set, in a folder of its own below `scratch`; pass other files on.

    Imports are pruned and sorted, but for the files whose imports are to be left `untouched`.
    """
    python = {path: text for path, text in files.items() if path.endswith(".py")}
    if not python:
        return dict(files)
    try:
        folder = Path(tempfile.mkdtemp(dir=scratch))
        places = {path: folder / f"m{index}.py" for index, path in enumerate(python)}
        for path, text in python.items():
            places[path].write_text(text, "utf-8", newline="\n")
        _run_both(folder, places, untouched)
        formatted = {path: place.read_text("utf-8") for path, place in places.items()}
        shutil.rmtree(folder)
    except OSError as error:
        raise FormatError(f"{scratch} cannot be written: {error.strerror or error}") from error
    return {**files, **formatted}


def _run_both(folder: Path, places: Mapping[str, Path], untouched: Collection[str]) -> None:
    """Prune and sort imports, then format the files in place."""
    pruned = [place.name for path, place in places.items() if path not in untouched]
    runs: list[tuple[tuple[str, ...], list[str]]] = [(_IMPORTS, pruned)]
    runs.append((_FORMAT, [place.name for place in places.values()]))
    for command, names in runs:
        run = _run_ruff(folder, *command, *names) if names else None
        if run is not None and run.returncode != 0:
            message = run.stderr
            for path, place in places.items():
                message = message.replace(place.name, path)
            raise FormatError(message.strip())


def _run_ruff(folder: Path, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ruff in a folder, where nothing of a project can be met."""
    command_line = [find_ruff_bin(), command, "--isolated", "--no-cache", "--target-version", "py311"]
    command_line += ["--line-length", str(LINE_LENGTH), *arguments]
    return subprocess.run(command_line, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603  # our own tool
