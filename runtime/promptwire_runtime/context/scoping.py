"""Scoping: which tools one model call sees."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable
from typing import Any, TypeAlias

from ..errors import ContextError
from ..model.request import Request
from ..model.tools import AnyTool
from ..nodes.records import replace
from ..reporting.notes import Note
from ..steps import Step, Steps

Visible: TypeAlias = "Iterable[AnyTool] | None"
Scope: TypeAlias = "Callable[[Request], Visible | Awaitable[Visible]]"


def scope_steps(request: Request, scope: Scope) -> Steps[tuple[Request, tuple[Note, ...]]]:
    """Let a scope choose the tools of this call; None leaves them as they are.

    Without tools, a tool choice is dropped with a note. Raises ContextError when a chosen tool is not visible.
    """
    answer = yield Step("scope", scope, (request,))
    if answer is None:
        return request, ()
    tools = _as_tools(answer)
    choice = request.tool_choice
    if choice is not None and not tools:
        note = Note("dropped", "", "tool_choice", "the scope shows no tools")
        return replace(request, tools=None, tool_choice=None), (note,)
    if choice is not None:
        chosen = [choice.name] if choice.name is not None else list(choice.names or ())
        visible = {getattr(tool, "name", None) for tool in tools}
        hidden = [name for name in chosen if name not in visible]
        if hidden:
            raise ContextError(f'tool_choice names "{hidden[0]}", which is not visible', where="scope")
    return replace(request, tools=tools or None), ()


def _as_tools(answer: Any) -> tuple[AnyTool, ...]:
    try:
        return tuple(answer)
    except TypeError:
        raise ContextError(f"gave {type(answer).__name__}, not tools or None", where="scope") from None
