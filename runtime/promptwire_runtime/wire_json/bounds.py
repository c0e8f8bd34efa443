"""Bounds on the depth and size of JSON: a value that contains itself has no end."""

from __future__ import annotations

from gc import get_referents
from itertools import compress

from ..typed import TYPE_CHECKING
from .kinds import class_of

if TYPE_CHECKING:
    from typing import Any

# no request comes near these; they bound what a hostile body can cost
MOST_LEVELS = 100
MOST_CONTAINERS = 1_000_000
# what is looked through a level at a time; anything larger is counted one by one
_MOST_VALUES = 1_000_000
_holds_values = frozenset({dict, list}).__contains__


def beyond_bounds(value: Any) -> str | None:
    """Return which bound a JSON value exceeds, in words; None if none. A shared list or object counts at each place."""
    level, left = [value], _MOST_VALUES
    # the garbage collector's walk is the quickest: a level at a time
    for _ in range(MOST_LEVELS):
        containers = [*compress(level, map(_holds_values, map(class_of, level)))]
        if not containers:
            return None
        left -= sum(map(len, containers))
        if left < 0:
            break
        level = get_referents(*containers)
    return _counted_bounds(value)


def text_beyond_bounds(text: str | bytes | bytearray, value: Any) -> str | None:
    """Return what `beyond_bounds` returns for the JSON value of a text."""
    brackets: Any = ("[", "{") if isinstance(text, str) else (b"[", b"{")
    few = sum([text.count(bracket) for bracket in brackets]) < MOST_LEVELS
    return None if few else beyond_bounds(value)


def _counted_bounds(value: Any) -> str | None:
    """Return what `beyond_bounds` returns, counting the lists and objects of each level."""
    level: list[Any] = [value]
    count = 0
    for _ in range(MOST_LEVELS):
        below = [
            inner
            for container in level
            for inner in (container.values() if class_of(container) is dict else container)
            # most values are text
            if (kind := class_of(inner)) is not str and (kind is dict or kind is list)
        ]
        if not below:
            return None
        count += len(below)
        if count > MOST_CONTAINERS:
            return f"it has more than {MOST_CONTAINERS:,} lists and objects"
        level = below
    return f"it is nested deeper than {MOST_LEVELS} levels, or holds itself"
