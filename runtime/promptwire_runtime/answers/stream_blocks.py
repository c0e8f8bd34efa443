"""The parts of one candidate of a stream: one is written at a time, the others wait for their turn."""

from __future__ import annotations

from collections import deque
from json import loads
from typing import Any

from ..errors import AnswerError
from ..wire_json.kinds import is_object
from .events import Event


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

    __slots__ = ("closed", "id", "kind", "name", "pieces", "place", "values", "written")

    def __init__(self, event: Event) -> None:
        self.kind = event.kind
        self.place = event.place
        self.id = event.id
        self.name = event.name
        self.pieces: list[str] = [] if event.kind == "call" else [event.text]
        self.written = 0
        self.values: dict[str, Any] = {}
        self.closed = False

    @property
    def text(self) -> str:
        """All that came so far."""
        return "".join(self.pieces)

    @property
    def is_whole(self) -> bool:
        """Whether nothing can follow, since another part has begun: arguments of a call may still come."""
        if self.kind != "call":
            return True
        return (
            bool(self.pieces)
            and self.pieces[-1].rstrip().endswith("}")
            and json_object(self.text) is not None
        )

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
