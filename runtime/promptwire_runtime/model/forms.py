"""The few forms that nearly all messages have: builders write those at once, any other part by part."""

from __future__ import annotations

from ..typed import TYPE_CHECKING, Any
from ..wire_json.kinds import class_of
from .media import Image
from .parts import Text, ToolCall, ToolResult

if TYPE_CHECKING:
    from collections.abc import Sequence

TEXT, RESULT, CALLS, SHOWN = "text", "result", "calls", "shown"
# the forms of messages of one part, and the roles that have them
_ALONE: dict[type, tuple[str, tuple[str, ...]]] = {
    Text: (TEXT, ("user", "assistant")),
    ToolResult: (RESULT, ("tool",)),
}


def form_of(role: str, parts: Sequence[Any]) -> str:
    """Give the form of a message that carries nothing beside its parts; all of them are plain where it has one.

    text    one text, of the user or the assistant
    result  one result, in a tool message
    calls   texts of the assistant (or none), then calls
    shown   texts and images of the user; the images are held as `data`
    Empty for any other message.
    """
    if len(parts) == 1 and (kind := class_of(parts[0])) in _ALONE:
        form, roles = _ALONE[kind]
        return form if role in roles and parts[0].plain else ""
    if role == "assistant":
        return _form_of_words(parts)
    if role == "user" and parts and all(map(_is_shown, parts)):
        return SHOWN
    return ""


def _form_of_words(parts: Sequence[Any]) -> str:
    calls = False
    for part in parts:
        if type(part) is ToolCall:
            calls = True
        elif type(part) is not Text or calls:
            return ""
        if not part.plain:
            return ""
    return CALLS if calls else ""


def _is_shown(part: Any) -> bool:
    known = type(part) is Text or (type(part) is Image and part.source == "data")
    return known and part.plain
