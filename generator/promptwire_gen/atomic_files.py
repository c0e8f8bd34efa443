"""Write files atomically, and find temporary files that a killed process left behind."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

from promptwire_text.files import temporary_path

# how `temporary_path` names a file
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9]+")
# in seconds; no process writes one file, or makes the files of one compilation, for an hour
OUTLIVED = 3600.0


class WriteError(OSError):
    """Raised for a file that cannot be written; the message names it and the reason. Nothing else was changed."""


def write_atomically(files: Iterable[tuple[Path, Iterable[bytes]]]) -> None:
    """Replace files atomically, after all of them were written next to their targets. Links are replaced too.

    `files` maps each path to the pieces of its text; missing folders are made. Raises WriteError; nothing is changed
    then.
    """
    with ExitStack() as written:
        moves: list[tuple[Path, Path]] = []
        for path, pieces in files:
            temporary = temporary_path(path)
            written.callback(temporary.unlink, missing_ok=True)
            try:
                path.parent.mkdir(parents=True, exist_ok=True)
                with temporary.open("xb") as stream:
                    stream.writelines(pieces)
            except OSError as error:
                raise WriteError(f"{path} cannot be written: {error.strerror or error}") from error
            moves.append((temporary, path))
        for temporary, path in moves:
            try:
                temporary.replace(path)
            except OSError as error:
                raise WriteError(f"{path} cannot be written: {error.strerror or error}") from error


def find_target_name(name: str) -> str | None:
    """Return the name of the file that a temporary file replaces; None for any other file."""
    match = _TEMPORARY.fullmatch(name)
    return match["name"] if match else None


def find_stale_files(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield the paths that are so old that the process that made them must be gone; skip files that no longer exist."""
    for path in paths:
        try:
            if time.time() - path.lstat().st_mtime > OUTLIVED:
                yield path
        except OSError:
            continue
