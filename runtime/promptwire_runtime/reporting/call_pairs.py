"""Find the calls that the results of a request answer."""

from __future__ import annotations

from ..model.parts import ToolCall, ToolResult
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable
    from typing import Any

    from ..model.request import Message


class CallPairs:
    """The calls of some messages and the results that answer them."""

    __slots__ = ("_answered", "_calls", "_messages")

    def __init__(self, messages: tuple[Message, ...]) -> None:
        self._messages = messages
        self._calls = calls_by_result(messages)
        self._answered: frozenset[int] | None = None

    def call_of(self, result: Any) -> ToolCall | None:
        """Return the call that a result answers, if the messages have it."""
        return self._calls.get(id(result)) or self._calls.get(result.call_id)

    def is_answered(self, call: ToolCall) -> bool:
        """Return whether a result answers a call: by its id, or by its name if it has none."""
        if self._answered is None:
            results = [part for row in self._messages for part in row.parts if type(part) is ToolResult]
            stated = {None, *[part.call_id for part in results]}
            self._answered = frozenset(
                [
                    id(call)
                    for result, call in self._calls.items()
                    if type(result) is int and call.id in stated
                ]
            )
        return id(call) in self._answered


def calls_by_result(messages: Iterable[Message]) -> dict[object, ToolCall]:
    """Map each result, by identity, to the call that it answers: the last one with its id before it.

    Ids are mapped as well, for results that were copied or precede their call. A result without an id answers the
    first earlier call of its name that has no result yet.
    """
    calls: dict[object, ToolCall] = {}
    # name -> calls without a result so far by their identity, in order
    unanswered: dict[str | None, dict[int, ToolCall]] = {}
    for message in messages:
        for part in message.parts:
            if type(part) is ToolCall:
                unanswered.setdefault(part.name, {})[id(part)] = part
                if part.id is not None:
                    calls[part.id] = part
            elif type(part) is ToolResult:
                call = calls.get(part.call_id) if part.call_id is not None else None
                if part.call_id is None and (named := unanswered.get(part.name)):
                    call = next(iter(named.values()))
                if call is not None:
                    calls[id(part)] = call
                    unanswered[call.name].pop(id(call), None)
    return calls
