"""AWS event streams: binary messages with checksums, which are verified."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from typing import Any
from zlib import crc32

from ..errors import AnswerError
from ..wire_json.kinds import is_object
from .frames import LONGEST, Frame, json_of

# type of a header's value -> its length; texts and bytes say their own
_LENGTHS = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
_BYTES, _TEXT = 6, 7
_MOST_KNOWN = 32


class AwsEventStream:
    """`application/vnd.amazon.eventstream`, cut into messages."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        # most messages have the same headers as one before
        self._known: dict[bytes, dict[str, str]] = {}

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """Give the messages that are whole."""
        self._bytes += chunk
        while len(self._bytes) >= 12:
            if crc32(self._bytes[:8]) != _number(self._bytes[8:12]):
                raise AnswerError("a message of the stream has a wrong checksum in its first bytes")
            total = _number(self._bytes[:4])
            if not 16 <= total <= LONGEST:
                raise AnswerError(f"a message of the stream has an impossible length: {total} bytes")
            if len(self._bytes) < total:
                return
            message = bytes(self._bytes[:total])
            del self._bytes[:total]
            yield self._frame(message)

    def close(self) -> Iterator[Frame]:
        """Check that no message is half there."""
        if self._bytes:
            raise AnswerError("the stream broke off inside a message")
        return iter(())

    def _frame(self, message: bytes) -> Frame:
        """Take one message apart: prelude, headers, payload, checksum."""
        if crc32(message[:-4]) != _number(message[-4:]):
            raise AnswerError("a message of the stream has a wrong checksum")
        end = 12 + _number(message[4:8])
        if end > len(message) - 4:
            raise AnswerError("a message of the stream has headers that are longer than itself")
        headers = self._headers(message[12:end])
        payload: Any = json_of(message[end:-4].decode("utf-8", "replace")) if message[end:-4] else {}
        if headers.get(":message-type") in ("exception", "error"):
            name = headers.get(":exception-type") or headers.get(":error-code") or "error"
            return Frame("error", {"type": name, **(payload if is_object(payload) else {"message": payload})})
        if is_object(payload) and type(payload.get("bytes")) is str:
            # the event of a model that speaks another API stands inside
            return Frame(None, json_of(_unpacked(payload["bytes"])))
        return Frame(headers.get(":event-type"), payload)

    def _headers(self, block: bytes) -> dict[str, str]:
        headers = self._known.get(block)
        if headers is None:
            headers = dict(_headers(block))
            if len(self._known) < _MOST_KNOWN:
                self._known[block] = headers
        return headers


def _unpacked(text: str) -> str:
    try:
        return b64decode(text, validate=True).decode("utf-8", "replace")
    except ValueError:
        raise AnswerError("a message of the stream holds bytes that are no base64") from None


def _headers(block: bytes) -> Iterator[tuple[str, str]]:
    """Give the headers that are text."""
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


def _number(block: bytes | bytearray) -> int:
    return int.from_bytes(block, "big")
