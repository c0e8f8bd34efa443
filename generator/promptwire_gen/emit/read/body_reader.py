"""The function that reads a whole body into a Request."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar

from ...model.filters import ShapeFilter
from ...model.message_places import is_place
from ...model.neutral import DOTTED, OPTIONS, REQUEST
from ...model.wire import WireModel
from ...spec.shapes import Hole, KeyShape, Object
from ..docs import body_doc
from ..field_holder import FieldHolder
from ..python import Expression, call, literal, lookup, name
from ..write.body_keys import inside
from .definition import ReaderDefinition
from .field_values import ReadStep, Values


@dataclass(frozen=True, slots=True, kw_only=True)
class FieldsReader(ReaderDefinition):
    """A function that reads a body into fields of a request, its options, or those that only its API has.

    table    the field of the table of readers that holds it
    values   steps before
    fields   the fields and their values
    """

    table: str
    values: tuple[ReadStep, ...]
    fields: tuple[tuple[str, Expression], ...]
    macro: ClassVar[str] = "fields"


@dataclass(frozen=True, slots=True, kw_only=True)
class BodyReader(FieldsReader):
    """The function that reads a whole body into the fields of a request, its form memory aside.

    fields    those of the request, beside instructions that are lifted, and messages
    messages  what reads the conversation
    lifted    the role of instructions that are the first messages; None where they stand elsewhere
    """

    messages: Expression
    lifted: Expression | None
    macro: ClassVar[str] = "body"


class BodyReaders:
    """The functions that read a whole body of one wire: its options, its vendor options, and all of it."""

    def __init__(self, model: WireModel, filters: Mapping[str, ShapeFilter]) -> None:
        """`filters` are those that shapes may name."""
        self._model = model
        self._filters = filters
        shape = model.body.shape
        # keys that are read elsewhere stay by name, since the rest of the body is without them
        self._plain = replace(
            shape,
            fields=tuple([_without_special(entry) for entry in shape.fields]),
            fixed=(),
        )

    def functions(self) -> list[FieldsReader]:
        """Return every function, `read_body` last."""
        parts = [part for part in (self._options(), self._vendor()) if part is not None]
        return [*parts, self._body({part.table for part in parts})]

    def _values(self, takes: Callable[[str], bool]) -> Values:
        """Return the values of the holes whose first word is wanted."""
        values = Values(FieldHolder(self._model, self._filters))
        values.object(_only(self._plain, takes), "body", self._extra_keys())
        values.values = {path: expressions for path, expressions in values.values.items() if takes(path[0])}
        return values

    def _extra_keys(self) -> frozenset[str]:
        """Return the keys of the union whose forms stand among the keys of the body; all others are unknown."""
        extra = self._plain.extra_keys
        shapes = [] if extra is None else [each.shape for each in self._model.unions.get(extra.path[0], ())]
        if not all(isinstance(shape, Object) and shape.extra_keys is None for shape in shapes):
            return frozenset()
        entries = [entry for shape in shapes if isinstance(shape, Object) for entry in shape.fields]
        return frozenset([spelling for entry in entries for spelling in entry.spellings])

    def _options(self) -> FieldsReader | None:
        values = self._values(OPTIONS.__contains__)
        fields = values.arguments()
        if not fields:
            return None
        return FieldsReader(
            name="read_options",
            doc="Read the options of a request.",
            table="options",
            values=tuple(values.before),
            fields=tuple(fields.items()),
        )

    def _vendor(self) -> FieldsReader | None:
        values = self._values("vendor".__eq__)
        options = values.vendor_options()
        if not options:
            return None
        return FieldsReader(
            name="read_vendor",
            doc="Read the options of a request that only this API has.",
            table="vendor",
            values=tuple(values.before),
            fields=tuple(options.items()),
        )

    def _body(self, parts: Collection[str]) -> BodyReader:
        model = self._model
        values = self._values(lambda head: head != "vendor" and head not in OPTIONS)
        fields: dict[str, Expression] = {}
        for field in ("options", "vendor"):
            if field in parts:
                fields[field] = call(f"reader.body_{field}", name("body"))
        fields |= _fields(values)
        steps, entries = [*values.before], model.body.messages
        for entry in model.body.shape.fields:
            if not _special(entry):
                continue
            if inside(entry, "instructions") is not None:
                outer = call("as_object", lookup("body", entry.spellings))
                steps.append(ReadStep(outer, "outer"))
            fields |= _special_fields(entry, model)
        first = model.instructions.placement == "first_message"
        given = lookup("body", entries.spellings)
        if model.lone_message == "item":
            given = call("as_list", given)
        messages = call("reader.messages", given)
        if model.body.messages_apart:
            messages = call("conversation", name("body"), name("reader"))
        repeated = next((part.repeats for part in model.parts if part.repeats), "")
        if repeated:
            messages = call("unrepeated", messages, name("reader"), literal(repeated))
        return BodyReader(
            name="read_body",
            doc=body_doc("Read a body", model),
            table="body",
            values=tuple(steps),
            messages=messages,
            lifted=literal(model.instructions.role) if first else None,
            fields=tuple([field for field in fields.items() if not (first and field[0] == "instructions")]),
        )


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


def _fields(values: Values) -> dict[str, Expression]:
    """Return the request's own fields, then nodes."""
    by_path = {path: values.first(expressions) for path, expressions in values.values.items()}
    fields = {
        path[0]: value
        for path, value in by_path.items()
        if len(path) == 1 and path[0] in REQUEST and path[0] not in DOTTED
    }
    for head, kind in DOTTED.items():
        node = _dotted(head, kind.cls, by_path)
        if node is not None:
            fields[head] = node
    return fields


def _dotted(head: str, cls: str, by_path: Mapping[tuple[str, ...], Expression]) -> Expression | None:
    """Return a node that stands whole, in single fields, or both."""
    fields = {path[1]: value for path, value in by_path.items() if path[0] == head and len(path) == 2}
    node = by_path.get((head,))
    if not fields:
        return node
    return call("with_fields", node or literal(None), name(cls), **fields)


def _special_fields(entry: KeyShape, model: WireModel) -> dict[str, Expression]:
    """Tools and instructions, which are lists of nodes."""
    json = lookup("body", entry.spellings)
    inner = inside(entry, "instructions")
    if inner is not None:
        entry, json = inner, lookup("outer", inner.spellings)
    if _holds(entry, "tools"):
        if model.group_under:
            return {"tools": call("reader.gathered", json, *map(literal, model.group_under))}
        return {"tools": call("reader.tools", json)}
    if _holds(entry, "instructions") and isinstance(entry.shape, Hole):
        if entry.shape.filters:
            return {"instructions": call("as_str", json)}
        if model.instructions.lone:
            json = call("as_list", json)
        return {"instructions": call("reader.layers", json)}
    return {}


def _holds(entry: KeyShape, head: str) -> bool:
    return isinstance(entry.shape, Hole) and entry.shape.path == (head,)


def _without_special(entry: KeyShape) -> KeyShape:
    """Return a key without what has a reader of its own: the whole value, or instructions inside its object."""
    inner = inside(entry, "instructions")
    if inner is not None and isinstance(entry.shape, Object):
        fields = [_without_special(field) if field is inner else field for field in entry.shape.fields]
        return replace(entry, shape=replace(entry.shape, fields=tuple(fields)))
    return replace(entry, shape=Object((), None, entry.span)) if _special(entry) else entry


def _special(entry: KeyShape) -> bool:
    whole = any(_holds(entry, head) for head in ("messages", "tools", "instructions"))
    return whole or is_place(entry) or inside(entry, "instructions") is not None
