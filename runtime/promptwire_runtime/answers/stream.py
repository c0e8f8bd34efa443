"""Read a streamed answer: bytes or SDK events in, neutral events out, and at the end the same answer as whole."""

from __future__ import annotations

from collections.abc import AsyncIterable, AsyncIterator, Callable, Iterable, Iterator
from typing import Any, overload

from ..build.wire import Wire
from ..errors import AnswerError, BodyError, PromptwireError, StreamError
from ..model.request import Message
from ..nodes.records import construct, set_fields
from ..read.readers import Readers
from ..reporting.notes import Note
from ..wire_json.codec import COMPRESSED, GZIP, decode, is_whole_object
from ..wire_json.copies import own_json
from ..wire_json.kinds import is_object
from .accumulator import AnswerAccumulator
from .answer import Answer
from .answer_reader import read_answer, read_message
from .answer_shapes import COUNTS
from .api_error import ApiError, error_in, read_error
from .client_objects import frames_of
from .error_forms import error_alone, words_of_error
from .events import Event, events_of
from .expected_keys import ExpectedKeys, expected_keys
from .framing import Frame, JsonArray, JsonLines, framing_of
from .next_piece import NextPiece, next_piece
from .part_state import TextState
from .parts_state import PartsState
from .split_characters import SplitCharacters
from .stream_table import EventFilter, StreamTable
from .table import AnswerTable

_BLANK = b" \t\r\n\xef\xbb\xbf"
# so many bytes of a body that is no stream are kept, to say what it is
_MOST_HEAD = 16 * 1024 * 1024


class Stream:
    """Reader of one streamed answer.

    `feed` takes bytes cut anywhere, or the events of a vendor's client, and returns the events that they complete.
    `feed_from` does so for everything that an iterator yields. `close` returns the answer, after checking that the
    stream is complete.
    """

    def __init__(
        self,
        wire: Wire,
        table: StreamTable,
        answers: AnswerTable,
        readers: Readers,
        framing: str | None = None,
    ) -> None:
        """Start with nothing."""
        self._wire = wire
        self._title = wire.title
        self._table = table
        self._answers = answers
        self._readers = readers
        self._framing = framing_of(framing or table.framing, wire.title)
        # the bytes before the first frame, without leading blanks: they may be an error, or a whole answer
        self._head: bytearray | None = bytearray()
        # whether they are a page or a JSON object, which is read at the end
        self._held = False
        self._body = AnswerAccumulator()
        self._ended = False
        self._closed = False
        self._id_key = answers.id_key
        self._error_keys = frozenset(answers.event_errors)
        # whether the answer began, and whether another one came behind its end
        self._began = self._is_over = False
        # what the bytes did wrong, and the error that the API sent
        self._broken = ""
        self._failed: Any = None
        self._events: list[Event] = []
        self._characters = SplitCharacters()
        self._filters = table.filters(answers)
        self._usual = table.usual(self._filters)
        self._expected = expected_keys(table)
        # what is wrong with single events
        self._unplaced: list[Note] = []
        self._parts = PartsState(wire, table, answers, self._read_message, self._body.body, self._events)
        # the last event, if it reported a piece of a text and nothing else; what takes events that only add a piece
        self._grew: tuple[Frame, EventFilter, TextState] | None = None
        self._next: NextPiece | None = None
        # counts that stand among the keys of the body
        self._counts = frozenset(
            [key for names, value in answers.body.beside if value is COUNTS for key in names]
        )

    def _read_message(self, body: dict[str, Any]) -> Message | None:
        """Read the message of a body that may still grow."""
        return read_message(body, self._wire, self._readers, self._answers)

    def _read(self, body: dict[str, Any], *, partial: bool = True) -> Answer:
        """Read a body that may still grow, or one that is whole."""
        return read_answer(body, self._wire, self._readers, self._answers, partial=partial)

    def feed(self, chunk: Any) -> list[Event]:
        """Return the events that these bytes, or this event of a vendor's client, complete.

        Raises StreamError for bytes that are not a stream of this API. If events stand before such bytes, they are
        returned, and the next call raises.
        """
        if self._closed:
            raise AnswerError(f"{self._title}: the stream is closed: nothing follows")
        if isinstance(chunk, (bytes, bytearray, memoryview)):
            return self._events_in(self._frames, chunk)
        frames = frames_of(chunk, self._wire, self._table)
        if frames is None:
            kind = type(chunk).__name__
            raise AnswerError(
                f"{self._title}: a stream is fed bytes or the events of a vendor's client, not {kind}"
            )
        return self._events_in(lambda: frames)

    @overload
    def feed_from(self, chunks: AsyncIterable[Any]) -> AsyncIterator[Event]: ...
    @overload
    def feed_from(self, chunks: Iterable[Any]) -> Iterator[Event]: ...
    def feed_from(self, chunks: Any) -> Any:
        """Yield the events of everything that an iterator yields, and of its end. Call `close` for the answer.

        Args:
            chunks: bytes, or the events of a vendor's client, from a synchronous or asynchronous iterator.
        """
        return self._each_later(chunks) if hasattr(chunks, "__aiter__") else self._each(chunks)

    def _each(self, chunks: Iterable[Any]) -> Iterator[Event]:
        for chunk in chunks:
            yield from self.feed(chunk)
        yield from self.rest()

    async def _each_later(self, chunks: AsyncIterable[Any]) -> AsyncIterator[Event]:
        async for chunk in chunks:
            for event in self.feed(chunk):
                yield event
        for event in self.rest():
            yield event

    def rest(self) -> list[Event]:
        """Return the events that only the end of the bytes completes, such as a last line without a line break."""
        if self._closed:
            return []
        events = self._events_in(self._last_frames)
        if not self._broken:
            self._parts.end_all(is_whole=self._is_whole)
            events += [*self._taken(), *self._characters.rest()]
        self._closed = True
        return events

    def close(self) -> Answer:
        """Return the answer.

        Raises:
            StreamError: the stream ended early or reported an error. It holds the answer so far.
        """
        self.rest()
        if self._failed is not None:
            error = read_error(None, self._failed, self._answers, wire=self._wire.name)
            word = error.type or error.code or error.kind
            raise self._error(f"the stream tells an error: {word}: {error.message[:500]}", error)
        if self._broken:
            raise self._error(self._broken)
        try:
            answer = self._answer(partial=not self._is_whole)
        except BodyError as error:
            raise self._error(f"the stream holds no answer: {error}", error.error) from None
        if not self._ended and answer.finish is None:
            raise self._error(self._what_came())
        began = answer.parts or answer.finish_raw not in self._answers.unfinished
        if not self._body.body or not began:
            raise self._error("the stream ended without an answer")
        if self._unplaced:
            set_fields(answer, unread=(*answer.unread, *self._unplaced))
        return answer

    @property
    def answer(self) -> Answer:
        """The answer so far. Raises BodyError if that is not an answer of this API."""
        if self._is_whole:
            try:
                return self._answer(partial=False)
            except BodyError:
                # `close` raises it, and this shows what came
                pass
        return self._answer(partial=True)

    @property
    def _is_whole(self) -> bool:
        return self._ended and self._failed is None and not self._broken

    def _answer(self, *, partial: bool) -> Answer:
        body = self._body.settled(self._table.decoded)
        return self._read(body, partial=partial) if body else Answer()

    @property
    def ended(self) -> bool:
        """Whether nothing follows: the API marked the end, the stream failed, or a whole JSON object came instead."""
        return self._ended or self._failed is not None or bool(self._broken) or self._holds_object

    @property
    def _holds_object(self) -> bool:
        return self._held and self._head is not None and is_whole_object(self._head)

    @property
    def finished(self) -> bool:
        """Whether the answer is complete: each candidate that began has a finish reason, or the stream has ended.

        Token counts and the mark of the end may still follow. An API that has no such mark, or a host that omits it,
        leaves a reader to wait for the end of the bytes, which may never come.
        """
        return self.ended or self._parts.ends.all_finished

    @property
    def deviations(self) -> tuple[Note, ...]:
        """The assumptions made where the answer so far differs from every documented shape."""
        return self.answer.deviations

    @property
    def unread(self) -> tuple[Note, ...]:
        """The elements of the answer so far that no shape fits."""
        return (*self.answer.unread, *self._unplaced)

    @property
    def problems(self) -> tuple[Note, ...]:
        """The earlier name of `unread`."""
        from ..moved_names import warn_deprecated

        warn_deprecated(f"{type(self).__name__}.problems is unread now")
        return self.unread

    def _what_came(self) -> str:
        """Return what is wrong with a stream that did not end: what came, if that was no event."""
        if not self._head:
            return "the stream broke off before the answer ended"
        if self._head.startswith(GZIP):
            return f"the bytes are not a stream: {COMPRESSED}"
        return f"the bytes are not a stream: {self._head[:200].decode('utf-8', 'replace')!r}"

    def _error(self, trouble: str, error: ApiError | None = None) -> StreamError:
        try:
            answer: Answer | None = self.answer
        except PromptwireError:
            answer = None
        return StreamError(f"{self._title}: {trouble}", answer, error)

    def _taken(self) -> list[Event]:
        events, self._events[:] = self._events[:], []
        return self._characters.join(events)

    def _events_in(self, frames: Callable[..., Iterable[Frame]], *chunk: Any) -> list[Event]:
        if self._broken:
            raise self._error(self._broken)
        try:
            for frame in frames(*chunk):
                self._head = None
                self._take(frame)
        except AnswerError as error:
            self._broken = str(error)
            if not self._events:
                raise self._error(self._broken) from None
        return self._taken()

    def _frames(self, chunk: bytes) -> Iterable[Frame]:
        """Cut bytes into frames. A page or a JSON object in place of a stream is held until the end."""
        head = self._head
        if head is None:
            return self._framing.feed(chunk)
        head += chunk if head else bytes(chunk).lstrip(_BLANK)
        if len(head) > _MOST_HEAD:
            raise AnswerError(f"the bytes are not a stream: {bytes(head[:80])!r}")
        if head.startswith(b"[") and not isinstance(self._framing, JsonArray):
            # Gemini without `alt=sse`: neither the lines of an event nor a JSON object begin so
            self._framing = framing_of("json_array", self._title)
            return self._framing.feed(bytes(head))
        of_lines = isinstance(self._framing, JsonLines)
        self._held = self._held or head.startswith(b"<" if of_lines else (b"<", b"{"))
        if self._held:
            return ()
        return self._lines(head, chunk) if of_lines else self._framing.feed(chunk)

    def _lines(self, head: bytearray, chunk: bytes) -> Iterator[Frame]:
        """Yield the frames of lines; the first line may begin an object of several lines, which waits for the end."""
        any_came = False
        try:
            for frame in self._framing.feed(chunk):
                any_came = True
                yield frame
        except AnswerError:
            self._held = not any_came and head.startswith(b"{")
            if not self._held:
                raise

    def _last_frames(self) -> Iterable[Frame]:
        """Return the frames that the end completes. Bytes without a frame are an error, a whole answer or no stream."""
        head = self._head
        if not self._held or head is None:
            return self._framing.close()
        if head.startswith(b"<"):
            page = head[:200].decode("utf-8", "replace")
            raise AnswerError(f"the bytes are a page and no stream: {page!r}")
        if not self._take_body(bytes(head)):
            raise AnswerError(f"the bytes are neither a stream nor an answer: {bytes(head[:200])!r}")
        return ()

    def _take_body(self, text: bytes) -> bool:
        """Take bytes that are one JSON object, an API error or a whole answer. Return whether they are one of these."""
        try:
            body = decode(text)
        except (ValueError, RecursionError):
            return False
        if not is_object(body) or self._table.is_event(body):
            return False
        try:
            answer = self._read(body)
        except PromptwireError:
            answer = None
        if answer is not None and answer.finish is not None:
            self._body.body.update(body)
            self._events += events_of(answer)
            self._ended = self._parts.whole = True
            return True
        if error_in(body, self._answers):
            self._fail(body)
            return True
        return False

    def _fail(self, data: Any) -> None:
        self._failed = data
        self._events.append(construct(Event, kind="error", data=data))

    def _take(self, frame: Frame) -> None:
        """Apply an event to the answer, and append its neutral events."""
        data, table = frame.data, self._table
        if not is_object(data):
            self._take_other(frame)
            return
        if table.envelope and (key := table.opened(data)) is not None and is_object(data[key]):
            frame = Frame(key, data[key])
            data = frame.data
        if self._grew is not None:
            self._next, self._grew = next_piece(frame, *self._grew, self._body.body, self._table), None
        if self._next is not None and self._next.take(frame, self._parts):
            return
        self._next = None
        name = table.name_of(data, frame.name) if table.by else frame.name
        key = table.wholes.get(name or "")
        if key is not None:
            data = self._wrapped(data, key)
        begins = name == table.start and name is not None
        if key is not None or self._ended or begins:
            self._check_start(data if key is None else data.get(key), begins=begins)
        steps = None if self._is_over else self._steps(data, name, frame)
        if steps is not None:
            self._apply(frame, data, name, steps)

    def _steps(self, data: dict[str, Any], name: str | None, frame: Frame) -> EventFilter | None:
        """Return the steps of an event. An error, or an event without steps, is reported."""
        steps = self._usual.get(name)
        if steps is not None and frame.name != "error" and not data.get("error"):
            return steps
        if self._is_error(data, name, frame) and not self._table.ends_answer(name):
            self._fail(data)
            return None
        steps = self._table.steps(data, name, self._filters)
        if steps is None and self._tells_error(data):
            self._fail(data)
        elif steps is None:
            self._events.append(construct(Event, kind="unknown", name=name, data=data))
        return steps

    def _apply(self, frame: Frame, data: dict[str, Any], name: str | None, steps: EventFilter) -> None:
        """Apply the steps of an event."""
        place, notes = len(self._events), len(self._unplaced)
        if (expected := self._expected.get(name)) is not None:
            self._check_keys(data, name, expected)
        begins = not self._body.body
        self._body.take(data, steps, self._parts)
        if begins and self._body.body:
            # the `start` event comes before all others
            self._events.insert(place, construct(Event, kind="start"))
        if self._body.unfit or (len(self._events) == place and not self._table.finds(data, name)):
            self._events.append(construct(Event, kind="unknown", name=name, data=own_json(data)))
        if self._parts.ends.finishing:
            self._finish_candidates(place)
        if self._counts and (counts := {key: data[key] for key in self._counts if key in data}):
            self._parts.log.counts(counts)
        self._end(data, name, place)
        is_start = name is not None and name == self._table.start
        if len(self._events) == place + 1 and len(self._unplaced) == notes and not (is_start or self._ended):
            text = self._parts.last
            if text.reported and self._events[-1].kind == text.event.kind:
                self._grew = frame, steps, text

    def _wrapped(self, data: dict[str, Any], key: str) -> dict[str, Any]:
        """Return an event with its answer under the key of the API, which some hosts leave out."""
        by = self._table.by
        body = {name: value for name, value in data.items() if name != by}
        if key in data or self._answers.body.names.isdisjoint(body):
            return data
        return {by: data.get(by), key: body}

    def _check_start(self, body: Any, *, begins: bool) -> None:
        """Report an answer that begins a second time. Raises AnswerError for another one inside an answer.

        A beginning without an id is that of another answer, once something of the first one came.
        """
        identity = body.get(self._id_key) if is_object(body) else None
        known = self._body.body.get(self._id_key)
        again, self._began = begins and self._began, self._began or begins
        has_ids = identity is not None and known is not None
        if not (again or (self._ended and has_ids)):
            return
        is_other = identity != known if has_ids else self._ended or self._parts.any_reported
        if not is_other and again:
            self._parts.log.problem("start", "the answer began a second time: the second beginning is used")
        elif is_other and self._ended:
            named = f": {identity!r}" if has_ids else ""
            self._parts.log.problem("start", f"another answer came behind the end and is not read{named}")
            self._is_over = True
        elif is_other:
            named = f": {identity!r} after {known!r}" if has_ids else ""
            raise AnswerError(f"another answer began in the stream{named}")

    def _end(self, data: dict[str, Any], name: str | None, place: int) -> None:
        """Note whether an event is the last one. The error of an answer replaces its finish in the new events."""
        self._ended = self._ended or name in self._table.done or self._table.is_last(data)
        if self._table.ends_answer(name):
            error = error_alone(self._body.body, self._answers.error_forms)
        else:
            error = self._error_of_candidate(data, place) if self._answers.candidate_errors else None
        if error is not None:
            self._events[place:] = [event for event in self._events[place:] if event.kind != "finish"]
            self._fail(error)

    def _check_keys(self, data: dict[str, Any], name: str | None, expected: ExpectedKeys) -> None:
        """Report an event without its piece, or without the index of its element, which is then the last one."""
        before = len(self._unplaced)
        for key in expected.unread(data):
            why = f"an event {name} lacks its content, and this is not read"
            self._unplaced.append(Note("passed through", name or "", key, why))
        number = expected.lacks_number(data)
        if number is not None:
            why = f"an event {name} does not say {number}: it is taken for the last one"
            self._unplaced.append(Note("added", name or "", number, why))
        if len(self._unplaced) > before:
            # the body grows in the objects of the event
            self._events.append(construct(Event, kind="unknown", name=name, data=own_json(data)))

    def _is_error(self, data: dict[str, Any], name: str | None, frame: Frame) -> bool:
        """Return whether an event is an error: by its name, or by its form on APIs whose events have no names."""
        if "error" in (name, frame.name) or name in self._table.fails:
            return True
        return "*" in self._table.events and self._tells_error(data)

    def _tells_error(self, data: dict[str, Any]) -> bool:
        """Return whether the data of an event is an error."""
        if self._error_keys.isdisjoint(data):
            return False
        forms = self._answers.event_errors
        return any(
            words_of_error(data, forms[key]) is not None for key in self._error_keys.intersection(data)
        )

    def _error_of_candidate(self, data: dict[str, Any], place: int) -> dict[str, Any] | None:
        """Return the error in an event by which a candidate failed, if one ended with the event."""
        ended = any(event.kind == "finish" for event in self._events[place:])
        return error_alone(data, self._answers.candidate_errors) if ended else None

    def _finish_candidates(self, place: int) -> None:
        """Insert the complete parts of candidates that ended, and why they ended, before the counts of this event."""
        whole = self._parts.finished()
        came = self._events[place:]
        said = [event for event in came if event.kind != "usage"]
        self._events[place:] = [*said, *whole, *[event for event in came if event.kind == "usage"]]

    def _take_other(self, frame: Frame) -> None:
        """Take an event whose data is not an object: a mark of the end, an error, or an unknown event."""
        data = frame.data
        if frame.name == "error" or error_in(data, self._answers):
            self._fail(data)
        elif type(data) is str and data.strip() in self._table.done:
            self._ended = True
            self._events += self._parts.options.fresh()
        elif data != "":
            self._events.append(construct(Event, kind="unknown", name=frame.name, data=data))
