"""Open files by path: read regular files only, up to a size limit, and replace a file when all of it is written."""

from __future__ import annotations

import errno
import os
import shutil
import stat
from collections.abc import Generator, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO

MOST_BYTES = 256_000_000
File = str | os.PathLike[str] | int
"""A path or a file descriptor."""


def open_file(path: str | os.PathLike[str]) -> IO[bytes]:
    """Open a regular file, also through a symbolic link, without blocking.

    Raises:
        OSError: the path is a directory, a device, a pipe or a socket.
    """
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    mode = os.fstat(handle).st_mode
    if stat.S_ISREG(mode):
        return open(handle, "rb")  # noqa: PTH123  # pathlib takes no flags
    os.close(handle)
    if stat.S_ISDIR(mode):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), os.fspath(path))
    raise OSError(errno.EINVAL, "not a regular file", os.fspath(path))


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a regular file. Raises OSError as `open_file` does, and if the file is too large."""
    with open_file(path) as stream:
        # reading up to a limit allocates as many bytes
        is_usual = os.fstat(stream.fileno()).st_size <= MOST_BYTES
        raw = stream.read() if is_usual else stream.read(MOST_BYTES + 1)
    if len(raw) > MOST_BYTES:
        raise OSError(errno.EFBIG, f"it is larger than {MOST_BYTES:,} bytes", os.fspath(path))
    return raw


def read_lines(stream: IO[bytes]) -> Iterator[tuple[bytes | None, int]]:
    """Yield each line of a stream with its size in bytes; None for one that is too large, which is skipped."""
    while line := stream.readline(MOST_BYTES + 1):
        size = len(line)
        if size <= MOST_BYTES:
            yield line, size
            continue
        while not line.endswith(b"\n") and (line := stream.readline(1 << 20)):
            size += len(line)
        yield None, size


def check_apart(outputs: Iterable[File], inputs: Iterable[File]) -> None:
    """Check that no file that will be written is an input, whatever the names and links of both.

    Args:
        outputs: The files to be written; they need not exist.
        inputs: The files to be read.

    Raises:
        OSError: an output is an input.
    """
    read = {(status.st_dev, status.st_ino) for status in map(_regular, inputs) if status is not None}
    for output in outputs:
        status = _regular(output)
        if status is not None and (status.st_dev, status.st_ino) in read:
            name = "standard output" if isinstance(output, int) else os.fspath(output)
            raise OSError(
                errno.EEXIST, "it is an input, and would be overwritten; write to another file", name
            )


def _regular(file: File) -> os.stat_result | None:
    """Return the status of a regular file; None for any other, and for a file that is not there."""
    try:
        status = os.stat(file)  # noqa: PTH116  # pathlib takes no descriptors
    except OSError:
        return None
    return status if stat.S_ISREG(status.st_mode) else None


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Generator[IO[bytes]]:
    """Open a file for writing that takes the place of `path` at the end of the block.

    If the block fails, nothing changes. A link stays, and the file that it leads to is replaced. A device, a pipe, and
    the file that `/dev/stdout` means are written as they are.

    Raises:
        OSError: the file cannot be written.
    """
    is_there = Path(path).exists()
    if is_there and (_regular(path) is None or Path(path).is_relative_to("/dev")):
        # behind what others write to the same file
        with Path(path).open("ab") as stream:
            yield stream
        return
    target = Path(os.path.realpath(path))
    if is_there:
        # a file that may not be written may not be replaced either
        target.open("ab").close()
    beside = temporary_path(target)
    try:
        with beside.open("xb") as stream:
            yield stream
            stream.flush()
            os.fsync(stream.fileno())
        if is_there:
            shutil.copymode(target, beside)
        beside.replace(target)
    except BaseException:
        beside.unlink(missing_ok=True)
        raise


def temporary_path(path: Path) -> Path:
    """Return a new name beside a file; it is random because two machines may share the folder."""
    return path.with_name(f".{path.name}.{int.from_bytes(os.urandom(6), 'big')}")
