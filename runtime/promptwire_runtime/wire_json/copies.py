"""Copies of the small JSON that a caller gives, so that changes of a body change nothing else."""

from __future__ import annotations

from marshal import dumps, loads

from ..typed import TYPE_CHECKING
from .bounds import MOST_LEVELS, beyond_bounds
from .kinds import SCALARS, class_of

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any


def own_json(value: Any) -> Any:
    """Copy the lists and objects of a JSON value, down to the levels that JSON may have; anything else stays."""
    kind = class_of(value)
    if kind is not dict and kind is not list:
        return value
    if SCALARS.issuperset(map(class_of, value.values() if kind is dict else value)):
        return value.copy()
    return _copied(value, {}, MOST_LEVELS)


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


def _copied(value: Any, copies: dict[int, Any], levels: int) -> Any:
    """Copy a value; what stands in several places, or in itself, is copied once."""
    kind: Any = class_of(value)
    if (kind is not dict and kind is not list) or not levels:
        return value
    copy: Any = copies.get(id(value))
    if copy is None:
        copy = {} if kind is dict else []
        copies[id(value)] = copy
        if kind is dict:
            copy.update([(key, _copied(item, copies, levels - 1)) for key, item in value.items()])
        else:
            copy.extend([_copied(item, copies, levels - 1) for item in value])
    return copy
