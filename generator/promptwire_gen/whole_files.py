"""Files written whole or not at all, and what is left of a process that was killed while it wrote them."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from pathlib import Path

# `.name.number`, beside the file that it becomes; the number is drawn, since processes of two machines may share one
_TEMPORARY = re.compile(r"\.(?P<name>.+)\.[0-9]+")
# nobody writes one file, or makes those of one compilation, for as long: an hour, in seconds
OUTLIVED = 3600.0


class WriteError(OSError):
    """A file that cannot be written; the text names it and says why. Nothing else was changed."""


def write_whole(files: Iterable[tuple[Path, Iterable[bytes]]]) -> None:
    """Replace files, with the folders that they need, once all are written beside them; links are replaced too.

    `files` gives each with its pieces. Raises WriteError; on a full disk nothing is changed then.
    """
    with ExitStack() as written:
        moves: list[tuple[Path, Path]] = []
        for path, pieces in files:
            temporary = path.with_name(f".{path.name}.{int.from_bytes(os.urandom(6), 'big')}")
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


def becomes(name: str) -> str | None:
    """Give the name of the file that one of this name is to replace, or was; None for any other file."""
    match = _TEMPORARY.fullmatch(name)
    return match["name"] if match else None


def outlived(paths: Iterable[Path]) -> Iterator[Path]:
    """Yield what is so old that whoever made it is gone; what is gone itself is not."""
    for path in paths:
        try:
            if time.time() - path.lstat().st_mtime > OUTLIVED:
                yield path
        except OSError:
            continue
