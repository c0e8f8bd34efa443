"""The capabilities of a dialect as a change of its parent's: the arguments of `changed` in the runtime."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, TypeAlias, cast

# the argument, and what stands in it: a path, or a path and a value
Edit: TypeAlias = tuple[str, Any]
Table: TypeAlias = dict[str, Any]
Words: TypeAlias = list[str]


def capability_changes(own: Table, parents: Table) -> Table:
    """Return how capabilities differ from the parent's: argument -> paths, or path -> value; empty if they do not."""
    edits = [*_edits(own, parents, "")]
    arguments: Table = {
        name: tuple([path for argument, path in edits if argument == name]) for name in ("less", "more")
    }
    arguments["other"] = dict([pair for argument, pair in edits if argument == "other"])
    return {name: value for name, value in arguments.items() if value}


def _edits(own: Table, parents: Table, above: str) -> Iterator[Edit]:
    yield from [("less", above + key) for key in parents if key not in own]
    for key, value in own.items():
        path, parent = above + key, parents.get(key)
        if isinstance(value, dict) and isinstance(parent, dict):
            yield from _edits(cast("Table", value), cast("Table", parent), f"{path}.")
        elif isinstance(value, list) and isinstance(parent, list):
            yield from _list_edits(cast("Words", value), cast("Words", parent), path)
        elif key not in parents or value != parent:
            yield ("other", (path, value))


def _list_edits(words: Words, parents: Words, path: str) -> Iterator[Edit]:
    """The words that go and come, in alphabetical order, where that says less than the list."""
    kept, new = [word for word in parents if word in words], [word for word in words if word not in parents]
    gone = [word for word in parents if word not in words]
    if len(gone) + len(new) < len(words) and words == (sorted([*kept, *new]) if new else kept):
        yield from [("less", f"{path}.{word}") for word in gone]
        yield from [("more", f"{path}.{word}") for word in new]
    elif words != parents:
        yield ("other", (path, words))
