"""Queue the parts of one candidate of a written stream: one part is written at a time, in order."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from ..errors import AnswerError
from ..model.parts import CALLS, CustomToolCall, Part, Reasoning, Refusal, Text, ToolCall
from ..model.request import Message
from ..nodes.records import replace
from .buffers import json_object
from .events import Event
from .framing import BLANK, MARK

_TEXTS = frozenset({"text", "reasoning", "refusal"})
_KINDS: Mapping[type, str] = {
    Text: "text",
    Reasoning: "reasoning",
    Refusal: "refusal",
    ToolCall: "call",
    CustomToolCall: "call",
}
_EMPTY: Mapping[str, tuple[Part, ...]] = {
    "text": (Text(""),),
    "refusal": (Refusal(""),),
    "reasoning": (Reasoning(text=""),),
}
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
        """Return whether the pieces, more each time, are a whole object."""
        for number in range(self._seen, len(pieces)):
            piece = pieces[number]
            if self._whole is not None:
                self._whole = self._whole and not piece.strip(BLANK)
            elif self._ends(piece):
                self._whole = json_object("".join(pieces[: number + 1])) is not None
        self._seen = len(pieces)
        return bool(self._whole)

    def _ends(self, piece: str) -> bool:
        """Return whether the last brace that was open is closed in a piece."""
        marks = MARK.findall("\\" + piece if self._hides else piece)
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

    kind    `text`, `reasoning`, `refusal` or `call`, or `part` for one that comes whole
    id      of a call, where it has one
    name    of a call
    place   which part of the stream that it came from; `part` its number there
    began   the message of what had begun, where it came
    pieces  its text, in pieces, of which so many are `written`
    inner   the numbers of the pieces with which texts inside of it begin, and `fields` what each of these is, where
            the API that made it tells thinking from its summary
    whole   its JSON, as soon as it has come whole; `own` tells whether from this wire, and `node` the part itself
    values  what the holes of its events hold, as soon as it is open
    turn    the number of the text that is being written
    closed  whether its end is written
    """

    __slots__ = (
        "_braces", "began", "closed", "fields", "id", "inner", "kind", "name", "node", "own", "part", "pieces", "place",
        "turn", "values", "whole", "written",
    )  # fmt: skip

    def __init__(self, event: Event) -> None:
        self.kind = event.kind
        self.place = event.place
        self.id = event.id
        self.name = event.name
        self.part = event.part
        self.began: Message | None = event.data
        self.pieces: list[str] = [event.text] if event.kind in _TEXTS else []
        self.inner = [0]
        self.fields = [_field(event)]
        self.whole: dict[str, Any] | None = None
        self.own = False
        self.node: Part | None = None
        self.written = 0
        self.turn = 0
        self.values: dict[str, Any] = {}
        self.closed = False
        self._braces = Braces()

    @property
    def is_custom(self) -> bool:
        """Whether it is a call of a tool that takes free text, as far as that is known."""
        if self.kind != "call" or self.began is None:
            return False
        return any(isinstance(part, CustomToolCall) for part in self.began.parts)

    @property
    def text(self) -> str:
        """All that came so far."""
        return "".join(self.pieces)

    def text_in(self, inner: Iterable[int]) -> str:
        """Return the texts with these numbers, joined."""
        ends = [*self.inner[1:], len(self.pieces)]
        return "".join(
            [piece for number in inner for piece in self.pieces[self.inner[number] : ends[number]]]
        )

    @property
    def is_whole(self) -> bool:
        """Whether what follows is another part. A call is whole once the braces of its arguments are closed."""
        return self.kind != "call" or self._braces.are_closed(self.pieces)

    def takes(self, event: Event) -> bool:
        """Append the text of an event to this part. Return False if the event belongs to another part."""
        if self.kind != event.kind or self.kind not in _TEXTS or self.whole is not None:
            return False
        if self.place != event.place or self.fields[-1] != _field(event):
            if self.part is None or self.part != event.part:
                return False
            self.place = event.place
            self.inner.append(len(self.pieces))
            self.fields.append(_field(event))
        self.pieces.append(event.text)
        return True

    def own_piece(self, part: Part) -> Part:
        """Return a part with the text of this block alone, where blocks before it hold the beginning."""
        text, own = text_of(part), self.text
        if text == own or not own or not text.endswith(own):
            return part
        if isinstance(part, (Text, Refusal)) or (isinstance(part, Reasoning) and part.text):
            return replace(part, text=own)
        if not isinstance(part, Reasoning):
            return part
        return replace(part, texts=(own,)) if part.texts else replace(part, summary=(own,))


class Blocks:
    """The parts of one candidate that are not written whole yet; the first is being written.

    calls   how many calls there were, and `parts` how many parts of other kinds, written or being written
    finish  why the model stopped, and the API's word for it, as far as it was said
    items   the parts that are written, whole
    without_hosted  whether the answer had a hosted call of another API
    """

    __slots__ = (
        "_calls",
        "_last",
        "_told",
        "begun",
        "calls",
        "finish",
        "items",
        "open",
        "parts",
        "waiting",
        "without_hosted",
    )

    def __init__(self) -> None:
        self.open: Block | None = None
        self.waiting: deque[Block] = deque()
        self.begun = False
        self.calls = 0
        self.parts = 0
        self.finish: tuple[str | None, str] = (None, "")
        self.without_hosted = False
        self.items: list[Any] = []
        self._told: dict[int | None, list[Block]] = {}
        self._last: dict[tuple[int | None, str], Block] = {}
        self._calls: dict[tuple[int, ...], Block] = {}

    def add(self, event: Event) -> bool:
        """Take an event of a part. Return False for arguments of an unknown call.

        Raises AnswerError for arguments of a call that has ended.
        """
        if event.kind == "arguments":
            return self._argue(event)
        last = self.waiting[-1] if self.waiting else self.open
        if last is not None and last.takes(event):
            return True
        block = Block(event)
        if block.began is None and block.part is not None:
            # another kind of text in a part that has begun
            began = next((other.began for other in self.of_part(block.part)), None)
            block.began = began and replace(began, parts=_EMPTY.get(block.kind, ()))
        self.waiting.append(block)
        self._told.setdefault(block.part, []).append(block)
        self._last[block.part, block.kind] = block
        if block.kind == "call":
            self._calls[block.place] = block
        return True

    def of_part(self, number: int | None) -> list[Block]:
        """Return what events reported of the part with a number and nothing has consumed yet."""
        return self._told.get(number, [])

    def is_told(self, part: Part, number: int | None) -> bool:
        """Return whether events told a part with this number, or it is none that they tell."""
        word = _KINDS.get(type(part))
        return word is None or (number, word) in self._last

    def told_of(self, part: Part, number: int | None) -> Block | None:
        """Return the report of events with the number of a part that says the same, and consume it."""
        word = _KINDS.get(type(part), "")
        rows = self.of_part(number)
        block = next((block for block in rows if block.kind == word and _is_of(block, part)), None)
        if block is None:
            return self._last.get((number, word))
        rows.remove(block)
        return block

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


def _field(event: Event) -> str | None:
    """Return the field of `Reasoning` that an event of thinking names."""
    return event.name if event.kind == "reasoning" else None


def _is_of(block: Block, part: Part) -> bool:
    if isinstance(part, CALLS):
        return (block.id or None, block.name) == (part.id or None, part.name)
    return block.text == text_of(part)


def text_of(part: Part) -> str:
    """Return the text of a part, as its events carry it."""
    if isinstance(part, Reasoning):
        return part.text or "".join(part.texts or part.summary or ())
    return part.text if isinstance(part, (Text, Refusal)) else ""
