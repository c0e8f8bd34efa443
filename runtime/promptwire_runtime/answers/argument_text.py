"""The arguments of a call that come as pieces of JSON text: hosts repeat them, begin them again, or send `{}` first."""

from __future__ import annotations

import re
from json import dumps
from typing import Any

from ..wire_json.kinds import is_object
from .buffers import TextBuffer, json_object

_MARK = re.compile(r'\\.|["{}\[\]]', re.DOTALL)
_EMPTY = "{}"
# other texts may be those of a custom tool, which takes no JSON
_OBJECT = '{"'


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
