"""Filling of a shape with known values by walking it, as a reference for the generated builders."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache, partial
from typing import Any, Final

from promptwire_text.globs import pattern_of

from ..spec.shapes import Alternatives, ConstantShape, Hole, HoleFilter, Interpolation, Listing, Object, Shape


class NotPredictable(Exception):
    """The shape alone does not say what is written; the text says why."""


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT: Final = _Absent()
# media types whose subtype is their short name
_SHORT = ("image/png", "application/pdf", "audio/wav", "video/mp4")
# the unfiltered JSON of a hole, or ABSENT
ValueOf = Callable[[Hole], Any]


def fill(shape: Shape, value_of: ValueOf) -> Any:
    """Fill a shape; ABSENT for a hole without a value.

    Raises NotPredictable where a hole that must be filled has no value, or a filter is not known here.
    """
    match shape:
        case ConstantShape():
            return shape.value
        case Hole():
            return _filled(shape, value_of)
        case Interpolation():
            pieces = [_needed(hole, _filled(hole, value_of)) for hole in shape.between]
            return shape.texts[0] + "".join(
                f"{piece}{text}" for piece, text in zip(pieces, shape.texts[1:], strict=True)
            )
        case Object():
            return _object(shape, value_of)
        case Listing():
            return [_present(element) for inner in shape.items for element in _elements(inner, value_of)]
        case Alternatives():
            return _first_form(shape, value_of)
        case _:
            raise NotPredictable("these constants are read, never written")


def matches(text: str, globs: Iterable[str]) -> bool:
    """Return whether a text fits a pattern, in which `*` stands for any text."""
    return _any_of(tuple(globs))(text) is not None


@lru_cache(maxsize=4096)
def _any_of(globs: tuple[str, ...]) -> Callable[[str], object]:
    """Return a test whether a text matches one of some patterns; without patterns, no text does."""
    patterns = map(pattern_of, globs)
    return re.compile("|".join(patterns) if globs else "(?!)", re.DOTALL).fullmatch


def is_filled(shape: Shape, value_of: ValueOf) -> bool:
    """Return whether any hole of a shape has a value; an optional key is written only then."""
    return any(not hole.read_only and value_of(hole) is not ABSENT for hole in shape.holes)


def _object(shape: Object, value_of: ValueOf) -> dict[str, Any]:
    filled: dict[str, Any] = {}
    for fixed in shape.fixed:
        if str(value_of(fixed)) != str(fixed.guard):
            raise NotPredictable(f"{fixed.name} is not {fixed.guard}")
    for entry in shape.fields:
        if entry.optional and not is_filled(entry.shape, value_of):
            continue
        value = fill(entry.shape, value_of)
        if value is ABSENT and not entry.optional:
            raise NotPredictable(f"{entry.key} has no value")
        if value is not ABSENT:
            filled[entry.key] = value
    rest = ABSENT if shape.extra_keys is None or shape.extra_keys.read_only else value_of(shape.extra_keys)
    return filled if isinstance(rest, _Absent) else filled | rest


def _elements(element: Shape, value_of: ValueOf) -> Iterator[Any]:
    listed = [hole for hole in element.holes if hole.listed]
    if isinstance(element, Hole) and element.listed:
        yield from _needed(element, value_of(element))
    elif listed:
        for value in _needed(listed[0], value_of(listed[0])):
            yield fill(element, partial(_one_of, listed[0], value, value_of))
    else:
        yield fill(element, value_of)


def _one_of(listed: Hole, value: Any, value_of: ValueOf, hole: Hole) -> Any:
    return value if hole is listed else value_of(hole)


def _first_form(choice: Alternatives, value_of: ValueOf) -> Any:
    for form in choice.forms:
        holes = form.required_holes
        if not any(hole.read_only for hole in holes) and all(value_of(hole) is not ABSENT for hole in holes):
            _see_that_all_is_said(choice, form, value_of)
            return fill(form, value_of)
    raise NotPredictable("no form of this choice is filled")


def _see_that_all_is_said(choice: Alternatives, written: Shape, value_of: ValueOf) -> None:
    said = {hole.path for hole in written.holes}
    for hole in choice.holes:
        if not hole.read_only and hole.path not in said and value_of(hole) is not ABSENT:
            raise NotPredictable(f"{hole.name} has a value, and another form is written")


def _filled(hole: Hole, value_of: ValueOf) -> Any:
    if hole.read_only:
        return ABSENT
    value = value_of(hole)
    if value is ABSENT:
        return ABSENT
    fits = hole.wants_object and is_object(value)
    if hole.guard is not None and not fits and not matches(str(value), hole.guard.split("|")):
        raise NotPredictable(f"{hole.name} is not {hole.guard}")
    for filter_ in hole.filters:
        value = _filtered(filter_, value)
    return value


def is_object(value: object) -> bool:
    """Return whether a value is a JSON object."""
    return isinstance(value, dict)


def _needed(hole: Hole, value: Any) -> Any:
    if value is ABSENT:
        raise NotPredictable(f"{hole.name} has no value")
    return value


def _present(value: Any) -> Any:
    if value is ABSENT:
        raise NotPredictable("an element of a list has no value")
    return value


def _filtered(filter_: HoleFilter, value: Any) -> Any:
    match filter_.name:
        case "join" if not isinstance(value, (str, bool, int, float)):
            return "\n\n".join(value)
        case "comma" if not isinstance(value, (str, bool, int, float)):
            return ",".join(value)
        case "list":
            return [value]
        case "not":
            return not value
        case "word":
            return filter_.arguments[0] if value else filter_.arguments[1]
        case "upper" if not isinstance(value, (bool, int, float)):
            return value.upper() if isinstance(value, str) else [str(text).upper() for text in value]
        case "json" if isinstance(value, dict):
            return json.dumps(value, separators=(",", ":"))
        case "python_types" if _is_without_parameters(value):
            return {}
        case _ if isinstance(value, str):
            return _filtered_text(filter_, value)
        case _:
            raise NotPredictable(f"what {filter_.name} writes is not known here")


def _is_without_parameters(schema: Any) -> bool:
    return is_object(schema) and schema.get("properties") == {}


def _filtered_text(filter_: HoleFilter, value: str) -> str:
    match filter_:
        case HoleFilter("format", (kind,)) if value in _SHORT:
            return value.removeprefix(f"{kind}/").removeprefix("application/")
        case HoleFilter("bytes"):
            return value
        case HoleFilter("prefix", (prefix,)):
            return value.removeprefix(prefix)
        case HoleFilter("enum", (prefix,)):
            return prefix + value.upper()
        case HoleFilter("alnum", (length,)) if re.fullmatch(f"[A-Za-z0-9]{{{length}}}", value):
            return value
        case _:
            raise NotPredictable(f"what {filter_.name} writes is not known here")
