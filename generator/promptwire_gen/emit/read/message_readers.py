"""Functions that read messages: the elements of each slot, items of their own, and one message a role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...model.filters import ShapeFilter
from ...model.neutral import CONTAINERS, MESSAGE, ROLES
from ...model.wire import MessageShape, WireModel
from ...spec.shapes import Hole, Object, Shape
from ..field_holder import FieldHolder
from ..python import Expression, call, literal, lookup, method, name
from ..text_shapes import with_article
from .definition import ReaderDefinition
from .field_values import ReadStep, Values
from .variant_choice import ReaderChoice, VariantChoice


@dataclass(frozen=True, slots=True, kw_only=True)
class MessageReader(ReaderDefinition):
    """The function that reads a message of one role.

    parts   its slots, in the order of the wire
    shared  whether turns that only hand results back look the same
    values  steps before the message is made
    fields  its fields, beside role and parts
    """

    role: str
    parts: tuple[Expression, ...]
    shared: bool
    values: tuple[ReadStep, ...]
    fields: tuple[tuple[str, Expression], ...]
    macro: ClassVar[str] = "message"


class MessageReaders:
    """The reading functions of one wire's messages, and the shapes of what stands in them.

    choices   the shapes of an element, by role, kind of part, or role and slot; of an item that is a part: `messages`,
              of a result beside the messages: `results`
    messages  the readers of messages, by the `role` that stands in the JSON
    """

    def __init__(self, model: WireModel, choice: VariantChoice, filters: Mapping[str, ShapeFilter]) -> None:
        """`choice` knows the readers of the part shapes."""
        self._model = model
        self._choice = choice
        self.filters = filters
        self._read = {role: shape for role, shape in model.messages.items() if not shape.twin}
        self.choices: dict[str, ReaderChoice] = {}
        self.messages: dict[str | None, MessageReader] = {}
        for role in self._content_roles():
            parts = [part for part in model.parts_of(role) if part.slot == "content"]
            self.choices[role] = choice.of(parts, "content")
        for role, shape in self._read.items():
            self._slots(role, shape)
            message = self._message(role, shape)
            for word in (shape.wire_role, *shape.also):
                self.messages.setdefault(word, message)
        standalone = [part for part in model.parts if part.slot == "messages"]
        if standalone:
            self.choices["messages"] = choice.of(standalone)
        beside = [part for part in model.parts if part.slot == "results"]
        if beside:
            self.choices["results"] = choice.of(beside)

    def _content_roles(self) -> list[str]:
        """Return the roles whose content is read: those of messages, and those that nested content uses."""
        inside = self._model.content_roles
        shaped = {
            role for role, shape in self._read.items() if any(slot == "content" for slot, _ in shape.slots)
        }
        return [role for role in (*ROLES, *CONTAINERS) if role in inside or role in shaped]

    def _slots(self, role: str, shape: MessageShape) -> None:
        """Return the shapes of the slots next to the content of a message; an unlisted slot has one value or none."""
        for slot, _ in shape.slots:
            if slot != "content":
                parts = [part for part in self._model.parts_of(role) if part.slot == slot]
                listed = self._model.slots[slot] == "list"
                self.choices[f"{role}.{slot}"] = self._choice.of(parts, slot if listed else "")

    def _message(self, role: str, shape: MessageShape) -> MessageReader:
        own = Object(
            tuple([entry for entry in shape.shape.fields if not self._is_slot(entry.shape)]), None, shape.span
        )
        values = Values(FieldHolder(self._model, self.filters, "message", MESSAGE))
        values.object(own, "item")
        fields = values.arguments()
        vendor = values.vendor()
        if vendor is not None:
            fields["vendor"] = vendor
        return MessageReader(
            name=f"read_message_{role}",
            doc=f"Read {with_article(role)} message.",
            role=role,
            parts=self._parts(role, shape),
            shared=any(
                twin.twin and twin.wire_role == shape.wire_role for twin in self._model.messages.values()
            ),
            values=tuple(values.before),
            fields=tuple(fields.items()),
        )

    def _parts(self, role: str, shape: MessageShape) -> tuple[Expression, ...]:
        pieces: list[Expression] = []
        for slot, entry in shape.slots:
            json, inside = lookup("item", entry.spellings), entry.shape
            while isinstance(inside, Object):
                json = method(call("as_object", json), "get", literal(inside.fields[0].key))
                inside = inside.fields[0].shape
            # what an assistant says may be calls alone, whatever a build writes beside them
            always = role != "assistant" and not entry.optional and isinstance(entry.shape, Hole)
            if slot == "content" and always:
                pieces.append(call("reader.content", json, literal(role), name("item"), literal(entry.key)))
            elif slot == "content":
                pieces.append(call("reader.parts", json, literal(role)))
            else:
                reads = "slot" if self._model.slots[slot] == "list" else "one"
                pieces.append(call(f"reader.{reads}", json, literal(f"{role}.{slot}")))
        return tuple(pieces)

    def _is_slot(self, shape: Shape) -> bool:
        return any(hole.path[0] in self._model.slots for hole in shape.holes)
