"""How one wire's answers come in pieces, as data. Generated modules make it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

from ..wire_json.kinds import is_object
from .event_steps import Step, Wanted, wanted
from .table import AnswerTable
from .told import Told, told_at

RowT = TypeVar("RowT")


class StreamTable:
    """How one wire's answers come in pieces.

    framing  what cuts the bytes: `sse`, `ndjson`, `json_array` or `aws_event_stream`
    events   the name of an event -> what it does; `*` is any event without a row
    by       the key under which the data of an event names it, where it does
    inside   the path of the word that says what an event brings: its row may be named `event/word`
    says     the path of a text, without numbers -> the kind of event that its growing is
    call     where calls stand: the path of one, and inside it the paths of its id and name
    part     where parts stand: the path of one, or of the message where they have no list
    called   the types of calls that wait for the caller; a call that says none is one of them
    thought  keys, and their values, that mark an object whose text is thinking
    decoded  paths whose text is JSON
    fails    names of events that tell an error, beside `error`
    done     names of events, and data, after which nothing follows
    """

    _TAKEN = (
        "by",
        "call",
        "called",
        "decoded",
        "done",
        "events",
        "fails",
        "framing",
        "inside",
        "part",
        "says",
        "thought",
    )
    __slots__ = (*_TAKEN, "_told", "_wanted", "ends")

    def __init__(  # noqa: PLR0913  # a row a thing that is known
        self,
        *,
        framing: str,
        events: Mapping[str, tuple[Step, ...]],
        says: Mapping[tuple[str, ...], str],
        by: str = "",
        inside: tuple[str, ...] = (),
        call: tuple[tuple[str, ...], tuple[str, ...], tuple[str, ...]] | None = None,
        part: tuple[str, ...] = (),
        called: frozenset[str] = frozenset(),
        thought: Mapping[str, Any] | None = None,
        decoded: frozenset[tuple[str, ...]] = frozenset(),
        done: frozenset[str] = frozenset(),
        fails: frozenset[str] = frozenset(),
    ) -> None:
        self.framing = framing
        self.events = events
        self.says = says
        self.by = by
        self.inside = inside
        self.call = call
        self.part = part
        self.called = called
        self.thought = thought
        self.decoded = decoded
        self.done = done
        self.fails = fails
        # whether events say where a part ends
        self.ends = any(step.how == "end" for steps in events.values() for step in steps)
        self._told: Told | None = None
        self._wanted: dict[str, Wanted] | None = None

    def changed(self, **changes: Any) -> StreamTable:
        """The same table with other values."""
        return StreamTable(**{name: getattr(self, name) for name in self._TAKEN} | changes)

    def told(self, answers: AnswerTable) -> Told:
        """Give what is told of the answer, made when the first stream asks."""
        if self._told is None:
            self._told = told_at({**answers.paths, **self.says}, self.call or (), self.part)
        return self._told

    def wanted(self, answers: AnswerTable) -> dict[str, Wanted]:
        """Give what the steps of each event want of it, made when the first stream asks."""
        if self._wanted is None:
            told = self.told(answers)
            self._wanted = {name: wanted(steps, told) for name, steps in self.events.items()}
        return self._wanted

    def usual(self, wanted: Mapping[str, Wanted]) -> dict[str | None, Wanted]:
        """Give what events do that are surely no errors, and have no other row, by their names."""
        if self.inside or "*" in wanted:
            return {}
        return {name: row for name, row in wanted.items() if name not in ("error", *self.fails)}

    def steps(self, data: Mapping[str, Any], name: str | None, wanted: Mapping[str, Wanted]) -> Wanted | None:
        """Give what an event does, by its name and what it brings; None for one that is not known."""
        return self._row(data, name, wanted)

    def plain_steps(self, data: Mapping[str, Any], name: str | None) -> tuple[Step, ...]:
        """Give the same as they stand in the spec; none for an event that is not known."""
        return self._row(data, name, self.events) or ()

    def _row(self, data: Mapping[str, Any], name: str | None, rows: Mapping[str, RowT]) -> RowT | None:
        row = rows.get(name or "*") or rows.get("*")
        if self.inside:
            word: Any = data
            for key in self.inside:
                word = word.get(key) if is_object(word) else None
            row = rows.get(f"{name}/{word}") or row
        return row

    def name_of(self, data: Mapping[str, Any], beside: str | None) -> str | None:
        """Give the name of an event: the one that its data says, or else the one that stands beside."""
        name = data.get(self.by) if self.by else None
        return name if type(name) is str else beside
