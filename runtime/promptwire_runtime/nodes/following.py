"""The next request of a conversation: what the model answered, and what the caller adds."""

from __future__ import annotations

from ..errors import AnswerError
from ..typed import TYPE_CHECKING
from .records import replace

if TYPE_CHECKING:
    from collections.abc import Sequence
    from typing import Any, Protocol, Self

    class Answered(Protocol):
        """What an answer has, as far as the next request needs it."""

        @property
        def id(self) -> str | None:
            """What a continuation names."""
            ...

        @property
        def wire(self) -> str | None:
            """The wire that it was read from."""
            ...

        @property
        def message(self) -> Any:
            """What the model said."""
            ...

        @property
        def calls(self) -> Sequence[Any]:
            """The tool calls that wait for a result."""
            ...


class Following:
    """What a request is beside its fields: one of several in a row."""

    __slots__ = ()

    def after(self, answer: Answered, *more: Any) -> Self:
        """Give the next request: this one, the message of its answer as it came, then further messages.

        A request that continues what a server holds goes on with this answer: nothing is sent twice.

        Args:
            answer: what `read_answer` or a stream gave for this request.
            *more: messages: results of the tools (`tool_result(call, ...)`), or what the user says next.

        Raises:
            AnswerError: a tool call of the answer has no result among them.
        """
        request: Any = self
        _check_calls(answer.calls, more)
        said = () if answer.message is None else (answer.message,)
        changes: dict[str, Any] = {"messages": (*request.messages, *said, *more)}
        known = request.continuation
        if known is not None:
            # a conversation goes on by its own id, a thread by that of its last answer
            place: dict[str, Any] = {} if known.conversation is not None else {"id": answer.id}
            start = len(request.messages) + len(said)
            changes["continuation"] = replace(known, **place, start=start, wire=answer.wire, unanswered=())
        following: Self = replace(request, **changes)
        return following


def _check_calls(calls: Sequence[Any], more: Sequence[Any]) -> None:
    """Refuse to go on while calls are open. Calls without ids are answered in their order."""
    results = [part for message in more for part in message.parts if hasattr(part, "call_id")]
    answered = {result.call_id for result in results}
    unnamed = [result for result in results if result.call_id is None]
    for call in calls:
        if call.id in answered and call.id is not None:
            continue
        if call.id is None and unnamed:
            unnamed.pop()
            continue
        shown = call.name if call.id is None else f"{call.name} ({call.id})"
        raise AnswerError(f"the answer calls {shown}, and no result is given: add tool_result(call, ...)")
