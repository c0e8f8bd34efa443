"""The test that a build writes a node exactly as it was read: then there is nothing to remember or to compare."""

from __future__ import annotations

from ...model.wire import Variant
from ...spec.shapes import ConstantShape, Hole, Interpolation, KeyShape, Object
from ..field_access import FieldAccess, is_keyed
from ..python import Expression, attribute, call, literal, lookup, name
from ..python.conditions import all_of, compared, contains, has_type, is_given
from .variant_matching import VariantMatch

# types that need no conversion in either direction
_AS_READ = frozenset({"str", "number", "bool", "object"})


class _NotPlain(Exception):  # used for control flow, not an error
    """A value of the shape may be written otherwise than it was read."""


def plain_test(variant: Variant, match: VariantMatch, access: FieldAccess) -> Expression | None:
    """Return the test on the node that `node` holds and on the JSON it was read from; None where no test is simple."""
    tests: list[Expression] = []
    try:
        for shape, variable in match.objects:
            tests += _tests(shape, variable, variant, match, access)
    except _NotPlain:
        return None
    return all_of(tests)


def _tests(
    shape: Object, variable: str, variant: Variant, match: VariantMatch, access: FieldAccess
) -> list[Expression]:
    """Return the tests on one object: it has the keys of its shape that have a value, and no more."""
    if shape.extra_keys is not None:
        raise _NotPlain
    tests: list[Expression] = []
    required = 0
    given: list[Expression] = []
    for entry in shape.fields:
        if not entry.optional:
            required += 1
            tests += _required(entry, variable, variant, match, access)
        elif _is_simple(entry, variant, access):
            given.append(is_given(attribute(name("node"), entry.shape.holes[0].path[0])))
    count = " + ".join([str(required), *[f"({test})" for test in given]])
    size = compared(call("len", name(variable)), "==", Expression(count, literal(0).binding))
    return [size, *tests]


def _is_simple(entry: KeyShape, variant: Variant, access: FieldAccess) -> bool:
    """Return whether the value of an optional key is a field of the node, unchanged."""
    hole = entry.shape
    if (
        not isinstance(hole, Hole)
        or hole.filters
        or hole.read_only
        or hole.guard is not None
        or entry.aliases
    ):
        return False
    if len(hole.path) != 1 or access.type_of(hole) not in _AS_READ:
        return False
    # a field with two places can be read from either
    places = [other for other in variant.shape.holes if other.path == hole.path]
    return len(places) == 1 and variant.kind.fields[hole.path[0]].least is None


def _required(
    entry: KeyShape, variable: str, variant: Variant, match: VariantMatch, access: FieldAccess
) -> list[Expression]:
    shape = entry.shape
    tests = [contains(entry.key, name(variable))] if entry.aliases else []
    match shape:
        case ConstantShape(value=value) if value is not None:
            return tests
        case Object():
            if not any(inner is shape for inner, _ in match.objects):
                raise _NotPlain
            return tests
        case Interpolation():
            return tests
        case Hole():
            return [*tests, *_hole(shape, entry, variable, variant, access)]
        case _:
            raise _NotPlain


def _hole(
    hole: Hole, entry: KeyShape, variable: str, variant: Variant, access: FieldAccess
) -> list[Expression]:
    kind = access.type_of(hole)
    places = [other for other in variant.shape.holes if other.path == hole.path]
    if len(hole.path) != 1 or len(places) != 1:
        raise _NotPlain
    if kind == "parts" and not is_keyed(hole) and not hole.filters:
        json = lookup(variable, (entry.key,))
        # a plain tool result has a single plain text
        return [has_type(json, "list" if hole.listed else "str"), attribute(name("node"), "is_plain")]
    if kind == "arguments":
        if [used.name for used in hole.filters] not in ([], ["json"]):
            raise _NotPlain
        # empty text may have been replaced
        return [attribute(name("node"), "arguments")] if hole.filters else []
    if hole.filters or kind not in _AS_READ:
        raise _NotPlain
    return []
