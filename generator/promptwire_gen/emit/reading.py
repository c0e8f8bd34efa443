"""Functions that read: one a shape, and one that finds the shape of an element."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.neutral import Kind
from ..model.wire import Alternative
from ..spec.shapes import Choice, Constant, Field, Hole, Interpolation, Listing, Object, Shape
from .conditions import any_of, bracketed, conditional, either, is_given
from .docs import read_doc
from .function import Function
from .matching import matches, path_inside
from .places import Place
from .printing import code
from .python import (
    Expression,
    Statement,
    at,
    call,
    display,
    frozen_words,
    literal,
    lookup,
    name,
    tuple_of,
    unpacked,
)


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

    def variable(self, key: str) -> str:
        """A fresh variable named after a key."""
        stem = "".join(c if c.isalnum() else "_" for c in key).strip("_").lower() or "value"
        candidate = f"{stem}_json"
        while candidate in self._names:
            candidate += "_"
        self._names.add(candidate)
        return candidate

    def object(self, shape: Object, variable: str) -> None:
        """Read the keys of an object that a variable holds."""
        for hole in shape.fixed:
            self.add(hole, literal(hole.guard))
        for entry in shape.fields:
            self._field(entry, variable)
        if shape.rest is not None:
            named = sorted({spelling for e in shape.fields for spelling in (e.key, *e.synonyms)})
            self.place.imports.use("promptwire_runtime.values", "rest_of")
            rest = call("rest_of", name(variable), frozen_words(named))
            kind = self.place.type_of(shape.rest)
            if kind in ("tool_choice", "response_format", "reasoning"):
                rest = self.place.read(shape.rest, rest)
            if self.place.given(shape.rest) is None:
                rest = any_of([rest, display([])]) or rest
            self.add(shape.rest, rest)

    def _field(self, entry: Field, variable: str) -> None:
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
                self.place.imports.use("promptwire_runtime.values", "where_constant")
                found = call("where_constant", looked, literal(constants))
            else:
                self.place.imports.use("promptwire_runtime.values", "as_object")
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
                self.add(shape, self._guarded(shape, found))
            case Interpolation():
                self._interpolation(shape, found)
            case Listing():
                self._list(shape, found)
            case Choice():
                variable = self.variable("form")
                self.before.append(f"{variable} = {code(found)}")
                self._forms(shape, variable)
            case Object():
                variable = self.variable("form")
                self.place.imports.use("promptwire_runtime.values", "as_object")
                self.before.append(f"{variable} = {code(call('as_object', found))}")
                self.object(shape, variable)
            case _:
                return

    def _guarded(self, hole: Hole, found: Expression) -> Expression:
        for used in hole.filters:
            if used.name == "keyed":
                self.keyed = (used.arguments[1], found)
        return self.place.read(hole, found)

    def _forms(self, shape: Choice, variable: str) -> None:
        """Read every form; another value than before is read only where no form before it was found."""
        found: list[Expression] = []
        known: dict[tuple[str, ...], str] = {}
        for index, form in enumerate(shape.forms):
            if isinstance(form, Object):
                found.append(self._form(form, variable))
                known |= {hole.path: "" for hole in form.holes}
            elif isinstance(form, Hole) and form.path[0] != "settings":
                value = self._guarded(form, name(variable))
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

    def _form(self, form: Object, variable: str) -> Expression:
        """Read a form only where it matches, so that two forms of one hole do not mix; give the test."""
        test = matches(form, variable, self.place)
        assert test is not None  # an object is no text
        inner = self.variable("object")
        self.place.imports.use("promptwire_runtime.values", "EMPTY")
        self.before.append(f"{inner} = {code(conditional(test, name(variable), name('EMPTY')))}")
        self.object(form, inner)
        return test

    def _interpolation(self, shape: Interpolation, found: Expression) -> None:
        self.place.imports.use("promptwire_runtime.values", "parted")
        variable = self.variable("pieces")
        split = call("parted", found, tuple_of([literal(text) for text in shape.texts]))
        self.before.append(f"{variable} = {code(split)}")
        for index, hole in enumerate(shape.holes):
            piece = at(name(variable), index)
            self.add(hole, conditional(is_given(name(variable)), piece, literal(None)))

    def _list(self, shape: Listing, found: Expression) -> None:
        repeated = [hole for hole in shape.holes if hole.listed and self.place.type_of(hole) == "strings"]
        if not repeated:
            self._fixed(shape, found)
            return
        self.place.imports.use("promptwire_runtime.values", "texts_of")
        element = shape.items[0]
        path = path_inside(element, repeated[0]) or ()
        self.add(repeated[0], call("texts_of", found, *map(literal, path)))
        if isinstance(element, Object):
            for entry in element.fields:
                if isinstance(entry.shape, Hole) and entry.shape is not repeated[0]:
                    self.add(
                        entry.shape,
                        self.place.read(entry.shape, call("first_value", found, literal(entry.key))),
                    )
                    self.place.imports.use("promptwire_runtime.values", "first_value")

    def _fixed(self, shape: Listing, found: Expression) -> None:
        """Read the elements of a list of known length."""
        for index, element in enumerate(shape.items):
            if element.holes:
                self.place.imports.use("promptwire_runtime.values", "one_of")
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
        self.place.imports.use("promptwire_runtime.values", "vendor_of")
        return call("vendor_of", name("WIRE"), display(rows.items()))

    def first(self, values: Sequence[Expression]) -> Expression:
        """The first value that is there."""
        if len(values) == 1:
            return values[0]
        self.place.imports.use("promptwire_runtime.values", "first_of")
        return call("first_of", *values)


def read_node(alternative: Alternative, place: Place, constants: dict[str, Expression]) -> Function:
    """The function that reads one shape into a node."""
    kind = alternative.kind
    header = f"def read_{alternative.label}(found: Any, reader: Reader) -> {kind.cls}:"
    place.imports.use("promptwire_runtime", kind.cls)
    values = Values(place)
    if isinstance(alternative.shape, Object):
        values.object(alternative.shape, "found")
    else:
        values.value(alternative.shape, name("found"))
    arguments = values.arguments({"content": "parts"})
    if alternative.keyed is not None:
        arguments |= _keyed(values, place)
    for field_name, value in list(arguments.items()):
        declared = kind.fields.get("content" if field_name == "parts" else field_name)
        if declared is not None and declared.always:
            arguments[field_name] = _certain(declared.type, value)
    if kind.name == "json" and "value" not in arguments:
        arguments["value"] = literal(None)
    vendor = values.vendor()
    if vendor is not None:
        arguments["vendor"] = vendor
    named = {} if alternative.named is None else {"type": literal(alternative.named)}
    for key, value in (constants | named).items():
        arguments.setdefault(key, value)
    _fill(arguments, kind)
    body: list[Statement] = [*values.before, f"return {code(call(kind.cls, **arguments))}"]
    return Function(header, read_doc(alternative), body)


def _fill(arguments: dict[str, Expression], kind: Kind) -> None:
    """Give every field that a node always has, and that its shape does not hold, a value that says nothing."""
    for field_name, declared in kind.fields.items():
        own = "parts" if field_name == "content" else field_name
        if own not in arguments and declared.always and declared.type in ("str", "arguments"):
            arguments[own] = literal("") if declared.type == "str" else literal({})
        elif own not in arguments and own in ("id", "call_id") and kind.name in _POSITIONAL_IDS:
            arguments[own] = literal(None)


def _keyed(values: Values, place: Place) -> dict[str, Expression]:
    """The parts of a result that is an object and media beside it, and whether the tool failed."""
    rows = values.found[("content",)]
    place.imports.use("promptwire_runtime.results", "read_failed")
    error, found = values.keyed
    parts = rows[0] if len(rows) == 1 else unpacked([bracketed(either(row, tuple_of([]))) for row in rows])
    return {"parts": parts, "is_error": call("read_failed", found, literal(error))}


_POSITIONAL_IDS = {"tool_call", "tool_result", "custom_tool_call", "custom_tool_result"}


def _certain(kind: str, value: Expression) -> Expression:
    """Complete a value that the neutral field always has."""
    if kind in ("str", "arguments"):
        return either(value, literal("") if kind == "str" else literal({}))
    return either(value, tuple_of([])) if kind == "tools" else value
