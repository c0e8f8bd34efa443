"""Names of the caller in what a model answers: repairs may have sent tools under other names, or as another kind."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..errors import AnswerError
from ..model.parts import CALLS, CustomToolCall, ToolCall
from ..nodes.records import fields, is_node, replace
from ..wire_json.kinds import class_of, is_object

# the argument of a function that stands for a free-text tool
_INPUT = "input"
# fields that may hold calls
_INSIDE = frozenset({"candidates", "message", "turns", "parts"})


def sent_names(edits: Iterable[Any], policy: str) -> dict[str, str]:
    """Return the value that was sent -> the caller's, of the edits under one policy that can be reversed."""
    return {edit.sent: edit.given for edit in edits if edit.policy == policy and edit.sent is not None}


def restored(value: Any, edits: Iterable[Any]) -> Any:
    """Return an answer, message, call or event with the caller's names of tools.

    A call of a function that was sent for a free-text tool becomes a call of that tool.
    """
    edits = tuple(edits)
    names = sent_names(edits, "tool_names")
    custom = frozenset(sent_names(edits, "custom_tools"))
    return _restored(value, names, custom) if names or custom else value


def _restored(value: Any, names: Mapping[str, str], custom: frozenset[str]) -> Any:
    if class_of(value) is tuple:
        made = tuple([_restored(each, names, custom) for each in value])
        return value if all(new is old for new, old in zip(made, value, strict=True)) else made
    if type(value) is ToolCall and value.name in custom:
        text = _text_of(value)
        if text is not None:
            name = names.get(value.name, value.name)
            return CustomToolCall(
                value.id, name, text, signature=value.signature, provenance=value.provenance
            )
    changes: dict[str, Any] = {}
    for field in fields(value) if is_node(value) else ():
        if field.init and field.name in _INSIDE and getattr(value, field.name) is not None:
            old = getattr(value, field.name)
            new = _restored(old, names, custom)
            if new is not old:
                changes[field.name] = new
    if (isinstance(value, CALLS) or _is_call(value)) and value.name in names:
        changes["name"] = names[value.name]
    return replace(value, **changes) if changes else value


def _is_call(value: Any) -> bool:
    """Return whether a value is the event of a call."""
    return getattr(value, "kind", None) == "call"


def _text_of(call: ToolCall) -> str | None:
    """Return the free text in the arguments of a call; None if they hold anything else."""
    try:
        arguments = call.parsed_arguments
    except AnswerError:
        return None
    text = arguments.get(_INPUT) if is_object(arguments) and len(arguments) == 1 else None
    return text if isinstance(text, str) else None
