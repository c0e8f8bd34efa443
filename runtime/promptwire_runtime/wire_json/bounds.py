"""Bounds on the depth and size of JSON: a value that contains itself has no end."""

from __future__ import annotations

from marshal import dumps

from ..typed import TYPE_CHECKING
from .kinds import class_of

if TYPE_CHECKING:
    from typing import Any

# no request comes near these; they bound what a hostile body can cost
MOST_LEVELS = 100
MOST_CONTAINERS = 1_000_000
# the bytes that begin no list and no object in marshalled JSON
_NO_CONTAINERS = bytes(set(range(256)) - set(b"{[\xfb\xdb"))


def beyond_bounds(value: Any) -> str | None:
    """Return which bound a JSON value exceeds, in words; None if none. A shared list or object counts at each place."""
    try:
        # nothing measures faster than the standard library's own format
        if is_small(dumps(value)):
            return None
    except ValueError:  # it has no place for a value, or is too deep
        pass
    return counted_bounds(value)


def trouble_of_text(text: str | bytes | bytearray, value: Any) -> str | None:
    """Return what `beyond_bounds` returns for the JSON value of a text."""
    brackets: Any = ("[", "{") if isinstance(text, str) else (b"[", b"{")
    few = sum([text.count(bracket) for bracket in brackets]) < MOST_LEVELS
    return None if few else counted_bounds(value)


def is_small(data: bytes) -> bool:
    """Return whether marshalled JSON is surely within the bounds: it has fewer lists and objects than `MOST_LEVELS`.

    In that format an object begins with `{` and a list with `[`. The highest bit of that byte is set where the same
    object may be referred to again, which is written as `r` and its number; the whole has number 0. Texts may contain
    the same bytes: then the answer is no, and the value is counted.
    """
    inside = data[1:].translate(None, _NO_CONTAINERS)
    return len(inside) < MOST_LEVELS - 1 and inside.isascii() and data.find(b"r\0\0\0\0") < 0


def counted_bounds(value: Any) -> str | None:
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
