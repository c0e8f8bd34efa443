"""The test that a node is plain: a build writes it exactly as it was read, so that its form need not be remembered."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, TypeAlias

from ...model.wire import Variant
from ...spec.shapes import ConstantShape, Hole, Interpolation, KeyShape, Object
from ..field_holder import FieldHolder
from .matching import Matching

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


class Demand(NamedTuple):
    """A test of a plain node, or of the JSON that it was read from, beside the number of keys.

    how       the name of the test in `templates/reading/plain.j2`
    variable  the variable that holds the object, and the `key` in it
    field     the field of the node
    bare      whether content may be one text
    """

    how: str
    variable: str = ""
    key: str = ""
    field: str = ""
    bare: bool = False


class GivenKey(NamedTuple):
    """A key that an object has if a field of the node has a value, which is written unchanged.

    how    `int` where a number of another type is written otherwise, `mark` for a cache mark with or without `ttl`
    named  whether the key itself must be there, because it may stand under another name
    """

    key: str
    field: str
    how: str = ""
    named: bool = False


class PlainObject(NamedTuple):
    """The keys of one object: as many as are required, those that are given, and the others that a field holds."""

    variable: str
    required: int
    given: list[GivenKey]
    rest: str
    demands: list[Demand]


PlainTest: TypeAlias = list[PlainObject]


def plain_test(variant: Variant, match: Matching, access: FieldHolder, *, marks: bool) -> PlainTest | None:
    """Return the test of the variable `node` and of its JSON; None if no simple test decides.

    `marks` states whether the number of keys of a cache mark determines how it is written.
    """
    try:
        objects = [
            _ObjectTests(variable, variant, match, access, marks=marks).of(shape)
            for shape, variable in match.objects
        ]
    except _NotPlain:
        return None
    return objects or None


class _ObjectTests:
    """Finds the tests of one object: it has exactly the keys of its shape that have a value."""

    def __init__(
        self, variable: str, variant: Variant, match: Matching, access: FieldHolder, *, marks: bool
    ) -> None:
        self._variable = variable
        self._variant = variant
        self._match = match
        self._access = access
        self._marks = marks

    def of(self, shape: Object) -> PlainObject:
        """Return the number of keys, and all other tests."""
        demands: list[Demand] = []
        required = [entry for entry in shape.fields if not entry.optional or self._is_arguments(entry)]
        for entry in required:
            demands += self._arguments(entry) if entry.optional else self._required(entry)
        given = [
            key for entry in shape.fields if entry not in required and (key := self._given(entry)) is not None
        ]
        rest = "" if shape.extra_keys is None else self._rest(shape.extra_keys)
        return PlainObject(self._variable, len(required), given, rest, demands)

    def _rest(self, hole: Hole) -> str:
        """Return the field that takes all keys without a name."""
        if len(hole.path) != 1 or hole.filters or self._access.type_of(hole) != "object":
            raise _NotPlain
        return hole.path[0]

    def _given(self, entry: KeyShape) -> GivenKey | None:
        """Return an optional key whose value is written unchanged; None for any other key."""
        hole = entry.shape
        if not isinstance(hole, Hole) or hole.filters or hole.read_only or hole.guard is not None:
            return None
        if len(hole.path) != 1 or len(self._places(hole)) != 1:
            return None
        key, named = GivenKey(entry.key, hole.path[0]), bool(entry.aliases)
        match self._access.type_of(hole):
            case "cache" if self._marks:
                return key._replace(how="mark", named=named)
            case "int":
                return key._replace(how="int", named=True)
            case kind if kind in _AS_READ and self._variant.kind.fields[hole.path[0]].least is None:
                return key._replace(named=named)
            case _:
                return None

    def _is_arguments(self, entry: KeyShape) -> bool:
        hole = entry.shape
        return isinstance(hole, Hole) and not hole.filters and self._access.type_of(hole) == "arguments"

    def _arguments(self, entry: KeyShape) -> list[Demand]:
        """Return the tests that arguments are given, because the form of a call without arguments is unknown."""
        filled = Demand("filled", field=entry.shape.holes[0].path[0])
        return [Demand("has_key", self._variable, entry.key), filled]

    def _places(self, hole: Hole) -> list[Hole]:
        """Return all holes of the field of a hole; a field may be in several places."""
        return [other for other in self._variant.shape.holes if other.path == hole.path]

    def _required(self, entry: KeyShape) -> list[Demand]:
        shape = entry.shape
        demands = [Demand("has_key", self._variable, entry.key)] if entry.aliases else []
        match shape:
            case ConstantShape(value=value) if value is not None:
                return demands
            case Object():
                if not any(inner is shape for inner, _ in self._match.objects):
                    raise _NotPlain
                return demands
            case Interpolation():
                return demands
            case Hole():
                return [*demands, *self._hole(shape, entry)]
            case _:
                raise _NotPlain

    def _hole(self, hole: Hole, entry: KeyShape) -> list[Demand]:
        kind = self._access.type_of(hole)
        if hole.keyed:
            # what stands under each of its keys is written there again
            return []
        if len(hole.path) != 1 or len(self._places(hole)) != 1:
            raise _NotPlain
        there = Demand("", self._variable, entry.key, hole.path[0])
        filters = [used.name for used in hole.filters]
        if kind == "parts" and not filters:
            return [there._replace(how="written_back", field="parts", bare=not hole.listed)]
        if kind == "arguments":
            if filters not in ([], ["json"]):
                raise _NotPlain
            # nothing may have been put in the place of empty text
            return [Demand("true", field="arguments")] if filters else []
        if filters == ["bytes"]:
            # the other alphabet is read as another text
            return [there._replace(how="same")]
        if filters or kind not in _AS_READ | {"int"}:
            raise _NotPlain
        return [there._replace(how="int")] if kind == "int" else []
