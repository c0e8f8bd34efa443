"""Tool choices that an API has no words for, or that stand without tools."""

from __future__ import annotations

from ..model.parts import CustomToolCall, ToolCall
from ..nodes.records import replace
from ..reporting.spec_words import spec_word
from ..typed import TYPE_CHECKING
from .changes import EditLog
from .system import with_layer

if TYPE_CHECKING:
    from typing import Any

    from ..model.options import ToolChoice
    from ..model.request import Request
    from .edits import Edit, RepairContext


def repair_tool_choice(request: Request, context: RepairContext) -> tuple[Request, tuple[Edit, ...]]:
    """Return the request without a tool choice that its API has no words for.

    Without tools, the choice is dropped. With tools, `none` takes the tools away if no call stands in the
    conversation, `named` and `several` leave only the tools that they name, and a call that is required is asked for in
    the instructions, under `tool_choice="words"`.
    """
    log = EditLog(context, "tool_choice")
    choice = request.tool_choice
    if choice is None or context.policies.tool_choice == "error":
        return request, ()
    title = context.wire.title
    if not request.tools:
        log.add("dropped", request, "tool_choice", f"{title} accepts a tool choice only with tools")
        return log.result(request, replace(request, tool_choice=None))
    if context.policies.tool_choice == "drop" or choice.mode in ("auto", None):
        log.add("dropped", request, "tool_choice", f"{title} has no such tool choice")
        return log.result(request, replace(request, tool_choice=None))
    changes = _without_calls(request, log) if choice.mode == "none" else _with_words(request, choice, log)
    return log.result(request, replace(request, tool_choice=None, **changes))


def _without_calls(request: Request, log: EditLog) -> dict[str, Any]:
    """Return the fields of a request whose model may call no tool."""
    title = log.context.wire.title
    calls = (ToolCall, CustomToolCall)
    if any(isinstance(part, calls) for message in request.messages for part in message.parts):
        words = "Answer without calling a tool."
        why = f'{title} has no choice of no tool; the instructions say "{words}"'
        log.add("replaced", request, "tool_choice", why)
        return {"instructions": with_layer(request, words)}
    why = f"{title} has no choice of no tool, and no tool may be called"
    log.add("dropped", request, "tools", why)
    log.add("dropped", request, "tool_choice", why)
    return {"tools": None}


def _with_words(request: Request, choice: ToolChoice, log: EditLog) -> dict[str, Any]:
    """Return the fields of a request whose model must call some tool."""
    title = log.context.wire.title
    names = choice.names or ((choice.name,) if choice.name is not None else ())
    given = request.tools or ()
    kept = tuple([tool for tool in given if getattr(tool, "name", None) in names])
    if kept:
        for tool in given:
            if not any(tool is each for each in kept):
                log.add("dropped", tool, spec_word(tool), "the tool choice does not name it")
    if choice.mode == "several" and not choice.must:
        why = f"{title} has no such tool choice; only the named tools are sent"
        log.add("dropped", request, "tool_choice", why)
        return {"tools": kept or given}
    words = f"Call {' or '.join(names)}." if kept else "Answer with a call of one of your tools."
    why = f'{title} has no such tool choice; the instructions say "{words}"'
    log.add("replaced", request, "tool_choice", why)
    return {"tools": kept or given, "instructions": with_layer(request, words)}
