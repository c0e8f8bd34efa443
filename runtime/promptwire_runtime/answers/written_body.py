"""The body that the events of a stream, as they are written, grow into."""

from __future__ import annotations

from typing import Any

from ..wire_json.kinds import is_object
from .frames import Frame
from .growing import Growing, tell_nobody
from .grown import EACH, Slots, settled
from .stream_table import StreamTable
from .table import AnswerTable
from .whole_parts import at


class WrittenBody:
    """What a reader of the events knows of the answer so far."""

    __slots__ = ("_body", "_many", "_stream", "_wanted")

    def __init__(self, stream: StreamTable, answers: AnswerTable) -> None:
        """Start with nothing."""
        self._stream = stream
        self._wanted = stream.wanted(answers)
        self._body = Growing()
        self._many = answers.candidate is not None

    def take(self, frame: Frame) -> None:
        """Do what an event does to a body."""
        if not is_object(frame.data):
            return
        data = settled(frame.data, (), frozenset())
        steps = self._stream.steps(data, self._stream.name_of(data, frame.name), self._wanted)
        if steps is not None:
            self._body.take(data, steps, tell_nobody)

    def whole(self) -> Any:
        """Give the body so far."""
        return settled(self._body.body, (), self._stream.decoded)

    def part(self, candidate: int, block: int) -> Any:
        """Give the part of a number; where events give their parts no numbers, the last; or the message."""
        path, numbers = self._stream.part, (candidate,) if self._many else ()
        if path[-1:] != (EACH,):
            found = at(self._body.body, path, numbers)
        else:
            parts = at(self._body.body, path[:-1], numbers)
            found = parts.get((block, "")) if isinstance(parts, Slots) else parts[-1] if parts else None
        return settled(found, path, self._stream.decoded)
