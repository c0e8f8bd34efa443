"""Plain calls, results and functions: nothing optional, usual ids and names. Their JSON is one display."""

from __future__ import annotations

import re

from ..model.neutral import ROLES
from ..model.wire import Alternative, WireModel
from ..spec.shapes import Constant, Field, Hole, Object, Shape
from .places import Place
from .python import Expression, at, attribute, display, literal, name
from .python.conditions import all_of, inverted, is_given
from .watching import kind_and_field, names_kind, pointed_at, tool_tests
from .writing import written_holes

# a class of characters and how many of them; names may have a first character of their own
_PATTERN = re.compile(
    r"\^?(?P<first>\[a-zA-Z_\])?(?P<letters>\.|\[a-zA-Z0-9_[.:]*-\])(?:\+|\{(?P<least>[01]),(?P<most>\d+)\})\$?"
)
_MOST_USUAL = 64


def usual_display(alternative: Alternative, place: Place, model: WireModel) -> Expression | None:
    """The JSON of a plain part of a kind with usual values; None where a rule may look at one, or more decides."""
    usual = alternative.kind.usual
    if not usual or not isinstance(alternative.shape, Object) or _is_looked_at(alternative, model):
        return None
    if not _has_place_for_all(alternative):
        return None
    return _usual_object(alternative.shape, place)


def usual_tool(
    alternative: Alternative, place: Place, model: WireModel
) -> tuple[Expression, Expression] | None:
    """What must hold for a plain function beside that, and its JSON; None where more decides."""
    kind = alternative.kind
    tests = {
        field: test
        for field, test in tool_tests(alternative, place, model, given=True).items()
        if field in kind.looked_at
    }
    if (
        None in tests.values()
        or not isinstance(alternative.shape, Object)
        or not _has_place_for_all(alternative)
    ):
        return None
    shown = _usual_object(alternative.shape, place)
    given = [
        is_given(attribute(name(place.subject), field))
        for field in kind.usual
        if not kind.fields[field].always
    ]
    fine = [inverted(test) for test in tests.values() if test is not None]
    holds = all_of([*given, *fine])
    return None if shown is None or holds is None else (holds, shown)


def _has_place_for_all(alternative: Alternative) -> bool:
    """Whether a shape writes all that a plain node surely has; what has no place must be reported."""
    return alternative.kind.usual.keys() <= {hole.path[0] for hole in written_holes(alternative.shape)}


def _is_looked_at(alternative: Alternative, model: WireModel) -> bool:
    """Whether a rule, or the pattern of names, may mean a part of this kind with usual values."""
    usual = alternative.kind.usual
    if model.tool_names and usual.get("name") == "name" and not takes_usual(model.tool_names, "name"):
        return True
    for entry in pointed_at(model):
        kind, field = kind_and_field(entry)
        if entry.path == "part":
            if names_kind(entry, alternative.mode):
                return True
            continue
        about = entry.head in ROLES and kind in ("", alternative.mode) and field in usual
        if about and not (entry.operator == "!~" and takes_usual(entry.operand, usual[field])):
            return True
    return False


def takes_usual(pattern: str, what: str) -> bool:
    """Whether a pattern surely takes every usual `id` or `name`."""
    found = _PATTERN.fullmatch(pattern)
    if found is None or (found["first"] and what != "name"):
        return False
    first = 1 if found["first"] else 0
    least, most = int(found["least"] or 1), int(found["most"] or _MOST_USUAL)
    return first + least <= 1 and first + most >= _MOST_USUAL


def _usual_object(shape: Object, place: Place) -> Expression | None:
    """What stands in an object: the required keys, then those whose value a plain node has."""
    assert place.kind is not None
    if shape.rest is not None:
        return None
    required = [entry for entry in shape.fields if not entry.optional]
    rows: list[tuple[str, Expression]] = []
    for entry in (*required, *(each for each in shape.fields if each.optional and _is_there(each, place))):
        value = _usual_value(entry.shape, place)
        if value is None:
            return None
        rows.append((entry.key, value))
    return display(rows)


def _is_there(entry: Field, place: Place) -> bool:
    assert place.kind is not None
    return any(hole.path[0] in place.kind.usual for hole in written_holes(entry.shape))


def _usual_value(shape: Shape, place: Place) -> Expression | None:
    assert place.kind is not None
    match shape:
        case Constant():
            return literal(shape.value)
        case Object():
            return _usual_object(shape, place)
        case Hole() if shape.path[0] in place.kind.usual and shape.guard is None:
            return _usual_hole(shape, place)
        case _:
            return None


def _usual_hole(hole: Hole, place: Place) -> Expression | None:
    assert place.kind is not None
    if place.kind.usual[hole.path[0]] == "object" and not hole.filters:
        return place.value(hole)
    if hole.path != ("content",):
        return place.written(hole)
    if hole.filters or hole.listed or not place.collapses:
        return None
    return attribute(at(attribute(name(place.subject), "parts"), 0), "text")
