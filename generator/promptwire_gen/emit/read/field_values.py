"""The neutral values of the fields that a shape holds, as expressions over its JSON."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...spec.shapes import Alternatives, Hole, Interpolation, KeyShape, Listing, Object, Shape
from ..conditions import any_of, compared, conditional, is_given
from ..field_holder import FieldHolder
from ..python import (
    Expression,
    at,
    call,
    display,
    frozen_display,
    literal,
    literal_tuple,
    lookup,
    name,
    word_of,
)
from .hole_readers import neutral_value
from .variant_tests import matches, path_inside, repeated_texts


@dataclass(frozen=True, slots=True)
class ReadStep:
    """A step before a node is made: a value that is assigned to a variable, or a bare call without one."""

    value: Expression
    variable: str = ""


class Values:
    """Collects the neutral values of a shape as expressions, with the statements that they need before them."""

    def __init__(self, access: FieldHolder) -> None:
        """Start with none."""
        self.access = access
        self.before: list[ReadStep] = []
        self.values: dict[tuple[str, ...], list[Expression]] = {}
        self._names: set[str] = set()
        # for results that are objects: the key that marks failure, and its path
        self.failure_key: tuple[str, Expression] = ("", literal(None))

    def add(self, hole: Hole, value: Expression) -> None:
        """Note a value; a hole that stands in several places takes the first that is there."""
        self.values.setdefault(hole.path, []).append(value)

    def variable(self, key: str, holds: str = "json") -> str:
        """Return a fresh variable named after a key and what it holds."""
        candidate = f"{word_of(key)}_{holds}"
        while candidate in self._names:
            candidate += "_"
        self._names.add(candidate)
        return candidate

    def object(self, shape: Object, variable: str, extra: frozenset[str] = frozenset()) -> None:
        """Read the keys of an object that a variable holds; of all others only those in `extra`, if there are any."""
        for hole in shape.fixed:
            self.add(hole, literal(hole.guard))
        for entry in shape.fields:
            self.entry(entry, variable)
        if shape.extra_keys is not None:
            spellings = sorted({spelling for entry in shape.fields for spelling in entry.spellings})
            function, names = ("keys_of", sorted(extra)) if extra else ("rest_of", spellings)
            rest = call(function, name(variable), frozen_display(names))
            kind = self.access.type_of(shape.extra_keys)
            if kind in ("tool_choice", "response_format", "reasoning"):
                rest = neutral_value(shape.extra_keys, rest, self.access)
            if self.access.is_always_given(shape.extra_keys):
                rest = any_of([rest, display([])]) or rest
            self.add(shape.extra_keys, rest)

    def entry(self, entry: KeyShape, variable: str) -> None:
        """Read one key of an object."""
        shape = entry.shape
        if not shape.holes:
            return
        keys = entry.spellings
        if isinstance(shape, Object):
            inner = self.variable(entry.key)
            json = lookup(variable, keys)
            if shape.constants and entry.optional:
                json = call("where_constant", json, literal(shape.constants))
            else:
                json = call("as_object", json)
            self.before.append(ReadStep(json, inner))
            self.object(shape, inner)
            return
        self.value(shape, lookup(variable, keys))

    def value(self, shape: Shape, json: Expression) -> None:
        """Read one value."""
        match shape:
            case Hole(path=("settings", setting)):
                self.before.append(ReadStep(call("reader.say", literal(setting), json)))
            case Hole():
                self.add(shape, self.read(shape, json))
            case Interpolation():
                self._interpolation(shape, json)
            case Listing():
                self._list(shape, json)
            case Alternatives():
                variable = self.variable("form")
                self.before.append(ReadStep(json, variable))
                self.forms(shape, variable)
            case Object():
                variable = self.variable("form")
                self.before.append(ReadStep(call("as_object", json), variable))
                self.object(shape, variable)
            case _:
                return

    def read(self, hole: Hole, json: Expression) -> Expression:
        """Return the neutral value of a hole."""
        for used in hole.filters:
            if used.name == "keyed":
                self.failure_key = (used.arguments[1], json)
        return neutral_value(hole, json, self.access)

    def forms(self, shape: Alternatives, variable: str) -> None:
        """Read every form; another value than before is read only where no form before it was found."""
        earlier: list[Expression] = []
        known: dict[tuple[str, ...], str] = {}
        for index, form in enumerate(shape.forms):
            if isinstance(form, Object):
                earlier.append(compared(name(self._form(form, variable)), "is not", name("EMPTY")))
                known |= {hole.path: "" for hole in form.holes}
            elif isinstance(form, Hole) and form.path[0] != "settings":
                value = self.read(form, name(variable))
                text = value.text
                other = earlier and form.path not in known
                if other and text in known.values():
                    continue  # whatever this would take, the same form before it took
                if other:
                    value = conditional(any_of(earlier) or literal(None), literal(None), value)
                if any(
                    isinstance(other, Hole) and other.path != form.path for other in shape.forms[index + 1 :]
                ):
                    value_name = self.variable(form.path[-1])
                    self.before.append(ReadStep(value, value_name))
                    value = name(value_name)
                    earlier.append(is_given(value))
                self.add(form, value)
                known[form.path] = text
            elif isinstance(form, Listing) and self._texts_first(
                form, variable, shape.forms[index + 1 :], earlier
            ):
                continue
            else:
                self.value(form, name(variable))

    def _texts_first(
        self, form: Listing, variable: str, later: Sequence[Shape], earlier: list[Expression]
    ) -> bool:
        """Read a list of texts before a form that takes any value; return whether there is such a form after it."""
        texts = self.texts(form, name(variable))
        if texts is None or not any(isinstance(other, Hole) for other in later):
            return False
        hole, value = texts
        value_name = self.variable(hole.path[-1])
        self.before.append(ReadStep(value, value_name))
        earlier.append(is_given(name(value_name)))
        self.add(hole, name(value_name))
        self.beside(form, hole, name(variable))
        return True

    def _form(self, form: Object, variable: str) -> str:
        """Read a form only where it matches, so that two forms of one hole do not mix; give what then holds it."""
        test = matches(form, variable, self.access)
        assert test is not None  # an object is no text
        inner = self.variable("object")
        self.before.append(ReadStep(conditional(test, name(variable), name("EMPTY")), inner))
        self.object(form, inner)
        return inner

    def split(self, shape: Interpolation, json: Expression) -> Expression:
        """Return the texts in the holes of an interpolation; None of any other value."""
        return call("parted", json, literal_tuple(shape.texts))

    def _interpolation(self, shape: Interpolation, json: Expression) -> None:
        variable = self.variable("pieces")
        self.before.append(ReadStep(self.split(shape, json), variable))
        for index, hole in enumerate(shape.holes):
            piece = at(name(variable), index)
            self.add(hole, conditional(is_given(name(variable)), piece, literal(None)))

    def _list(self, shape: Listing, json: Expression) -> None:
        texts = self.texts(shape, json)
        if texts is None:
            self._fixed(shape, json)
            return
        self.add(*texts)
        self.beside(shape, texts[0], json)

    def texts(self, shape: Listing, json: Expression) -> tuple[Hole, Expression] | None:
        """Return the texts of a list that repeats its element, and their hole; None where it has a known length."""
        repeated = repeated_texts(shape, self.access)
        if repeated is None:
            return None
        path = path_inside(shape.items[0], repeated) or ()
        return repeated, call("texts_of", json, *map(literal, path))

    def beside(self, shape: Listing, repeated: Hole, json: Expression) -> None:
        """Read what stands beside the text of each element: the first one's."""
        element = shape.items[0]
        if isinstance(element, Object):
            for entry in element.fields:
                if isinstance(entry.shape, Hole) and entry.shape is not repeated:
                    first = call("first_value", json, literal(entry.key))
                    self.add(entry.shape, neutral_value(entry.shape, first, self.access))

    def _fixed(self, shape: Listing, json: Expression) -> None:
        """Read the elements of a list of known length."""
        for index, element in enumerate(shape.items):
            if element.holes:
                count = literal(len(shape.items))
                self.value(element, call("one_of", json, count, literal(index)))

    def arguments(self, rename: dict[str, str] | None = None) -> dict[str, Expression]:
        """Field name -> value, vendor options and dotted holes aside."""
        return {
            (rename or {}).get(path[0], path[0]): self.first(values)
            for path, values in self.values.items()
            if len(path) == 1
        }

    def vendor(self) -> Expression | None:
        """Return the vendor options, or None when the shape has none."""
        options = self.vendor_options()
        return call("reader.vendor", display(options.items())) if options else None

    def vendor_options(self) -> dict[str, Expression]:
        """Vendor option -> value."""
        return {path[1]: self.first(values) for path, values in self.values.items() if path[0] == "vendor"}

    def first(self, values: Sequence[Expression]) -> Expression:
        """Return the first value that is there."""
        if len(values) == 1:
            return values[0]
        return call("first_of", *values)
