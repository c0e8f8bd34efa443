"""The neutral values of a shape, as expressions over its JSON."""

from __future__ import annotations

from collections.abc import Sequence

from ..spec.shapes import Choice, Constant, Field, Hole, Interpolation, Listing, Object, Shape
from .matching import matches, path_inside, repeated_texts
from .places import Place
from .python import (
    Expression,
    Statement,
    at,
    call,
    code,
    display,
    frozen_words,
    literal,
    lookup,
    name,
    tuple_of,
)
from .python.conditions import any_of, conditional, is_given, is_not


class Values:
    """Collects the neutral values of a shape as expressions, with the statements that they need before them."""

    def __init__(self, place: Place) -> None:
        """Start with none."""
        self.place = place
        self.before: list[Statement] = []
        self.found: dict[tuple[str, ...], list[Expression]] = {}
        self._names: set[str] = set()
        # of a result that is an object: its key for failure, and where it stands
        self.keyed: tuple[str, Expression] = ("", literal(None))

    def add(self, hole: Hole, value: Expression) -> None:
        """Note a value; a hole that stands in several places takes the first that is there."""
        self.found.setdefault(hole.path, []).append(value)

    def variable(self, key: str, holds: str = "json") -> str:
        """A fresh variable named after a key and what it holds."""
        stem = "".join(c if c.isalnum() else "_" for c in key).strip("_").lower() or "value"
        candidate = f"{stem}_{holds}"
        while candidate in self._names:
            candidate += "_"
        self._names.add(candidate)
        return candidate

    def object(self, shape: Object, variable: str) -> None:
        """Read the keys of an object that a variable holds."""
        for hole in shape.fixed:
            self.add(hole, literal(hole.guard))
        for entry in shape.fields:
            self.entry(entry, variable)
        if shape.rest is not None:
            named = sorted({spelling for e in shape.fields for spelling in (e.key, *e.synonyms)})
            self.place.imports.use("promptwire_runtime.wire_json.values", "rest_of")
            rest = call("rest_of", name(variable), frozen_words(named))
            kind = self.place.type_of(shape.rest)
            if kind in ("tool_choice", "response_format", "reasoning"):
                rest = self.place.read(shape.rest, rest)
            if self.place.given(shape.rest) is None:
                rest = any_of([rest, display([])]) or rest
            self.add(shape.rest, rest)

    def entry(self, entry: Field, variable: str) -> None:
        """Read one key of an object."""
        shape = entry.shape
        if not shape.holes:
            return
        keys = (entry.key, *entry.synonyms)
        if isinstance(shape, Object):
            inner = self.variable(entry.key)
            constants = {
                e.key: e.shape.value for e in shape.fields if not e.optional and isinstance(e.shape, Constant)
            }
            looked = lookup(variable, keys)
            if constants and entry.optional:
                self.place.imports.use("promptwire_runtime.wire_json.values", "where_constant")
                found = call("where_constant", looked, literal(constants))
            else:
                self.place.imports.use("promptwire_runtime.wire_json.values", "as_object")
                found = call("as_object", looked)
            self.before.append(f"{inner} = {code(found)}")
            self.object(shape, inner)
            return
        self.value(shape, lookup(variable, keys))

    def value(self, shape: Shape, found: Expression) -> None:
        """Read one value."""
        match shape:
            case Hole(path=("settings", setting)):
                self.before.append(code(call("reader.say", literal(setting), found)))
            case Hole():
                self.add(shape, self.read(shape, found))
            case Interpolation():
                self._interpolation(shape, found)
            case Listing():
                self._list(shape, found)
            case Choice():
                variable = self.variable("form")
                self.before.append(f"{variable} = {code(found)}")
                self.forms(shape, variable)
            case Object():
                variable = self.variable("form")
                self.place.imports.use("promptwire_runtime.wire_json.values", "as_object")
                self.before.append(f"{variable} = {code(call('as_object', found))}")
                self.object(shape, variable)
            case _:
                return

    def read(self, hole: Hole, found: Expression) -> Expression:
        """The neutral value of a hole."""
        for used in hole.filters:
            if used.name == "keyed":
                self.keyed = (used.arguments[1], found)
        return self.place.read(hole, found)

    def forms(self, shape: Choice, variable: str) -> None:
        """Read every form; another value than before is read only where no form before it was found."""
        found: list[Expression] = []
        known: dict[tuple[str, ...], str] = {}
        for index, form in enumerate(shape.forms):
            if isinstance(form, Object):
                found.append(is_not(name(self._form(form, variable)), name("EMPTY")))
                known |= {hole.path: "" for hole in form.holes}
            elif isinstance(form, Hole) and form.path[0] != "settings":
                value = self.read(form, name(variable))
                text = code(value)
                other = found and form.path not in known
                if other and text in known.values():
                    continue  # whatever this would take, the same form before it took
                if other:
                    value = conditional(any_of(found) or literal(None), literal(None), value)
                if any(
                    isinstance(each, Hole) and each.path != form.path for each in shape.forms[index + 1 :]
                ):
                    held = self.variable(form.path[-1])
                    self.before.append(f"{held} = {code(value)}")
                    value = name(held)
                    found.append(is_given(value))
                self.add(form, value)
                known[form.path] = text
            else:
                self.value(form, name(variable))

    def _form(self, form: Object, variable: str) -> str:
        """Read a form only where it matches, so that two forms of one hole do not mix; give what then holds it."""
        test = matches(form, variable, self.place)
        assert test is not None  # an object is no text
        inner = self.variable("object")
        self.place.imports.use("promptwire_runtime.wire_json.values", "EMPTY")
        self.before.append(f"{inner} = {code(conditional(test, name(variable), name('EMPTY')))}")
        self.object(form, inner)
        return inner

    def split(self, shape: Interpolation, found: Expression) -> Expression:
        """The texts in the holes of an interpolation; None of any other value."""
        self.place.imports.use("promptwire_runtime.wire_json.values", "parted")
        return call("parted", found, tuple_of([literal(text) for text in shape.texts]))

    def _interpolation(self, shape: Interpolation, found: Expression) -> None:
        variable = self.variable("pieces")
        self.before.append(f"{variable} = {code(self.split(shape, found))}")
        for index, hole in enumerate(shape.holes):
            piece = at(name(variable), index)
            self.add(hole, conditional(is_given(name(variable)), piece, literal(None)))

    def _list(self, shape: Listing, found: Expression) -> None:
        texts = self.texts(shape, found)
        if texts is None:
            self._fixed(shape, found)
            return
        self.add(*texts)
        self.beside(shape, texts[0], found)

    def texts(self, shape: Listing, found: Expression) -> tuple[Hole, Expression] | None:
        """The texts of a list that repeats its element, and their hole; None where it has a known length."""
        repeated = repeated_texts(shape, self.place)
        if repeated is None:
            return None
        self.place.imports.use("promptwire_runtime.wire_json.values", "texts_of")
        path = path_inside(shape.items[0], repeated) or ()
        return repeated, call("texts_of", found, *map(literal, path))

    def beside(self, shape: Listing, repeated: Hole, found: Expression) -> None:
        """Read what stands beside the text of each element: the first one's."""
        element = shape.items[0]
        if isinstance(element, Object):
            for entry in element.fields:
                if isinstance(entry.shape, Hole) and entry.shape is not repeated:
                    self.place.imports.use("promptwire_runtime.wire_json.values", "first_value")
                    first = call("first_value", found, literal(entry.key))
                    self.add(entry.shape, self.place.read(entry.shape, first))

    def _fixed(self, shape: Listing, found: Expression) -> None:
        """Read the elements of a list of known length."""
        for index, element in enumerate(shape.items):
            if element.holes:
                self.place.imports.use("promptwire_runtime.wire_json.values", "one_of")
                count = literal(len(shape.items))
                self.value(element, call("one_of", found, count, literal(index)))

    def arguments(self, rename: dict[str, str] | None = None) -> dict[str, Expression]:
        """Field name -> value, vendor options and dotted holes aside."""
        return {
            (rename or {}).get(path[0], path[0]): self.first(values)
            for path, values in self.found.items()
            if len(path) == 1
        }

    def vendor(self) -> Expression | None:
        """The vendor options, or None when the shape has none."""
        rows = {path[1]: self.first(values) for path, values in self.found.items() if path[0] == "vendor"}
        if not rows:
            return None
        self.place.imports.use("promptwire_runtime.wire_json.values", "vendor_of")
        return call("vendor_of", name("WIRE"), display(rows.items()))

    def first(self, values: Sequence[Expression]) -> Expression:
        """The first value that is there."""
        if len(values) == 1:
            return values[0]
        self.place.imports.use("promptwire_runtime.wire_json.values", "first_of")
        return call("first_of", *values)
