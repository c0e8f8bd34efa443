"""A stream that is read: bytes in any pieces, neutral events out, and at its end the same answer as of a whole body."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from json import dumps
from typing import Any

from ..build.wire import Wire
from ..errors import AnswerError, PromptwireError, StreamError
from ..nodes.light_dataclasses import construct
from ..nodes.records import shown
from ..reporting.notes import Note
from ..wire_json.kinds import is_object
from .accumulator import AnswerAccumulator
from .answer import Answer
from .answer_shapes import COUNTS, as_word
from .buffers import settled
from .events import Event
from .framing import Frame, framing_of
from .stream_table import EventFilter, EventPaths, StreamTable
from .table import AnswerTable, read_counts
from .whole_parts import VendorEvents, WholeParts

_LAST = ("finish", "usage")
_AS_TEXT: frozenset[tuple[str, ...]] = frozenset()


class Stream:
    """One answer that comes in pieces.

    feed   takes bytes, in any pieces, and gives the events that are complete
    rest   gives the events that the end of the bytes completes
    close  gives the answer, and checks that it is whole
    """

    def __init__(
        self,
        wire: Wire,
        table: StreamTable,
        answers: AnswerTable,
        read: Callable[[dict[str, Any]], Answer],
        framing: str | None = None,
    ) -> None:
        """Start with nothing."""
        self._title = wire.title
        self._table = table
        self._answers = answers
        self._read = read
        self._framing = framing_of(framing or table.framing, wire.title)
        self._body = AnswerAccumulator()
        self._ended = False
        self._closed = False
        # what the bytes did wrong, and what error the stream told
        self._broken = ""
        self._failed: Any = None
        self._announced: set[tuple[Any, ...]] = set()
        self._events: list[Event] = []
        # texts that were told, and parts that are thinking
        self._heard: set[tuple[Any, ...]] = set()
        self._thinking: set[tuple[Any, ...]] = set()
        self._ends: dict[tuple[Any, ...], dict[str, str]] = {}
        # what was told last, where, and as which event
        self._last: tuple[EventPaths | None, tuple[Any, ...], Event] = (None, (), Event(kind="start"))
        self._filters = table.filters(answers)
        self._usual = table.usual(self._filters)
        self._parts = (
            WholeParts(table, table.event_paths(answers), read, self._body.body) if table.part else None
        )
        self._options = VendorEvents(wire.name, answers, self._body.body)
        # candidates that end with the event that is taken
        self._finishing: list[tuple[Any, ...]] = []
        # whether the first number of a place is that of a candidate
        self._many = answers.candidate is not None
        # counts that stand among the keys of the body
        self._counts = frozenset(
            [key for names, value in answers.body.beside if value is COUNTS for key in names]
        )

    def feed(self, chunk: bytes) -> list[Event]:
        """Give the events that these bytes complete.

        Raises StreamError for bytes that are no such stream; where events stand before these, the next call does.
        """
        if self._closed:
            raise AnswerError(f"{self._title}: the stream is closed: nothing follows")
        if not isinstance(chunk, (bytes, bytearray, memoryview)):  # pyright: ignore[reportUnnecessaryIsInstance]
            raise AnswerError(f"{self._title}: a stream is fed bytes, not {type(chunk).__name__}")
        return self._events_in(self._framing.feed, chunk)

    def rest(self) -> list[Event]:
        """Give the events that only the end of the bytes completes, as the last line without a line break."""
        if self._closed:
            return []
        events = self._events_in(self._framing.close)
        if not self._broken:
            events += [*(self._parts.end_all() if self._parts else ()), *self._options.fresh()]
        self._closed = True
        return events

    def close(self) -> Answer:
        """Give the answer. Raises StreamError, which holds what came, when the stream broke off or told an error."""
        self.rest()
        if self._broken:
            raise self._error(self._broken)
        if self._failed is not None:
            raise self._error(f"the stream tells an error: {shown(self._failed)[:500]}")
        answer = self.answer
        if not self._ended and answer.finish is None:
            raise self._error("the stream broke off before the answer ended")
        return answer

    @property
    def answer(self) -> Answer:
        """What has come so far. Raises BodyError where that is no answer of this API."""
        body = self._body.settled(self._table.decoded)
        return self._read(body) if body else Answer()

    @property
    def deviations(self) -> tuple[Note, ...]:
        """Where what has come so far differs from every documented shape, and what was assumed there."""
        return self.answer.deviations

    @property
    def problems(self) -> tuple[Note, ...]:
        """What no shape takes of all that has come so far."""
        return self.answer.problems

    def _error(self, trouble: str) -> StreamError:
        try:
            answer: Answer | None = self.answer
        except PromptwireError:
            answer = None
        return StreamError(f"{self._title}: {trouble}", answer)

    def _events_in(self, frames: Callable[..., Iterable[Frame]], *chunk: bytes) -> list[Event]:
        if self._broken:
            raise self._error(self._broken)
        try:
            for frame in frames(*chunk):
                self._take(frame)
        except AnswerError as error:
            self._broken = str(error)
            if not self._events:
                raise self._error(self._broken) from None
        events, self._events = self._events, []
        return events

    def _take(self, frame: Frame) -> None:
        """Do what an event says, and note the neutral events of it."""
        data, table = frame.data, self._table
        if not is_object(data):
            self._take_other(frame)
            return
        name = table.name_of(data, frame.name) if table.by else frame.name
        steps = self._usual.get(name)
        if steps is None or frame.name == "error":
            if (
                "error" in (name, frame.name)
                or name in table.fails
                or (data.get("error") and "*" in table.events)
            ):
                self._failed = data
                self._events.append(construct(Event, kind="error", data=data))
                return
            steps = table.steps(data, name, self._filters)
        if steps is None:
            self._events.append(construct(Event, kind="unknown", name=name, data=data))
            return
        place = len(self._events)
        if self._body.body:
            self._body.take(data, steps, self._tell)
        else:
            self._take_first(data, steps)
        if self._finishing:
            self._finish_parts(place)
        if self._counts and (counts := {key: data[key] for key in self._counts if key in data}):
            self._tell_counts(counts)
        self._ended = self._ended or name in table.done

    def _take_first(self, event: dict[str, Any], steps: EventFilter) -> None:
        """Take what may be the first of the answer: what it starts stands before all that it tells."""
        place = len(self._events)
        self._body.take(event, steps, self._tell)
        if self._body.body:
            self._events.insert(place, construct(Event, kind="start"))

    def _finish_parts(self, place: int) -> None:
        """Put what is whole, as a candidate has ended, before the events that say so."""
        ending, self._finishing = self._finishing, []
        parts = self._parts
        whole = [event for numbers in ending for event in parts.end_all(numbers)] if parts else []
        whole += self._options.fresh()
        came = self._events[place:]
        said = [event for event in came if event.kind not in _LAST]
        self._events[place:] = [*said, *whole, *[event for event in came if event.kind in _LAST]]

    def _take_other(self, frame: Frame) -> None:
        """Take an event whose data is no object: a mark of the end, an error, or nothing that is known."""
        data = frame.data
        if frame.name == "error":
            self._failed = data
            self._events.append(construct(Event, kind="error", data=data))
        elif type(data) is str and data in self._table.done:
            self._ended = True
            self._events += self._options.fresh()
        elif data != "":
            self._events.append(construct(Event, kind="unknown", name=frame.name, data=data))

    def _tell(
        self,
        value: Any,
        paths: EventPaths,
        numbers: tuple[Any, ...],
        *,
        grows: bool = False,
        ends: bool = False,
    ) -> None:
        if grows and paths is self._last[0] and numbers == self._last[1] and value:
            # most pieces are more of what was reported last
            self._events.append(self._last[2].again(value))
            return
        if ends:
            if self._parts is not None:
                self._events += self._parts.end(numbers)
            return
        if is_object(value):
            self._tell_object(value, paths, numbers)
            return
        kind = paths.kind
        if kind in ("finish", "detail"):
            self._tell_end(kind, value, numbers)
        elif kind == "arguments" and self._table.called and numbers not in self._announced:
            # of a call that the API answers itself
            return
        # what came in pieces, and comes again as a whole, is paths once
        elif (
            kind not in ("", "usage")
            and type(value) is str
            and value
            and (grows or (paths, numbers) not in self._heard)
        ):
            self._heard.add((paths, numbers))
            if self._thinking and (paths.outer, numbers) in self._thinking:
                kind = "reasoning"
            self._add(kind, numbers, value)
            piece = self._events[-1]
            same = piece if piece.data is None else construct(Event, **{**vars(piece), "data": None})
            self._last = paths, numbers, same

    def _tell_object(self, value: dict[str, Any], paths: EventPaths, numbers: tuple[Any, ...]) -> None:
        thought = self._table.thought
        if paths.part and self._parts is not None:
            self._events += self._parts.begin(numbers)
        if paths.calls and numbers not in self._announced:
            self._announce(value, numbers)
        if thought and all(value.get(key) == mark for key, mark in thought.items()):
            self._thinking.add((paths, numbers))
        if paths.kind == "usage":
            self._tell_counts(settled(value, (), _AS_TEXT), numbers)
        # arguments that come whole, of a call that the caller answers
        elif (
            paths.kind == "arguments"
            and value
            and (paths, numbers) not in self._heard
            and (not self._table.called or numbers in self._announced)
        ):
            self._heard.add((paths, numbers))
            self._add("arguments", numbers, dumps(value, ensure_ascii=False))

    def _add(self, kind: str, numbers: tuple[Any, ...], text: str = "", **more: Any) -> None:
        """Note an event of a part."""
        parts = self._parts
        if parts is not None:
            if parts.now != numbers[: parts.depth]:
                self._events += parts.begin(numbers)
                more["data"] = parts.tell(numbers)
            if parts.listed:
                more["part"] = numbers[parts.depth - 1]
        candidate = numbers[0] if self._many and numbers else 0
        self._events.append(
            construct(Event, kind=kind, text=text, place=numbers, candidate=candidate, **more)
        )

    def _tell_counts(self, counts: dict[str, Any], numbers: tuple[Any, ...] = ()) -> None:
        self._events.append(
            construct(Event, kind="usage", data=read_counts(counts, self._answers), place=numbers)
        )

    def _tell_end(self, kind: str, value: Any, numbers: tuple[Any, ...]) -> None:
        """Report why a candidate ended, again where the second of two words comes later."""
        word, words, known = as_word(value), self._ends.setdefault(numbers, {}), self._answers.finish
        if word is None or word in self._answers.unfinished or words.get(kind) == word:
            return
        words[kind] = word
        if "finish" in words:
            self._finishing.append(numbers)
            raw = ".".join([words[key] for key in ("finish", "detail") if key in words])
            meaning = known.get(raw, known.get(words["finish"], "other"))
            candidate = numbers[0] if self._many and numbers else 0
            self._events.append(
                construct(Event, kind="finish", text=raw, name=meaning, place=numbers, candidate=candidate)
            )

    def _announce(self, value: dict[str, Any], numbers: tuple[Any, ...]) -> None:
        """Report a call once its name is known; calls that the API answers itself are none of the caller's."""
        _, id_path, name_path = self._table.call or ((), (), ())
        name, kind = _at(value, name_path), value.get("type")
        if type(name) is not str or not name:
            return
        if self._table.called and kind not in (None, "", *self._table.called):
            return
        self._announced.add(numbers)
        identity = _at(value, id_path)
        self._add("call", numbers, id=identity if type(identity) is str else None, name=name)


def _at(item: Any, path: tuple[str, ...]) -> Any:
    for key in path:
        item = item.get(key) if is_object(item) else None
    return item
