"""Where a conversation may be cut: never between a tool call and its result."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.parts import CustomToolCall, CustomToolResult, HostedCall, HostedResult, ToolCall, ToolResult
from ..model.request import Message

_CALLS = (ToolCall, CustomToolCall, HostedCall)
_RESULTS = (ToolResult, CustomToolResult, HostedResult)


def holds_result(message: Message) -> bool:
    """Tell whether a message holds a tool result."""
    return any(isinstance(part, _RESULTS) for part in message.parts)


def uncuttable(messages: Sequence[Message]) -> set[int]:
    """Give the positions where a cut would part a call and its result.

    A cut at `i` separates `messages[:i]` from `messages[i:]`. A result belongs to the latest call of its id before
    it; one without an id belongs to the latest call of all.
    """
    calls: dict[str, int] = {}
    latest: int | None = None
    # a cut at i parts the pairs that begin before i and end at or after it
    reach: dict[int, int] = {}
    for index, message in enumerate(messages):
        for part in message.parts:
            if isinstance(part, _CALLS):
                latest = index
                if part.id is not None:
                    calls[part.id] = index
            elif isinstance(part, _RESULTS):
                call = latest if part.call_id is None else calls.get(part.call_id)
                if call is not None:
                    reach[call] = index
    indexes: set[int] = set()
    end = -1
    for index in range(len(messages)):
        if index <= end:
            indexes.add(index)
        end = max(end, reach.get(index, -1))
    return indexes
