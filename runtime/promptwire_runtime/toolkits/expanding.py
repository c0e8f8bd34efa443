"""What a toolkit says when it is expanded, and the state that comes of it."""

from __future__ import annotations

from typing import Any

from ..errors import ContextError
from ..nodes.records import replace
from ..steps import Step, Steps
from .catalogue import Path, Toolkits
from .state import ToolkitState
from .toolkit import FRONTEND, MCP, SKILL, Toolkit

_BREAK = "\n\n"


def description_steps(catalogue: Toolkits, state: ToolkitState) -> Steps[ToolkitState]:
    """Ask for the descriptions that functions give, each once in a conversation."""
    descriptions = dict(state.descriptions)
    for name, toolkit in catalogue.kits.items():
        if callable(toolkit.description) and name not in descriptions:
            descriptions[name] = (yield from _ask(toolkit, "description")) or ""
    if len(descriptions) == len(state.descriptions):
        return state
    return replace(state, descriptions=descriptions)


def expand_steps(catalogue: Toolkits, state: ToolkitState, path: Path) -> Steps[tuple[ToolkitState, str]]:
    """Expand a toolkit and those that it stands in; give what that says, or that nothing is new."""
    texts: list[str] = []
    for name in path:
        toolkit = catalogue.kits[name]
        # only the last is asked for by name: one around it may have no container
        if name not in state.expanded and (catalogue.has_container(toolkit) or name == path[-1]):
            result, prompt = yield from _texts(catalogue, toolkit)
            state = state.opened(name).said(name, prompt)
            texts.append(result or f"{name} is expanded. {_listed(toolkit)}")
    last = catalogue.kits[path[-1]]
    return state, _BREAK.join(texts) or f"{last.name} is expanded already. {_listed(last)}"


def use_steps(
    catalogue: Toolkits, state: ToolkitState, path: Path, *, contained: bool
) -> Steps[ToolkitState]:
    """Take note that a function that shows was called: where no container brought its words, the first call does.

    `contained` tells whether containers are in use; where they are not, what a container would answer stands in the
    instructions, since no call asks for it.
    """
    for name in path:
        toolkit = catalogue.kits[name]
        if name in state.prompts:
            if catalogue.config.activation == "use":
                state = state.said(name, state.prompts[name])
            continue
        if contained and name in state.expanded:
            continue
        result, prompt = yield from _texts(catalogue, toolkit)
        state = state.said(
            name, _BREAK.join(filter(None, (result, prompt))) if toolkit.kind != SKILL else prompt
        )
        state = state if contained else state.opened(name)
    return state


def _texts(catalogue: Toolkits, toolkit: Toolkit) -> Steps[tuple[str, str]]:
    """Give what the call of a container answers, and what the instructions say from then on."""
    config = catalogue.config
    result = (yield from _ask(toolkit, "function_result")) or ""
    prompt = (yield from _ask(toolkit, "system_prompt")) or ""
    if toolkit.kind == SKILL:
        told = prompt and config.skill_instruction_mode == "both"
        head = f"Skill activated. Instructions: {prompt}" if told else "Skill activated."
        return _joined(head, result), prompt and f"[Skill: {toolkit.name}] {prompt}"
    if toolkit.kind == FRONTEND:
        return result, _joined(prompt, config.frontend_tools_instructions or "")
    if toolkit.kind == MCP:
        prompt = _joined(prompt, config.mcp_server_instructions.get(toolkit.name, ""))
        if config.mcp_instruction_target == "result":
            return _joined(result, prompt), ""
    return result, prompt


def _ask(toolkit: Toolkit, field: str) -> Steps[str | None]:
    """Give a text of a toolkit: as it stands, or from the function that gives it."""
    words: Any = getattr(toolkit, field)
    if not callable(words):
        text: str | None = words
        return text
    where = f"toolkit {toolkit.name}, {field}"
    answer = yield Step(where, words, ())
    if answer is not None and not isinstance(answer, str):
        raise ContextError(f"gave {type(answer).__name__}, not text", where=where)
    return answer


def _listed(toolkit: Toolkit) -> str:
    return f"Its functions: {', '.join(toolkit.names)}." if toolkit.names else "It has no functions."


def _joined(*texts: str) -> str:
    return _BREAK.join(filter(None, texts))
