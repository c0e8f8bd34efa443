"""Keys that only bodies have, and the limits of options.

Beside the line that writes an option stands a test of its limits, so that only numbers beyond one reach the rules.
"""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from ...model.neutral import OPTIONS
from ...model.wire import WireModel
from ...spec.shapes import Alternatives, Hole, KeyShape, Object, Shape
from ..field_holder import FieldHolder
from .rule_facts import means_one, rejected

_UNIONS = (("tool_choice",), ("reasoning",), ("response_format",))


def around_tools(shape: Object) -> list[Object]:
    """Split an object behind its tools, if a choice among them follows: a choice goes with the last tool."""
    heads = [{hole.path[0] for hole in field.shape.holes} for field in shape.fields]
    place = next((index + 1 for index, found in enumerate(heads) if "tools" in found), len(heads))
    if not any("tool_choice" in found for found in heads[place:]):
        return [shape]
    return [
        replace(shape, fields=shape.fields[:place], extra_keys=None),
        replace(shape, fields=shape.fields[place:]),
    ]


def beside_layers(shape: Object) -> Object:
    """Return the optional keys of an object of which another key holds the instructions."""
    fields = [
        field
        for field in shape.fields
        if field.optional and all(hole.path != ("instructions",) for hole in field.shape.holes)
    ]
    return replace(shape, fields=tuple(fields))


def beside_union(choice: Alternatives) -> list[Hole]:
    """Return the values that only the forms beside a union carry."""
    union, *others = choice.forms
    assert isinstance(union, Hole)
    return [hole for form in others for hole in form.written_holes if hole.path[0] != union.path[0]]


def layers_inside(entry: KeyShape) -> KeyShape | None:
    """Return the key of an object that holds the instructions: `{parts: $instructions[]}`."""
    return inside(entry, "instructions")


def inside(entry: KeyShape, head: str) -> KeyShape | None:
    """Return the key of an object that holds a field of the request as a whole, such as `{parts: $instructions[]}`."""
    if not isinstance(entry.shape, Object):
        return None
    fields = [
        field for field in entry.shape.fields if isinstance(field.shape, Hole) and field.shape.path == (head,)
    ]
    return fields[0] if fields else None


def is_union(form: Shape) -> bool:
    """Return whether a shape is the hole of a union, whose node has shapes of its own."""
    return isinstance(form, Hole) and form.path in _UNIONS


def has_union(shape: Shape) -> bool:
    """Return whether one form of a value is a union."""
    return isinstance(shape, Alternatives) and any(map(is_union, shape.forms))


class Limit(NamedTuple):
    """A limit that rules set to an option: the path, and the narrowest number of each operator; none for any value."""

    path: str
    bounds: tuple[tuple[str, float], ...]


def limits(option: str, wire: WireModel) -> list[Limit]:
    """Return the narrowest limits of all rules about an option."""
    conditions = [each for each in rejected(wire) if each.head == option]
    inside = dict.fromkeys([each.path for each in conditions if each.tail in ("keys", "values")])
    found = [Limit(path, ()) for path in inside]
    numbers = [each for each in conditions if each.limit is not None and each.tail in ("", "count")]
    for path in dict.fromkeys([each.path for each in numbers]):
        # a float is compared with a float in half the time
        whole = (option in OPTIONS and OPTIONS[option].type == "int") or path != option
        bounds: dict[str, list[float]] = {}
        for each in numbers:
            if each.path == path and each.limit is not None:
                bounds.setdefault(each.operator, []).append(each.limit if whole else float(each.limit))
        narrowest = {sign: min(of) if sign[0] == ">" else max(of) for sign, of in bounds.items()}
        found.append(Limit(path, tuple(sorted(narrowest.items(), reverse=True))))
    return found


def options_in(shape: Shape, wire: WireModel) -> list[str]:
    """Return the options that a shape writes and that have limits."""
    heads = dict.fromkeys([hole.path[0] for hole in shape.written_holes if hole.path[0] in OPTIONS])
    return [head for head in heads if limits(head, wire)]


def sole_option(shape: Shape, subject: FieldHolder) -> str | None:
    """Return the option on which alone it depends whether a value is written, if rules limit that option."""
    if isinstance(shape, Object) or (isinstance(shape, Alternatives) and shape.differs):
        return None
    tests, limited = subject.tests(shape), options_in(shape, subject.wire)
    given = [test.hole.path[0] for test in tests if test.how == "given" and test.hole is not None]
    sole = len(tests) == 1 and given == limited and not subject.find_unfilled(shape)
    return limited[0] if sole else None


def is_plain_option(hole: Hole) -> bool:
    """Return whether a hole holds an option unchanged, whatever its value."""
    return hole.path[0] in OPTIONS and not hole.filters and hole.guard is None


def counts_one(option: str, wire: WireModel) -> bool:
    """Return whether a rule may refuse a list because it has one element."""
    counts = [each for each in rejected(wire) if each.head == option and each.tail == "count"]
    return any(map(means_one, counts))
