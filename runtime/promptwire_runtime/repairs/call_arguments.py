"""Arguments of tool calls that are no JSON object: cut off, empty, null, or a value of another type."""

from __future__ import annotations

from ..model.parts import ToolCall
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_object
from .changes import EditLog, history_repair, with_changed_parts

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Request

# the key of arguments that are kept as text
TEXT_KEY = "arguments"


@history_repair("arguments")
def wrap_arguments(request: Request, log: EditLog) -> Request:
    """Return the request with a JSON object as the arguments of each call.

    Empty and null arguments become `{}`. Anything else is kept as text or JSON under the key `arguments`, or, under
    `arguments="empty"`, left out. The result of the call stays as it is, so that the model sees what went wrong.
    """

    def change(part: Part) -> Part:
        if not isinstance(part, ToolCall) or is_object(part.arguments):
            return part
        parsed, is_json = _parsed(part.arguments)
        if is_object(parsed):
            return part
        if log.choice == "empty" or not (parsed or not is_json):
            fixed: dict[str, Any] = {}
            why = (
                "they are empty; sent as {}"
                if is_json and not parsed
                else "they are no JSON object; sent as {}"
            )
        else:
            fixed = {TEXT_KEY: parsed if is_json else part.arguments}
            kind = "no JSON object" if is_json else "no JSON, perhaps cut off"
            why = f'they are {kind}; sent under the key "{TEXT_KEY}"'
        log.add("replaced", part, "arguments", why)
        return log.changed(part, arguments=fixed)

    return with_changed_parts(request, log, change)


def _parsed(arguments: Any) -> tuple[Any, bool]:
    """Return the JSON value of arguments, and whether they are JSON at all. Empty text counts as null."""
    if not isinstance(arguments, str):
        return arguments, True
    if not arguments.strip():
        return None, True
    from json import loads

    try:
        return loads(arguments), True
    except (ValueError, RecursionError):
        return arguments, False
