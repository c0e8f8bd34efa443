"""The keys that the data of a named event should have: its piece of content, and the index of its element."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ..wire_json.kinds import is_object
from .stream_table import At, Step, StreamTable


class ExpectedKeys:
    """The keys that the data of an event should have.

    numbers  pairs of a key and the key of the list index that its value needs
    pieces   the keys of which one holds the next piece of a text or a list
    known    the keys that steps of any event read or make
    """

    __slots__ = ("known", "numbers", "pieces")

    def __init__(self, steps: Sequence[Step], known: frozenset[str]) -> None:
        indexes = [(step, key.key) for step in steps for key in step.target if isinstance(key, At)]
        self.numbers = tuple(dict.fromkeys((step.source[0], key) for step, key in indexes if step.source))
        self.pieces = frozenset(
            [step.source[0] for step in steps if step.source and step.how in ("grow", "extend")]
        )
        self.known = known

    def unread(self, data: Mapping[str, Any]) -> list[str]:
        """Return the keys that may hold the piece, if no key does that steps read."""
        if not self.pieces or not self.pieces.isdisjoint(data):
            return []
        unknown = [key for key in data if key not in self.known]
        return [key for key in unknown if data[key] and isinstance(data[key], (str, list, dict))]

    def lacks_number(self, data: Mapping[str, Any]) -> str | None:
        """Return the first key of an index that the data lacks although it has the value for it."""
        for source, key in self.numbers:
            inner = data.get(source)
            inside = inner.get(key) if is_object(inner) else None
            if data.get(key) is None and inside is None and inner is not None:
                return key
        return None


@cache
def expected_keys(table: StreamTable) -> dict[str | None, ExpectedKeys]:
    """Return name of an event -> the keys that its data should have."""
    steps = [step for rows in table.events.values() for step in rows]
    indexes = [key.key for step in steps for key in step.target if isinstance(key, At)]
    constants = [key for step in steps for key in step.constants or ()]
    known = frozenset([table.by, *indexes, *constants, *[step.source[0] for step in steps if step.source]])
    return {name: ExpectedKeys(rows, known) for name, rows in table.events.items()}
