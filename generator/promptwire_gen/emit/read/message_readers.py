"""Functions that read messages: the elements of each slot, items of their own, and one message a role."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from ...model.neutral import CONTAINERS, MESSAGE, ROLES
from ...model.offers import ShapeFilter
from ...model.wire import MessageShape, WireModel
from ...spec.shapes import Hole, KeyShape, Object, Shape
from ..field_holder import FieldHolder
from .readings import FieldReading, JsonPlace, Readings, ReadingStep, key_of
from .variant_choice import ReaderChoice, VariantChoice


@dataclass(frozen=True, slots=True)
class SlotReading:
    """The parts of one slot of a message.

    Attributes:
        how: The method of the reader: `content` for a content that must be given, `parts` for any other, and beside the
            content `slot` for a list and `one` for a single value.
        key: The key of a content that must be given.
        place: The place by which the reader finds the shapes of the elements.
    """

    how: Literal["content", "parts", "slot", "one"]
    json: JsonPlace
    place: str
    key: str


@dataclass(frozen=True, slots=True)
class MessageReader:
    """The function that reads a message of one role.

    Attributes:
        slots: Its slots, in the order of the wire.
        is_shared: Whether turns that only hand results back look the same.
        steps: The steps before the message is made.
        fields: The fields of the message, beside role and parts.
    """

    role: str
    slots: tuple[SlotReading, ...]
    is_shared: bool
    node: FieldHolder
    steps: tuple[ReadingStep, ...]
    fields: tuple[FieldReading, ...]

    @property
    def name(self) -> str:
        """The name of the function."""
        return f"read_message_{self.role}"


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
        own = tuple([entry for entry in shape.shape.fields if not self._is_slot(entry.shape)])
        node = FieldHolder(self._model, self.filters, "message", MESSAGE)
        readings = Readings(node)
        readings.read_object(Object(own, None, shape.span), "item")
        fields = readings.list_fields()
        if options := readings.list_options():
            fields["vendor"] = FieldReading("vendor", below=options)
        twins = self._model.messages.values()
        return MessageReader(
            role,
            tuple([self._slot(role, slot, entry) for slot, entry in shape.slots]),
            any(twin.twin and twin.wire_role == shape.wire_role for twin in twins),
            node,
            tuple(readings.steps),
            tuple(fields.values()),
        )

    def _slot(self, role: str, slot: str, entry: KeyShape) -> SlotReading:
        json, inner = key_of("item", entry.spellings), entry.shape
        while isinstance(inner, Object):
            json, inner = json.inside((inner.fields[0].key,)), inner.fields[0].shape
        if slot != "content":
            listed = self._model.slots[slot] == "list"
            return SlotReading("slot" if listed else "one", json, f"{role}.{slot}", "")
        # what an assistant says may be calls alone, whatever a build writes beside them
        must = role != "assistant" and not entry.optional and isinstance(entry.shape, Hole)
        return SlotReading("content" if must else "parts", json, role, entry.key)

    def _is_slot(self, shape: Shape) -> bool:
        return any(hole.path[0] in self._model.slots for hole in shape.holes)
