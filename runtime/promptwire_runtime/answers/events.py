"""The neutral steps of a stream."""

from __future__ import annotations

from typing import Any

from ..nodes.declared import dataclass
from ..nodes.records import Record

KINDS = ("start", "text", "reasoning", "refusal", "call", "arguments", "usage", "finish", "error", "unknown")


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Event(Record):
    """One step.

    kind   one of `KINDS`
    text   the piece of text, thinking, refusal or arguments; the API's own word of a finish
    id     of a call: its id, where the API gives one
    name   of a call: the function; of a finish: one of `FINISHES`; of what is unknown: the event's name
    place  which candidate, part and call it belongs to, as numbers of the API
    data   of usage: the counts so far, a `Usage`; of an error, or what is unknown: the API's own JSON
    candidate  the number of the candidate; 0 where an API gives one only
    """

    kind: str
    text: str = ""
    id: str | None = None
    name: str | None = None
    place: tuple[int, ...] = ()
    data: Any = None
    candidate: int = 0
