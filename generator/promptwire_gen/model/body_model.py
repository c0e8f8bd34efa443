"""The body of one wire, lowered: its shape, what it carries, and where a conversation stands in it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..spec.shapes import Constant, Field, Hole, Object


@dataclass(frozen=True, slots=True)
class LastPlace:
    """A key of the body that takes the last message of the conversation, where it is of a role.

    slot       the slot whose value stands there alone; None for the whole message
    every      whether all messages of the role at the end are taken, as one list
    otherwise  what stands there where the last message is of another role
    """

    entry: Field
    hole: Hole
    role: str
    slot: str | None
    every: bool
    otherwise: Constant | None


@dataclass(frozen=True, slots=True)
class Body:
    """The shape of the whole body, and what it carries.

    messages    the key of the list of messages
    url_fields  what is said by the URL instead, or as well
    last        the keys of the last messages, in the order of the conversation
    results     the key of the list of tool results beside the messages
    """

    shape: Object
    messages: Field
    carried_options: frozenset[str]
    carried_request: frozenset[str]
    dotted: Mapping[str, frozenset[str]]
    vendor: frozenset[str]
    url_fields: frozenset[str]
    last: tuple[LastPlace, ...] = ()
    results: Field | None = None

    @property
    def messages_apart(self) -> bool:
        """Whether one conversation stands under several keys."""
        return bool(self.last) or self.results is not None

    @property
    def carried(self) -> frozenset[str]:
        """The neutral fields that body or URL say."""
        return self.carried_request | self.url_fields

    def at(self, path: Sequence[str]) -> Field | None:
        """The key at a path of keys."""
        return self._way(path)[0]

    def constants_beside(self, path: Sequence[str]) -> dict[str, Any]:
        """The constants that stand in the object of the key at a path."""
        _, parent = self._way(path)
        return {
            entry.key: entry.shape.value
            for entry in parent.fields
            if not entry.optional and isinstance(entry.shape, Constant)
        }

    def _way(self, path: Sequence[str]) -> tuple[Field | None, Object]:
        parent = self.shape
        entry: Field | None = None
        for key in path:
            if entry is not None:
                if not isinstance(entry.shape, Object):
                    return None, parent
                parent = entry.shape
            entry = next((field for field in parent.fields if field.key == key), None)
            if entry is None:
                return None, parent
        return entry, parent
