"""The functions that write the item of a message: its role, its slots, its own fields."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar

from ...model.neutral import MESSAGE
from ...model.wire import MessageShape, WireModel
from ...spec.shapes import Hole, Object, Shape
from ..conditions import is_given
from ..field_access import FieldAccess
from ..python import Expression, call, display, item, literal, name
from ..text_shapes import bare_element, bare_text_shape, is_joined, with_article
from .keys import Key, ValueKey, optional_key
from .rows import WriterRow, shape_row


@dataclass(frozen=True, slots=True)
class SlotArgument:
    """A slot as an argument: a list, or one value or None."""

    name: str
    listed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class ItemWriter:
    """The function that writes a message from its slots and its own fields.

    slots   its arguments beside message and context
    value   the display of its constants
    filled  the keys of its slots
    vendor  whether keys need the options of this API
    keys    the keys of its own fields
    """

    name: str
    doc: str
    slots: tuple[SlotArgument, ...]
    value: Expression
    filled: tuple[ValueKey, ...]
    vendor: bool
    keys: tuple[Key, ...]
    result: Expression
    macro: ClassVar[str] = "item_writer"


class ItemEmitter:
    """Prepares `write_item_<role>` and its row."""

    def __init__(self, model: WireModel, outer: FieldAccess) -> None:
        """`outer` carries filters."""
        self.model = model
        self.access = FieldAccess("message", MESSAGE, outer.filters)

    def definitions(self, shape: MessageShape) -> list[WriterRow | ItemWriter]:
        """Return the row, where there is one, and the function."""
        slots = {entry.key: slot for slot, entry in shape.slots}
        constants = [(key, literal(value)) for key, value in shape.shape.constants.items()]
        fields = [entry for entry in shape.shape.fields if entry.key not in slots]
        vendor = frozenset(
            hole.path[1] for entry in fields for hole in entry.shape.holes if hole.path[0] == "vendor"
        )
        row = shape_row(f"{shape.role.upper()}_ITEM", _fields_without_key(shape), vendor, shape.shape)
        arguments = [name("item"), name("message"), *([] if row is None else [name(row.name)])]
        writer = ItemWriter(
            name=f"write_item_{shape.role}",
            doc=f"Write the item of {with_article(shape.role)} message.",
            slots=tuple([SlotArgument(slot, self.model.slots[slot] == "list") for slot, _ in shape.slots]),
            value=display(constants),
            filled=tuple(
                [
                    self._slot(shape, slots[entry.key], entry.key, entry.shape, optional=entry.optional)
                    for entry in shape.shape.fields
                    if entry.key in slots
                ]
            ),
            vendor=any(hole.path[0] == "vendor" for entry in fields for hole in entry.shape.written_holes),
            keys=tuple(
                [
                    key
                    for entry in fields
                    if entry.optional
                    for key in optional_key(entry, name("item"), self.access)
                ]
            ),
            result=call("build.finish", *arguments),
        )
        return [writer] if row is None else [row, writer]

    def _slot(self, shape: MessageShape, slot: str, key: str, hole: Shape, *, optional: bool) -> ValueKey:
        if isinstance(hole, Object):
            inner = self._slot(shape, slot, key, hole.fields[0].shape, optional=optional)
            return replace(inner, value=display([(hole.fields[0].key, inner.value)]))
        assert isinstance(hole, Hole)
        target, value = item(name("item"), key), name(slot)
        if self.model.slots[slot] == "one":
            return ValueKey(is_given(value), target, value)
        is_there = value if optional else None
        bare = bare_text_shape(self.model, shape.role)
        if is_joined(hole) and shape.role in ("system", "developer"):
            value = call("one_text", value, name("message"), name("build"))
        elif is_joined(hole) and shape.role == "assistant":
            value = call("said_text", value, name("message"))
        elif is_joined(hole):
            value = call("joined_text", value)
        elif slot == "content" and not hole.listed and bare is not None:
            value = call("bare_text", value, bare_element(bare))
        return ValueKey(is_there, target, value)


def _fields_without_key(shape: MessageShape) -> list[tuple[str, bool]]:
    """Return the fields of a message that its shape has no key for; `True` marks advisory ones."""
    carried = {hole.path[0] for hole in shape.shape.written_holes}
    return [
        (field, field_row.advisory) for field, field_row in MESSAGE.fields.items() if field not in carried
    ]
