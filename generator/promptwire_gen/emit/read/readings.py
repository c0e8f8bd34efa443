"""Find the JSON of each hole of a shape: a key, an element, or a piece of text. Templates write the code that reads it.

A reader holds some values in variables first; then each field of the node takes its values.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from ...spec.shapes import Alternatives, Hole, Interpolation, KeyShape, Listing, Object, Shape
from ..field_holder import FieldHolder
from ..literals import make_identifier


@dataclass(frozen=True, slots=True)
class JsonPlace:
    """The place of a JSON value.

    Attributes:
        how: `variable` is the value of a variable, `key` the value of a key of the object that a variable holds, and
            `known` the same of a key that the object surely has. `inside` is the value of a key of the object at
            another place, `element` an element of the list there, and `first` the first value of a key in that list.
        of: The variable, or the other place.
        keys: The spellings of the key.
        index: The index of the element, in a list of `count` elements.
    """

    how: Literal["variable", "key", "known", "inside", "element", "first"]
    of: str | JsonPlace
    keys: tuple[str, ...] = ()
    index: int = 0
    count: int = 0

    @property
    def variable(self) -> str:
        """The variable that holds the value, or a value around it."""
        return self.of if isinstance(self.of, str) else self.of.variable

    def key(self, keys: Sequence[str]) -> JsonPlace:
        """Return the place of a key in the object that the variable holds."""
        return locate_key(self.variable, keys)

    def inside(self, keys: Sequence[str]) -> JsonPlace:
        """Return the place of a key in the object at this place."""
        return JsonPlace("inside", self, tuple(keys))

    def element(self, index: int, count: int) -> JsonPlace:
        """Return the place of an element in the list at this place."""
        return JsonPlace("element", self, index=index, count=count)


def locate_variable(variable: str) -> JsonPlace:
    """Return the place of the value of a variable."""
    return JsonPlace("variable", variable)


def locate_key(variable: str, keys: Sequence[str]) -> JsonPlace:
    """Return the place of a key in the object that a variable holds."""
    return JsonPlace("key", variable, tuple(keys))


@dataclass(frozen=True, slots=True)
class JsonReading:
    """A value that a reader takes from JSON.

    Attributes:
        how: `read` converts the JSON of a hole, `held` is the JSON itself, `texts` are the texts of a list, and `piece`
            is a piece of a split text (`any_piece` where the text may not be split). `rest` are the keys of an object
            beside some words, `keys` only those words. `literal` is a value that no JSON states, `failed` whether the
            JSON of a result is that of a failure. Others are only held in variables: `object` and `constant_object` the
            object there or an empty one, `form` the object there if it matches the shape, `split` a split text, and
            `setting` a setting that the reader remembers.
        shape: The shape that stands there.
        unless: The variables that hold the forms before this one; a value is read only if no form was found.
    """

    how: str
    json: JsonPlace
    shape: Any = None
    index: int = 0
    words: tuple[str, ...] = ()
    value: Any = None
    unless: tuple[FoundForm, ...] = ()


@dataclass(frozen=True, slots=True)
class FoundForm:
    """A variable that holds the value of a form, or an empty object if the form is an object and was not found."""

    variable: str
    is_object: bool


@dataclass(frozen=True, slots=True)
class ReadingStep:
    """A statement that runs before a node is made: it assigns a value to a variable, or only calls a function."""

    variable: str
    reading: JsonReading


@dataclass(frozen=True, slots=True)
class FieldReading:
    """A field and the readings of which it takes the first that gives a value.

    Attributes:
        completed: The neutral type of a field that every node has, if the value may be None.
        below: The options of a field for options, or the single fields of a node.
        cls: The class of a node that takes single fields.
    """

    name: str
    readings: tuple[JsonReading, ...] = ()
    completed: str = ""
    below: tuple[FieldReading, ...] = ()
    cls: str = ""

    @property
    def variables(self) -> set[str]:
        """The variables whose values it takes."""
        own = {reading.json.variable for reading in self.readings}
        return own.union(*[field.variables for field in self.below])


# values that are nowhere in JSON have no place
NOWHERE = locate_variable("")
Path: TypeAlias = tuple[str, ...]


def make_literal_reading(value: Any) -> JsonReading:
    """Return a value that no JSON states."""
    return JsonReading("literal", NOWHERE, value=value)


class Readings:
    """Collects the readings of a shape's values, with the steps that must run before them."""

    def __init__(self, node: FieldHolder) -> None:
        """Start with none."""
        self.node = node
        self.steps: list[ReadingStep] = []
        self.values: dict[Path, list[JsonReading]] = {}
        self._names: set[str] = set()
        # whether a result that is an object is that of a failure
        self.failure: JsonReading | None = None

    def add(self, hole: Hole, reading: JsonReading) -> None:
        """Add a reading; a field with several holes takes the first value that is there."""
        self.values.setdefault(hole.path, []).append(reading)

    def name_variable(self, key: str, holds: str = "json") -> str:
        """Return a fresh variable named after a key and what it holds."""
        candidate = f"{make_identifier(key)}_{holds}"
        while candidate in self._names:
            candidate += "_"
        self._names.add(candidate)
        return candidate

    def hold(self, key: str, reading: JsonReading, holds: str = "json") -> str:
        """Add the step that holds a value in a fresh variable, and return the variable."""
        variable = self.name_variable(key, holds)
        self.steps.append(ReadingStep(variable, reading))
        return variable

    def read_object(self, shape: Object, variable: str, extra: frozenset[str] = frozenset()) -> None:
        """Read the keys of an object that a variable holds; of all others only those in `extra`, if there are any."""
        for hole in shape.fixed:
            self.add(hole, make_literal_reading(hole.guard))
        for entry in shape.fields:
            self.read_key(entry, variable)
        if shape.extra_keys is not None:
            spellings = sorted({spelling for entry in shape.fields for spelling in entry.spellings})
            how, words = ("keys", sorted(extra)) if extra else ("rest", spellings)
            self.add(
                shape.extra_keys,
                JsonReading(how, locate_variable(variable), shape.extra_keys, words=tuple(words)),
            )

    def read_key(self, entry: KeyShape, variable: str) -> None:
        """Read one key of an object."""
        shape, json = entry.shape, locate_key(variable, entry.spellings)
        if isinstance(shape, Object) and shape.holes:
            how = "constant_object" if shape.constants and entry.optional else "object"
            self.read_object(shape, self.hold(entry.key, JsonReading(how, json, shape)))
        elif shape.holes:
            self.read_value(shape, json)

    def read_value(self, shape: Shape, json: JsonPlace) -> None:
        """Read one value."""
        match shape:
            case Hole(path=("settings", _)):
                self.steps.append(ReadingStep("", JsonReading("setting", json, shape)))
            case Hole():
                self.add(shape, self.read_hole(shape, json))
            case Interpolation():
                pieces = locate_variable(self.hold("pieces", JsonReading("split", json, shape)))
                for index, hole in enumerate(shape.holes):
                    self.add(hole, JsonReading("any_piece", pieces, index=index))
            case Listing():
                self._read_list(shape, json)
            case Alternatives():
                self.read_forms(shape, self.hold("form", JsonReading("held", json)))
            case Object():
                self.read_object(shape, self.hold("form", JsonReading("object", json, shape)))
            case _:
                return

    def read_hole(self, hole: Hole, json: JsonPlace) -> JsonReading:
        """Return the neutral value of a hole."""
        for used in hole.filters:
            if used.name == "keyed":
                self.failure = JsonReading("failed", json, value=used.arguments[1])
        return JsonReading("read", json, hole)

    def read_forms(self, shape: Alternatives, variable: str) -> None:
        """Read every form; another value than before is read only where no form before it was found."""
        earlier: list[FoundForm] = []
        known: dict[Path, Any] = {}
        for index, form in enumerate(shape.forms):
            later = shape.forms[index + 1 :]
            if isinstance(form, Object):
                # a form is read only where it matches, so that two forms of one hole do not mix
                inner = self.hold("object", JsonReading("form", locate_variable(variable), form))
                self.read_object(form, inner)
                earlier.append(FoundForm(inner, is_object=True))
                known |= {hole.path: None for hole in form.holes}
            elif isinstance(form, Hole) and form.path[0] != "settings":
                conversion = _identify_conversion(form, self.node)
                is_other = earlier and form.path not in known
                if is_other and conversion in known.values():
                    continue  # whatever this would take, the same form before took it
                reading = self.read_hole(form, locate_variable(variable))
                if is_other:
                    reading = JsonReading("read", locate_variable(variable), form, unless=tuple(earlier))
                if any(isinstance(other, Hole) and other.path != form.path for other in later):
                    reading = self._find(form, reading, earlier)
                self.add(form, reading)
                known[form.path] = conversion
            elif not (isinstance(form, Listing) and self._read_texts_first(form, variable, later, earlier)):
                self.read_value(form, locate_variable(variable))

    def _find(self, hole: Hole, reading: JsonReading, earlier: list[FoundForm]) -> JsonReading:
        """Hold the value of a form that other forms follow."""
        variable = self.hold(hole.path[-1], reading, "json")
        earlier.append(FoundForm(variable, is_object=False))
        return JsonReading("held", locate_variable(variable))

    def _read_texts_first(
        self, form: Listing, variable: str, later: Sequence[Shape], earlier: list[FoundForm]
    ) -> bool:
        """Read a list of texts before a form that takes any value; return whether there is such a form after it."""
        repeated = self.node.find_repeating_hole(form)
        if repeated is None or not any(isinstance(other, Hole) for other in later):
            return False
        json = locate_variable(variable)
        self.add(repeated, self._find(repeated, JsonReading("texts", json, form), earlier))
        self.read_beside_texts(form, repeated, json)
        return True

    def _read_list(self, shape: Listing, json: JsonPlace) -> None:
        repeated = self.node.find_repeating_hole(shape)
        if repeated is not None:
            self.add(repeated, JsonReading("texts", json, shape))
            self.read_beside_texts(shape, repeated, json)
            return
        for index, element in enumerate(shape.items):
            if element.holes:
                self.read_value(element, json.element(index, len(shape.items)))

    def read_beside_texts(self, shape: Listing, repeated: Hole, json: JsonPlace) -> None:
        """Read the other values of each element of a list of texts: the first one's."""
        element = shape.items[0]
        for entry in element.fields if isinstance(element, Object) else ():
            if isinstance(entry.shape, Hole) and entry.shape is not repeated:
                self.add(
                    entry.shape, JsonReading("read", JsonPlace("first", json, (entry.key,)), entry.shape)
                )

    def list_fields(self) -> dict[str, FieldReading]:
        """Return the fields by name, vendor options and single fields of nodes aside."""
        return {
            path[0]: FieldReading(path[0], tuple(values))
            for path, values in self.values.items()
            if len(path) == 1
        }

    def list_options(self) -> tuple[FieldReading, ...]:
        """Return the options that only this API has."""
        return tuple(
            [
                FieldReading(path[1], tuple(values))
                for path, values in self.values.items()
                if path[0] == "vendor"
            ]
        )


def _identify_conversion(hole: Hole, node: FieldHolder) -> Any:
    """Return a key for the conversion of a hole's JSON; two holes with equal keys read the same value."""
    kind = node.get_type(hole)
    if hole.filters:
        return (kind if kind in ("parts", "tools") else "", tuple(node.list_readers(hole)))
    return ("object" if kind == "arguments" else kind, node.get_field(hole).least)


def find_text_keys(listing: Listing, node: FieldHolder) -> Path | None:
    """Return the keys that lead to the text in each element of a list; None where the list has a known length."""
    hole = node.find_repeating_hole(listing)
    return None if hole is None else _find_keys_to(listing.items[0], hole) or ()


def _find_keys_to(element: Shape, hole: Hole) -> Path | None:
    """Return the keys that lead to a hole inside an element."""
    if element is hole:
        return ()
    for entry in element.fields if isinstance(element, Object) else ():
        below = _find_keys_to(entry.shape, hole)
        if below is not None:
            return (entry.key, *below)
    return None
