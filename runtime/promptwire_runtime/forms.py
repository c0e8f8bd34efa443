"""The few forms that nearly all messages have: builders write those at once, any other part by part."""

from __future__ import annotations

from operator import attrgetter

from .media import Image
from .parts import Text, ToolCall, ToolResult
from .typed import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXT, RESULT, CALLS, SHOWN = "text", "result", "calls", "shown"
_PLAIN = attrgetter("plain")
_SPEAKERS = frozenset({"user", "assistant"})


def form_of(role: str, parts: Sequence[Any]) -> str:
    """Give the form of a message that carries nothing beside its parts; all of them are plain where it has one.

    text    one text, of the user or the assistant
    result  one result, in a tool message
    calls   texts of the assistant (or none), then calls
    shown   texts and images of the user; the images are held as `data`
    Empty for any other message.
    """
    kinds = list(map(type, parts))
    form = ""
    if len(kinds) == 1 and kinds[0] is Text:
        form = TEXT if role in _SPEAKERS else ""
    elif role == "tool":
        form = RESULT if kinds == [ToolResult] else ""
    elif role == "assistant":
        calls = kinds.count(ToolCall)
        words = len(kinds) - calls
        form = CALLS if calls and kinds == [Text] * words + [ToolCall] * calls else ""
    elif role == "user":
        form = SHOWN if kinds and all(map(_is_shown, parts)) else ""
    return form if form and all(map(_PLAIN, parts)) else ""


def _is_shown(part: Any) -> bool:
    return type(part) is Text or (type(part) is Image and part.source == "data")
