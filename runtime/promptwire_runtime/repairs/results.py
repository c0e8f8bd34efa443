"""Content of tool results that an API takes in another form: JSON values, and the mark of an error."""

from __future__ import annotations

from ..build.shape_filters import write_json
from ..model.parts import RESULTS, Json, Text, ToolResult
from ..model.request import Message
from ..typed import TYPE_CHECKING
from .changes import EditLog, history_repair, with_changed_messages, with_changed_parts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..model.parts import Part
    from ..model.request import Request

# how the content of a result begins that has no mark of an error
ERROR = "Error: "
# what a failed result says that says nothing
FAILED = "Error."


@history_repair("json_results")
def json_as_text(request: Request, log: EditLog) -> Request:
    """Return the request with rejected JSON values as text. A value that is text becomes that text."""

    def change(part: Part) -> Part:
        if not log.asks_for(part) or not isinstance(part, Json):
            return part
        log.add("replaced", part, "json", f"{log.title} accepts text here; sent as JSON text")
        return log.made(part, Text(write_json(part.value), cache=part.cache, provenance=part.provenance))

    return with_changed_parts(request, log, change)


@history_repair("tool_errors")
def errors_as_words(request: Request, log: EditLog) -> Request:
    """Return the request with failed tool results that say so in their text, where the API has no mark for it.

    Under `tool_errors="drop"`, only the mark is dropped. Where an API has the mark and requires a text beside it, a
    result that says nothing gets one.
    """
    silent = {id(node) for node, error in log.asked if error.field.endswith(".error")}

    def change(part: Part) -> Part:
        if not log.asks_for(part) or not isinstance(part, ToolResult) or part.is_error is None:
            return part
        if id(part) in silent:
            log.add(
                "added", part, "content", f'{log.title} requires a failed result to say something: "{FAILED}"'
            )
            return log.changed(part, parts=(Text(FAILED),))
        words = part.is_error and log.choice == "words" and not _says_error(part.parts)
        why = f"{log.title} has no mark of an error" + ("; said in the text" if words else "")
        log.add("replaced" if words else "dropped", part, "is_error", why)
        parts = _with_error(part.parts, log) if words else part.parts
        return log.changed(part, parts=parts, is_error=None)

    return with_changed_parts(request, log, change)


@history_repair("between_turns")
def split_results(request: Request, log: EditLog) -> Request:
    """Return the request with results in a message of their own, for APIs that take none among the user's words."""

    def change(message: Message) -> Iterable[Message]:
        results = tuple([part for part in message.parts if isinstance(part, RESULTS)])
        if message.role == "tool" or not any(map(log.asks_for, results)):
            return (message,)
        log.add("moved", message, "parts", f"{log.title} takes results in a message of their own")
        others = tuple([part for part in message.parts if not isinstance(part, RESULTS)])
        if not others:
            return (log.changed(message, role="tool"),)
        apart = log.made(message, Message("tool", results, provenance=message.provenance))
        return (apart, log.changed(message, parts=others))

    return with_changed_messages(request, change)


def _says_error(parts: tuple[Part, ...]) -> bool:
    first = parts[0] if parts else None
    return isinstance(first, Text) and first.text.lower().startswith("error")


def _with_error(parts: tuple[Part, ...], log: EditLog) -> tuple[Part, ...]:
    """Return parts that begin with the word for an error."""
    first = parts[0] if parts else None
    if isinstance(first, Text):
        text: Part = log.changed(first, text=ERROR + first.text)
        return (text, *parts[1:])
    return (Text(FAILED), *parts)
