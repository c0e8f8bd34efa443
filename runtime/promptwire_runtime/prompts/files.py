"""Reading the files that a case attaches: below one folder, plain text, and not too much of it."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Mapping
from pathlib import Path

from ..errors import LoadError
from .globs import normalise

MAX_FILE_BYTES = 1_000_000
MAX_TOTAL_CHARACTERS = 20_000_000
_MOST_CHARACTERS = 4096
_DRIVE = re.compile(r"[A-Za-z]:")


class MissingFileError(LoadError):
    """An attached file that is neither given nor there."""


class Files:
    r"""The files of one case: given as text, or read below a folder.

    A path is relative, with `/` or `\`; nothing outside the folder is ever opened: no `..`, no absolute path, no
    symbolic link below it, no device. A file is UTF-8, without NUL, and has `max_bytes` at most; all that are
    attached have `max_total_characters`.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        given: Mapping[str, str] | None = None,
        *,
        max_bytes: int = MAX_FILE_BYTES,
        max_total_characters: int = MAX_TOTAL_CHARACTERS,
    ) -> None:
        """Take the folder and the given texts (path -> text); these are looked at first.

        Raises:
            LoadError: two given paths mean the same file.
        """
        self.root = None if root is None else Path(root)
        self.max_bytes = max_bytes
        self.max_total_characters = max_total_characters
        self._attached = 0
        self._read: dict[str, str] = {}
        for path, text in (given or {}).items():
            name = self.checked(path)
            if name in self._read:
                raise LoadError(f'two given files are "{name}"')
            self._read[name] = text

    def read(self, path: str) -> str:
        """Give the text of a file.

        Raises:
            MissingFileError: the file is neither given nor there.
            LoadError: the path leaves the folder, or the file cannot be read, is too large or no text.
        """
        name = self.checked(path)
        if name not in self._read:
            self._read[name] = self._text(name)
        text = self._read[name]
        self._attached += len(text)
        if self._attached > self.max_total_characters:
            raise LoadError(f"more than {self.max_total_characters:,} characters are attached")
        return text

    @staticmethod
    def checked(path: str) -> str:
        """Normalise a path that stays below its folder; raises LoadError for any other."""
        name = normalise(path)
        if not name or len(name) > _MOST_CHARACTERS or "\0" in name:
            raise LoadError("this is no path of a file")
        if name.startswith("/") or _DRIVE.match(name):
            raise LoadError(f'"{path}" is absolute: files are read below one folder')
        if ".." in name.split("/"):
            raise LoadError(f'"{path}" leaves its folder: ".." is not read')
        return name

    def _text(self, name: str) -> str:
        if self.root is None:
            raise MissingFileError(f'"{name}" is not given, and there is no folder to read it from')
        try:
            raw = self._bytes(name, self.root)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise MissingFileError(f'"{name}" cannot be read: {error.strerror}') from None
        except OSError as error:
            raise LoadError(f'"{name}" cannot be read: {error.strerror or error}') from None
        if len(raw) > self.max_bytes:
            raise LoadError(f'"{name}" is larger than {self.max_bytes:,} bytes')
        try:
            text = raw.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            byte = f"0x{raw[error.start]:02x} at byte {error.start}"
            raise LoadError(f'"{name}" is not UTF-8: {byte}') from None
        if "\0" in text:
            raise LoadError(f'"{name}" holds a NUL: it is no text')
        return text

    def _bytes(self, name: str, root: Path) -> bytes:
        """Open a file whose every step was looked at; a link that appears in between is not followed either."""
        path = root
        mode = 0
        for step in name.split("/"):
            path = path / step
            mode = path.lstat().st_mode
            if stat.S_ISLNK(mode):
                raise LoadError(f'"{name}" is behind a symbolic link ("{step}"): links are not followed')
        if not stat.S_ISREG(mode):
            raise LoadError(f'"{name}" is a {"folder" if stat.S_ISDIR(mode) else "special file"}, not a file')
        if not path.resolve().is_relative_to(root.resolve()):
            raise LoadError(f'"{name}" is not below its folder')
        flags = (
            os.O_RDONLY
            | getattr(os, "O_NOFOLLOW", 0)
            | getattr(os, "O_NONBLOCK", 0)
            | getattr(os, "O_BINARY", 0)
        )
        with open(os.open(path, flags), "rb") as stream:  # noqa: PTH123  # pathlib takes no flags
            return stream.read(self.max_bytes + 1)
