"""Frames to bytes: events as they stand among server-sent events, JSON lines, in a JSON array, or AWS messages."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Any, Protocol
from zlib import crc32

from ..build.encoding import encoded
from ..errors import AnswerError, InvalidRequest
from ..nodes.record_fields import shown


class Framed(Protocol):
    """Writes the events of one stream."""

    def frame(self, name: str | None, data: Any) -> bytes:
        """Write one event: the name that stands beside its data, if any, and the data, JSON or text such as `[DONE]`.

        Raises InvalidRequest for data that JSON cannot hold.
        """
        ...

    def wrap(self, name: str | None, data: bytes) -> bytes:
        """Write one event, no error, whose data is encoded."""
        ...

    def end(self) -> bytes:
        """Write what follows the last event."""
        ...


class SseBytes:
    """Server-sent events."""

    def frame(self, name: str | None, data: Any) -> bytes:
        """Write the name and the data, one line each."""
        if type(data) is not str:
            return self.wrap(name, encoded(data))
        return self.wrap(name, b"\ndata: ".join(_text(data).splitlines()))

    def wrap(self, name: str | None, data: bytes) -> bytes:
        """Write the name and the data, which is one line."""
        before = b"data: " if name is None else f"event: {name}\ndata: ".encode()
        return before + data + b"\n\n"

    def end(self) -> bytes:
        """Return the bytes that end a stream: none."""
        return b""


class LineBytes:
    """JSON lines."""

    def frame(self, name: str | None, data: Any) -> bytes:  # noqa: ARG002  # lines have no names
        """Write the data as one line."""
        return encoded(data) + b"\n"

    def wrap(self, name: str | None, data: bytes) -> bytes:  # noqa: ARG002  # lines have no names
        """Write the data as one line."""
        return data + b"\n"

    def end(self) -> bytes:
        """Return the bytes that end a stream: none."""
        return b""


class ArrayBytes:
    """The elements of one JSON array."""

    def __init__(self) -> None:
        self._before = b"["

    def frame(self, name: str | None, data: Any) -> bytes:
        """Write one element, and what stands before it."""
        return self.wrap(name, encoded(data))

    def wrap(self, name: str | None, data: bytes) -> bytes:  # noqa: ARG002  # elements have no names
        """Write one element, and what stands before it."""
        before, self._before = self._before, b",\r\n"
        return before + data

    def end(self) -> bytes:
        """Write the end of the array."""
        return b"[]" if self._before == b"[" else b"]"


class AwsBytes:
    """AWS event streams.

    An event without a name is a model's own: it stands in base64 inside of a `chunk`. One called `error` is an
    exception, whose `type` names it.
    """

    def frame(self, name: str | None, data: Any) -> bytes:
        """Write one message with its checksums."""
        if name != "error":
            return self.wrap(name, encoded(data))
        told = {key: value for key, value in data.items() if key != "type"}
        return _message(":exception-type", data["type"], "exception", encoded(told))

    def wrap(self, name: str | None, data: bytes) -> bytes:
        """Write one message with its checksums."""
        if name is None:
            return self.wrap("chunk", encoded({"bytes": b64encode(data).decode()}))
        return _message(":event-type", name, "event", data)

    def end(self) -> bytes:
        """Return the bytes that end a stream: none."""
        return b""


FRAMED: dict[str, Callable[[], Framed]] = {
    "sse": SseBytes,
    "ndjson": LineBytes,
    "json_array": ArrayBytes,
    "aws_event_stream": AwsBytes,
}


def framed_of(name: Any, title: str) -> Framed:
    """Return a new writer of frames by its name. Raises AnswerError for an unknown name."""
    if type(name) is not str or name not in FRAMED:
        raise AnswerError(f"{title}: unknown framing {shown(name)}; use one of {', '.join(FRAMED)}")
    return FRAMED[name]()


def _text(data: str) -> bytes:
    try:
        return data.encode()
    except UnicodeEncodeError as error:
        raise InvalidRequest(f"the text of an event has half a character at {error.start}") from None


def _message(key: str, name: str, kind: str, data: bytes) -> bytes:
    """Write a message of an AWS event stream, whose type stands under a key of its headers."""
    texts = {key: name, ":content-type": "application/json", ":message-type": kind}
    headers = b"".join([_header(key, text) for key, text in texts.items()])
    sizes = _number(16 + len(headers) + len(data)) + _number(len(headers))
    message = sizes + _number(crc32(sizes)) + headers + data
    return message + _number(crc32(message))


def _header(name: str, text: str) -> bytes:
    """Write a header whose value is text (type 7)."""
    key, value = name.encode(), text.encode()
    return bytes([len(key)]) + key + b"\x07" + len(value).to_bytes(2, "big") + value


def _number(value: int) -> bytes:
    return value.to_bytes(4, "big")
