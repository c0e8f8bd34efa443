"""Answers as instances of a class: the JSON so far while it arrives, and the instance at the end."""

from __future__ import annotations

import re
from collections.abc import AsyncIterator, Iterator
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

from promptwire_runtime import Answer, Event, Request, user
from promptwire_runtime.errors import AnswerError, InvalidRequest
from promptwire_runtime.wire_json.codec import decode
from promptwire_runtime.wire_json.kinds import is_object

from .effects import Effects
from .exchange import Terms
from .model_calls import answer_to
from .streams import AsyncEventStream, EventStream

ObjectT = TypeVar("ObjectT")


def object_effects(
    terms: Terms, request: Request, kind: type[ObjectT], retries: int, *, streamed: bool
) -> Effects[ObjectT]:
    """Ask for an instance of a class; an answer that does not fit goes back with the reason, `retries` times."""
    while True:
        answer, built = yield from answer_to(terms, request, streamed=streamed)
        try:
            return answer.data_as(kind)
        except AnswerError as error:
            if retries < 1 or _is_final(answer):
                raise
            retries -= 1
            again = user(f"{error}. Answer again, with JSON that fits the schema and nothing else.")
            request = request.after(answer, again, built=built)


def _is_final(answer: Answer) -> bool:
    """Return whether asking again is of no use: the model refused, or called functions instead."""
    return answer.refusal is not None or bool(answer.calls)


def request_for(request: Request, kind: Any) -> Request:
    """Return the request with a format for the class, unless it has one.

    Raises:
        InvalidRequest: `kind` is no class, and the request has no format.
    """
    if request.response_format is not None:
        return request
    if not isinstance(kind, type):
        raise InvalidRequest(
            f"{kind} is no class: pass a class, or a request with a response_format", field="response_format"
        )
    return request.replace(response_format=kind)


_HALF = r"\\u[dD][89abAB][0-9a-fA-F]{2}"
# the end of a string: an escape that is not complete, or the first half of a pair of them, behind whole backslashes
_BROKEN_ESCAPE = re.compile(rf"(?<!\\)((?:\\\\)*)(?:(?:{_HALF})?\\(?:u[0-9a-fA-F]{{0,3}})?|{_HALF})$")
_OPENING = {"{": "}", "[": "]"}


class PartialJson:
    """JSON text that is not complete yet, as the value that it has so far."""

    def __init__(self) -> None:
        """Begin with nothing."""
        self._text = ""
        self._closing: list[str] = []
        self._in_string = self._escaped = False
        # the length of the text behind its last complete member, and what closes it there
        self._cut: tuple[int, tuple[str, ...]] = (0, ())

    def feed(self, piece: str) -> None:
        """Take the next piece."""
        start = len(self._text)
        self._text += piece
        for place, letter in enumerate(piece, start):
            if self._in_string:
                self._in_string = self._escaped or letter != '"'
                self._escaped = letter == "\\" and not self._escaped
            elif letter == '"':
                self._in_string = True
            elif letter in _OPENING:
                self._closing.append(_OPENING[letter])
                self._cut = (place + 1, tuple(self._closing))
            elif letter in "}]" and self._closing:
                self._closing.pop()
            elif letter == ",":
                self._cut = (place, tuple(self._closing))

    @property
    def value(self) -> Any:
        """The value so far: a string that has begun counts, a key or number that may go on does not. None if none."""
        text = self._text.rstrip()
        if self._in_string:
            text = _BROKEN_ESCAPE.sub(r"\1", self._text) + '"'
        length, closing = self._cut
        ends = text.endswith(('"', "}", "]"))
        for known, rest in ((text, self._closing) if ends else ("", ()), (self._text[:length], closing)):
            try:
                return decode(known + "".join(reversed(rest)))
            except ValueError:
                continue
        return None


class _Objects:
    """The partial objects of the events of a stream."""

    def __init__(self) -> None:
        self._json = PartialJson()
        self._last: Any = None

    def next(self, event: Event) -> dict[str, Any] | None:
        """Return the object so far, if an event changed it."""
        if event.kind == "start":
            self._json, self._last = PartialJson(), None
        if event.kind != "text":
            return None
        self._json.feed(event.text)
        value = self._json.value
        if not is_object(value) or value == self._last:
            return None
        self._last = value
        return value


class ObjectStream(Generic[ObjectT]):
    """The JSON object of an answer as it arrives: iterate over it for the members so far, `result` is the instance."""

    def __init__(self, events: EventStream[ObjectT]) -> None:
        """Start with nothing sent; the first object sends the request."""
        self.events = events
        self._objects = _Objects()

    def __enter__(self) -> Self:
        """Return the stream."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self.events.close()

    def __iter__(self) -> Iterator[dict[str, Any]]:
        """Yield the object so far whenever it changes; after a retry, it begins anew."""
        for event in self.events:
            value = self._objects.next(event)
            if value is not None:
                yield value

    def result(self) -> ObjectT:
        """Read the rest of the stream and return the instance. Raises AnswerError if the last answer does not fit."""
        return self.events.result()


class AsyncObjectStream(Generic[ObjectT]):
    """The same for asynchronous code; see `ObjectStream`."""

    def __init__(self, events: AsyncEventStream[ObjectT]) -> None:
        """Start with nothing sent; the first object sends the request."""
        self.events = events
        self._objects = _Objects()

    async def __aenter__(self) -> Self:
        """Return the stream."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        await self.events.aclose()

    async def __aiter__(self) -> AsyncIterator[dict[str, Any]]:
        """Yield the object so far whenever it changes; after a retry, it begins anew."""
        async for event in self.events:
            value = self._objects.next(event)
            if value is not None:
                yield value

    async def result(self) -> ObjectT:
        """Read the rest of the stream and return the instance. Raises AnswerError if the last answer does not fit."""
        return await self.events.result()
