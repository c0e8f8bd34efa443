"""Tool calls with the id of an earlier call. For rules about them."""

from __future__ import annotations

from ..model.parts import CALLS
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..model.request import Request


def repeated_calls(request: Request) -> list[tuple[Any, str]]:
    """Return each call whose id an earlier call has, with where that stands.

    That is `answer` if the earlier call stands in the same answer, whose messages follow each other, else `request`.
    """
    # nearly every request has each id once, which is found out in a third of the time
    answers = [message for message in request.messages if message.role == "assistant"]
    calls = [message.parts for message in answers if message.fast_path != "text"]
    ids = [part.id for parts in calls for part in parts if isinstance(part, CALLS)]
    if len({*ids}) == len(ids):
        return []
    known: dict[str, int] = {}
    rows: list[tuple[Any, str]] = []
    answer = 0
    before = ""
    for message in request.messages:
        if message.role == "assistant":
            answer += before != "assistant"
            for part in message.parts:
                if isinstance(part, CALLS) and part.id is not None:
                    if part.id in known:
                        rows.append((part, "answer" if known[part.id] == answer else "request"))
                    known[part.id] = answer
        before = message.role
    return rows
