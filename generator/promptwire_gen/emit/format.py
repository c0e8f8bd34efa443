"""Formatting with ruff, pinned exactly and run isolated, so that the same input always gives the same bytes."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Collection, Mapping
from pathlib import Path

from ruff.__main__ import find_ruff_bin  # type: ignore[import-untyped]  # ruff ships no types

LINE_LENGTH = 110
_MEMORY = "/dev/shm"  # noqa: S108  # Linux has it; the folder below it is private
# imports that are not used go, the others are sorted; `name as name` stays, since it is there for others
_ISORT = (
    "lint.isort={combine-as-imports = true, split-on-trailing-comma = false, "
    "known-first-party = ['promptwire', 'promptwire_runtime']}"
)
_IMPORTS = ("check", "--fix", "--exit-zero", "--select", "F401,I", "--config", _ISORT)
_FORMAT = ("format",)


class FormatError(Exception):
    """Generated code that ruff cannot parse: a defect of a template or a plugin."""


def scratch() -> tempfile.TemporaryDirectory[str]:
    """Make a folder that is kept in memory, where that is possible: on a disk, a hundred small files take a while."""
    place = _MEMORY if os.access(_MEMORY, os.W_OK | os.X_OK) else None
    return tempfile.TemporaryDirectory(prefix="promptwire-", dir=place, ignore_cleanup_errors=True)


def format_all(files: Mapping[str, str], untouched: Collection[str], scratch: Path) -> dict[str, str]:
    """Format every Python file of a set, in a folder of its own below `scratch`; pass other files on.

    Imports are pruned and sorted, but for the files whose imports are to be left `untouched`.
    """
    python = {path: text for path, text in files.items() if path.endswith(".py")}
    if not python:
        return dict(files)
    folder = Path(tempfile.mkdtemp(dir=scratch))
    places = {path: folder / f"m{index}.py" for index, path in enumerate(python)}
    for path, text in python.items():
        places[path].write_text(text, "utf-8", newline="\n")
    pruned = [place.name for path, place in places.items() if path not in untouched]
    if pruned:
        _ruff(folder, *_IMPORTS, *pruned)
    run = _ruff(folder, *_FORMAT, *[place.name for place in places.values()])
    if run.returncode != 0:
        message = run.stderr
        for path, place in places.items():
            message = message.replace(place.name, path)
        raise FormatError(message.strip())
    return {path: places[path].read_text("utf-8") if path in places else text for path, text in files.items()}


def _ruff(folder: Path, command: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run ruff in a folder, where nothing of a project can be met."""
    command_line = [find_ruff_bin(), command, "--isolated", "--no-cache", "--target-version", "py311"]
    command_line += ["--line-length", str(LINE_LENGTH), *arguments]
    return subprocess.run(command_line, cwd=folder, capture_output=True, text=True, check=False)  # noqa: S603  # our own tool
