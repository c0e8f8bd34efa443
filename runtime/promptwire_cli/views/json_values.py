"""JSON values of files: their kinds and differences, the framings of streams, and what they look like."""

from __future__ import annotations

import json
import re
from codecs import BOM_UTF8
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, TypeGuard
from zlib import crc32

from .generated import answer_coverage, answering_module, has_answers, wire_module, wire_names

_SHOWN = 60


@dataclass(frozen=True, slots=True)
class Difference:
    """A JSON pointer (RFC 6901) with both values there as short JSON text; None where there is none."""

    pointer: str
    recorded: str | None
    built: str | None

    def __str__(self) -> str:
        """Format it in one line."""
        recorded, built = (value or "nothing" for value in (self.recorded, self.built))
        return f"{self.pointer or '(root)'}: {recorded} was recorded, {built} was built"


def is_object(value: Any) -> TypeGuard[dict[str, Any]]:
    """Return whether a value is an object."""
    return isinstance(value, dict)


def is_list(value: Any) -> TypeGuard[list[Any]]:
    """Return whether a value is a list."""
    return isinstance(value, list)


def count_leaves(value: Any) -> int:
    """Count scalars, nulls and empty containers."""
    members = list(value.values()) if is_object(value) else value if is_list(value) else []
    return sum(map(count_leaves, members)) if members else 1


def first_difference(recorded: Any, built: Any, pointer: str = "") -> Difference | None:
    """Return the first difference of two values; types count (`1` is not `True` or `1.0`), key order does not."""
    if type(recorded) is type(built):
        if is_object(recorded):
            return next(_in_objects(recorded, built, pointer), None)
        if is_list(recorded):
            return next(_in_lists(recorded, built, pointer), None)
        if recorded == built:
            return None
    return Difference(pointer, shorten(recorded), shorten(built))


def shorten(value: Any) -> str:
    """Return a value as JSON text of at most 60 characters."""
    text = json.dumps(value, default=repr)
    return text if len(text) <= _SHOWN else f"{text[: _SHOWN - 3]}..."


def _in_objects(recorded: dict[str, Any], built: dict[str, Any], pointer: str) -> Iterator[Difference]:
    for key in (*recorded, *(key for key in built if key not in recorded)):
        inside = f"{pointer}/{key.replace('~', '~0').replace('/', '~1')}"
        if key not in built:
            yield Difference(inside, shorten(recorded[key]), None)
        elif key not in recorded:
            yield Difference(inside, None, shorten(built[key]))
        elif (difference := first_difference(recorded[key], built[key], inside)) is not None:
            yield difference


def _in_lists(recorded: list[Any], built: list[Any], pointer: str) -> Iterator[Difference]:
    for index, (expected, right) in enumerate(zip(recorded, built, strict=False)):
        if (difference := first_difference(expected, right, f"{pointer}/{index}")) is not None:
            yield difference
    shared = min(len(recorded), len(built))
    if len(recorded) > shared:
        yield Difference(f"{pointer}/{shared}", shorten(recorded[shared]), None)
    elif len(built) > shared:
        yield Difference(f"{pointer}/{shared}", None, shorten(built[shared]))


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
