"""Copies of JSON, and the bounds on its depth and size: a value that contains itself has no end."""

from __future__ import annotations

from gc import get_referents
from itertools import compress
from marshal import dumps, loads

from ..typed import TYPE_CHECKING
from .kinds import SCALARS, class_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any

# no request comes near these; they bound what a hostile body can cost
MOST_LEVELS = 100
MOST_CONTAINERS = 1_000_000
# sizes up to this are checked level by level; larger values are counted one by one
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


def own_json(value: Any) -> Any:
    """Copy the lists and objects of a JSON value, down to the levels that JSON may have; anything else stays."""
    kind = class_of(value)
    if kind is not dict and kind is not list:
        return value
    if SCALARS.issuperset(map(class_of, value.values() if kind is dict else value)):
        return value.copy()
    return _copy(value, {}, MOST_LEVELS)


def copy_body(body: dict[str, Any]) -> tuple[dict[str, Any] | None, str | None]:
    """Copy a whole body, its texts too: nothing copies faster than the standard library's own format.

    Returns the copy, or None if the body holds a value of a type that JSON does not have; and what is too much about
    the body, as `beyond_bounds` says it.
    """
    trouble = beyond_bounds(body)
    if trouble is not None:
        return None, trouble
    try:
        return loads(dumps(body)), None  # noqa: S302  # written just now
    except ValueError:
        return None, None


def copy_options(options: Mapping[str, Any], item: dict[str, Any], names: str) -> None:
    """Copy options into an object under their own names; `names` are separated by spaces."""
    if options:
        for name in names.split():
            if name in options:
                item[name] = own_json(options[name])


def _copy(value: Any, copies: dict[int, Any], levels: int) -> Any:
    """Copy a value; an object in several places, or inside itself, is copied once."""
    kind: Any = class_of(value)
    if (kind is not dict and kind is not list) or not levels:
        return value
    copy: Any = copies.get(id(value))
    if copy is None:
        copy = {} if kind is dict else []
        copies[id(value)] = copy
        if kind is dict:
            copy.update([(key, _copy(item, copies, levels - 1)) for key, item in value.items()])
        else:
            copy.extend([_copy(item, copies, levels - 1) for item in value])
    return copy
