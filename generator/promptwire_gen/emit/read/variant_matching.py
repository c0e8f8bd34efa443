"""Matching of a shape's required keys and values: each is looked up once, tested, then used."""

from __future__ import annotations

from collections.abc import Callable

from ...spec.shapes import Alternatives, ConstantShape, Hole, Interpolation, KeyShape, Listing, Object, Shape
from ..conditions import any_of, contains, is_given
from ..field_holder import FieldHolder
from ..python import Expression, at, call, item, literal, lookup, name
from .field_values import ReadStep, Values
from .variant_tests import guard_test, hole_test, value_test

# types that are read from JSON unchanged; of an int, 40.0 is read too
_AS_IT_STANDS = frozenset({"str", "number", "bool", "object", "arguments"})


class VariantMatch(Values):
    """Values of a shape that may be another.

    told     the key that was looked at before, None where there is none
    tests    what must hold; `before` is what they need, `after` what is read of a shape that was json
    certain  the holes whose values are there for certain
    needs    a key, with its other spellings, without which an object is surely of another shape; empty: none is known
    objects  the shape, and each required object inside it, with the variable that holds it
    """

    def __init__(self, access: FieldHolder, told: str | None) -> None:
        """Start with none."""
        super().__init__(access)
        self.told = told
        self.tests: list[Expression] = []
        self.after: list[ReadStep] = []
        self.certain: set[tuple[str, ...]] = set()
        self.needs = ""
        self.objects: list[tuple[Object, str]] = []
        self._depth = 0
        self._needed = True
        # number of tests that an empty object fails
        self._strict = 0

    def entry(self, entry: KeyShape, variable: str) -> None:
        """Read one key of an object, and test it where it must be there."""
        strict = self._strict
        self._entry(entry, variable)
        first = not (self._depth or self.needs)
        if first and entry.key != self.told and self._strict > strict:
            self.needs = "|".join(entry.spellings)

    def _entry(self, entry: KeyShape, variable: str) -> None:
        if not self._needed or entry.optional:
            if self._needed and isinstance(entry.shape, Hole):
                self._optional_arguments(entry.shape, lookup(variable, entry.spellings))
            self._later(lambda: super(VariantMatch, self).entry(entry, variable))
            return
        shape, keys = entry.shape, entry.spellings
        json = lookup(variable, keys)
        only = None if entry.aliases else item(name(variable), entry.key)
        if not self._depth and entry.key == self.told:
            if isinstance(shape, Hole):
                self.add(shape, only or json)
                self.certain.add(shape.path)
        elif isinstance(shape, ConstantShape):
            self._constant(shape, variable, keys)
        else:
            missing = is_given(json)
            if not (self._depth or self._may_lack(shape)):
                missing = any_of([contains(key, name(variable)) for key in keys]) or missing
            self._demand(shape, json, missing, entry.key, only)

    def _optional_arguments(self, hole: Hole, json: Expression) -> None:
        """Test arguments that may be missing: anything but an object would be read as no arguments."""
        if self.access.type_of(hole) == "arguments" and not hole.filters:
            self._test(call("may_be_object", json), strict=False)

    def whole(self, shape: Shape) -> None:
        """Read a value that is no object."""
        self._demand(shape, name("item"), None, "form", name("item"))

    def _may_lack(self, shape: Shape) -> bool:
        """Return whether a hole's field may have no value, so that null counts as missing."""
        kind = self.access.kind
        if not isinstance(shape, Hole) or kind is None:
            return False
        return shape.path[0] not in kind.fields or not kind.fields[shape.path[0]].always

    def _later(self, read: Callable[[], None]) -> None:
        """Read what no test needs."""
        before, needed = self.before, self._needed
        self.before, self._needed = self.after if needed else before, False
        read()
        self.before, self._needed = before, needed

    def _test(self, test: Expression | None, *, strict: bool = True) -> None:
        if test is not None:
            self.tests.append(test)
            self._strict += strict

    def _constant(self, shape: ConstantShape, variable: str, keys: tuple[str, ...]) -> None:
        tests = [call("has_constant", name(variable), literal(key), literal(shape.value)) for key in keys]
        self._test(any_of(tests), strict=shape.value is not None)

    def _demand(
        self, shape: Shape, json: Expression, missing: Expression | None, key: str, only: Expression | None
    ) -> None:
        """Read a value that must be there.

        `missing` is the test of one that may be anything, `only` looks up one that is known to be there.
        """
        match shape:
            case Object():
                self._object(shape, json, key)
            case Hole():
                self._hole(shape, json, missing, only)
            case Interpolation():
                pieces = self._bound("pieces", self.split(shape, json), "json")
                for index, hole in enumerate(shape.holes):
                    self.add(hole, at(pieces, index))
                    self.certain.add(hole.path)
            case Listing():
                self._elements(shape, json)
            case Alternatives():
                variable = self.variable("form")
                self.before.append(ReadStep(json, variable))
                self._test(value_test(shape, name(variable), self.access) or missing, strict=False)
                self._later(lambda: self.forms(shape, variable))
            case _:
                self._test(value_test(shape, json, self.access) or missing, strict=False)

    def _bound(self, key: str, value: Expression, holds: str = "value", *, strict: bool = True) -> Expression:
        """Hold a value that is None of another shape."""
        variable = self.variable(key, holds)
        self.before.append(ReadStep(value, variable))
        self._test(is_given(name(variable)), strict=strict)
        return name(variable)

    def _object(self, shape: Object, json: Expression, key: str) -> None:
        if not shape.holes and all(entry.optional for entry in shape.fields):
            self._test(call("is_object", json))
            return
        inner = self.variable(key)
        self.before.append(ReadStep(call("as_object", json), inner))
        first, strict = len(self.tests), self._strict
        self._depth += 1
        self.objects.append((shape, inner))
        self.object(shape, inner)
        self._depth -= 1
        if self._strict == strict:
            self.tests.insert(first, call("is_object", json))
            self._strict += 1

    def _hole(
        self, hole: Hole, json: Expression, missing: Expression | None, only: Expression | None
    ) -> None:
        kind = self.access.type_of(hole)
        whole = kind == "tools" or (kind == "parts" and not hole.keyed)
        if (hole.filters and not whole) or kind == "int" or (kind == "strings" and not hole.listed):
            # a value of the wrong type reads as None
            self.add(hole, self._bound(hole.path[-1], self.read(hole, json), strict=not hole.filters))
            self._test(guard_test(json, hole, self.access) if hole.guard is not None else None)
            return
        self._test(hole_test(hole, json, self.access) or missing)
        if only is not None and kind in _AS_IT_STANDS:
            self.add(hole, only)
            self.certain.add(hole.path)
        else:
            self.add(hole, self.read(hole, json))

    def _elements(self, shape: Listing, json: Expression) -> None:
        texts = self.texts(shape, json)
        if texts is not None:
            repeated, value = texts
            self.add(repeated, self._bound(repeated.path[-1], value))
            self._later(lambda: self.beside(shape, repeated, json))
            return
        for index, element in enumerate(shape.items):
            element_json = call("one_of", json, literal(len(shape.items)), literal(index))
            self._depth += 1
            self._demand(element, element_json, is_given(element_json), "form", None)
            self._depth -= 1
        if not shape.items:
            self._test(call("is_list", json))
