"""The table `PLACES` of a body whose conversation has several keys, and instructions that are the first messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ...model.body_model import LastPlace
from ...model.neutral import LAYER_ROLES
from ...model.prompts import TEXT_HOLE, turns_of
from ...model.wire import MessageShape, WireModel


@dataclass(frozen=True)
class PlaceTable:
    """The table of one wire: `MessagePlaces`, or a `PromptPlace`."""

    wire: WireModel

    @property
    def last(self) -> list[tuple[LastPlace, MessageShape, dict[str, str]]]:
        """The keys of the last message, each with its message and the fields that keys of the message hold."""
        messages = self.wire.messages
        return [
            (place, messages[place.role], _find_fields(messages[place.role])) for place in self.wire.body.last
        ]

    @property
    def words(self) -> dict[str, str | None]:
        """Role -> its word on the wire."""
        return {role: message.wire_role for role, message in self.wire.messages.items()}

    @property
    def beside(self) -> dict[str, str]:
        """Key of a message -> the key of the body that holds its value beside a prompt."""
        slots = {slot: entry.key for message in self.wire.messages.values() for slot, entry in message.slots}
        return {slots[entry.shape.holes[0].path[1]]: entry.key for entry in self.wire.body.beside}

    @property
    def templates(self) -> list[tuple[Any, dict[str, list[str]]]]:
        """The templates of a prompt, each with the texts before and behind the text of each role."""
        return [
            (template, {role: turn.split(TEXT_HOLE) for role, turn in turns_of(template).items()})
            for template in self.wire.prompt
        ]


def place_table(wire: WireModel) -> PlaceTable | None:
    """Return the table of one wire; None where all messages stand in one list."""
    return PlaceTable(wire) if wire.prompt or wire.body.messages_apart else None


def _find_fields(message: MessageShape) -> dict[str, str]:
    """Return the keys of a message -> the fields of the neutral one that they hold."""
    slots = {entry.key for _, entry in message.slots}
    return {
        entry.key: "parts" if entry.key in slots else entry.shape.holes[0].name
        for entry in message.shape.fields
        if entry.shape.holes
    }


@dataclass(frozen=True)
class FirstMessages:
    """`{speaker: role, content: ...}`.

    Attributes:
        words: The roles that a message may have -> the words of the wire; empty where these are the same.
    """

    wire: WireModel
    words: dict[str, str]

    @property
    def role(self) -> str:
        """The role of a layer that names none."""
        return self.wire.instructions.role

    @property
    def roles(self) -> list[str]:
        """The roles that layers may have here."""
        return sorted(set(self.wire.messages) & {"system", "developer"})

    @property
    def content(self) -> str:
        """The key of the content."""
        return self.wire.content_key(self.role)

    @property
    def joined(self) -> bool:
        """Return whether the texts of several layers become one."""
        return self.wire.instructions.several == "join"


def first_messages(wire: WireModel) -> FirstMessages | None:
    """Return how instructions are written as first messages; None where they have a key."""
    if wire.instructions.placement != "first_message":
        return None
    assigned = [str(rule.set["instructions.role"]) for rule in wire.rules if "instructions.role" in rule.set]
    roles = dict.fromkeys((wire.instructions.role, *assigned, *LAYER_ROLES))
    words = {role: wire.messages[role].wire_role for role in roles if role in wire.messages}
    return FirstMessages(wire, words if any(role != word for role, word in words.items()) else {})
