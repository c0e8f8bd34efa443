"""Which call each tool result of a conversation answers: by its id or, where an API has none, by name and order."""

from __future__ import annotations

from ..model.parts import ToolCall, ToolResult
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ..model.request import Message


def calls_by_result(messages: Iterable[Message]) -> dict[object, ToolCall]:
    """Map results, by identity, to the last call of their id before them; ids may come again later.

    Ids are mapped as well, for a result that was copied or stands before its call. A result without an id answers the
    first call of its name before it that has no id and no result yet.
    """
    calls: dict[object, ToolCall] = {}
    unnumbered: dict[str | None, list[ToolCall]] = {}
    for message in messages:
        for part in message.parts:
            if type(part) is ToolCall:
                if part.id is None:
                    unnumbered.setdefault(part.name, []).append(part)
                else:
                    calls[part.id] = part
            elif type(part) is ToolResult:
                if part.call_id in calls:
                    calls[id(part)] = calls[part.call_id]
                elif part.call_id is None and unnumbered.get(part.name):
                    calls[id(part)] = unnumbered[part.name].pop(0)
    return calls


def answered_calls(messages: Iterable[Message]) -> frozenset[int]:
    """Give the calls that some result answers, by identity."""
    calls = calls_by_result(messages)
    return frozenset([id(call) for result, call in calls.items() if type(result) is int])
