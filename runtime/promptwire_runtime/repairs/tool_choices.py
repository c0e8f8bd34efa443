"""Tool choices that an API has no words for, or that stand without tools."""

from __future__ import annotations

from ..model.parts import CALLS
from ..model.tools import HostedTool, Tool
from ..nodes.records import replace
from ..reporting.spec_words import spec_word
from ..rules.held_parts import chosen_entries, chosen_kinds, is_of_kind
from ..typed import TYPE_CHECKING
from .changes import EditLog
from .registry import repair
from .turns import with_layer

if TYPE_CHECKING:
    from typing import Any

    from ..model.options import ToolChoice
    from ..model.request import Request
    from .edits import RepairContext


@repair(
    "tool_choice", refused="tool_choice* !tool_choice.parallel", no_place="tool_choice.* !*.parallel", rank=20
)
def tool_choice(request: Request, log: EditLog) -> Request:
    """Return the request without a tool choice that its API has no words for.

    Without tools, the choice is dropped. With tools, `none` takes the tools away if no call stands in the
    conversation, and `named` and `several` leave only the tools that they name. A call that is required is asked for by
    another choice that says as much among these tools, or else in the instructions, under `tool_choice="words"`.
    """
    choice = request.tool_choice
    if choice is None:
        return request
    if not request.tools:
        log.add("dropped", request, "tool_choice", f"{log.title} accepts a tool choice only with tools")
        return replace(request, tool_choice=None)
    if log.choice == "drop" or choice.mode in ("auto", None):
        log.add("dropped", request, "tool_choice", f"{log.title} has no such tool choice")
        return replace(request, tool_choice=None)
    if choice.mode == "none":
        return replace(request, tool_choice=None, **_without_calls(request, log))
    return replace(request, **_with_call(request, choice, log))


def _without_calls(request: Request, log: EditLog) -> dict[str, Any]:
    """Return the fields of a request whose model may call no tool."""
    if any(isinstance(part, CALLS) for message in request.messages for part in message.parts):
        words = "Answer without calling a tool."
        why = f'{log.title} has no choice of no tool; the instructions say "{words}"'
        log.add("replaced", request, "tool_choice", why)
        return {"instructions": with_layer(request, words)}
    why = f"{log.title} has no choice of no tool, and no tool may be called"
    log.add("dropped", request, "tools", why)
    log.add("dropped", request, "tool_choice", why)
    return {"tools": None}


def _with_call(request: Request, choice: ToolChoice, log: EditLog) -> dict[str, Any]:
    """Return the fields of a request whose model must call some tool, or may call some tools only."""
    given = request.tools or ()
    names, kept, must = _meant(choice, given)
    nearest = _nearest(request, choice, kept, log.context)
    if nearest is not None and nearest.mode == "named":
        log.add(
            "replaced",
            choice,
            "mode",
            f"{log.title} has no choice of a free-text tool; sent as one of a function",
        )
        return {"tool_choice": log.made(choice, nearest)}
    if kept:
        for tool in given:
            if not any(tool is each for each in kept):
                log.add("dropped", tool, spec_word(tool), "the tool choice does not name it")
    if not must:
        why = f"{log.title} has no such tool choice; {'only the named tools are sent' if kept else 'the model decides'}"
        log.add("dropped", request, "tool_choice", why)
        return {"tools": kept or given, "tool_choice": None}
    if nearest is not None:
        why = f"{log.title} has no such tool choice; only the named tools are sent, and a call is required"
        log.add("replaced", choice, "mode", why)
        return {"tools": kept, "tool_choice": log.made(choice, nearest)}
    words = f"Call {' or '.join(names)}." if kept and names else "Answer with a call of one of your tools."
    why = f'{log.title} has no such tool choice; the instructions say "{words}"'
    log.add("replaced", request, "tool_choice", why)
    return {"tools": kept or given, "tool_choice": None, "instructions": with_layer(request, words)}


def _meant(choice: ToolChoice, given: tuple[Any, ...]) -> tuple[list[str], tuple[Any, ...], bool]:
    """Return the names that a choice holds, the tools that it means, and whether one of them must be called."""
    if choice.mode != "hosted":
        names = [*(choice.names or ((choice.name,) if choice.name is not None else ()))]
        kept = [tool for tool in given if getattr(tool, "name", None) in names]
        return names, tuple(kept), choice.mode != "several" or bool(choice.must)
    kinds = chosen_kinds(choice)
    stated = [entry.get("name") for entry in chosen_entries(choice)]
    names = [name for name in stated if isinstance(name, str)]
    # another API has a word of its own for a kind, so a hosted tool may be one that is named
    unknown = any(not any(is_of_kind(tool, kind) for tool in given) for kind in kinds)
    kept = [
        tool
        for tool in given
        if (unknown and isinstance(tool, HostedTool))
        or getattr(tool, "name", None) in names
        or any(is_of_kind(tool, kind) for kind in kinds)
    ]
    must = bool(kept) and (choice.config or {}).get("mode") != "auto"
    return ([] if kinds else names), tuple(kept), must


def _nearest(
    request: Request, choice: ToolChoice, kept: tuple[Any, ...], context: RepairContext
) -> ToolChoice | None:
    """Return another choice that says as much, if the API has words for it; `kept` are the tools that it names."""
    if not kept:
        return None
    if choice.mode == "custom":
        # the tool becomes a function, too
        made, tools = replace(choice, mode="named"), tuple([Tool(tool.name) for tool in kept])
    elif (choice.mode == "several" and choice.must) or (choice.mode == "named" and len(kept) == 1):
        made, tools = replace(choice, mode="required", name=None, names=None, must=None), kept
    else:
        return None
    changed = replace(request, tools=tools, tool_choice=made)
    return made if context.profile.accepts("tool_choice.mode", made.mode, changed) else None
