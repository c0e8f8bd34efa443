"""The arguments of a call that come as pieces of JSON text: hosts repeat them, begin them again, or send `{}` first."""

from __future__ import annotations

import re
from collections.abc import Sequence
from json import dumps
from typing import Any

from ..wire_json.kinds import is_object
from .buffers import TextBuffer, json_object
from .framing import BLANK, MARK

_MARK = re.compile(r'\\.|["{}\[\]]', re.DOTALL)
_EMPTY = "{}"
# other texts may be those of a custom tool, which takes no JSON
_OBJECT = '{"'
_STEPS = {"{": 1, "[": 1, "}": -1, "]": -1}


class ArgumentText(TextBuffer):
    """Arguments received in pieces.

    held     the pieces behind a whole object: they are its repetition, or a second object
    is_draft  whether the object came when the call began, where pieces that follow replace it
    """

    __slots__ = ("_held", "_size", "is_draft")

    def __init__(self, before: Any = None) -> None:
        """Begin with the arguments that came when the call began."""
        self.is_draft = is_object(before)
        text = dumps(before, ensure_ascii=False) if is_object(before) and before else before
        super().__init__([text] if isinstance(text, str) else [])
        self._size = len(text) if isinstance(text, str) else 0
        self._held: list[str] = []

    def add(self, piece: str) -> str:
        """Take a piece. Return the text that it adds to what may be reported."""
        if self._held:
            self._held.append(piece)
            return self._released(piece)
        if piece[:1] != "{" or not self._size:
            return self._added(piece)
        before = "".join(self)
        if before.strip() == _EMPTY:
            # the object that came first says nothing
            self.clear()
            self._size = 0
            return self._added(piece)
        if before.rstrip().endswith("}") and json_object(before) is not None:
            self._held.append(piece)
            return self._released(piece)
        if before.startswith(_OBJECT) and piece.startswith(before) and not _expects_value(before):
            return self._added(piece[len(before) :])
        return self._added(piece)

    def text(self) -> str:
        """Return the arguments so far."""
        before, held = "".join(self), "".join(self._held)
        if not held or before.startswith(held):
            return before
        return held if self.is_draft else before + held

    def _added(self, piece: str) -> str:
        """Append a piece. An empty object is not reported yet, because the arguments may follow it."""
        self.append(piece)
        self._size += len(piece)
        return "" if self._size == len(_EMPTY) and "".join(self) == _EMPTY else piece

    def _released(self, piece: str) -> str:
        """Return the held pieces once they are an object of their own; drop them if they repeat the first one."""
        if not piece.rstrip().endswith("}"):
            return ""
        held = "".join(self._held)
        again = json_object(held)
        if again is None:
            return ""
        self._held.clear()
        before = "".join(self)
        if again == json_object(before):
            return ""
        if self.is_draft:
            self.clear()
            before = ""
            self.is_draft = False
        self.append(held)
        self._size = len(before) + len(held)
        return held


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


def _expects_value(text: str) -> bool:
    """Return whether an object may follow a piece of JSON text."""
    is_quoted = False
    above: list[str] = []
    for mark in _MARK.finditer(text):
        sign = mark.group()
        if sign == '"':
            is_quoted = not is_quoted
        elif not is_quoted and sign in "{[":
            above.append(sign)
        elif not is_quoted and sign in "}]" and above:
            above.pop()
    if is_quoted:
        return False
    end = text.rstrip()[-1:]
    return end in (":", "[") or (end == "," and above[-1:] == ["["])
