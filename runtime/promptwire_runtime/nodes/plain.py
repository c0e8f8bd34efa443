"""Flags that a node sets when it is made, so that builders can take their fast path."""

from __future__ import annotations

from itertools import compress, repeat
from operator import is_not

from ..predicates.words import BEGINNINGS
from ..typed import TYPE_CHECKING
from .node import may_remember

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

# characters of an id or name that builders need not look at
MOST_USUAL = 64
# the bits of `Request.turns`; an enum would be imported by every builder, and slower to combine
# a first message that instructs, a layer of instructions without words, a last message that answers or instructs
INSTRUCTED, BLANK_LAYER, BEGUN, INSTRUCTED_LAST = 1, 2, 4, 8
# a last message of a tool, or one of the user that begins with a result
RETURNED = 16
# messages that may hold more than texts, calls and results of plain text: images, or parts of any kind
PICTURED, SHOWN = 32, 64
# forms of messages of nothing but texts, calls and results of texts
WORDED = frozenset({"text", "result", "named", "calls", "worded"})
# forms of messages of one result
RESULT_FORMS = frozenset({"result", "named"})
# the roles of a plain text
SPEAKERS = ("user", "assistant")
# kind of a message's only part -> its form, and the roles that have it
_ALONE = {"text": ("text", SPEAKERS), "tool_result": ("result", ("tool",))}
_NOTHING: frozenset[str] = frozenset()
_NOTHING_BESIDE = (None,) * 5


def is_blank(text: str) -> bool:
    """Return whether text is empty or only white space."""
    return not text or text.isspace()


def is_silent(message: Any) -> bool:
    """Return whether a message holds nothing but blank text."""
    return all(_kind(part) == "text" and is_blank(part.text) for part in message.parts)


def is_empty_message(message: Any) -> bool:
    """Return whether a message holds nothing, or nothing but empty texts."""
    return all(_kind(part) == "text" and not part.text for part in message.parts)


def begins_as_said(data: Any, media_type: Any) -> bool:
    """Return whether data, if there are any, begin as the files of their media type do."""
    return data is None or data.startswith(BEGINNINGS[media_type])


def is_usual_id(text: Any) -> bool:
    """Return whether an id has 1 to 64 ASCII letters, digits, `_` and `-`, which nearly every API accepts."""
    if type(text) is not str or not 0 < len(text) <= MOST_USUAL or not text.isascii():
        return False
    return text.isidentifier() or text.replace("-", "a").replace("_", "a").isalnum()


def is_usual_name(text: Any) -> bool:
    """Return whether a function name is a usual id that does not begin with a digit or `-`."""
    return is_usual_id(text) and (text.isidentifier() or text[0].isalpha())


def is_usual_call(call_id: Any, name: Any, arguments: Any) -> bool:
    """Return whether a call has a usual id and name, and an object of arguments."""
    if type(arguments) is not dict or not is_usual_id(call_id):
        return False
    return is_usual_name(name)


def is_usual_result(call_id: Any, parts: Any) -> bool:
    """Return whether a result has a usual id, and is one plain text."""
    if len(parts) != 1 or getattr(parts[0], "KIND", "") != "text":
        return False
    return parts[0].is_plain and is_usual_id(call_id)


def is_named(result: Any) -> bool:
    """Return whether a result would be plain without its name."""
    if not (result.name and is_usual_result(result.call_id, result.parts)):
        return False
    beside = result.is_error, result.item_id, result.status, result.cache, result.signature
    if beside != _NOTHING_BESIDE or result.vendor is not None or result.extra is not None:
        return False
    return not may_remember(result)


def form_of(role: str, parts: Any) -> str:
    """Return the form of a message that has nothing but parts.

    text    one text, of the user or the assistant
    result  one result, in a tool message
    named   the same with the name of the tool
    calls   texts of the assistant (or none), then calls
    media   texts and images of the user; the images are held as `data`
    worded  any texts, calls and results of texts, which may carry something optional, but no id of an item
    parts   any other, also none
    """
    if len(parts) == 1 and (kind := _kind(parts[0])) in _ALONE:
        form, roles = _ALONE[kind]
        if role in roles:
            if parts[0].is_plain:
                return form
            if form == "result" and is_named(parts[0]):
                return "named"
    elif role == "assistant" and _are_calls(parts):
        return "calls"
    elif role == "user" and parts and all(map(_is_media, parts)):
        return "media"
    return "worded" if parts and all(map(is_worded, parts)) else "parts"


def _are_calls(parts: Any) -> bool:
    """Return whether plain texts, or none, come before plain calls."""
    calls = False
    for part in parts:
        kind = _kind(part)
        if kind == "tool_call":
            calls = True
        elif kind != "text" or calls:
            return False
        if not part.is_plain:
            return False
    return calls


def is_worded(part: Any) -> bool:
    """Return whether a part is a text, a call, or a result of texts, and names no item."""
    kind = _kind(part)
    if kind == "text":
        return True
    if kind not in ("tool_call", "tool_result") or part.item_id is not None:
        return False
    return kind == "tool_call" or all(_kind(inner) == "text" for inner in part.parts)


def _is_media(part: Any) -> bool:
    kind = _kind(part)
    known = kind == "text" or (kind == "image" and part.source == "data")
    return bool(known and part.is_plain)


def _kind(part: object) -> str:
    """Return the kind of a part; empty for anything else."""
    return getattr(part, "KIND", "")


def kind_of_reasoning(mode: str | None, budget: int | None) -> str | None:
    """Return the named mode, or `budget` if only a budget is set."""
    return mode if mode is not None else "budget" if budget is not None else None


def given_names(names: Iterable[str], values: Iterable[object]) -> frozenset[str]:
    """Return the names of fields that are set."""
    return frozenset(compress(names, map(is_not, values, repeat(None))))


def request_given(uncommon: frozenset[str] | None, options: Any) -> frozenset[str]:
    """Return the names of all set options and uncommon fields of a request."""
    names: frozenset[str] = getattr(options, "given", _NOTHING)
    return names | uncommon if uncommon else names


def request_turns(messages: Any, instructions: Any, layer_roles: tuple[str, ...]) -> int:
    """Return the flags of unusual turns of a request."""
    turns = 0
    if messages:
        last = getattr(messages[-1], "role", None)
        if last == "assistant":
            turns = BEGUN
        elif last in layer_roles:
            turns = INSTRUCTED_LAST
        elif last == "tool" or _begins_with_result(messages[-1]):
            turns = RETURNED
        if getattr(messages[0], "role", None) in layer_roles:
            turns |= INSTRUCTED
        try:
            forms = {message.fast_path for message in messages}
        except (AttributeError, TypeError):  # nothing has looked at the type yet
            forms = {""}
        if not forms <= WORDED:
            turns |= PICTURED if forms - WORDED == {"media"} else PICTURED | SHOWN
    # an empty text is as good as no instructions
    if instructions and _has_blank(instructions):
        turns |= BLANK_LAYER
    return turns


def _begins_with_result(message: object) -> bool:
    if getattr(message, "fast_path", "") == "text":
        return False
    parts: tuple[object, ...] = getattr(message, "parts", ())
    # nothing has looked at the type yet
    return type(parts) is tuple and bool(parts) and _kind(parts[0]).endswith("tool_result")


def _has_blank(instructions: Any) -> bool:
    if isinstance(instructions, str):
        return instructions.isspace()
    return any(is_blank(getattr(layer, "text", "none")) for layer in instructions)
