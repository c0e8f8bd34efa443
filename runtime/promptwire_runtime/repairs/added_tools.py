"""Tools that come in mid-conversation, where an API takes them one by one, or at the start of a request only."""

from __future__ import annotations

from ..model.tools import ToolAddition
from ..nodes.records import replace
from ..typed import TYPE_CHECKING
from .changes import EditLog, asked_nodes, identities, with_changed_parts

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Message, Request
    from .edits import Edit, RepairContext


def early_tools(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with tools that come in mid-conversation among its tools from the start."""
    log = EditLog(context, "added_tools")
    if context.policies.added_tools == "error":
        return request, ()
    tools: list[Any] = [*(request.tools or ())]

    def change(part: Part, _message: Message) -> Part | tuple[Part, ...]:
        if not isinstance(part, ToolAddition):
            return part
        log.add(
            "replaced",
            part,
            "tool_addition",
            f"{context.wire.title} takes tools at the start of a request only",
        )
        names = {getattr(tool, "name", None) for tool in tools}
        tools.extend(tool for tool in part.tools if getattr(tool, "name", None) not in names)
        return ()

    changed = with_changed_parts(request, log, change)
    return log.result(request, replace(changed, tools=tuple(tools) or None))


def split_additions(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request with each tool that comes in mid-conversation as a part of its own."""
    log = EditLog(context, "added_tools")
    if context.policies.added_tools == "error":
        return request, ()
    asked = identities(asked_nodes(request, context))

    def change(part: Part, _message: Message) -> Part | tuple[Part, ...]:
        if id(part) not in asked or not isinstance(part, ToolAddition):
            return part
        log.add("replaced", part, "tools", f"{context.wire.title} adds one tool at a time; sent one by one")
        return tuple([replace(part, tools=(tool,), id=None, kept=None) for tool in part.tools])

    return log.result(request, with_changed_parts(request, log, change))
