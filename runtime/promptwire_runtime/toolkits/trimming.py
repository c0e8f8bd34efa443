"""Taking the calls of containers out of a history, each together with its result."""

from __future__ import annotations

from collections.abc import Collection

from ..model.parts import Part, Reasoning, ToolCall, ToolResult
from ..model.request import Message, Request
from ..nodes.records import replace


def without_expansions(request: Request, names: Collection[str], ids: Collection[str]) -> Request:
    """Take out every call of a container, by its name, and every call of these ids, with their results.

    A message that had nothing else, but for what the model thought before it called, goes as a whole; a call without
    an id is found by its name, and its result by the name that it holds. What the server holds already is counted anew.
    """
    gone = {
        part.id
        for message in request.messages
        for part in message.parts
        if isinstance(part, ToolCall) and part.id is not None and (part.name in names or part.id in ids)
    }
    kept = [_kept(message, names, gone) for message in request.messages]
    if all(
        message is not None and message is old for message, old in zip(kept, request.messages, strict=True)
    ):
        return request
    messages = tuple([message for message in kept if message is not None])
    if request.continuation is None:
        return replace(request, messages=messages)
    start = len([message for message in kept[: request.continuation.start] if message is not None])
    return replace(request, messages=messages, continuation=replace(request.continuation, start=start))


def _kept(message: Message, names: Collection[str], gone: Collection[str]) -> Message | None:
    """Give what stays of a message: itself where nothing goes, None where nothing stays."""
    parts = tuple([part for part in message.parts if not _goes(part, names, gone)])
    if len(parts) == len(message.parts):
        return message
    return None if all(isinstance(part, Reasoning) for part in parts) else replace(message, parts=parts)


def _goes(part: Part, names: Collection[str], gone: Collection[str]) -> bool:
    if isinstance(part, ToolCall):
        return part.id in gone if part.id is not None else part.name in names
    if isinstance(part, ToolResult):
        return part.call_id in gone if part.call_id is not None else part.name in names
    return False
