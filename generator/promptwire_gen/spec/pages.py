"""Group the files of specs: one file, or a folder of pages that each hold some sections.

A folder with a `wire.yaml` is a spec with the folder's name; all other files in it, at any depth, are its pages. Each
section is on one page, but lists (of examples, for instance) continue from page to page in the order of file names.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence as SequenceOf
from pathlib import PurePosixPath

from ..layout import FIRST_PAGE, SHARED_FOLDERS, SOURCES
from ..problems import SpecProblem, quote
from .nodes import Node, Scalar, Sequence, Table, describe_place


def group_pages(files: Iterable[str]) -> dict[str, list[str]]:
    """Group files by spec: its file, or its folder with a slash -> its pages in order."""
    paths = {file: PurePosixPath(file.replace("\\", "/")) for file in files}
    folders = {path.parent for path in paths.values() if path.name == FIRST_PAGE}
    specs: dict[str, list[str]] = {}
    for file, path in sorted(paths.items(), key=lambda row: (row[1].name != FIRST_PAGE, row[1])):
        folder = next((parent for parent in path.parents if parent in folders), None)
        specs.setdefault(str(path) if folder is None else f"{folder}/", []).append(file)
    return dict(sorted(specs.items()))


def is_shared(file: str) -> bool:
    """Return whether a file that is no page of a spec's folder is shared by all specs."""
    path = PurePosixPath(file.replace("\\", "/"))
    return path.name == SOURCES or path.parent.name in SHARED_FOLDERS


def find_files_of_wires(sources: Mapping[str, str]) -> dict[str, SequenceOf[str]]:
    """Return the files of each spec, the first page first: wire -> files."""
    return {
        PurePosixPath(key).name.removesuffix(".yaml"): files
        for key, files in group_pages(sources).items()
        if not is_shared(key)
    }


def is_same_spec(file: str, first: str) -> bool:
    """Return whether a file is a page of the spec whose first or only page is `first`."""
    folder, _, name = first.rpartition("/")
    return file == first or (name == FIRST_PAGE and file.startswith(f"{folder}/"))


def merge_pages(tables: SequenceOf[Table], problems: list[SpecProblem]) -> Table:
    """Merge the pages of a spec into one mapping, the first page first."""
    first, *others = tables
    entries: dict[str, tuple[Scalar, Node]] = {str(key.value): (key, value) for key, value in first.entries}
    for key, value in (entry for table in others for entry in table.entries):
        name = str(key.value)
        earlier = entries.get(name)
        if earlier is None:
            entries[name] = key, value
        elif isinstance(earlier[1], Sequence) and isinstance(value, Sequence):
            entries[name] = earlier[0], Sequence((*earlier[1].items, *value.items), earlier[1].span)
        else:
            message = f"{quote(name)} is on two pages"
            first_place = f"first at {describe_place(earlier[0].span, key.span)}"
            problems.append(SpecProblem(key.span, "duplicate-key", message, first_place))
    return Table(tuple(entries.values()), first.span) if others else first
