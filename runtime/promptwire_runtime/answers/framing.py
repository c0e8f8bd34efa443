"""Bytes of a stream, in any pieces, to frames: server-sent events, JSON lines, one JSON array."""

from __future__ import annotations

import re
from base64 import b64decode
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterable, Iterator
from struct import Struct
from typing import Any, NamedTuple, Protocol
from zlib import crc32

from ..errors import AnswerError
from ..nodes.record_fields import shown
from ..wire_json.codec import decode, is_whole_object
from ..wire_json.copies import MOST_LEVELS, beyond_bounds
from ..wire_json.kinds import is_object
from .text_lines import TextLines

# the longest event that is waited for, in characters or bytes
LONGEST = 64 * 1024 * 1024
_SHOWN = 80
# of JSON text in pieces: what changes the depth, begins or ends a text, or hides the letter behind it
MARK = re.compile(r'[\[\]{}"]|\\.?', re.DOTALL)
BLANK = " \t\r\n"


class Frame(NamedTuple):
    """One event as it stood in the stream: the name that stands beside its data, and the data, decoded JSON or text."""

    name: str | None
    data: Any


class Framing(Protocol):
    """Cuts bytes into frames."""

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """Yield the frames that these bytes complete."""
        ...

    def close(self) -> Iterator[Frame]:
        """Yield the frames that the end of the stream completes. Raises AnswerError for an incomplete frame."""
        ...


def json_of(text: str) -> Any:
    """Decode the JSON of one event. Raises AnswerError for text that is not JSON, or is nested too deep."""
    try:
        data = decode(text)
    except (ValueError, RecursionError) as error:
        raise AnswerError(f"an event of the stream is no JSON: {error}: {text[:_SHOWN]!r}") from None
    if len(text) > MOST_LEVELS and text.count("[") + text.count("{") > MOST_LEVELS:
        trouble = beyond_bounds(data)
        if trouble is not None:
            raise AnswerError(f"an event of the stream cannot be read: {trouble}")
    return data


# type of a header's value -> its length; texts and bytes say their own
_LENGTHS = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
_BYTES, _TEXT = 6, 7
_MOST_KNOWN = 32
_MOST_BARE = 16_384
# the length of a message, that of its headers, and the checksum of both
_PRELUDE = Struct(">III")


class AwsEventStream:
    """`application/vnd.amazon.eventstream`, cut into messages."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        # how many bytes the next message has, as far as that is known
        self._needed = 12
        # most messages have the same headers as one before: the name of the event, and whether it is an error
        self._known: dict[bytes, tuple[str | None, dict[str, str] | None]] = {}

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """Yield the complete messages."""
        self._bytes += chunk
        if len(self._bytes) < self._needed:
            return
        data, start, end = bytes(self._bytes), 0, len(self._bytes)
        self._needed = 12
        try:
            while end - start >= 12:
                total, headers, check = _PRELUDE.unpack_from(data, start)
                checksum = crc32(data[start : start + 8])
                if checksum != check:
                    raise AnswerError("a message of the stream has a wrong checksum in its first bytes")
                if not 16 <= total <= LONGEST:
                    raise AnswerError(f"a message of the stream has an impossible length: {total} bytes")
                if end - start < total:
                    self._needed = total
                    return
                rest = data[start + 8 : start + total]
                start += total
                yield self._frame(rest, headers, checksum)
        finally:
            del self._bytes[:start]

    def close(self) -> Iterator[Frame]:
        """Check that no message is incomplete."""
        if self._bytes:
            raise AnswerError("the stream broke off inside a message")
        return iter(())

    def _frame(self, rest: bytes, size: int, checksum: int) -> Frame:
        """Take apart what follows the sizes of a message: their checksum, headers, payload, the checksum of all."""
        last = len(rest) - 4
        if crc32(rest[:last], checksum) != _number(rest[last:]):
            raise AnswerError("a message of the stream has a wrong checksum")
        end = 4 + size
        if end > last:
            raise AnswerError("a message of the stream has headers that are longer than itself")
        block = rest[4:end]
        name, failed = self._known.get(block) or self._name(block)
        text = rest[end:last].decode("utf-8", "replace")
        payload: Any = json_of(text) if text else {}
        if failed is not None:
            told = payload if is_object(payload) else {"message": payload}
            return Frame("error", {"type": name or "error", **failed, **told})
        if is_object(payload) and "bytes" in payload and type(payload["bytes"]) is str:
            # the event of a model that speaks another API stands inside
            return Frame(None, json_of(_unpacked(payload["bytes"])))
        return Frame(name, payload)

    def _name(self, block: bytes) -> tuple[str | None, dict[str, str] | None]:
        """Return the event name from the headers, and what they say of an error; None for an event that is none."""
        headers = dict(_headers(block))
        known: tuple[str | None, dict[str, str] | None] = headers.get(":event-type"), None
        if headers.get(":message-type") in ("exception", "error"):
            # an error that no model of the service describes has its message in a header, and no payload
            message = headers.get(":error-message")
            name = headers.get(":exception-type") or headers.get(":error-code")
            known = name, {} if message is None else {"message": message}
        if len(self._known) < _MOST_KNOWN:
            self._known[block] = known
        return known


def _unpacked(text: str) -> str:
    try:
        return b64decode(text, validate=True).decode("utf-8", "replace")
    except ValueError:
        raise AnswerError("a message of the stream holds bytes that are not base64") from None


def _headers(block: bytes) -> Iterator[tuple[str, str]]:
    """Yield the headers with text values."""
    place = 0
    while place < len(block):
        start = place + 1 + block[place]
        name, kind = block[place + 1 : start], block[start : start + 1]
        place = start + 1
        if not kind:
            raise AnswerError("a message of the stream has a header that is cut off")
        if kind[0] in _LENGTHS:
            place += _LENGTHS[kind[0]]
        elif kind[0] in (_BYTES, _TEXT):
            start, place = place + 2, place + 2 + _number(block[place : place + 2])
            if kind[0] == _TEXT:
                yield name.decode("utf-8", "replace"), block[start:place].decode("utf-8", "replace")
        else:
            raise AnswerError(f"a message of the stream has a header of an unknown type: {kind[0]}")
    if place > len(block):
        raise AnswerError("a message of the stream has a header that is cut off")


def _number(block: bytes) -> int:
    return int.from_bytes(block, "big")


class ServerSentEvents:
    """`text/event-stream`, as the HTML standard parses it.

    Proxies leave out the blank lines between events, so that a line after a whole object begins another event.
    Gemini tells an error as a bare object between events, which is an event without a name.
    """

    def __init__(self) -> None:
        self._lines = TextLines(LONGEST)
        self._name: str | None = None
        # the lines of a bare object
        self._bare: list[str] = []
        # a name that comes behind the data: of this event, or of the next one
        self._later: str | None = None
        self._data: list[str] = []
        self._length = 0

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """Yield the events that a blank line ends."""
        return self._frames(self._lines.feed(chunk))

    def close(self) -> Iterator[Frame]:
        """Yield the last event, even without the blank line after it."""
        return self._frames([*self._lines.close(), ""])

    def _frames(self, lines: Iterable[str]) -> Iterator[Frame]:
        for line in lines:
            if not line:
                if self._data:
                    name = self._name if self._later is None else self._later
                    yield Frame(name, _data("\n".join(self._data)))
                self._begin(None)
                continue
            if line.startswith("{") or self._bare:
                yield from self._in_bare(line)
                continue
            field, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if field == "data":
                if value and len(self._data) == 1 and is_whole_object(self._data[0]):
                    yield Frame(self._name, _data(self._data[0]))
                    self._begin(self._later)
                self._data.append(value)
                self._length += len(value) + 1
                if self._length > LONGEST:
                    raise AnswerError("an event of the stream is longer than 64 MiB")
            elif field == "error" and value.startswith("{"):
                # llama.cpp until late 2025 (ggml-org/llama.cpp PR 16109; coddy-project/coddy-agent PR 106, 2026-08)
                yield Frame("error", _data(value))
            elif field == "event":
                self._named(value)

    def _named(self, name: str) -> None:
        if self._data:
            self._later = name
        else:
            self._name = name

    def _in_bare(self, line: str) -> Iterator[Frame]:
        """Take a line of a bare object, and yield the object if it is whole. A line of an event ends it."""
        if line.startswith(("data:", "event:")):
            self._bare = []
            yield from self._frames((line,))
            return
        self._bare.append(line)
        text = "\n".join(self._bare)
        if len(text) > _MOST_BARE:
            self._bare = []
        elif line.endswith("}") and is_whole_object(text):
            data = self._data
            if data and is_whole_object(data[0]):
                yield Frame(self._name, _data("\n".join(data)))
            self._begin(None)
            yield Frame(None, _data(text))

    def _begin(self, name: str | None) -> None:
        self._name, self._later, self._data, self._length = name, None, [], 0
        self._bare = []


class JsonLines:
    """One JSON value a line."""

    def __init__(self) -> None:
        self._lines = TextLines(LONGEST)

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """Yield the values of complete lines."""
        for line in self._lines.feed(chunk):
            if line.strip():
                yield Frame(None, json_of(line))

    def close(self) -> Iterator[Frame]:
        """Yield the value of the last line."""
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
        """Yield the complete elements."""
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
            raise AnswerError(f"an element of the stream's array is not an object: {before[:80]!r}")
        self._given = True
        return place

    def _end(self, before: str, letter: str) -> None:
        rest = self._taken(before).strip(BLANK)
        if rest or letter != "]" or self._depth < 0:
            raise AnswerError(f"an element of the stream's array is not an object: {(rest or letter)[:80]!r}")
        self._ended = True

    def _keep(self, text: str) -> None:
        self._pieces.append(text)
        self._length += len(text)
        if self._length > LONGEST:
            raise AnswerError("an element of the stream is longer than 64 MiB")

    def _taken(self, text: str) -> str:
        """Return the buffered text followed by this text, and clear the buffer."""
        taken = "".join([*self._pieces, text])
        self._pieces, self._length = [], 0
        return taken


FRAMINGS: dict[str, Callable[[], Framing]] = {
    "sse": ServerSentEvents,
    "ndjson": JsonLines,
    "json_array": JsonArray,
    "aws_event_stream": AwsEventStream,
}


def framing_of(name: Any, title: str) -> Framing:
    """Return a new framing by its name. Raises AnswerError for an unknown name."""
    if type(name) is not str or name not in FRAMINGS:
        raise AnswerError(f"{title}: unknown framing {shown(name)}; use one of {', '.join(FRAMINGS)}")
    return FRAMINGS[name]()


def _data(text: str) -> Any:
    """Decode JSON; what does not begin like it, such as [DONE], stays text."""
    if text.startswith("{"):
        return json_of(text)
    try:
        return json_of(text)
    except AnswerError:
        return text
