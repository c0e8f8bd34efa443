"""Content of tool results that an API takes in another form: JSON values, and the mark of an error."""

from __future__ import annotations

from ..model.parts import CustomToolResult, Json, Text, ToolResult
from ..model.request import Message
from ..nodes.records import replace
from ..typed import TYPE_CHECKING
from .as_text import compact
from .changes import EditLog, asked_nodes, identities, with_changed_parts

if TYPE_CHECKING:
    from ..model.parts import Part
    from ..model.request import Request
    from .edits import Edit, RepairContext

# how the content of a result begins that has no mark of an error
ERROR = "Error: "
_RESULTS = (ToolResult, CustomToolResult)


def json_as_text(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with rejected JSON values as text. A value that is text becomes that text."""
    log = EditLog(context, "json_results")
    if context.policies.json_results == "error":
        return request, ()
    asked = identities(asked_nodes(request, context))

    def change(part: Part, _message: Message) -> Part:
        if id(part) not in asked or not isinstance(part, Json):
            return part
        log.add("replaced", part, "json", f"{context.wire.title} accepts text here; sent as JSON text")
        made: Part = log.made(part, Text(compact(part.value), cache=part.cache, provenance=part.provenance))
        return made

    return log.result(request, with_changed_parts(request, log, change))


def errors_as_words(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with failed tool results that say so in their text, where the API has no mark for it.

    Under `tool_errors="drop"`, only the mark is dropped.
    """
    log = EditLog(context, "tool_errors")
    if context.policies.tool_errors == "error":
        return request, ()
    asked = identities(asked_nodes(request, context))

    def change(part: Part, _message: Message) -> Part:
        if id(part) not in asked or not isinstance(part, ToolResult) or part.is_error is None:
            return part
        words = part.is_error and context.policies.tool_errors == "words" and not _says_error(part.parts)
        title = context.wire.title
        if words:
            log.add("replaced", part, "is_error", f"{title} has no mark of an error; said in the text")
        else:
            log.add("dropped", part, "is_error", f"{title} has no mark of an error")
        parts = _with_error(part.parts, log) if words else part.parts
        whole: Part = log.changed(part, parts=parts, is_error=None)
        return whole

    return log.result(request, with_changed_parts(request, log, change))


def split_results(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with results in a message of their own, for APIs that take none among the user's words."""
    log = EditLog(context, "between_turns")
    if context.policies.between_turns == "error":
        return request, ()
    asked = identities(asked_nodes(request, context))
    messages: list[Message] = []
    for message in request.messages:
        results = tuple([part for part in message.parts if isinstance(part, _RESULTS)])
        if message.role == "tool" or not any(id(part) in asked for part in results):
            messages.append(message)
            continue
        why = f"{context.wire.title} takes results in a message of their own"
        log.add("moved", message, "parts", why)
        others = tuple([part for part in message.parts if not isinstance(part, _RESULTS)])
        if others:
            messages.append(log.made(message, Message("tool", results, provenance=message.provenance)))
            messages.append(log.changed(message, parts=others))
        else:
            messages.append(log.changed(message, role="tool"))
    return log.result(request, replace(request, messages=tuple(messages)))


def _says_error(parts: tuple[Part, ...]) -> bool:
    first = parts[0] if parts else None
    return isinstance(first, Text) and first.text.lower().startswith("error")


def _with_error(parts: tuple[Part, ...], log: EditLog) -> tuple[Part, ...]:
    """Return parts that begin with the word for an error."""
    first = parts[0] if parts else None
    if isinstance(first, Text):
        text: Part = log.changed(first, text=ERROR + first.text)
        return (text, *parts[1:])
    return (Text(ERROR.rstrip(": ") + "."), *parts)
