"""Declarative shapes of an answer: the value under each key. Generated modules define them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ..model.request import Message
from ..wire_json.kinds import is_list, is_object
from .answer import Candidate, Usage


class AnswerReading(Protocol):
    """The reader methods that shapes call."""

    def candidate(self, item: Any) -> Candidate:
        """Read one candidate."""
        ...

    def answered(self, item: dict[str, Any]) -> Message:
        """Read the message of an answer."""
        ...

    def answered_items(self, items: list[Any]) -> Message | None:
        """Read the items of an answer as one message."""
        ...

    def usage(self, counts: dict[str, Any]) -> Usage:
        """Read token usage."""
        ...


class AnswerWriting(Protocol):
    """The writer methods that shapes call."""

    def candidate(self, candidate: Candidate) -> dict[str, Any]:
        """Write one candidate."""
        ...

    def is_blocked(self, candidate: Candidate) -> bool:
        """Return whether a candidate represents a blocked prompt."""
        ...

    def items(self, message: Message | None) -> list[Any]:
        """Write a message as one item, or as several on wires with a flat list of items."""
        ...

    def no_message(self) -> Any:
        """Write the message of an answer without content; ABSENT if the API leaves it out."""
        ...

    def spelled(self, item: dict[str, Any]) -> dict[str, Any]:
        """Rename the keys of a message to those that answers use."""
        ...

    def usage(self, usage: Usage) -> dict[str, Any]:
        """Write token usage."""
        ...

    def options(self, node: Any) -> Mapping[str, Any]:
        """Return the vendor options of this API."""
        ...

    def word(self, node: Any) -> str | None:
        """Return this wire's finish reason."""
        ...

    def lacks(self, node: Any, name: str) -> None:
        """Note a missing key that the API always sends."""
        ...


# every `Value` takes the same arguments
# ruff: noqa: ARG002

ABSENT: Any = object()
"""Sentinel for a key that is left out."""
_MOST_WORDS = 1_000_000


def as_word(json: Any) -> str | None:
    """Return a string value; a small integer, which some hosts send as a code, is converted to text."""
    if isinstance(json, str):
        # clients have enums whose members are texts
        return json if type(json) is str else str.__str__(json)
    return str(json) if type(json) is int and abs(json) < _MOST_WORDS else None


class Value(Protocol):
    """Reads and writes the value of one key."""

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read the JSON into the fields of a node. JSON of another type is ignored."""
        ...

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Return the JSON of a node's value; ABSENT if the node has none."""
        ...


class Key:
    """One key of an object.

    also      aliases, which are read but never written
    required  whether the API always sends the key
    """

    __slots__ = ("also", "name", "required", "value")

    def __init__(
        self, name: str, value: Value, *, required: bool = False, also: tuple[str, ...] = ()
    ) -> None:
        self.name = name
        self.value = value
        self.required = required
        self.also = also

    def of(self, item: Mapping[str, Any]) -> Any:
        """Return the value under the key or one of its aliases; ABSENT if the object has none of them."""
        for name in (self.name, *self.also):
            if name in item:
                return item[name]
        return ABSENT


class AnswerShape:
    """A JSON object: its own keys, and the keys of a message or usage object that is inlined in it."""

    __slots__ = ("beside", "inlined_message", "inlining", "keys", "names")

    def __init__(self, *keys: Key, message: tuple[str, ...] = (), counts: tuple[str, ...] = ()) -> None:
        self.keys = keys
        both: tuple[tuple[tuple[str, ...], Value], ...] = ((message, MESSAGE), (counts, COUNTS))
        self.beside = tuple([(names, value) for names, value in both if names])
        self.inlined_message = frozenset(message)
        # the objects under its keys in which a message is inlined
        inner = [(key.name, key.value) for key in keys if isinstance(key.value, AnswerShape)]
        self.inlining = tuple([(name, shape) for name, shape in inner if shape.inlined_message])
        # all keys and aliases
        self.names = frozenset([*[name for key in keys for name in (key.name, *key.also)], *message, *counts])

    @property
    def constants(self) -> frozenset[str]:
        """The keys with a constant value."""
        return frozenset([key.name for key in self.keys if isinstance(key.value, Constant)])

    def says_finish(self, json: dict[str, Any]) -> bool:
        """Return whether an object has the key of the finish reason, whatever its value."""
        return any(key.value is FINISH and key.of(json) is not ABSENT for key in self.keys)

    def absent_content(self, json: dict[str, Any]) -> list[str]:
        """Return the key of a message that has no other, if it is absent or null: the API always sends it."""
        messages = [names for names, value in self.beside if value is MESSAGE and len(names) == 1]
        return [name for (name,) in messages if json.get(name) is None]

    def unknown_beside_message(self, json: dict[str, Any], *, lacks: bool) -> dict[str, Any]:
        """Return the unknown keys where a message is inlined and lacks a key; and those above if it lacks content."""
        if self.inlined_message:
            return {} if self.inlined_message <= json.keys() else self._unknown(json)
        for name, shape in self.inlining:
            if is_object(inner := json.get(name)):
                # streams put what they do not know beside the object
                above = self._unknown(json) if lacks else {}
                return {**above, **shape.unknown_beside_message(inner, lacks=lacks)}
        return {}

    def _unknown(self, json: dict[str, Any]) -> dict[str, Any]:
        return {key: json[key] for key in json if key not in self.names}

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read every key that is present."""
        if not is_object(json):
            return
        for key in self.keys:
            value = json.get(key.name, ABSENT)
            if value is ABSENT and key.also:
                value = key.of(json)
            if value is not ABSENT:
                key.value.read(value, fields, reader)
        for names, value in self.beside:
            value.read({name: json[name] for name in names if name in json}, fields, reader)

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Write every key that has a value; ABSENT if only constants would be written."""
        item: dict[str, Any] = {}
        lacking: list[Key] = []
        says = False
        for key in self.keys:
            value = key.value.write(node, writer)
            if value is not ABSENT:
                item[key.name] = value
                says = says or type(key.value) is not Constant
            elif key.required:
                lacking.append(key)
        for _, beside in self.beside:
            inner = beside.write(node, writer)
            if inner is not ABSENT:
                item.update(inner)
                says = True
        if not says:
            return ABSENT
        for key in lacking:
            writer.lacks(node, key.name)
        return item


class Constant:
    """A constant value."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read nothing, because a constant carries no information."""

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Return the constant."""
        return self.value


class Field:
    """A field of the node with a value of the type `kind`: text or a number."""

    __slots__ = ("kind", "name")

    def __init__(self, name: str, kind: type) -> None:
        self.name = name
        self.kind = kind

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read a value of the right type, unless the field is already set."""
        if type(json) is self.kind and self.name not in fields:
            fields[self.name] = json

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Return the value of the field; ABSENT if it is None."""
        value = getattr(node, self.name)
        return ABSENT if value is None else value


class Vendor:
    """A known key that only this API has."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read the value into the vendor options, unless it is null."""
        if json is not None:
            fields.setdefault("vendor", {})[self.name] = json

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Return the value from this wire's vendor options; ABSENT if it is not set."""
        return writer.options(node).get(self.name, ABSENT)


class Candidates:
    """The list of candidates."""

    __slots__ = ()

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read each candidate."""
        if is_list(json):
            fields["candidates"] = tuple([reader.candidate(item) for item in json])

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Write each candidate, except one for a blocked prompt."""
        return [
            writer.candidate(candidate) for candidate in node.candidates if not writer.is_blocked(candidate)
        ]


class MessageValue:
    """A message that is one object."""

    __slots__ = ()

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read the message with the wire's request readers."""
        if is_object(json):
            fields["message"] = reader.answered(json)

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Write the message with the wire's request writers."""
        items = writer.items(node.message)
        item = items[-1] if items else writer.no_message()
        return writer.spelled(item) if is_object(item) else item


class Items:
    """A message that is a flat list of items."""

    __slots__ = ()

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read the items as one message."""
        if is_list(json):
            fields["message"] = reader.answered_items(json)

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Write all items."""
        return writer.items(node.message)


class Finish:
    """The finish reason, or with `detail` the second of two values that form it."""

    __slots__ = ("detail",)

    def __init__(self, *, detail: bool = False) -> None:
        self.detail = detail

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read the finish reason as text. Some hosts send a number, and some an empty text until the answer ends."""
        word = as_word(json)
        if word:
            fields["finish_detail" if self.detail else "finish_raw"] = word

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Return this wire's finish reason, or the part of it that this key holds."""
        word, _, detail = (writer.word(node) or "").partition(".")
        return (detail if self.detail else word) or ABSENT


class Counts:
    """Token usage."""

    __slots__ = ()

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read the usage object."""
        if is_object(json):
            fields["usage"] = reader.usage(json)

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Write the usage; ABSENT if the node has none."""
        return ABSENT if node.usage is None else writer.usage(node.usage)


CANDIDATES, COUNTS, FINISH, FINISH_DETAIL = Candidates(), Counts(), Finish(), Finish(detail=True)
ITEMS, MESSAGE = Items(), MessageValue()
