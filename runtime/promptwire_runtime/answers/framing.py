"""Bytes of a stream, in any pieces, to frames: server-sent events, JSON lines, one JSON array."""

from __future__ import annotations

from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..errors import AnswerError
from .aws_messages import AwsEventStream
from .frames import BLANK, LONGEST, MARK, Frame, Framing, json_of


class ServerSentEvents:
    """`text/event-stream`, as the HTML standard parses it."""

    def __init__(self) -> None:
        self._lines = _Lines()
        self._name: str | None = None
        self._data: list[str] = []
        self._length = 0

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """Give the events that a blank line ends."""
        return self._frames(self._lines.feed(chunk))

    def close(self) -> Iterator[Frame]:
        """Give the last event, also where the blank line behind it is missing."""
        return self._frames([*self._lines.close(), ""])

    def _frames(self, lines: Iterable[str]) -> Iterator[Frame]:
        for line in lines:
            if not line:
                if self._data:
                    yield Frame(self._name, _data("\n".join(self._data)))
                self._name, self._data, self._length = None, [], 0
                continue
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "data":
                self._data.append(value)
                self._length += len(value) + 1
                if self._length > LONGEST:
                    raise AnswerError("an event of the stream is longer than 64 MiB")
            elif field == "event":
                self._name = value


class JsonLines:
    """One JSON value a line."""

    def __init__(self) -> None:
        self._lines = _Lines()

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """Give the values of whole lines."""
        for line in self._lines.feed(chunk):
            if line.strip():
                yield Frame(None, json_of(line))

    def close(self) -> Iterator[Frame]:
        """Give the value of the last line."""
        for line in self._lines.close():
            if line.strip():
                yield Frame(None, json_of(line))


class JsonArray:
    """One JSON array whose elements, all of them objects, come one by one."""

    def __init__(self) -> None:
        self._decode = getincrementaldecoder("utf-8-sig")("replace").decode
        # what is not yet given: of an element, or between two
        self._pieces: list[str] = []
        self._length = 0
        self._held = ""
        self._depth = 0
        self._quoted = False
        self._given = False
        self._ended = False

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """Give the elements that are whole."""
        text = self._held + self._decode(chunk)
        self._held = ""
        start = 0
        for mark in MARK.finditer(text):
            letter = mark[0]
            if letter == "\\":
                # what it hides comes with the next bytes
                self._held, text = letter, text[:-1]
            elif self._quoted or letter == '"':
                self._quoted = (letter != '"') if self._quoted else True
            elif letter in "[{":
                start = self._open(letter, text, start, mark.start())
            elif letter in "]}":
                self._depth -= 1
                if self._depth == 1:
                    yield Frame(None, json_of(self._taken(text[start : mark.end()])))
                elif self._depth < 1:
                    self._end(text[start : mark.start()], letter)
                start = mark.end() if self._depth < 2 else start
        self._keep(text[start:])

    def close(self) -> Iterator[Frame]:
        """Check that the array ended."""
        rest = self._taken(self._held + self._decode(b"", True)).strip(BLANK)
        if self._ended and rest:
            raise AnswerError(f"something follows the array of the stream: {rest[:80]!r}")
        if rest or (self._depth and not self._ended):
            raise AnswerError(f"the stream broke off inside its array: {rest[:80]!r}")
        return iter(())

    def _open(self, letter: str, text: str, start: int, place: int) -> int:
        """Go down one level; give where what is taken next begins."""
        self._depth += 1
        if self._depth > 2:
            return start
        before = self._taken(text[start:place]).strip(BLANK)
        if self._depth == 1:
            if before or letter != "[" or self._ended:
                raise AnswerError(f"the stream is no JSON array: {(before or letter)[:80]!r}")
            return place + 1
        if before != ("," if self._given else ""):
            raise AnswerError(f"an element of the stream's array is no object: {before[:80]!r}")
        self._given = True
        return place

    def _end(self, before: str, letter: str) -> None:
        rest = self._taken(before).strip(BLANK)
        if rest or letter != "]" or self._depth < 0:
            raise AnswerError(f"an element of the stream's array is no object: {(rest or letter)[:80]!r}")
        self._ended = True

    def _keep(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
        if self._length > LONGEST:
            raise AnswerError("an element of the stream is longer than 64 MiB")

    def _taken(self, text: str) -> str:
        """Give what was kept, and this behind it."""
        taken = "".join([*self._pieces, text])
        self._pieces, self._length = [], 0
        return taken


FRAMINGS: dict[str, Callable[[], Framing]] = {
    "sse": ServerSentEvents,
    "ndjson": JsonLines,
    "json_array": JsonArray,
    "aws_event_stream": AwsEventStream,
}


class _Lines:
    """Text cut at its line breaks: LF, CR or both."""

    def __init__(self) -> None:
        self._decode = getincrementaldecoder("utf-8-sig")("replace").decode
        self._pieces: list[str] = []
        self._length = 0
        self._after_return = False

    def feed(self, chunk: bytes) -> list[str]:
        """Give the lines that end in these bytes."""
        return self._cut(self._decode(chunk))

    def close(self) -> list[str]:
        """Give what is left as the last line."""
        lines = self._cut(self._decode(b"", True))
        return [*lines, "".join(self._pieces)] if self._pieces else lines

    def _cut(self, text: str) -> list[str]:
        if self._length > LONGEST:
            raise AnswerError("a line of the stream is longer than 64 MiB")
        if self._after_return and text:
            text = text.removeprefix("\n")
            self._after_return = False
        if not text:
            return []
        self._after_return = text.endswith("\r")
        if "\r" in text:
            text = text.replace("\r\n", "\n").replace("\r", "\n")
        *lines, rest = text.split("\n")
        if lines and self._pieces:
            lines[0] = "".join([*self._pieces, lines[0]])
            self._pieces, self._length = [], 0
        if rest:
            self._pieces.append(rest)
            self._length += len(rest)
        return lines


def _data(text: str) -> Any:
    """Decode JSON; what does not begin like it, such as [DONE], stays text."""
    if text.startswith("{"):
        return json_of(text)
    try:
        return json_of(text)
    except AnswerError:
        return text
