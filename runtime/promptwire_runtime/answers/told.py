"""Which values of an answer that grows are told as events: a tree of keys, without the numbers of lists."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Protocol

from .grown import EACH


class Told:
    """One place of the answer where something is told, or inside it.

    kind   the kind of event that a value here is; empty where only something inside is told
    calls  whether calls stand here
    part   whether a part stands here
    inner  key, or `[]` for every element -> what is told there
    outer  the place around it
    """

    __slots__ = ("calls", "inner", "kind", "outer", "part")

    def __init__(self, outer: Told | None = None) -> None:
        self.kind = ""
        self.calls = False
        self.part = False
        self.inner: dict[str, Told] = {}
        self.outer = outer

    def at(self, path: Iterable[Any]) -> Told | None:
        """Give the place at a path from here; any key that is no text is an element of a list."""
        place: Told | None = self
        for key in path:
            place = place and place.inner.get(key if isinstance(key, str) else EACH)
        return place

    def open(self, path: Iterable[str]) -> Told:
        """Give the place at a path from here, made where there is none."""
        place = self
        for key in path:
            place = place.inner.get(key) or place.inner.setdefault(key, Told(place))
        return place


class Tell(Protocol):
    """Is told of every value that comes, and has a place where something is told."""

    def __call__(
        self, value: Any, told: Told, numbers: tuple[Any, ...], *, grows: bool = False, ends: bool = False
    ) -> None:
        """Take a whole value, or a piece of one that grows, its place, and the numbers of lists on the way to it.

        ends  whether nothing of it follows
        """
        ...


def told_at(
    kinds: Mapping[tuple[str, ...], str],
    call: tuple[tuple[str, ...], ...] = (),
    part: tuple[str, ...] = (),
) -> Told:
    """Make the tree of the paths at which values are events, of those of calls, their ids and names, and of parts."""
    root = Told()
    for path, kind in kinds.items():
        root.open(path).kind = kind
    if call:
        at, *inside = call
        root.open(at).calls = True
        for path in inside:
            root.open((*at, *path))
    if part:
        root.open(part).part = True
    return root
