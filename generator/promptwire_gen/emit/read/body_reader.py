"""The function that reads a whole body into a Request."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace

from ...model.neutral import DOTTED, OPTIONS, REQUEST
from ...model.offers import ShapeFilter
from ...model.wire import WireModel
from ...spec.shapes import Hole, KeyShape, Object
from ..docs import body_doc
from ..field_holder import FieldHolder
from .readings import FieldReading, JsonPlace, Readings, ReadingStep, key_of


@dataclass(frozen=True, slots=True)
class FieldsReader:
    """A function that reads a body into fields of a request, its options, or those that only its API has.

    Attributes:
        table: The field of the table of readers that holds it: `options`, `vendor` or `body`.
    """

    table: str
    doc: str
    node: FieldHolder
    steps: tuple[ReadingStep, ...]
    fields: tuple[FieldReading, ...]

    @property
    def name(self) -> str:
        """The name of the function."""
        return f"read_{self.table}"


@dataclass(frozen=True, slots=True)
class ListKey:
    """A key of a body that holds the tools or the instructions.

    Attributes:
        around: The key of the object around it, if there is one.
    """

    field: str
    hole: Hole
    json: JsonPlace
    around: JsonPlace | None


class BodyReaders:
    """The functions that read a whole body of one wire: its options, its vendor options, and all of it."""

    def __init__(self, model: WireModel, filters: Mapping[str, ShapeFilter]) -> None:
        """`filters` are those that shapes may name."""
        self.wire = model
        self.node = FieldHolder(model, filters)
        shape = model.body.shape
        # keys that are read elsewhere stay by name, since the rest of the body is without them
        self._plain = replace(
            shape,
            fields=tuple([_without_special(entry) for entry in shape.fields]),
            fixed=(),
        )
        options, vendor = self._read(OPTIONS.__contains__), self._read("vendor".__eq__)
        self.parts = [
            FieldsReader(table, doc, self.node, tuple(readings.steps), tuple(fields))
            for table, doc, readings, fields in (
                ("options", "Read the options of a request.", options, options.list_fields().values()),
                (
                    "vendor",
                    "Read the options of a request that only this API has.",
                    vendor,
                    vendor.list_options(),
                ),
            )
            if fields
        ]
        self.body = self._body()

    @property
    def names(self) -> dict[str, str]:
        """Field of the table of readers -> the function that it holds."""
        return {reader.table: reader.name for reader in (*self.parts, self.body)}

    def _read(self, takes: Callable[[str], bool]) -> Readings:
        """Return the values of the holes whose first word is wanted."""
        values = Readings(self.node)
        values.read_object(_only(self._plain, takes), "body", self._extra_keys())
        values.values = {path: expressions for path, expressions in values.values.items() if takes(path[0])}
        return values

    def _extra_keys(self) -> frozenset[str]:
        """Return the keys of the union whose forms stand among the keys of the body; all others are unknown."""
        extra = self._plain.extra_keys
        shapes = [] if extra is None else [each.shape for each in self.wire.unions.get(extra.path[0], ())]
        if not all(isinstance(shape, Object) and shape.extra_keys is None for shape in shapes):
            return frozenset()
        entries = [entry for shape in shapes if isinstance(shape, Object) for entry in shape.fields]
        return frozenset([spelling for entry in entries for spelling in entry.spellings])

    def _body(self) -> FieldsReader:
        readings = self._read(lambda head: head != "vendor" and head not in OPTIONS)
        doc = body_doc("Read a body", self.wire)
        return FieldsReader("body", doc, self.node, tuple(readings.steps), tuple(_list_fields(readings)))

    @property
    def lists(self) -> list[ListKey]:
        """The keys of tools and instructions; instructions may be the first messages instead."""
        lifted = self.wire.instructions.placement == "first_message"
        keys = [_list_key(entry) for entry in self.wire.body.shape.fields if _special(entry)]
        return [key for key in keys if key is not None and not (lifted and key.field == "instructions")]

    @property
    def conversation(self) -> JsonPlace:
        """The place of the messages."""
        return key_of("body", self.wire.body.messages.spellings)

    @property
    def repeated(self) -> str:
        """The vendor option of a result that repeats the arguments of its call; empty if there is none."""
        return next((part.repeats for part in self.wire.parts if part.repeats), "")


def _only(shape: Object, takes: Callable[[str], bool]) -> Object:
    """Return an object without holes that are not wanted; its keys stay, since what a rest holds depends on them."""
    fields: list[KeyShape] = []
    for entry in shape.fields:
        inner = entry.shape
        if isinstance(inner, Object):
            inner = _only(inner, takes)
        elif inner.holes and not any(takes(hole.path[0]) for hole in inner.holes):
            inner = Object((), None, shape.span)
        fields.append(replace(entry, shape=inner))
    rest = shape.extra_keys if shape.extra_keys is not None and takes(shape.extra_keys.path[0]) else None
    return replace(shape, fields=tuple(fields), extra_keys=rest)


def _list_fields(readings: Readings) -> Iterator[FieldReading]:
    """Yield the request's own fields, then the nodes, each whole, in single fields, or both."""
    for name, field in readings.list_fields().items():
        if name in REQUEST and name not in DOTTED:
            yield field
    for head, kind in DOTTED.items():
        below = [
            FieldReading(path[1], tuple(values))
            for path, values in readings.values.items()
            if path[0] == head and len(path) == 2
        ]
        whole = tuple(readings.values.get((head,), ()))
        if whole or below:
            yield FieldReading(head, whole, below=tuple(below), cls=kind.cls)


def _list_key(entry: KeyShape) -> ListKey | None:
    """Return a key of tools or instructions, perhaps inside an object; None for any other key."""
    inner, json, around = entry.instructions_inside, key_of("body", entry.spellings), None
    if inner is not None:
        entry, json, around = inner, key_of("outer", inner.spellings), json
    for field in ("tools", "instructions"):
        if entry.holds(field) and isinstance(entry.shape, Hole):
            return ListKey(field, entry.shape, json, around)
    return None


def _without_special(entry: KeyShape) -> KeyShape:
    """Return a key without what has a reader of its own: the whole value, or instructions inside its object."""
    inner = entry.instructions_inside
    if inner is not None and isinstance(entry.shape, Object):
        fields = [_without_special(field) if field is inner else field for field in entry.shape.fields]
        return replace(entry, shape=replace(entry.shape, fields=tuple(fields)))
    return replace(entry, shape=Object((), None, entry.span)) if _special(entry) else entry


def _special(entry: KeyShape) -> bool:
    whole = any(entry.holds(head) for head in ("messages", "tools", "instructions"))
    return whole or entry.is_place or entry.instructions_inside is not None
