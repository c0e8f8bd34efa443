"""The test that a build writes a node exactly as it was read: then there is nothing to remember or to compare."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from ...model.wire import Variant
from ...spec.shapes import ConstantShape, Hole, Interpolation, KeyShape, Object
from ..conditions import all_of, compared, contains, either, has_type, is_given
from ..field_holder import FieldHolder
from ..python import Expression, attribute, call, item, literal, lookup, name, tuple_of
from .variant_matching import VariantMatch

# types that need no conversion in either direction
_AS_READ = frozenset({"str", "number", "bool", "object"})


class _NotPlain(Exception):  # used for control flow, not an error
    """A value of the shape may be written otherwise than it was read."""


def has_plain_marks(variants: Iterable[Variant]) -> bool:
    """Return whether each cache mark among the shapes is an object of one constant and, if it has one, its `ttl`."""
    for variant in variants:
        shape = variant.shape
        if variant.union != "cache":
            continue
        if not isinstance(shape, Object) or shape.extra_keys is not None:
            return False
        required = shape.required
        given = [entry.shape for entry in shape.fields if entry.optional]
        if len(required) != 1 or not isinstance(required[0].shape, ConstantShape):
            return False
        if any(not isinstance(hole, Hole) or hole.path != ("ttl",) or hole.filters for hole in given):
            return False
    return True


@dataclass(frozen=True, slots=True)
class PlainTest:
    """The test on the node that `node` holds, and on the JSON that it was read from.

    whole  the test
    sizes  the test on the JSON that nothing optional is there
    rest   what must hold of a node without anything optional; None: nothing
    """

    whole: Expression
    sizes: Expression
    rest: Expression | None


def plain_test(
    variant: Variant, match: VariantMatch, access: FieldHolder, *, marks: bool
) -> PlainTest | None:
    """Return the test of one shape; None where no test is simple.

    `marks` says whether the number of keys of a cache mark tells how it is written.
    """
    tests: list[Expression] = []
    sizes: list[Expression] = []
    rest: list[Expression] = []
    try:
        for shape, variable in match.objects:
            of_object = _ObjectTests(variable, variant, match, access, marks=marks)
            whole, least, others = of_object.of(shape)
            tests += [whole, *others]
            sizes.append(least)
            rest += others
    except _NotPlain:
        return None
    whole_test, size_test = all_of(tests), all_of(sizes)
    if whole_test is None or size_test is None:
        return None
    return PlainTest(whole_test, size_test, all_of(rest))


class _ObjectTests:
    """The tests on one object: it has the keys of its shape that have a value, and no more."""

    def __init__(
        self, variable: str, variant: Variant, match: VariantMatch, access: FieldHolder, *, marks: bool
    ) -> None:
        self._variable = variable
        self._variant = variant
        self._match = match
        self._access = access
        self._marks = marks

    def of(self, shape: Object) -> tuple[Expression, Expression, list[Expression]]:
        """Return the test of the number of keys, the test that none is optional, and all other tests."""
        tests: list[Expression] = []
        required = [entry for entry in shape.fields if not entry.optional or self._is_arguments(entry)]
        for entry in required:
            tests += self._arguments(entry) if entry.optional else self._required(entry)
        given = [
            f"({test})" for entry in shape.fields if entry not in required and (test := self._given(entry))
        ]
        if shape.extra_keys is not None:
            given.append(str(call("len", either(self._rest(shape.extra_keys), tuple_of([])))))
        count = " + ".join([str(len(required)), *given])
        size = call("len", name(self._variable))
        whole = compared(size, "==", Expression(count, literal(0).binding))
        return whole, compared(size, "==", literal(len(required))), tests

    def _rest(self, hole: Hole) -> Expression:
        """Return the object that takes all keys without a name."""
        if len(hole.path) != 1 or hole.filters or self._access.type_of(hole) != "object":
            raise _NotPlain
        return attribute(name("node"), hole.path[0])

    def _given(self, entry: KeyShape) -> Expression | None:
        """Return the test that an optional key has a value that is written as it stands; None where none is simple."""
        hole = entry.shape
        if not isinstance(hole, Hole) or hole.filters or hole.read_only or hole.guard is not None:
            return None
        if len(hole.path) != 1 or len(self._places(hole)) != 1:
            return None
        value = attribute(name("node"), hole.path[0])
        json = item(name(self._variable), entry.key)
        here = [contains(entry.key, name(self._variable))]
        aliased = here if entry.aliases else []
        match self._access.type_of(hole):
            case "cache" if self._marks:
                ttl = is_given(attribute(value, "ttl"))
                size = compared(call("len", json), "==", Expression(f"1 + ({ttl})", literal(0).binding))
                return all_of([is_given(value), *aliased, size])
            case "int":
                return all_of([*here, has_type(json, "int"), is_given(value)])
            case kind if kind in _AS_READ and self._variant.kind.fields[hole.path[0]].least is None:
                return all_of([*aliased, is_given(value)])
            case _:
                return None

    def _is_arguments(self, entry: KeyShape) -> bool:
        hole = entry.shape
        return isinstance(hole, Hole) and not hole.filters and self._access.type_of(hole) == "arguments"

    def _arguments(self, entry: KeyShape) -> list[Expression]:
        """List the tests that arguments are given; how a call without any is written is not known."""
        value = attribute(name("node"), entry.shape.holes[0].path[0])
        is_filled = compared(value, "!=", Expression("{}", literal(0).binding))
        return [contains(entry.key, name(self._variable)), is_filled]

    def _places(self, hole: Hole) -> list[Hole]:
        """List the holes of the field of one; a field in two places is known from the other as well."""
        return [other for other in self._variant.shape.holes if other.path == hole.path]

    def _required(self, entry: KeyShape) -> list[Expression]:
        shape = entry.shape
        tests = [contains(entry.key, name(self._variable))] if entry.aliases else []
        match shape:
            case ConstantShape(value=value) if value is not None:
                return tests
            case Object():
                if not any(inner is shape for inner, _ in self._match.objects):
                    raise _NotPlain
                return tests
            case Interpolation():
                return tests
            case Hole():
                return [*tests, *self._hole(shape, entry)]
            case _:
                raise _NotPlain

    def _hole(self, hole: Hole, entry: KeyShape) -> list[Expression]:
        kind = self._access.type_of(hole)
        json = lookup(self._variable, (entry.key,))
        if hole.keyed:
            # what stands under each of its keys is written there again
            return []
        if len(hole.path) != 1 or len(self._places(hole)) != 1:
            raise _NotPlain
        value = attribute(name("node"), hole.path[0])
        filters = [used.name for used in hole.filters]
        if kind == "parts" and not filters:
            parts = attribute(name("node"), "parts")
            return [call("is_written_back", parts, json, bare=literal(not hole.listed))]
        if kind == "arguments":
            if filters not in ([], ["json"]):
                raise _NotPlain
            # nothing may have been put in the place of empty text
            return [attribute(name("node"), "arguments")] if filters else []
        if filters == ["bytes"]:
            # the other alphabet is read as another text
            return [compared(value, "is", json)]
        if filters or kind not in _AS_READ | {"int"}:
            raise _NotPlain
        return [has_type(json, "int")] if kind == "int" else []
