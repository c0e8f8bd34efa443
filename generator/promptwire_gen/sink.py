"""The only module that writes output: compare produced files with the output folder, then write the differences.

`compare` changes nothing; `diff` and `write` act on its result.
"""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from promptwire_text.files import open_file, read_file

from .atomic_files import WriteError, find_stale_files, find_target_name, write_atomically
from .emit.artifact import MARK
from .layout import CACHES, MODEL, is_plain

_HEAD = 400
_LISTED = 10


class SinkError(Exception):
    """Raised for output that must not be written, or a folder that cannot be written to; nothing has been changed.

    `paths` lists the affected files.
    """

    def __init__(self, message: str, paths: tuple[str, ...] = ()) -> None:
        """Format the message with up to a handful of paths below it."""
        lines = [f"\n  {path}" for path in paths[:_LISTED]]
        if len(paths) > _LISTED:
            lines.append(f"\n  and {len(paths) - _LISTED} more")
        super().__init__(message + "".join(lines))
        self.paths = paths


@dataclass(frozen=True, slots=True, kw_only=True)
class Drift:
    """Differences between the output folder and the produced files; sorted paths relative to it.

    Attributes:
        stale: Produced, and on disk with another text.
        missing: Produced, and not on disk.
        orphan: On disk with the generated mark, and not produced.
        foreign: On disk without the mark, inside the output folder; never overwritten or removed.
    """

    stale: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()
    orphan: tuple[str, ...] = ()
    foreign: tuple[str, ...] = ()

    @property
    def changed(self) -> tuple[str, ...]:
        """The files that a build would write or remove."""
        return tuple(sorted((*self.stale, *self.missing, *self.orphan)))

    @property
    def current(self) -> bool:
        """Return whether the output folder is up to date."""
        return not (self.changed or self.foreign)


def compare(
    files: Mapping[str, str], output: Path, *, partial: bool = False, model: Path | None = None
) -> Drift:
    """Compare produced files (path -> text) with a folder, which may not exist.

    `model` is the folder of the runtime's node classes, for paths that begin with MODEL. With `partial`, `files` are
    only some of the output, so that no file counts as an orphan. Temporary files of other builds are ignored.
    Raises SinkError for a path that would leave the folder, and for text that cannot be encoded.
    """
    places = _Places(output, model)
    places.check()
    try:
        present = {
            path: entry for path, entry in places.list_present() if _find_replaced_path(path) not in files
        }
        _check(files, places, present)
        shared = [path for path in files if path in present]
        stale = [path for path in shared if read_file(present[path]) != files[path].encode()]
        strangers = [path for path in present if path not in files]
        marked = {path for path in (*stale, *strangers) if _carries_mark(present[path])}
    except OSError as error:
        raise SinkError(f"{output} cannot be read: {error}") from error
    return Drift(
        stale=tuple(sorted(path for path in stale if path in marked)),
        missing=tuple(sorted(path for path in files if path not in present)),
        orphan=() if partial else tuple(sorted(path for path in strangers if path in marked)),
        foreign=tuple(sorted(path for path in (*stale, *strangers) if path not in marked)),
    )


def write(
    files: Mapping[str, str],
    output: Path,
    *,
    partial: bool = False,
    model: Path | None = None,
    approve: Callable[[Drift], None] = lambda _: None,
) -> Drift:
    """Make the folder hold exactly `files`, touching only what differs; return what differed.

    `approve` gets the differences first, and raises an error if they must not be written.
    All files are written first and then put in place atomically; after that, orphans and empty folders are removed.
    Raises SinkError, before anything is changed, for foreign files, paths that would leave the folder, and a full disk.
    """
    drift = compare(files, output, partial=partial, model=model)
    places = _Places(output, model)
    if drift.foreign:
        text = f'{output.name}/ holds files without the mark "{MARK}": move them away, then build again'
        raise SinkError(text, drift.foreign)
    approve(drift)
    # a file where a folder is to be is removed first
    folders = _list_folders(drift.missing)
    try:
        for path in folders.intersection(drift.orphan):
            places.locate(path).unlink(missing_ok=True)
        write_atomically(
            (places.locate(path), [files[path].encode()]) for path in (*drift.stale, *drift.missing)
        )
        for path in set(drift.orphan) - folders:
            _remove(places.locate(path), places.find_root(path))
        left = [Path(entry) for path, entry in places.list_present() if _find_replaced_path(path) in files]
        for place in find_stale_files(left):
            place.unlink(missing_ok=True)
    except WriteError as error:
        raise SinkError(str(error)) from error
    except OSError as error:
        raise SinkError(f"{output} cannot be written: {error}") from error
    return drift


def diff(
    files: Mapping[str, str], output: Path, paths: Iterable[str], *, model: Path | None = None
) -> Iterator[str]:
    """Yield a unified diff for each path, from the file on disk to the text that `write` would put there."""
    for path in sorted(paths):
        place = _Places(output, model).locate(path)
        try:
            before = read_file(place).decode(errors="replace") if place.is_file() else None
        except OSError as error:
            raise SinkError(f"{place} cannot be read: {error}") from error
        yield _diff_texts(path, before, files.get(path))


@dataclass(frozen=True, slots=True)
class _Places:
    """Resolve paths: in the output folder, or in the folder of the runtime's node classes."""

    output: Path
    model: Path | None

    def find_root(self, path: str) -> Path:
        """Return the folder that a path is relative to."""
        return self.model if self.model is not None and path.startswith(MODEL) else self.output

    def locate(self, path: str) -> Path:
        """Return the location of a file."""
        return self.find_root(path) / self.find_inner_path(path)

    def find_inner_path(self, path: str) -> str:
        """Return a path relative to its folder."""
        return path if self.model is None else path.removeprefix(MODEL)

    def check(self) -> None:
        """Refuse an output folder that is a file, and folders that are, or are inside, links out of the project."""
        if self.output.exists() and not self.output.is_dir():
            raise SinkError(f"{self.output} is a file, not a folder")
        project = self.output.parent.resolve()
        folders = [folder for folder in (self.output, self.model) if folder is not None]
        outside = [str(folder) for folder in folders if not folder.resolve().is_relative_to(project)]
        if outside:
            raise SinkError("links that lead out of the project: put folders in their place", tuple(outside))

    def leads_out(self, path: str) -> bool:
        """Return whether a path is outside of its folder once links are followed."""
        return not self.locate(path).resolve().is_relative_to(self.find_root(path).resolve())

    def list_present(self) -> Iterator[tuple[str, os.DirEntry[str]]]:
        """Yield every existing file."""
        yield from _walk_files(self.output)
        if self.model is not None:
            yield from _walk_files(self.model, MODEL)


def _check(files: Mapping[str, str], places: _Places, present: Mapping[str, os.DirEntry[str]]) -> None:
    """Refuse paths that would leave their folder, and text that cannot be encoded."""
    output = places.output
    linked = {path for path, entry in present.items() if path in files and entry.is_symlink()}
    # a file that is no link is where its folder is
    outside = {path for path in linked.union(map(_find_folder, files)) if places.leads_out(path)}
    escaping = [
        path
        for path in files
        if not is_plain(places.find_inner_path(path)) or not outside.isdisjoint((path, _find_folder(path)))
    ]
    if escaping:
        text = f"paths that would leave {output.name}/ or are no plain paths"
        raise SinkError(text, tuple(sorted(escaping)))
    folders = _list_folders(files)
    blocked = [
        path for path in files if path in folders or (path not in present and places.locate(path).is_dir())
    ]
    if blocked:
        raise SinkError(f"files that are folders too, in {output.name}/", tuple(sorted(blocked)))
    for path, text in files.items():
        _check_text(path, text)


def _find_folder(path: str) -> str:
    """Return the folder of a file, with a slash at its end."""
    return path[: path.rfind("/") + 1]


def _list_folders(paths: Iterable[str]) -> set[str]:
    """Return every folder that contains one of these files."""
    direct = set(map(_find_folder, paths))
    return {
        str(folder) for place in direct for folder in (PurePosixPath(place), *PurePosixPath(place).parents)
    }


def _check_text(path: str, text: str) -> None:
    if "\r" in text:
        raise SinkError("text with a carriage return: lines end in a line feed only", (path,))
    try:
        # faster for ASCII
        _ = text.isascii() or text.encode()
    except UnicodeEncodeError as error:
        raise SinkError(f"text that is not valid Unicode: {error}", (path,)) from error


def _walk_files(folder: str | Path, inside: str = "") -> Iterator[tuple[str, os.DirEntry[str]]]:
    """Yield every file below the folder except caches; a link to a folder counts as one file."""
    try:
        entries = [*os.scandir(folder)]
    except FileNotFoundError:
        return
    for entry in entries:
        path = f"{inside}{entry.name}"
        if not entry.is_dir(follow_symlinks=False):
            yield path, entry
        elif entry.name not in CACHES:
            yield from _walk_files(entry.path, f"{path}/")


def _carries_mark(file: os.DirEntry[str]) -> bool:
    """Return whether a file begins with the generated mark; also True if another build has removed it meanwhile."""
    path = Path(file)
    if path.is_symlink() or not path.is_file():
        return not os.path.lexists(path)
    with open_file(path) as stream:
        return MARK.encode() in stream.read(_HEAD)


def _find_replaced_path(path: str) -> str | None:
    """Return the path of the file that this temporary file is to replace, or None."""
    pure = PurePosixPath(path)
    name = find_target_name(pure.name)
    return None if name is None else pure.with_name(name).as_posix()


def _remove(path: Path, output: Path) -> None:
    """Remove a file and the folders that become empty; another build may have done so already."""
    path.unlink(missing_ok=True)
    for folder in path.parents:
        if folder == output or (folder.exists() and any(folder.iterdir())):
            return
        with suppress(FileNotFoundError):
            folder.rmdir()


def _diff_texts(path: str, before: str | None, after: str | None) -> str:
    old, new = (_split_lines(text) for text in (before, after))
    names = ("/dev/null" if before is None else f"a/{path}", "/dev/null" if after is None else f"b/{path}")
    return "".join(difflib.unified_diff(old, new, *names))


def _split_lines(text: str | None) -> list[str]:
    """Split at line feeds only, so that a missing final newline and carriage returns stay visible."""
    if not text:
        return []
    *lines, rest = text.replace("\r", "\\r").split("\n")
    tail = [f"{rest}\n\\ No newline at end of file\n"] if rest else []
    return [f"{line}\n" for line in lines] + tail
