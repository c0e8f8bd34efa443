"""Limits of numbers: a test beside the line that writes an option, so that only numbers beyond one reach the rules."""

from __future__ import annotations

from typing import NamedTuple

from ...model.neutral import OPTIONS
from ...model.wire import WireModel
from ...spec.shapes import Alternatives, Hole, Object, Shape
from ..field_holder import FieldHolder
from .rule_facts import means_one, rejected


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
