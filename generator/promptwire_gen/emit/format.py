"""Formatting with ruff, pinned exactly and run isolated, so that the same input always gives the same bytes."""

from __future__ import annotations

import os
import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ruff.__main__ import find_ruff_bin  # type: ignore[import-untyped]  # ruff ships no types

LINE_LENGTH = 110
_MEMORY = "/dev/shm"  # noqa: S108  # Linux has it; the folder below it is private


class FormatError(Exception):
    """Generated code that ruff cannot parse: a defect of a template or a plugin."""


def scratch() -> tempfile.TemporaryDirectory[str]:
    """Make a folder that is kept in memory, where that is possible: on a disk, a hundred small files take a while."""
    place = _MEMORY if os.access(_MEMORY, os.W_OK | os.X_OK) else None
    return tempfile.TemporaryDirectory(prefix="promptwire-", dir=place, ignore_cleanup_errors=True)


def format_all(files: Mapping[str, str], scratch: Path) -> dict[str, str]:
    """Format every Python file of a set in one run, in a folder of its own below `scratch`; pass other files on."""
    python = {path: text for path, text in files.items() if path.endswith(".py")}
    if not python:
        return dict(files)
    folder = Path(tempfile.mkdtemp(dir=scratch))
    places = {path: folder / f"m{index}.py" for index, path in enumerate(python)}
    for path, text in python.items():
        places[path].write_text(text, "utf-8", newline="\n")
    _ruff(folder, places)
    return {path: places[path].read_text("utf-8") if path in places else text for path, text in files.items()}


def _ruff(folder: Path, places: Mapping[str, Path]) -> None:
    command = [find_ruff_bin(), "format", "--isolated", "--no-cache"]
    command += ["--line-length", str(LINE_LENGTH), "--target-version", "py311", str(folder)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # our own formatter
    if done.returncode != 0:
        message = done.stderr
        for path, place in places.items():
            message = message.replace(str(place), path)
        raise FormatError(message.strip())
