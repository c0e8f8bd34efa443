"""Open files by path: regular files only, up to a size limit."""

from __future__ import annotations

import errno
import os
import stat
from typing import IO

MOST_BYTES = 256_000_000


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
