"""Which values of a growing answer become events: a tree of keys, without the numbers of lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from .buffers import EACH


class EventPaths:
    """One place of the answer where something is told, or inside it.

    kind   the kind of event that a value here is; empty where only something inside is told
    calls  whether calls stand here
    part   whether a part stands here
    again  whether an object here is told whenever more of it comes, not only when it begins
    inner  key, or `[]` for every element -> what is told there
    outer  the place around it
    id, names, arguments  inside a call, where these stand
    pieced  of the elements of a list: their calls, if the arguments of these may come in pieces
    path    the keys that lead to it
    of_call  whether it stands inside a call, or is one
    """

    __slots__ = (
        "again", "arguments", "calls", "id", "inner", "kind", "names", "of_call", "outer", "part", "path", "pieced",
    )  # fmt: skip

    def __init__(self, outer: EventPaths | None = None, path: tuple[str, ...] = ()) -> None:
        self.path = path
        self.of_call = False
        self.kind = ""
        self.calls = False
        self.again = True
        self.part = False
        self.id: tuple[str, ...] = ()
        self.names: tuple[tuple[str, ...], ...] = ()
        self.arguments: tuple[tuple[str, ...], ...] = ()
        # a `PiecedCalls`, whose module imports this one
        self.pieced: Any = None
        self.inner: dict[str, EventPaths] = {}
        self.outer = outer

    def at(self, path: Iterable[Any]) -> EventPaths | None:
        """Return the node at a path from here; a key that is not text stands for a list element."""
        place: EventPaths | None = self
        for key in path:
            place = place and place.inner.get(key if isinstance(key, str) else EACH)
        return place

    def open(self, path: Iterable[str]) -> EventPaths:
        """Return the node at a path from here, and create it if it is missing."""
        place = self
        for key in path:
            place = place.inner.get(key) or place.inner.setdefault(key, EventPaths(place, (*place.path, key)))
        return place


class OnEvent(Protocol):
    """Is told of every value that comes, and has a place where something is told."""

    def __call__(
        self,
        value: Any,
        paths: EventPaths,
        numbers: tuple[Any, ...],
        *,
        grows: bool = False,
        ends: bool = False,
    ) -> None:
        """Take a whole value, or a piece of one that grows, its place, and the numbers of lists on the way to it.

        ends  whether nothing of it follows
        """
        ...


def event_paths(
    kinds: Mapping[tuple[str, ...], str],
    call: tuple[tuple[str, ...], ...] = (),
    part: tuple[str, ...] = (),
    *,
    marked: bool = False,
) -> EventPaths:
    """Make the tree of the paths at which values are events, of those of calls, their ids and names, and of parts.

    marked  whether a key of a part says that its text is thinking, which may come after it has begun
    """
    root = EventPaths()
    for path, kind in kinds.items():
        root.open(path).kind = kind
    if call:
        at, *inside = call
        calls = root.open(at)
        calls.calls = True
        calls.id, *names = inside
        calls.names = tuple(names)
        calls.arguments = tuple(
            [path[len(at) :] for path, kind in kinds.items() if kind == "arguments" and path[: len(at)] == at]
        )
        for path in inside:
            root.open((*at, *path))
        for path in calls.arguments:
            root.open((*at, *path)).of_call = True
    if part:
        node = root.open(part)
        node.part = True
        node.again = marked or node.calls or bool(node.kind)
    return root
