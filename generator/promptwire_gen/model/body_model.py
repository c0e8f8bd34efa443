"""The lowered body of one wire: its shape, the fields that it carries, and the places of messages."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..spec.shapes import REST_KEY, Alternatives, ConstantShape, Hole, KeyShape, Object

# the vendor option by which a prompt is one message as it is, without the marks of a template
RAW = "raw"
# unions whose shape may be merged into the keys of the body, or of an object in it
SPREAD = ("tool_choice", "response_format", "reasoning")


@dataclass(frozen=True, slots=True)
class LastPlace:
    """A key of the body that takes the last message of the conversation, if it has the given role.

    Attributes:
        slot: The slot whose value is written alone; None for the whole message.
        every: Whether all final messages of the role are taken, as one list.
        otherwise: The value if the last message has another role.
    """

    entry: KeyShape
    hole: Hole
    role: str
    slot: str | None
    every: bool
    otherwise: ConstantShape | None


@dataclass(frozen=True, slots=True)
class Body:
    """The shape of the whole body, and the fields that it carries.

    Attributes:
        messages: The key of the list of messages.
        outer: The key of the object that holds the messages; in `shape`, they are beside the other keys.
        url_fields: The fields that the URL states, instead of the body or in addition.
        last: The keys of the last messages, in the order of the conversation.
        results: The key of the list of tool results beside the messages.
        as_text: Whether the key of the messages holds the conversation as one text.
        beside: The keys that hold what messages have beside their text in such a prompt.
        unmarked: Whether the text is that of the user's only message, without marks.
    """

    shape: Object
    messages: KeyShape
    carried_options: frozenset[str]
    carried_request: frozenset[str]
    dotted: Mapping[str, frozenset[str]]
    vendor: frozenset[str]
    url_fields: frozenset[str]
    outer: KeyShape | None = None
    last: tuple[LastPlace, ...] = ()
    results: KeyShape | None = None
    as_text: bool = False
    beside: tuple[KeyShape, ...] = ()
    unmarked: bool = False

    @property
    def wrapping(self) -> tuple[str, ...]:
        """The key of the object that holds the messages, and their keys inside; empty if no object holds them."""
        if self.outer is None:
            return ()
        inside = [entry.key for entry in self._list_message_keys() if entry.key != self.messages.key]
        return (self.outer.key, self.messages.key, *inside)

    def _list_message_keys(self) -> list[KeyShape]:
        """Return the keys with messages inside their object."""
        shape = None if self.outer is None else self.outer.shape
        return [entry for entry in shape.fields if entry.holds_messages] if isinstance(shape, Object) else []

    @property
    def entries(self) -> tuple[KeyShape, ...]:
        """The keys of the body; a union that is spread into it is one entry, `...`."""
        rest = self.shape.extra_keys
        spread = () if rest is None else (KeyShape(REST_KEY, (), True, rest, rest.span),)
        return (*self.shape.fields, *spread)

    @property
    def sent_shape(self) -> Object:
        """The shape of the body as it is sent, with the messages inside their object."""
        if self.outer is None:
            return self.shape
        beside = {*self.wrapping} - {self.messages.key}
        fields = [
            self.outer if entry is self.messages else entry
            for entry in self.shape.fields
            if entry.key not in beside
        ]
        return replace(self.shape, fields=tuple(fields))

    def wrap_messages(self, body: Mapping[str, Any]) -> dict[str, Any]:
        """Return a body of `shape` as it is sent."""
        if self.outer is None or self.messages.key not in body:
            return dict(body)
        outer, *keys = self.wrapping
        inner = {**body.get(outer, {}), **{key: body[key] for key in keys if key in body}}
        return {**{key: value for key, value in body.items() if key not in keys}, outer: inner}

    @property
    def messages_apart(self) -> bool:
        """Return whether one conversation is no list under one key, but spread over several keys, or one text."""
        return bool(self.last) or self.results is not None or self.as_text

    @property
    def carried(self) -> frozenset[str]:
        """The neutral fields in the body or the URL."""
        return self.carried_request | self.url_fields

    def find_key(self, path: Sequence[str]) -> KeyShape | None:
        """Return the key at a path of keys."""
        return self._walk(path)[0]

    def find_constants_beside(self, path: Sequence[str]) -> dict[str, Any]:
        """Return the constants in the object that contains the key at a path."""
        _, parent = self._walk(path)
        return parent.constants

    def _walk(self, path: Sequence[str]) -> tuple[KeyShape | None, Object]:
        parent = self.shape
        entry: KeyShape | None = None
        for key in path:
            if entry is not None:
                shapes = entry.shape.forms if isinstance(entry.shape, Alternatives) else (entry.shape,)
                # of several forms of a key, the first object has the keys
                inside = next((shape for shape in shapes if isinstance(shape, Object)), None)
                if inside is None:
                    return None, parent
                parent = inside
            entry = next((field for field in parent.fields if field.key == key), None)
            if entry is None:
                return None, parent
        return entry, parent
