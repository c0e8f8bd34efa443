"""The shapes of an answer as data: which key holds what. Generated modules make them, reading and writing walk them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Protocol

from ..wire_json.kinds import is_list, is_object
from .answer import Candidate, Usage

if TYPE_CHECKING:
    from ..model.request import Message


class AnswerReading(Protocol):
    """The state of one reading."""

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
        """Read counts of tokens."""
        ...


class AnswerWriting(Protocol):
    """The state of one writing."""

    def candidate(self, candidate: Candidate) -> dict[str, Any]:
        """Write one candidate."""
        ...

    def is_blocked(self, candidate: Candidate) -> bool:
        """Return whether a candidate stands for a prompt that was blocked."""
        ...

    def items(self, message: Message | None) -> list[Any]:
        """Write a message: one item, or on flat wires its items."""
        ...

    def no_message(self) -> Any:
        """Write the message of an answer that says nothing; ABSENT where it has none."""
        ...

    def spelled(self, item: dict[str, Any]) -> dict[str, Any]:
        """Spell the keys of a message as an answer does."""
        ...

    def usage(self, usage: Usage) -> dict[str, Any]:
        """Write counts of tokens."""
        ...

    def options(self, node: Any) -> Mapping[str, Any]:
        """Give the known keys of this API."""
        ...

    def word(self, node: Any) -> str | None:
        """Give this wire's word for why the model stopped."""
        ...

    def lacks(self, node: Any, name: str) -> None:
        """Note a key that the API always gives, and that nothing is known for."""
        ...


# every value takes the same arguments
# ruff: noqa: ARG002

ABSENT: Any = object()
"""No value: the key is left out."""
_MOST_WORDS = 1_000_000


def as_word(json: Any) -> str | None:
    """Read a word; some hosts give the number of one."""
    if type(json) is str:
        return json
    return str(json) if type(json) is int and abs(json) < _MOST_WORDS else None


class Value(Protocol):
    """What stands under one key."""

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Put what the JSON says into the fields of a node; JSON of another type says nothing."""
        ...

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Give the JSON of a node's value; ABSENT where it has none."""
        ...


class Key:
    """One key of an object.

    also      other spellings, which are only read
    required  whether the API always gives it
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
        """Give what an object holds under the key or another of its spellings; ABSENT where it has none."""
        for name in (self.name, *self.also):
            if name in item:
                return item[name]
        return ABSENT


class Shape:
    """An object: its keys, and those of the message or of the counts where they stand among them."""

    __slots__ = ("beside", "keys", "names")

    def __init__(self, *keys: Key, message: tuple[str, ...] = (), counts: tuple[str, ...] = ()) -> None:
        self.keys = keys
        both: tuple[tuple[tuple[str, ...], Value], ...] = ((message, MESSAGE), (counts, COUNTS))
        self.beside = tuple([(names, value) for names, value in both if names])
        # all keys, in all spellings
        self.names = frozenset([*[name for key in keys for name in (key.name, *key.also)], *message, *counts])

    @property
    def constants(self) -> frozenset[str]:
        """The keys whose value is always the same."""
        return frozenset([key.name for key in self.keys if isinstance(key.value, Constant)])

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read every key that is there."""
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
        """Write every key that has a value; ABSENT where only constants would be left."""
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
    """A value that is always the same."""

    __slots__ = ("value",)

    def __init__(self, value: Any) -> None:
        self.value = value

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """A constant says nothing."""

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Give it."""
        return self.value


class Field:
    """A field of the node that is text or a number, as `kind` says."""

    __slots__ = ("kind", "name")

    def __init__(self, name: str, kind: type) -> None:
        self.name = name
        self.kind = kind

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Take a value of its type."""
        if type(json) is self.kind and self.name not in fields:
            fields[self.name] = json

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Give it where it is known."""
        value = getattr(node, self.name)
        return ABSENT if value is None else value


class Said:
    """A word of an error, text or a number."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Take the word as text."""
        word = as_word(json)
        if word:
            fields.setdefault(self.name, word)

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Return the word where it is known; a code that is a number as a number."""
        word = getattr(node, self.name)
        return (
            ABSENT
            if word is None
            else int(word)
            if len(word) < 10 and word.isascii() and word.isdigit()
            else word
        )


class Vendor:
    """A known key of this one API."""

    __slots__ = ("name",)

    def __init__(self, name: str) -> None:
        self.name = name

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Keep what it holds; null says nothing."""
        if json is not None:
            fields.setdefault("vendor", {})[self.name] = json

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Give what this wire's options hold."""
        return writer.options(node).get(self.name, ABSENT)


class Candidates:
    """The list of candidates."""

    __slots__ = ()

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read each."""
        if is_list(json):
            fields["candidates"] = tuple([reader.candidate(item) for item in json])

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Write each."""
        return [
            writer.candidate(candidate) for candidate in node.candidates if not writer.is_blocked(candidate)
        ]


class MessageValue:
    """The message, as one object."""

    __slots__ = ()

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read it with the shapes of the wire's requests."""
        if is_object(json):
            fields["message"] = reader.answered(json)

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Write it with the shapes of the wire's requests."""
        items = writer.items(node.message)
        item = items[-1] if items else writer.no_message()
        return writer.spelled(item) if is_object(item) else item


class Items:
    """The message as a flat list of items."""

    __slots__ = ()

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read them as one message."""
        if is_list(json):
            fields["message"] = reader.answered_items(json)

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Write all items."""
        return writer.items(node.message)


class Finish:
    """Why the model stopped: a word, or with `detail` the second of two."""

    __slots__ = ("detail",)

    def __init__(self, *, detail: bool = False) -> None:
        self.detail = detail

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Keep the word; some hosts give a number."""
        word = as_word(json)
        if word is not None:
            fields["finish_detail" if self.detail else "finish_raw"] = word

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Give this wire's word, or its part of two."""
        word, _, detail = (writer.word(node) or "").partition(".")
        return (detail if self.detail else word) or ABSENT


class Counts:
    """Counts of tokens."""

    __slots__ = ()

    def read(self, json: Any, fields: dict[str, Any], reader: AnswerReading) -> None:
        """Read them."""
        if is_object(json):
            fields["usage"] = reader.usage(json)

    def write(self, node: Any, writer: AnswerWriting) -> Any:
        """Write them."""
        return ABSENT if node.usage is None else writer.usage(node.usage)


CANDIDATES, COUNTS, FINISH, FINISH_DETAIL = Candidates(), Counts(), Finish(), Finish(detail=True)
ITEMS, MESSAGE = Items(), MessageValue()
