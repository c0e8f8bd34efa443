"""What of a part's JSON the events of a stream did not report."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from ..model.parts import Part
from ..wire_json.kinds import is_list, is_object
from .buffers import EACH, in_both_cases
from .event_paths import EventPaths

Path = tuple[Any, ...]
# keys that every element has and that no event needs to report
NAMING = in_both_cases("type", "role", "index", "object")


def unreported(json: Mapping[str, Any], told: EventPaths, naming: frozenset[str]) -> dict[str, Any]:
    """Return the values of an element that no event reports."""
    rest: dict[str, Any] = {}
    for key, value in json.items():
        below = told.inner.get(key)
        left = value if below is None else _left(value, below, naming)
        if key not in naming and left not in (None, "", [], {}):
            rest[key] = left
    return rest


def _left(value: Any, told: EventPaths, naming: frozenset[str]) -> Any:
    if is_object(value):
        return unreported(value, told, naming) if told.inner else None
    inside = told.inner.get(EACH)
    if is_list(value) and inside is not None:
        # an element of which no event tells anything stays whole
        rows = [
            element
            if is_object(element) and (inside.inner.keys().isdisjoint(element) or _is_sealed(element, inside))
            else _left(element, inside, naming)
            for element in value
        ]
        return [row or {} for row in rows] if any(rows) else None
    return None


def _is_sealed(element: dict[str, Any], told: EventPaths) -> bool:
    """Return whether the text of an element is signed, so that the two belong together."""
    return bool(element.get("signature")) and "signature" not in told.inner


def missing(whole: Any, grown: Any, *, other: bool = False) -> Any:
    """Return the parts of an object that the accumulated answer lacks (or, with `other`, differ); else None."""
    if is_object(whole) and is_object(grown):
        rows = {key: missing(value, grown.get(key), other=other) for key, value in whole.items()}
        return {key: row for key, row in rows.items() if row is not None} or None
    if is_list(whole) and is_list(grown) and any(map(is_object, whole)):
        lacks: list[Any] = []
        for number, element in enumerate(whole):
            there = grown[number] if number < len(grown) else None
            row = missing(element, there, other=other)
            # what is there grows by its number only
            numbered = is_object(there) and "index" in there
            if row and (there is None or numbered or other):
                lacks.append({"index": number, **row} if numbered else row)
        return lacks or None
    if whole == grown or whole in (None, "", [], {}):
        return None
    return whole if other or grown in (None, "", [], {}) else None


def field_of(part: Part | None, path: Path, value: Any) -> str:
    """Return the neutral name of a value of a part; its path in the API's JSON if no field holds it."""
    names = () if part is None else (*type(part).__slots__, "signature")
    return next((name for name in names if getattr(part, name, None) == value), ".".join(path))


def leaves(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """Yield the leaves of a value: the path without list indices, and the value."""
    if is_object(value) and value:
        inside = [
            leaf for key, inner in value.items() if key not in NAMING for leaf in leaves(inner, (*path, key))
        ]
        yield from inside or [(path, value)]
    elif is_list(value) and any(map(is_object, value)):
        for inner in value:
            yield from leaves(inner, path)
    elif value not in (None, "", {}):
        yield path, value


def merged(value: Any, other: Any) -> Any:
    """Return an object overridden by the values of another; lists are merged element by element."""
    if is_list(value) and is_list(other) and len(other) <= len(value):
        return [*map(merged, value, other), *value[len(other) :]]
    if not (is_object(value) and is_object(other)):
        return other
    return {**value, **{key: merged(value.get(key), inner) for key, inner in other.items()}}
