"""AWS event streams: binary messages with checksums, which are verified."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Iterator
from struct import Struct
from typing import Any
from zlib import crc32

from ..errors import AnswerError
from ..wire_json.kinds import is_object
from .frames import LONGEST, Frame, json_of

# type of a header's value -> its length; texts and bytes say their own
_LENGTHS = {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 8: 8, 9: 16}
_BYTES, _TEXT = 6, 7
_MOST_KNOWN = 32
# the length of a message, that of its headers, and the checksum of both
_PRELUDE = Struct(">III")


class AwsEventStream:
    """`application/vnd.amazon.eventstream`, cut into messages."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        # how many bytes the next message has, as far as that is known
        self._wanted = 12
        # most messages have the same headers as one before: the name of the event, and whether it is an error
        self._known: dict[bytes, tuple[str | None, bool]] = {}

    def feed(self, chunk: bytes) -> Iterator[Frame]:
        """Give the messages that are whole."""
        self._bytes += chunk
        if len(self._bytes) < self._wanted:
            return
        data, start, end = bytes(self._bytes), 0, len(self._bytes)
        self._wanted = 12
        try:
            while end - start >= 12:
                total, headers, check = _PRELUDE.unpack_from(data, start)
                checksum = crc32(data[start : start + 8])
                if checksum != check:
                    raise AnswerError("a message of the stream has a wrong checksum in its first bytes")
                if not 16 <= total <= LONGEST:
                    raise AnswerError(f"a message of the stream has an impossible length: {total} bytes")
                if end - start < total:
                    self._wanted = total
                    return
                rest = data[start + 8 : start + total]
                start += total
                yield self._frame(rest, headers, checksum)
        finally:
            del self._bytes[:start]

    def close(self) -> Iterator[Frame]:
        """Check that no message is half there."""
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
        if failed:
            told = payload if is_object(payload) else {"message": payload}
            return Frame("error", {"type": name or "error", **told})
        if is_object(payload) and "bytes" in payload and type(payload["bytes"]) is str:
            # the event of a model that speaks another API stands inside
            return Frame(None, json_of(_unpacked(payload["bytes"])))
        return Frame(name, payload)

    def _name(self, block: bytes) -> tuple[str | None, bool]:
        """Give the name that headers say, and whether it is that of an error."""
        headers = dict(_headers(block))
        if headers.get(":message-type") in ("exception", "error"):
            known = headers.get(":exception-type") or headers.get(":error-code"), True
        else:
            known = headers.get(":event-type"), False
        if len(self._known) < _MOST_KNOWN:
            self._known[block] = known
        return known


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


def _number(block: bytes) -> int:
    return int.from_bytes(block, "big")
