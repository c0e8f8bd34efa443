"""Detect whether bytes are a recorded stream, and its framing."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from zlib import crc32

from .json_values import is_object

# framing -> its common name
FRAMINGS = {
    "sse": "server-sent events",
    "ndjson": "JSON lines",
    "json_array": "a JSON array",
    "aws_event_stream": "an AWS event stream",
}
_FIELD = re.compile(rb"(?:data|event|id|retry)?:")
_PRELUDE = 12  # two lengths and their checksum


def framing_of(raw: bytes) -> str | None:
    """Return the framing of a recorded stream; None for a JSON object and for anything that is not a stream."""
    if len(raw) > _PRELUDE and crc32(raw[:8]) == int.from_bytes(raw[8:_PRELUDE], "big"):
        return "aws_event_stream"
    text = raw.removeprefix(BOM_UTF8).strip()
    if _FIELD.match(text):
        return "sse"
    if text.startswith(b"["):
        return "json_array"
    first, _, more = text.partition(b"\n")
    return "ndjson" if more and _is_json_object(first) else None


def _is_json_object(line: bytes) -> bool:
    try:
        return is_object(json.loads(line))
    except (ValueError, RecursionError):
        return False
