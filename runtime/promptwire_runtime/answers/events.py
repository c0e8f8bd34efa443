"""The neutral steps of a stream."""

from __future__ import annotations

from typing import Any

from ..errors import InvalidRequest
from ..nodes.checks import check_field, unknown_word
from ..nodes.declared import dataclass
from ..nodes.records import Record, shown
from ..nodes.type_errors import check_class
from ..wire_json.kinds import class_of
from .answer import Usage

KINDS = ("start", "text", "reasoning", "refusal", "call", "arguments", "usage", "finish", "error", "unknown")

_MOST_CANDIDATES = 1_000_000


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

    def __post_init__(self) -> None:
        """Refuse values that do not fit."""
        if self.kind not in KINDS:
            raise unknown_word("kind", self.kind, "kind of event", KINDS)
        if class_of(self.place) is not tuple or not all(class_of(number) is int for number in self.place):
            check_field(Event, "place", self.place)
        if not 0 <= self.candidate < _MOST_CANDIDATES:
            raise InvalidRequest(
                f"candidate is the number of one, not {shown(self.candidate)}", field="candidate"
            )
        if self.kind == "usage":
            check_class(self.data, Usage, "data of an event of usage")
