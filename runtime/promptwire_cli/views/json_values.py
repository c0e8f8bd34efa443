"""JSON values of files: their kinds and differences, the framings of streams, and what they look like."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from contextlib import suppress
from typing import Any, TypeGuard
from zlib import crc32

from .generated import answer_coverage, answering_module, has_answers, runtime_module, wire_module, wire_names


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a value is an object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Return whether a value is a list."""
    return isinstance(value, list)


def count_leaves(value: Any) -> int:
    """Count scalars, nulls and empty containers."""
    count: int = runtime_module("wire_json.kinds").count_leaves(value)
    return count


def first_difference(recorded: Any, built: Any) -> str | None:
    """Return the first difference of two values in one line, with a JSON pointer (RFC 6901); None if there is none.

    Types count (`1` is not `True` or `1.0`), the order of keys does not.
    """
    found = next(runtime_module("wire_json.places").differences(recorded, built), None)
    if found is None:
        return None
    steps = [str(step).replace("~", "~0").replace("/", "~1") for step in found.path]
    pointer = "".join([f"/{step}" for step in steps]) or "(root)"
    return f"{pointer}: {found.expected} was recorded, {found.got} was built"


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


_LEAST_SHARE = 0.8
_MOST_SHOWN = 6


def looks_like(body: Mapping[str, Any], besides: str) -> str:
    """Return which other API's request or answer a body looks like; empty if none.

    Args:
        body: The decoded body.
        besides: The wire that does not understand it.
    """
    rows: list[tuple[float, str, str]] = []
    for name in wire_names():
        # a dialect is only named if it understands more than its API
        if name != besides and getattr(wire_module(name).WIRE, "api", name) == name:
            rows += [(share, what, name) for what, share in _shares(name, body)]
    best = max([share for share, _, _ in rows], default=0.0)
    if best < _LEAST_SHARE:
        return ""
    likely = [(what, name) for share, what, name in rows if share == best]
    kind = likely[0][0]
    names = [name for what, name in likely if what == kind][:_MOST_SHOWN]
    return f"It looks like {kind} of {' or '.join(names)}."


def _shares(name: str, body: Mapping[str, Any]) -> Iterator[tuple[str, float]]:
    """Return the share of leaves that a wire understands, as a request and as an answer."""
    # a guess never fails
    with suppress(Exception):
        reading = wire_module(name).read(body)
        yield "a request", reading.understood / max(reading.leaves, 1)
    if not has_answers(name):
        return
    module = answering_module(name)
    with suppress(Exception):
        coverage = answer_coverage(module, module.read_answer(body))
        yield "an answer", coverage.understood / max(coverage.leaves, 1)
