"""Results of free-text calls on an API that writes all results alike: only the call says which kind of result it is."""

from __future__ import annotations

from typing import cast

from ..model.parts import CustomToolCall, CustomToolResult, Part, ToolResult
from ..model.request import Message
from ..nodes.node import changed


def with_custom_results(messages: tuple[Message, ...]) -> tuple[Message, ...]:
    """Return the messages with a `CustomToolResult` for each result that answers a free-text call."""
    calls = {
        part.id
        for message in messages
        # the forms that nearly all messages have hold none
        if message.fast_path in ("", "parts")
        for part in message.parts
        if type(part) is CustomToolCall and part.id
    }
    if not calls:
        return messages
    read: list[Message] = []
    for message in messages:
        if any(type(part) is ToolResult and part.call_id in calls for part in message.parts):
            parts = tuple([_custom(part, calls) for part in message.parts])
            message = cast("Message", changed(message, parts=parts))  # noqa: PLW2901  # the same with other parts
        read.append(message)
    return tuple(read)


def _custom(part: Part, calls: set[str]) -> Part:
    if type(part) is not ToolResult or part.call_id not in calls:
        return part
    return CustomToolResult(
        part.call_id,
        part.parts,
        name=part.name,
        item_id=part.item_id,
        status=part.status,
        cache=part.cache,
        signature=part.signature,
        provenance=part.provenance,
        vendor=part.vendor,
        extra=part.extra,
        kept=part.kept,
    )
