"""Reading the files that a case attaches: below one folder, plain text, and not too much of it."""

from __future__ import annotations

import os
import re
import stat
from base64 import b64encode
from collections.abc import Iterable, Mapping
from fnmatch import fnmatchcase
from functools import lru_cache
from itertools import pairwise
from pathlib import Path

from ..errors import InvalidRequest, LoadError
from ..nodes.checks import as_names
from ..nodes.type_errors import check_class

_MOST_ALTERNATIVES = 1000
_MOST_PATTERN_CHARACTERS = 4096


def normalise(path: str) -> str:
    """Return a path with forward slashes and without empty or `.` segments; a leading slash is kept."""
    check_class(path, str, "a path")
    slashed = path.replace("\\", "/")
    names = [name for name in slashed.split("/") if name not in ("", ".")]
    return ("/" if slashed.startswith("/") else "") + "/".join(names)


def matches(path: str, patterns: Iterable[str]) -> bool:
    """Return whether any pattern matches a path.

    Raises:
        InvalidRequest: a pattern is empty, negated, too long, or has too many alternatives.
    """
    names = normalise(path).split("/")
    return any(
        _match(names, alternative)
        for pattern in as_names(patterns, "patterns")
        for alternative in expanded(pattern)
    )


@lru_cache(maxsize=256)
def expanded(pattern: str) -> tuple[tuple[str, ...], ...]:
    """Return the alternatives of a pattern, each as the names of its path; raises as `matches` does."""
    subject = f'the pattern "{pattern[:60]}"'
    if not pattern.strip():
        raise InvalidRequest(f"{subject} is empty")
    if pattern.startswith("!"):
        raise InvalidRequest(f"{subject} is negated: write only what is meant")
    if len(pattern) > _MOST_PATTERN_CHARACTERS:
        raise InvalidRequest(f"{subject} is longer than {_MOST_CHARACTERS} characters")
    waiting, done = [pattern], list[str]()
    while waiting:
        text = waiting.pop()
        braces = _braces(text)
        if braces is None:
            done.append(text)
        else:
            start, end, inside = braces
            waiting += [text[:start] + alternative + text[end:] for alternative in inside]
        if len(waiting) + len(done) > _MOST_ALTERNATIVES:
            raise InvalidRequest(f"{subject} has more than {_MOST_ALTERNATIVES} alternatives")
    return tuple([tuple(normalise(alternative).replace("[^", "[!").split("/")) for alternative in done])


def _braces(text: str) -> tuple[int, int, list[str]] | None:
    """Find the first `{a,b}`: where it starts and ends, and its alternatives. Braces without a comma are text."""
    opened: list[tuple[int, list[int]]] = []
    best: tuple[int, int, list[str]] | None = None
    for index, sign in enumerate(text):
        if sign == "{":
            opened.append((index, []))
        elif sign == "," and opened:
            opened[-1][1].append(index)
        elif sign == "}" and opened:
            start, commas = opened.pop()
            if commas and (best is None or start < best[0]):
                edges = [start, *commas, index]
                pieces = [text[left + 1 : right] for left, right in pairwise(edges)]
                best = (start, index + 1, pieces)
    return best


def _match(names: list[str], pattern: tuple[str, ...]) -> bool:
    """Match name by name; `reached` are the numbers of names that the pattern so far may have taken."""
    reached = {0}
    for piece in pattern:
        if piece == "**":
            reached = _onward(names, reached)
        else:
            reached = {at + 1 for at in reached if at < len(names) and _match_name(names[at], piece)}
        if not reached:
            return False
    return len(names) in reached


def _onward(names: list[str], reached: set[int]) -> set[int]:
    """Go on from every place over any folders that are not hidden."""
    positions: set[int] = set()
    going = False
    for at in range(len(names) + 1):
        if at in reached or going:
            positions.add(at)
            going = at < len(names) and not names[at].startswith(".")
    return positions


def _match_name(name: str, piece: str) -> bool:
    return (not name.startswith(".") or piece.startswith(".")) and fnmatchcase(name, piece)


MAX_FILE_BYTES = 1_000_000
MAX_TOTAL_CHARACTERS = 20_000_000
MAX_MEDIA_BYTES = 20_000_000
# what an attached file is, by the end of its name; all other files are text
MEDIA_TYPES = {
    "png": "image/png",
    "jpg": "image/jpeg",
    "jpeg": "image/jpeg",
    "gif": "image/gif",
    "webp": "image/webp",
    "pdf": "application/pdf",
}
_MOST_CHARACTERS = 4096
_DRIVE = re.compile(r"[A-Za-z]:")
_SURROGATE = re.compile("[\ud800-\udfff]")
# Windows holds no folder open, and has none of these flags
STEP_BY_STEP = {os.open, os.stat} <= os.supports_dir_fd and hasattr(os, "O_NOFOLLOW")
_FOLDER = getattr(os, "O_PATH", os.O_RDONLY) | getattr(os, "O_DIRECTORY", 0)
_FILE = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


class MissingFileError(LoadError):
    """An attached file that is neither given nor on disk."""


def media_type_of(path: str) -> str | None:
    """Return the media type of a picture or document by the end of its name; None for text."""
    return MEDIA_TYPES.get(path.rpartition(".")[2].lower()) if "." in path else None


class Files:
    r"""The files of one case: given as text, or read below a folder.

    A path is relative, with `/` or `\`; nothing outside the folder is ever opened: no `..`, no absolute path, no
    symbolic link below it, no device. With `case_folder`, the place of the case below the folder, a file that is not
    there is looked for beside the case, `..` leads from the case up to the folder at most, and a leading `/` is the
    folder. On Windows, where no folder can be held open, one that becomes a link while the file is looked for is
    followed. A text is UTF-8, without NUL, and has `max_bytes` at most; a picture or PDF (by the end of its name) has
    `max_media_bytes`, and where it is given, its text is base64. All texts together have
    `max_total_characters`.
    """

    def __init__(
        self,
        root: str | os.PathLike[str] | None = None,
        given: Mapping[str, str] | None = None,
        *,
        case_folder: str | None = None,
        max_bytes: int = MAX_FILE_BYTES,
        max_total_characters: int = MAX_TOTAL_CHARACTERS,
        max_media_bytes: int = MAX_MEDIA_BYTES,
    ) -> None:
        """Set the folder and the given texts (path -> text), which take precedence.

        Raises:
            LoadError: two given paths mean the same file.
        """
        if not (root is None or isinstance(root, (str, os.PathLike))):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise LoadError(f"root is the path of a folder, not {type(root).__name__}")
        check_class(given or {}, Mapping, "given")
        self.root = None if root is None else Path(root)
        self.max_bytes = max_bytes
        self.max_media_bytes = max_media_bytes
        self.max_total_characters = max_total_characters
        self._case_folder = None if case_folder is None else normalise(case_folder)
        self._attached = 0
        self._read: dict[str, str] = {}
        for path, text in (given or {}).items():
            name = self.checked(path)
            check_class(text, str, f'the text of "{name}"')
            if name in self._read:
                raise LoadError(f'two given files are "{name}"')
            self._read[name] = text

    def read(self, path: str) -> str:
        """Return the text of a file; of a picture or PDF, its content as base64.

        Raises:
            MissingFileError: the file is neither given nor there.
            LoadError: the path leaves the folder, or the file cannot be read, is too large or no text.
        """
        name = self.found(path)
        text = self._read[name]
        self._attached += len(text) if media_type_of(name) is None else 0
        if self._attached > self.max_total_characters:
            raise LoadError(f"more than {self.max_total_characters:,} characters are attached")
        return text

    def found(self, path: str) -> str:
        """Read a file, and return its path below the folder; raises as `read` does."""
        names = self._names(path)
        for name in names:
            if name in self._read:
                return name
            try:
                self._read[name] = self._text(name)
            except MissingFileError:
                if name == names[-1]:
                    raise
            else:
                return name
        raise AssertionError  # pragma: no cover  # the last name is found or raises

    def _names(self, path: str) -> tuple[str, ...]:
        """Return the places that a path may mean, in the order in which they are tried."""
        if self._case_folder is None:
            return (self.checked(path),)
        name = normalise(path)
        if name.startswith("/"):
            return (self.checked(name.lstrip("/")),)
        steps: list[str] = []
        for step in f"{self._case_folder}/{name}".split("/"):
            if step == "..":
                if not steps:
                    raise LoadError(f'"{path}" leaves the folder that files are read from')
                steps.pop()
            elif step:
                steps.append(step)
        near = self.checked("/".join(steps))
        return (near,) if ".." in name.split("/") else (self.checked(name), near)

    @staticmethod
    def checked(path: str) -> str:
        """Normalise a path that stays below its folder; raises LoadError for any other."""
        name = normalise(path)
        if not name or len(name) > _MOST_CHARACTERS or "\0" in name or _SURROGATE.search(name):
            raise LoadError("this is not the path of a file")
        if name.startswith("/") or _DRIVE.match(name):
            raise LoadError(f'"{path}" is absolute: files are read below one folder')
        if ".." in name.split("/"):
            raise LoadError(f'"{path}" leaves its folder: ".." is not read')
        return name

    def address(self, path: str) -> str:
        """Return the URL of a file below the folder, or its path without a folder."""
        name = self._names(path)[0] if self.root is None else self.found(path)
        return name if self.root is None else (self.root.absolute() / name).as_uri()

    def _text(self, name: str) -> str:
        if self.root is None:
            raise MissingFileError(f'"{name}" is not given, and there is no folder to read it from')
        try:
            raw = self._bytes(name, self.root)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise MissingFileError(f'"{name}" cannot be read: {error.strerror}') from None
        except OSError as error:
            raise LoadError(f'"{name}" cannot be read: {error.strerror or error}') from None
        most = self._most_bytes(name)
        if len(raw) > most:
            raise LoadError(f'"{name}" is larger than {most:,} bytes')
        if media_type_of(name) is not None:
            return b64encode(raw).decode("ascii")
        try:
            text = raw.decode("utf-8").removeprefix("\ufeff")
        except UnicodeDecodeError as error:
            byte = f"0x{raw[error.start]:02x} at byte {error.start}"
            raise LoadError(f'"{name}" is not UTF-8: {byte}') from None
        if "\0" in text:
            raise LoadError(f'"{name}" has a NUL character: it is not text')
        return text

    def _bytes(self, name: str, root: Path) -> bytes:
        """Read a file without following links, also if a folder of the path is replaced by one meanwhile."""
        stream = _open_below(name, root) if STEP_BY_STEP else _opened_by_path(name, root)
        with open(stream, "rb") as file:  # noqa: PTH123  # pathlib takes no open file
            return file.read(self._most_bytes(name) + 1)

    def _most_bytes(self, name: str) -> int:
        return self.max_bytes if media_type_of(name) is None else self.max_media_bytes


def _open_below(name: str, root: Path) -> int:
    """Open a file step by step, each below the folder that was opened before it."""
    *folders, last = name.split("/")
    folder = os.open(root, _FOLDER)
    try:
        for step in folders:
            _check_step(name, step, os.stat(step, dir_fd=folder, follow_symlinks=False).st_mode)
            below = os.open(step, _FOLDER | os.O_NOFOLLOW, dir_fd=folder)
            os.close(folder)
            folder = below
        _check_file(name, last, os.stat(last, dir_fd=folder, follow_symlinks=False).st_mode)
        stream = os.open(last, _FILE, dir_fd=folder)
    finally:
        os.close(folder)
    return _regular(name, last, stream)


def _opened_by_path(name: str, root: Path) -> int:
    """Open a file where no folder can be held open: a folder that becomes a link in between would be followed."""
    path = root
    *folders, last = name.split("/")
    for step in folders:
        path = path / step
        _check_step(name, step, path.lstat().st_mode)
    path = path / last
    _check_file(name, last, path.lstat().st_mode)
    if not path.resolve().is_relative_to(root.resolve()):
        raise LoadError(f'"{name}" is not below its folder')
    return _regular(name, last, os.open(path, _FILE))


def _regular(name: str, step: str, stream: int) -> int:
    """Check the opened file again."""
    try:
        _check_file(name, step, os.fstat(stream).st_mode)
    except LoadError:
        os.close(stream)
        raise
    return stream


def _check_step(name: str, step: str, mode: int) -> None:
    if stat.S_ISLNK(mode):
        raise LoadError(f'"{name}" is behind a symbolic link ("{step}"): links are not followed')


def _check_file(name: str, step: str, mode: int) -> None:
    _check_step(name, step, mode)
    if not stat.S_ISREG(mode):
        raise LoadError(f'"{name}" is a {"folder" if stat.S_ISDIR(mode) else "special file"}, not a file')
