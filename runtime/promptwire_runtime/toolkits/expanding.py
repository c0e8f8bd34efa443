"""Expansion of toolkits: the texts that it activates, and the state after it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any, NamedTuple

from ..constructors import tool_result
from ..errors import AnswerError, ContextError
from ..model.request import Message
from ..nodes.records import replace
from ..steps import CallbackStep, Steps
from .catalogue import Path, Toolkits
from .config import NATIVE, START, USE, CollapsingConfig
from .kits import FRONTEND, MCP, SKILL, Toolkit, ToolkitState, cleaned
from .showing import DeferralMode


class Answering(NamedTuple):
    """The state so far, and the number of a call to the message that answers it.

    contained  whether containers are in use
    """

    catalogue: Toolkits
    state: ToolkitState
    results: Mapping[int, Message]
    contained: bool

    def used(self, name: str) -> Steps[Answering]:
        """Record the call of a visible function of a toolkit."""
        placed = self.catalogue.members.get(name)
        if placed is None:
            return self
        state = yield from use_steps(self.catalogue, self.state, placed.path, contained=self.contained)
        return self._replace(state=state)

    def answered(self, number: int, call: Any, shown: Collection[str]) -> Steps[Answering]:
        """Answer a call that is not the caller's: of a toolkit, of a function that does not show, or of none."""
        name, placed = call.name, self.catalogue.members.get(call.name)
        if name not in self.catalogue.kits and placed is None:
            known = ", ".join(sorted(shown)) or "none"
            return self._with(
                number, tool_result(call, f"There is no function {name}. There are: {known}."), self.state
            )
        path = self.catalogue.paths[name] if placed is None else placed.path
        state, text = yield from expand_steps(self.catalogue, self.state, path)
        if placed is not None:
            text = f"{text}\n\n{name} was not shown until now: call it again."
            if call.id is not None and self.catalogue.config.function_result_lifetime == "ephemeral":
                state = replace(state, answered=(*state.answered, call.id))
        return self._with(number, tool_result(call, text), state)

    def _with(self, number: int, message: Message, state: ToolkitState) -> Answering:
        return self._replace(state=state, results={**self.results, number: message})


def in_order(calls: Sequence[Any], own: Mapping[int, Message], given: Sequence[Message]) -> list[Message]:
    """Order the results by their calls, then append the caller's other messages.

    Raises AnswerError where the caller gives a result for a call that is answered here.
    """
    left, messages = list(given), list[Message]()
    for number, call in enumerate(calls):
        place = next((place for place, message in enumerate(left) if _answers(message, call)), None)
        if number in own:
            if place is not None and call.id is not None:
                raise AnswerError(f"{call.name} is answered by the session: leave its result out")
            messages.append(own[number])
        elif place is not None:
            messages.append(left.pop(place))
    return [*messages, *left]


def _answers(message: Message, call: Any) -> bool:
    results = [part for part in message.parts if hasattr(part, "call_id")]
    return any(getattr(part, "call_id", None) == call.id for part in results)


_BREAK = "\n\n"


def opening_steps(catalogue: Toolkits, state: ToolkitState, mode: DeferralMode) -> Steps[ToolkitState]:
    """Ask for the texts that the first model call needs, each once per conversation."""
    descriptions, rules = dict(state.descriptions), dict(state.rules)
    config = catalogue.config
    told = mode.word == NATIVE and config.native_instructions != USE
    for name, toolkit in catalogue.kits.items():
        if callable(toolkit.description) and name not in descriptions:
            descriptions[name] = (yield from _ask(toolkit, "description")) or ""
        if told and name not in rules and catalogue.defers(toolkit):
            rules[name] = yield from _prompt(catalogue, toolkit)
    if (descriptions, rules) != (state.descriptions, state.rules):
        state = replace(state, descriptions=descriptions, rules=rules)
    for name, toolkit in catalogue.kits.items():
        if config.server_activation == START and is_server(toolkit) and name not in state.active:
            prompt = state.prompts.get(name)
            state = state.said(name, (yield from _prompt(catalogue, toolkit)) if prompt is None else prompt)
    return state


def is_server(toolkit: Toolkit) -> bool:
    """Return whether `server_activation` decides when the texts of a toolkit are sent."""
    return toolkit.kind in (MCP, FRONTEND)


def expand_steps(catalogue: Toolkits, state: ToolkitState, path: Path) -> Steps[tuple[ToolkitState, str]]:
    """Expand a toolkit and the toolkits around it; return the new state and the result of the call."""
    texts: list[str] = []
    for name in path:
        toolkit = catalogue.kits[name]
        # only the last is asked for by name: one around it may have no container
        if name not in state.expanded and (catalogue.has_container(toolkit) or name == path[-1]):
            result, prompt = yield from _texts(catalogue, toolkit)
            state = state.opened(name)
            if not (is_server(toolkit) and catalogue.config.server_activation == USE):
                state = state.said(name, prompt)
            texts.append(result or f"{name} is expanded. {_list_functions(toolkit)}")
    last = catalogue.kits[path[-1]]
    return state, _BREAK.join(texts) or f"{last.name} is expanded already. {_list_functions(last)}"


def use_steps(
    catalogue: Toolkits, state: ToolkitState, path: Path, *, contained: bool
) -> Steps[ToolkitState]:
    """Record the call of a visible function: it activates the texts of its toolkits if no container did.

    `contained` tells whether containers are in use; where they are not, what a container would answer stands in the
    instructions, since no call asks for it.
    """
    for name in path:
        toolkit = catalogue.kits[name]
        on_use = _counts_on_use(catalogue.config, toolkit)
        if name in state.prompts:
            state = state.said(name, state.prompts[name]) if on_use else state
        elif contained and name in state.expanded:
            if on_use and is_server(toolkit) and not _stands_in_result(catalogue.config, toolkit):
                state = state.said(name, (yield from _prompt(catalogue, toolkit)))
        else:
            result = "" if toolkit.kind == SKILL else (yield from _ask(toolkit, "function_result"))
            prompt = "" if name in state.rules and not contained else (yield from _prompt(catalogue, toolkit))
            state = state.said(name, _join_texts(result or "", prompt))
            state = state if contained else state.opened(name)
    return state


def _counts_on_use(config: CollapsingConfig, toolkit: Toolkit) -> bool:
    return config.activation == USE or (is_server(toolkit) and config.server_activation == USE)


def _texts(catalogue: Toolkits, toolkit: Toolkit) -> Steps[tuple[str, str]]:
    """Return the result of calling a container, and its system prompt."""
    config = catalogue.config
    result = (yield from _ask(toolkit, "function_result")) or ""
    prompt = yield from _prompt(catalogue, toolkit)
    if toolkit.kind == SKILL:
        words = prompt.removeprefix(f"[Skill: {toolkit.name}] ")
        head = (
            f"Skill activated. Instructions: {words}"
            if words and config.skill_instruction_mode == "both"
            else ""
        )
        return _join_texts(head or "Skill activated.", result), prompt
    return (_join_texts(result, prompt), "") if _stands_in_result(config, toolkit) else (result, prompt)


def _stands_in_result(config: CollapsingConfig, toolkit: Toolkit) -> bool:
    return toolkit.kind == MCP and config.mcp_instruction_target == "result"


def _prompt(catalogue: Toolkits, toolkit: Toolkit) -> Steps[str]:
    """Return the text of the instructions while a toolkit is in use."""
    config = catalogue.config
    prompt = (yield from _ask(toolkit, "system_prompt")) or ""
    if toolkit.kind == SKILL:
        return prompt and f"[Skill: {toolkit.name}] {prompt}"
    if toolkit.kind == FRONTEND:
        return _join_texts(prompt, cleaned(config.frontend_tools_instructions or ""))
    if toolkit.kind == MCP:
        return _join_texts(prompt, cleaned(config.mcp_server_instructions.get(toolkit.name, "")))
    return prompt


def _ask(toolkit: Toolkit, field: str) -> Steps[str | None]:
    """Return a text of a toolkit, or the result of the function that was given for it."""
    words: Any = getattr(toolkit, field)
    if not callable(words):
        text: str | None = words
        return text
    where = f"toolkit {toolkit.name}, {field}"
    answer = yield CallbackStep(where, words, ())
    if answer is not None and not isinstance(answer, str):
        raise ContextError(f"gave {type(answer).__name__}, not text", where=where)
    return answer and cleaned(answer)


def _list_functions(toolkit: Toolkit) -> str:
    return f"Its functions: {', '.join(toolkit.names)}." if toolkit.names else "It has no functions."


def _join_texts(*texts: str) -> str:
    return _BREAK.join(filter(None, texts))
