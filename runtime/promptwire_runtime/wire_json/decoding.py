"""JSON as it arrives: bytes or text."""

from __future__ import annotations

import re
from json import JSONDecoder, loads
from typing import Any

from ..errors import BodyError
from .kinds import is_object, same

_BLANK = re.compile(r"[ \t\n\r]*")
# as many are looked through for the end of an object
_MOST_BLANKS = 64
GZIP = b"\x1f\x8b"
"""The first bytes of a body that is compressed with gzip."""
COMPRESSED = (
    "they are compressed with gzip; read them with a client that decompresses, or with gzip.decompress"
)


def decoded(body: bytes | bytearray | str, wire: str, what: str) -> Any:
    """Parse the bytes or the text of a body, which is a `what` of a wire.

    Raises BodyError, which shows their beginning, if they are not JSON.
    """
    try:
        return loads(body)
    except (ValueError, RecursionError):
        if not isinstance(body, str) and body.startswith(GZIP):
            raise BodyError(f"{wire}: the bytes are no {what}: {COMPRESSED}") from None
        text = body if isinstance(body, str) else bytes(body[:400]).decode("utf-8", "replace")
        raise BodyError(f"{wire}: the {what} is not an object but {text[:200]!r}") from None


def is_whole_object(text: str | bytes | bytearray) -> bool:
    """Return whether a text, or its bytes, is a whole JSON object, which nothing that follows continues."""
    if text[-_MOST_BLANKS:].rstrip()[-1:] not in ("}", b"}"):
        return False
    try:
        loads(text)
    except (ValueError, RecursionError):
        return False
    return True


def mended_object(text: str) -> dict[str, Any] | None:
    """Return the only object that the text of arguments means, although it is not the JSON of one; otherwise None.

    Anthropic streams strings with raw control characters if it need not wait for a whole value (openclaw/openclaw PR
    141323, 2026-09). Gateways repeat the object (BerriAI/litellm issue 40582, 2026-09), put the empty one that a call
    begins with before it (envoyproxy/ai-gateway issue 1465, 2025-10), or write the text of the object as JSON again.
    """
    values = _values(text, strict=True)
    if len(values) == 1:
        value = _values(values[0], strict=True)[:1] if isinstance(values[0], str) else []
        return value[0] if value and is_object(value[0]) else None
    values = values or _values(text, strict=False)
    said = [value for value in values if value != {}] or values[:1]
    return said[0] if said and is_object(said[0]) and all(same(said[0], value) for value in said) else None


def _values(text: str, *, strict: bool) -> list[Any]:
    """Return the values that stand one behind the other in a text; none if it is not JSON."""
    decoder, place = JSONDecoder(strict=strict), _blank_end(text, 0)
    values: list[Any] = []
    try:
        while place < len(text):
            value, place = decoder.raw_decode(text, place)
            values.append(value)
            place = _blank_end(text, place)
    except (ValueError, RecursionError):
        return []
    return values


def _blank_end(text: str, place: int) -> int:
    """Return the place of the next character that is not white space of JSON."""
    blank = _BLANK.match(text, place)
    return place if blank is None else blank.end()
