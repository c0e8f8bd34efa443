"""The parts of one candidate of a stream: one is written at a time, the others wait for their turn."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Sequence
from json import loads
from typing import Any

from ..errors import AnswerError
from ..wire_json.kinds import is_object
from .events import Event

# what changes the depth, begins or ends a text, or hides the letter behind it
_MARK = re.compile(r'[\[\]{}"]|\\.?', re.DOTALL)
_BLANK = " \t\r\n"
_STEPS = {"{": 1, "[": 1, "}": -1, "]": -1}


class Braces:
    """Follows a JSON object that comes in pieces, so that each letter is looked at once, and the whole decoded once."""

    __slots__ = ("_depth", "_hides", "_quoted", "_seen", "_whole")

    def __init__(self) -> None:
        self._seen = 0
        self._depth = 0
        self._quoted = False
        self._hides = False
        # whether it is an object, as soon as its last brace has come
        self._whole: bool | None = None

    def are_closed(self, pieces: Sequence[str]) -> bool:
        """Tell whether the pieces, more each time, are a whole object."""
        for number in range(self._seen, len(pieces)):
            piece = pieces[number]
            if self._whole is not None:
                self._whole = self._whole and not piece.strip(_BLANK)
            elif self._ends(piece):
                self._whole = json_object("".join(pieces[: number + 1])) is not None
        self._seen = len(pieces)
        return bool(self._whole)

    def _ends(self, piece: str) -> bool:
        """Tell whether the last brace that was open is closed in a piece."""
        marks = _MARK.findall("\\" + piece if self._hides else piece)
        # what the last letter hides comes with the next piece
        self._hides = bool(marks) and marks[-1] == "\\"
        braces = False
        for mark in marks:
            if mark == '"':
                self._quoted = not self._quoted
            elif not self._quoted and mark in _STEPS:
                self._depth += _STEPS[mark]
                braces = True
        return braces and self._depth == 0


class Block:
    """One part.

    kind    `text`, `reasoning`, `refusal` or `call`
    id      of a call, where it has one
    name    of a call
    place   which part of the stream that it came from
    pieces  its text, in pieces, of which so many are `written`
    values  what the holes of its events hold, as soon as it is open
    closed  whether its end is written
    """

    __slots__ = ("_braces", "closed", "id", "kind", "name", "pieces", "place", "values", "written")

    def __init__(self, event: Event) -> None:
        self.kind = event.kind
        self.place = event.place
        self.id = event.id
        self.name = event.name
        self.pieces: list[str] = [] if event.kind == "call" else [event.text]
        self.written = 0
        self.values: dict[str, Any] = {}
        self.closed = False
        self._braces = Braces()

    @property
    def text(self) -> str:
        """All that came so far."""
        return "".join(self.pieces)

    @property
    def is_whole(self) -> bool:
        """Whether nothing can follow, since another part has begun: arguments of a call may still come."""
        return self.kind != "call" or self._braces.are_closed(self.pieces)

    def takes(self, event: Event) -> bool:
        """Tell whether an event is more of this part's text."""
        return self.kind == event.kind != "call" and self.place == event.place


class Blocks:
    """The parts of one candidate that are not written whole yet; the first is being written.

    calls   how many calls there were, and `parts` how many parts of other kinds, written or being written
    finish  why the model stopped, and the API's word for it, as far as it was said
    items   the parts that are written, whole
    """

    __slots__ = ("_calls", "begun", "calls", "finish", "items", "open", "parts", "waiting")

    def __init__(self) -> None:
        self.open: Block | None = None
        self.waiting: deque[Block] = deque()
        self.begun = False
        self.calls = 0
        self.parts = 0
        self.finish: tuple[str | None, str] = (None, "")
        self.items: list[Any] = []
        self._calls: dict[tuple[int, ...], Block] = {}

    def add(self, event: Event) -> bool:
        """Take an event of a part; False where it belongs to no call that was told.

        Raises AnswerError for arguments of a call that has ended.
        """
        if event.kind == "arguments":
            return self._argue(event)
        last = self.waiting[-1] if self.waiting else self.open
        if last is not None and last.takes(event):
            last.pieces.append(event.text)
            return True
        block = Block(event)
        self.waiting.append(block)
        if block.kind == "call":
            self._calls[block.place] = block
        return True

    def shut(self, block: Block, item: Any) -> None:
        """Count a part that is written, and keep it as a whole, where events repeat it."""
        block.closed = True
        if block.kind == "call":
            self.calls += 1
        else:
            self.parts += 1
        if item is not None:
            self.items.append(item)

    def _argue(self, event: Event) -> bool:
        block = self._calls.get(event.place)
        if block is None:
            return False
        if block.closed:
            raise AnswerError(
                f"arguments of the call {block.name} came after it had ended: {event.text[:80]!r}"
            )
        block.pieces.append(event.text)
        return True


def json_object(text: str) -> dict[str, Any] | None:
    """Decode a JSON object; None for what is none, or is cut off."""
    try:
        value = loads(text)
    except (ValueError, RecursionError):
        return None
    return value if is_object(value) else None
