"""Tool calls with the id of an earlier call, and those that do not say their group of tools. For rules about them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.parts import CALLS, Opaque
from ..model.request import Request
from ..model.tools import ToolGroup
from .held_parts import sent_messages


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


def ungrouped_calls(request: Request) -> list[tuple[Any, str]]:
    """Return the calls of functions that only a group has, and whose options do not say which, each with its name."""
    tools = request.tools or ()
    inner = [(tool, member) for tool in tools if isinstance(tool, ToolGroup) for member in tool.tools]
    groups = {member.name: group.name for group, member in inner if not isinstance(member, Opaque)}
    if not groups:
        return []
    alone = {getattr(tool, "name", None) for tool in tools if not isinstance(tool, ToolGroup)}
    calls = [part for message in sent_messages(request) for part in message.parts if isinstance(part, CALLS)]
    return [
        (call, groups[call.name])
        for call in calls
        if call.name in groups
        and call.name not in alone
        and not _says_one_of({*groups.values()}, call.vendor)
    ]


def _says_one_of(names: set[str], vendor: Mapping[str, Mapping[str, Any]] | None) -> bool:
    """Return whether an option of any API is one of these names."""
    return any(
        value in names
        for options in (vendor or {}).values()
        for value in options.values()
        if type(value) is str
    )


# the last key of a path about calls -> the calls that it means, each with a value
CALL_ROWS = {"repeated": repeated_calls, "ungrouped": ungrouped_calls}
