"""Compare JSON values: leaves, strict equality, and the first difference."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, TypeGuard

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Difference:
    """A JSON pointer (RFC 6901) with both values there as short JSON text; None where there is none."""

    pointer: str
    recorded: str | None
    built: str | None

    def __str__(self) -> str:
        """Format it in one line."""
        recorded, built = (value or "nothing" for value in (self.recorded, self.built))
        return f"{self.pointer or '(root)'}: {recorded} was recorded, {built} was built"


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a value is an object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Return whether a value is a list."""
    return isinstance(value, list)


def count_leaves(value: Any) -> int:
    """Count scalars, nulls and empty containers."""
    members = list(value.values()) if is_object(value) else value if is_list(value) else []
    return sum(map(count_leaves, members)) if members else 1


def first_difference(recorded: Any, built: Any, pointer: str = "") -> Difference | None:
    """Return the first difference of two values; types count (`1` is not `True` or `1.0`), key order does not."""
    if type(recorded) is type(built):
        if is_object(recorded):
            return next(_in_objects(recorded, built, pointer), None)
        if is_list(recorded):
            return next(_in_lists(recorded, built, pointer), None)
        if recorded == built:
            return None
    return Difference(pointer, shorten(recorded), shorten(built))


def shorten(value: Any) -> str:
    """Return a value as JSON text of at most 60 characters."""
    text = json.dumps(value, default=repr)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _in_objects(recorded: dict[str, Any], built: dict[str, Any], pointer: str) -> Iterator[Difference]:
    for key in (*recorded, *(key for key in built if key not in recorded)):
        inside = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
        if key not in built:
            yield Difference(inside, shorten(recorded[key]), None)
        elif key not in recorded:
            yield Difference(inside, None, shorten(built[key]))
        elif (difference := first_difference(recorded[key], built[key], inside)) is not None:
            yield difference


def _in_lists(recorded: list[Any], built: list[Any], pointer: str) -> Iterator[Difference]:
    for index, (expected, right) in enumerate(zip(recorded, built, strict=False)):
        if (difference := first_difference(expected, right, f"{pointer}/{index}")) is not None:
            yield difference
    shared = min(len(recorded), len(built))
    if len(recorded) > shared:
        yield Difference(f"{pointer}/{shared}", shorten(recorded[shared]), None)
    elif len(built) > shared:
        yield Difference(f"{pointer}/{shared}", None, shorten(built[shared]))
