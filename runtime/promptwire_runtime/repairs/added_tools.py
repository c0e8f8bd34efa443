"""Tools that come in mid-conversation, where an API takes them one by one, or at the start of a request only."""

from __future__ import annotations

from ..model.tools import ToolAddition
from ..nodes.records import replace
from ..typed import TYPE_CHECKING
from .changes import EditLog, history_repair, with_changed_parts

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Request


@history_repair("added_tools")
def early_tools(request: Request, log: EditLog) -> Request:
    """Return the request with tools that come in mid-conversation among its tools from the start."""
    tools: list[Any] = [*(request.tools or ())]

    def change(part: Part) -> Part | tuple[Part, ...]:
        if not isinstance(part, ToolAddition):
            return part
        log.add("replaced", part, "tool_addition", f"{log.title} takes tools at the start of a request only")
        names = {getattr(tool, "name", None) for tool in tools}
        tools.extend(tool for tool in part.tools if getattr(tool, "name", None) not in names)
        return ()

    changed = with_changed_parts(request, log, change)
    return replace(changed, tools=tuple(tools) or None)


@history_repair("added_tools")
def split_additions(request: Request, log: EditLog) -> Request:
    """Return the request with each tool that comes in mid-conversation as a part of its own."""

    def change(part: Part) -> Part | tuple[Part, ...]:
        if not log.asks_for(part) or not isinstance(part, ToolAddition):
            return part
        log.add("replaced", part, "tools", f"{log.title} adds one tool at a time; sent one by one")
        return tuple([replace(part, tools=(tool,), id=None, kept=None) for tool in part.tools])

    return with_changed_parts(request, log, change)
