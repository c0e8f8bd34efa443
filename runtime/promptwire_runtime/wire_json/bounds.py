"""Bounds on the depth and size of JSON: a value that contains itself has no end."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from .kinds import class_of

if TYPE_CHECKING:
    from typing import Any

# no request comes near these; they bound what a hostile body can cost
MOST_LEVELS = 100
MOST_CONTAINERS = 1_000_000


def beyond_bounds(value: Any) -> str | None:
    """Return which bound a JSON value exceeds, in words; None if none. A shared list or object counts at each place."""
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
