"""Frames: one event of a stream as it stood there, and what cuts bytes into them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from json import loads
from typing import Any, NamedTuple, Protocol

from ..errors import AnswerError
from ..wire_json.bounds import MOST_LEVELS, beyond_bounds

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
        """Give the frames that are complete with these bytes."""
        ...

    def close(self) -> Iterator[Frame]:
        """Give what the end of the stream completes. Raises AnswerError for half a frame."""
        ...


def json_of(text: str) -> Any:
    """Decode the JSON of one event. Raises AnswerError for what is none, or is nested too deep."""
    try:
        data = loads(text)
    except (ValueError, RecursionError) as error:
        raise AnswerError(f"an event of the stream is no JSON: {error}: {text[:_SHOWN]!r}") from None
    if len(text) > MOST_LEVELS and text.count("[") + text.count("{") > MOST_LEVELS:
        trouble = beyond_bounds(data)
        if trouble is not None:
            raise AnswerError(f"an event of the stream cannot be read: {trouble}")
    return data
