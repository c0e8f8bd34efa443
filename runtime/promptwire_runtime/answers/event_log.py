"""The events of an answer under way: each is about a part or a candidate, and each problem is reported once."""

from __future__ import annotations

from typing import Any

from ..nodes.records import construct
from .buffers import EACH
from .events import Event
from .part_state import Numbers
from .stream_table import StreamTable
from .table import AnswerTable, read_counts


class EventLog:
    """The events of one streamed answer.

    events     the events so far, which the stream takes
    many       whether the first number of a place is that of a candidate
    is_listed  whether the parts are the elements of a list
    depth      how many numbers lead to a part
    """

    def __init__(self, table: StreamTable, answers: AnswerTable, events: list[Event]) -> None:
        """Append to a list of events."""
        self.events = events
        self.many = answers.candidate is not None
        self.is_listed = table.part[-1:] == (EACH,)
        self.depth = table.part.count(EACH)
        self._answers = answers
        self._problems: set[tuple[str, str]] = set()

    def candidate_of(self, numbers: Numbers) -> int:
        """Return the number of the candidate at a place."""
        candidate: int = numbers[0] if self.many and numbers else 0
        return candidate

    def build(self, kind: str, numbers: Numbers, **more: Any) -> Event:
        """Build an event of a part or a candidate."""
        part = numbers[self.depth - 1] if self.is_listed and len(numbers) >= self.depth else None
        candidate = self.candidate_of(numbers)
        return construct(Event, kind=kind, place=numbers, candidate=candidate, part=part, **more)

    def counts(self, counts: dict[str, Any], numbers: Numbers = ()) -> None:
        """Report counts of tokens."""
        self.events.append(
            construct(Event, kind="usage", data=read_counts(counts, self._answers), place=numbers)
        )

    def problem(self, name: str, why: str, numbers: Numbers = ()) -> None:
        """Report what is wrong with the answer, once."""
        if (name, why) not in self._problems:
            self._problems.add((name, why))
            self.events.append(self.build("problem", numbers, name=name, text=why))
