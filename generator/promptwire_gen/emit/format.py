"""Formatting with ruff, pinned exactly and run isolated, so that the same input always gives the same bytes."""

from __future__ import annotations

import subprocess
import tempfile
from collections.abc import Mapping
from pathlib import Path

from ruff.__main__ import find_ruff_bin  # type: ignore[import-untyped]  # ruff ships no types

LINE_LENGTH = 110


class FormatError(Exception):
    """Generated code that ruff cannot parse: a defect of a template or a plugin."""


def format_all(files: Mapping[str, str]) -> dict[str, str]:
    """Format every Python file of a file set in one run; other files pass unchanged."""
    python = {path: text for path, text in files.items() if path.endswith(".py")}
    if not python:
        return dict(files)
    with tempfile.TemporaryDirectory(prefix="promptwire-") as folder:
        places: dict[str, Path] = {}
        for index, (path, text) in enumerate(python.items()):
            places[path] = Path(folder, f"m{index}.py")
            places[path].write_text(text, "utf-8", newline="\n")
        _ruff(folder, places)
        return {
            path: places[path].read_text("utf-8") if path in places else text for path, text in files.items()
        }


def _ruff(folder: str, places: Mapping[str, Path]) -> None:
    command = [find_ruff_bin(), "format", "--isolated", "--no-cache"]
    command += ["--line-length", str(LINE_LENGTH), "--target-version", "py311", folder]
    done = subprocess.run(command, capture_output=True, text=True, check=False)  # noqa: S603  # our own formatter
    if done.returncode != 0:
        message = done.stderr
        for path, place in places.items():
            message = message.replace(str(place), path)
        raise FormatError(message.strip())
