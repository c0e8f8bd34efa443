"""The tests that a JSON value has a shape, and the values that they find."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal

from ...spec.shapes import Alternatives, ConstantShape, Hole, Interpolation, KeyShape, Listing, Object, Shape
from ..field_holder import FieldHolder
from .readings import (
    JsonPlace,
    JsonReading,
    Readings,
    ReadingStep,
    locate_key,
    locate_variable,
)

# types that are read from JSON unchanged; of an int, 40.0 is read too
_UNCHANGED = frozenset({"str", "number", "bool", "object", "arguments"})


@dataclass(frozen=True, slots=True)
class JsonTest:
    """One test of the JSON of a shape.

    Attributes:
        how: `fits` tests the value of the shape, `guard` only its guard, and `constant` a key with a constant. `given`
            tests for any value, `has_key` for the key. `is_object`, `may_be_object` and `is_list` test the type, `size`
            the number of keys of the object.
    """

    how: Literal[
        "fits", "guard", "constant", "given", "has_key", "is_object", "may_be_object", "is_list", "size"
    ]
    json: JsonPlace
    shape: Any = None


class Matching(Readings):
    """Readings of a shape that other JSON may not have.

    Attributes:
        tests: What must hold; `steps` are what they need, `late_steps` what only the node needs.
        certain: The holes whose values are there for certain.
        needs: A key, with its aliases, without which an object is surely of another shape; empty: none is known.
        objects: The shape, and each required object inside it, with the variable that holds it.
    """

    def __init__(self, node: FieldHolder, shape: Shape, discriminator: str | None) -> None:
        """Match a shape; the reader looked at the key `discriminator` before."""
        super().__init__(node)
        self.tests: list[JsonTest] = []
        self.late_steps: list[ReadingStep] = []
        self.certain: set[tuple[str, ...]] = set()
        self.needs = ""
        self.objects: list[tuple[Object, str]] = []
        self._discriminator = discriminator
        self._depth = 0
        self._is_needed = True
        # number of tests that an empty object fails
        self._strict = 0
        if isinstance(shape, Object):
            self.objects.append((shape, "item"))
            self.read_object(shape, "item")
        elif not isinstance(shape, ConstantShape) or not isinstance(shape.value, str):
            # the reader looks at text before
            json = locate_variable("item")
            self._demand(shape, json, "", "form", json)

    def read_key(self, entry: KeyShape, variable: str) -> None:
        """Read one key of an object, and test it where it must be there."""
        strict = self._strict
        self._read_key(entry, variable)
        first = not (self._depth or self.needs)
        if first and entry.key != self._discriminator and self._strict > strict:
            self.needs = "|".join(entry.spellings)

    def _read_key(self, entry: KeyShape, variable: str) -> None:
        shape, json = entry.shape, locate_key(variable, entry.spellings)
        if not self._is_needed or entry.optional:
            if self._is_needed and self.node.holds_arguments(shape):
                # anything but an object would be read as no arguments
                self._test(JsonTest("may_be_object", json), strict=False)
            self._read_late(lambda: super(Matching, self).read_key(entry, variable))
            return
        known = None if entry.aliases else JsonPlace("known", variable, entry.spellings)
        if not self._depth and entry.key == self._discriminator:
            if isinstance(shape, Hole):
                self.add(shape, JsonReading("held", known or json))
                self.certain.add(shape.path)
        elif isinstance(shape, ConstantShape):
            self._test(JsonTest("constant", json, shape), strict=shape.value is not None)
        else:
            missing = "given" if self._depth or self._may_lack(shape) else "has_key"
            self._demand(shape, json, missing, entry.key, known)

    def _may_lack(self, shape: Shape) -> bool:
        """Return whether a hole's field may have no value, so that null counts as missing."""
        kind = self.node.kind
        if not isinstance(shape, Hole) or kind is None:
            return False
        return shape.path[0] not in kind.fields or not kind.fields[shape.path[0]].always

    def _read_late(self, read: Callable[[], None]) -> None:
        """Read the values on which no test depends."""
        steps, is_needed = self.steps, self._is_needed
        self.steps, self._is_needed = self.late_steps if is_needed else steps, False
        read()
        self.steps, self._is_needed = steps, is_needed

    def _test(self, test: JsonTest, *, strict: bool = True) -> None:
        self.tests.append(test)
        self._strict += strict

    def _test_value(self, shape: Shape, json: JsonPlace, missing: str, *, strict: bool = True) -> None:
        """Test a value that must be there; `missing` is the test of one that may be anything."""
        if is_tested(shape, self.node):
            self._test(JsonTest("fits", json, shape), strict=strict)
        elif missing == "given":
            self._test(JsonTest("given", json), strict=strict)
        elif missing:
            self._test(JsonTest("has_key", json), strict=strict)

    def _demand(self, shape: Shape, json: JsonPlace, missing: str, key: str, known: JsonPlace | None) -> None:
        """Read a value that must be there; `known` is its place once a test has found it."""
        match shape:
            case Object():
                self._demand_object(shape, json, key)
            case Hole():
                self._demand_hole(shape, json, missing, known)
            case Interpolation():
                pieces = self._bind("pieces", JsonReading("split", json, shape), "json")
                for index, hole in enumerate(shape.holes):
                    self.add(hole, JsonReading("piece", pieces.json, index=index))
                    self.certain.add(hole.path)
            case Listing():
                self._demand_list(shape, json)
            case Alternatives():
                variable = self.hold("form", JsonReading("held", json))
                tested = locate_variable(variable) if is_tested(shape, self.node) else json
                self._test_value(shape, tested, missing, strict=False)
                self._read_late(lambda: self.read_forms(shape, variable))
            case _:
                self._test_value(shape, json, missing, strict=False)

    def _bind(
        self, key: str, reading: JsonReading, holds: str = "value", *, strict: bool = True
    ) -> JsonReading:
        """Assign a value to a variable, with the test that it is not None, which it is for JSON of another shape."""
        held = locate_variable(self.hold(key, reading, holds))
        self._test(JsonTest("given", held), strict=strict)
        return JsonReading("held", held)

    def _demand_object(self, shape: Object, json: JsonPlace, key: str) -> None:
        if not shape.holes and all(entry.optional for entry in shape.fields):
            self._test(JsonTest("is_object", json))
            return
        inner = self.hold(key, JsonReading("object", json, shape))
        first, strict = len(self.tests), self._strict
        self._depth += 1
        self.objects.append((shape, inner))
        self.read_object(shape, inner)
        self._depth -= 1
        if self._strict == strict:
            self.tests.insert(first, JsonTest("is_object", json))
            self._strict += 1

    def _demand_hole(self, hole: Hole, json: JsonPlace, missing: str, known: JsonPlace | None) -> None:
        kind = self.node.get_type(hole)
        is_whole = kind == "tools" or (kind == "parts" and not hole.keyed)
        if (hole.filters and not is_whole) or kind == "int" or (kind == "strings" and not hole.listed):
            # a value of the wrong type reads as None
            self.add(hole, self._bind(hole.path[-1], self.read_hole(hole, json), strict=not hole.filters))
            if hole.guard is not None:
                self._test(JsonTest("guard", json, hole))
            return
        self._test_value(hole, json, missing)
        if known is not None and kind in _UNCHANGED:
            self.add(hole, JsonReading("held", known))
            self.certain.add(hole.path)
        else:
            self.add(hole, self.read_hole(hole, json))

    def _demand_list(self, shape: Listing, json: JsonPlace) -> None:
        repeated = self.node.find_repeating_hole(shape)
        if repeated is not None:
            self.add(repeated, self._bind(repeated.path[-1], JsonReading("texts", json, shape)))
            self._read_late(lambda: self.read_beside_texts(shape, repeated, json))
            return
        for index, element in enumerate(shape.items):
            self._depth += 1
            self._demand(element, json.element(index, len(shape.items)), "given", "form", None)
            self._depth -= 1
        if not shape.items:
            self._test(JsonTest("is_list", json))


def is_tested(shape: Shape, node: FieldHolder) -> bool:
    """Return whether some JSON value does not fit a shape."""
    match shape:
        case Hole():
            is_any = node.get_type(shape) == "json" or node.is_setting(shape)
            return not is_any or shape.guard is not None or bool(shape.filters)
        case Alternatives():
            return all(is_tested(form, node) for form in shape.forms)
        case ConstantShape() | Interpolation() | Listing() | Object():
            return True
        case _:
            return False
