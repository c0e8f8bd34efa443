"""The composition of one call: system texts, the user's texts, tools and results become a neutral request."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from ..errors import InvalidRequest
from ..loading.problems import quoted
from ..model.options import Continuation, Instruction, Options, ToolChoice
from ..model.parts import Text
from ..model.request import Message, Request
from ..model.tools import AnyTool
from ..nodes.checks import CheckedRecord, check_field
from ..reporting.notes import Note
from .tools import (
    ExecutionPolicies,
    execution_policies_of,
    fenced,
    name_of,
    native_results,
    read_tools,
    text_block,
)


@dataclass(frozen=True, eq=False, repr=False)
class ConversationContext(CheckedRecord):
    """The settings of a whole conversation.

    model_name   the model, in the API's own words
    system       the base system prompt; empty or None where there is none
    temperature  how much chance decides; None leaves it to the API
    """

    model_name: str
    system: str | None = ""
    temperature: float | None = None


@dataclass(frozen=True, eq=False, repr=False)
class AgentExecuteRequest(CheckedRecord):
    """The input of one call; None means absent.

    mode                      the agent's mode, such as `QA` or `CODE_EDIT`
    instruction               what the user wants
    response_continuation_id  the id of the answer that this call continues
    tools_json                a JSON array of tools
    tool_choice_name          the tool that must be called
    tool_results_json         a JSON array of the results of tools: objects with `CallId`, `Name`, `ArgumentsJson` and
                              `ResultJson` (text, or any JSON), `IsServerTool` and `WasExecuted` (true or false), and
                              `ErrorMessage`, each of which may be missing or null; neither case nor underscores count
    system_prompt             further instructions for this call alone
    """

    mode: str | None
    instruction: str
    response_continuation_id: str | None = None
    tools_json: str | None = None
    tool_choice_name: str | None = None
    tool_results_json: str | None = None
    system_prompt: str | None = None


_PLACE = re.compile(r"\{(mode|instruction)\}")
_USAGE = "tool_usage_metadata_block"
# names of system texts -> where they come from, in the words of layers
_SOURCES = {"system": "base", "system_prompt": "request", _USAGE: "dynamic"}
_HELD = "it is left to the server, which holds what the continued answer was given"


@dataclass(frozen=True, eq=False, repr=False)
class Composed(CheckedRecord):
    """One call as a request.

    request      what every builder takes
    notes        all that was left out, or that an API may refuse
    turn         the messages of this call as a history may keep them: without the system's, and without what was
                 retrieved for this call alone
    held_system  the system texts that the server was last sent, by this call or one before; None where none were
    held_tools   the tools, likewise
    """

    request: Request
    notes: tuple[Note, ...]
    turn: tuple[Message, ...]
    held_system: tuple[str, ...] | None
    held_tools: tuple[AnyTool, ...] | None

    def __post_init__(self) -> None:
        """Check the types of all fields."""
        super().__post_init__()
        for name in ("request", "notes", "turn", "held_system", "held_tools"):
            check_field(Composed, name, getattr(self, name))


def compose(  # noqa: PLR0913  # the inputs of the document, by their names
    context: ConversationContext,
    request: AgentExecuteRequest,
    *,
    rag_context_block: str | None = None,
    tool_usage_metadata_block: str | None = None,
    stream: bool | None = None,
    policies: ExecutionPolicies | str | Mapping[str, Any] = "openai",
    previous: Composed | None = None,
) -> Composed:
    """Build the neutral request of one call of an agent.

    Args:
        context: what holds for the conversation.
        request: what this call is to do.
        rag_context_block: text that was retrieved for this call.
        tool_usage_metadata_block: how the tools are used, a further system text.
        stream: whether the answer comes in pieces; None leaves it to the client.
        policies: choices, or the name of a preset.
        previous: what the call before this one was composed to; `if_changed` looks there, and without it sends.

    Raises:
        PolicyError: the preset does not exist.
        LoadError: tools or results cannot be read, under `on_error="raise"`.
        InvalidRequest: a value is of another type, or under `unknown_choice="error"` a tool is chosen that is not sent.
    """
    given = AgentCall(context, request, rag_context_block, tool_usage_metadata_block, previous)
    call = _Call(request, execution_policies_of(policies), previous)
    system = call.system(context.system, given.tool_usage_metadata_block)
    tools = call.tools()
    results, said = call.said()
    turn = (*results, Message("user", said))
    retrieved = call.retrieved(given.rag_context_block)
    composed = Request(
        context.model_name,
        (*call.system_message(system), *results, Message("user", (*said[:1], *retrieved, *said[1:]))),
        instructions=call.instructions(system),
        tools=tools,
        tool_choice=call.tool_choice(tools),
        options=Options(temperature=context.temperature),
        continuation=call.continuation,
        stream=stream,
    )
    return Composed(composed, tuple(call.notes), turn, call.held_system, call.held_tools)


@dataclass(frozen=True, eq=False, repr=False)
class AgentCall(CheckedRecord):
    """All inputs of one call, with their types checked."""

    context: ConversationContext
    request: AgentExecuteRequest
    rag_context_block: str | None
    tool_usage_metadata_block: str | None
    previous: Composed | None

    def __post_init__(self) -> None:
        """Check the types of all fields."""
        super().__post_init__()
        for name in ("context", "request", "previous"):
            check_field(AgentCall, name, getattr(self, name))


class _Call:
    """Composes one call and collects its notes."""

    def __init__(
        self, request: AgentExecuteRequest, policies: ExecutionPolicies, previous: Composed | None
    ) -> None:
        self.request = request
        self.policies = policies
        self.notes: list[Note] = []
        known = self.given("response_continuation_id", request.response_continuation_id)
        self.continuation = None if known is None else Continuation(id=known)
        # what starts anew continues nothing that a server holds
        held = None if known is None else previous
        self.held_system = None if held is None else held.held_system
        self.held_tools = None if held is None else held.held_tools

    def given(self, name: str, text: str | None) -> str | None:
        """Return a text, or None if it is absent or blank; blank text is noted."""
        if not text:
            return None
        blank_counts = name != "system_prompt" and self.policies.blank == "keep"
        if blank_counts or not text.isspace():
            return text
        self.omit(name, "it is blank")
        return None

    def omit(self, name: str, why: str) -> None:
        """Add a note for an input that is left out."""
        self.notes.append(Note("dropped", name, "", why))

    # ---- what a continuation may leave to the server

    def system(self, base: str | None, usage: str | None) -> dict[str, str]:
        """Return the system texts that are sent, by their names, in their order."""
        texts = {"system": base, "system_prompt": self.request.system_prompt, _USAGE: usage}
        kept = {"system"} if self.policies.empty_base_system == "keep" else set[str]()
        wanted = {
            name: text or ""
            for name, text in texts.items()
            if name in kept or self.given(name, text) is not None
        }
        words = tuple(wanted.values())
        if self._sends(self.policies.continuation_system, words == self.held_system):
            self.held_system = words
            return wanted
        for name in [name for name, text in wanted.items() if text]:
            self.omit(name, _HELD)
        return {}

    def tools(self) -> tuple[AnyTool, ...] | None:
        """Return the tools that are sent."""
        choice = self.policies.continuation_tools
        text = self.given("tools_json", self.request.tools_json)
        if text is None:
            return None
        # what a server holds in any case is not even read
        unread = choice == "omit" and self.continuation is not None
        tools = () if unread else read_tools(text, self.policies, self.notes)
        if self._sends(choice, tools == self.held_tools):
            self.held_tools = tools
            return tools or None
        self.omit("tools_json", _HELD)
        return None

    def _sends(self, choice: str, is_same: bool) -> bool:
        if self.continuation is None or choice in ("always", "resend"):
            return True
        return choice == "if_changed" and not is_same

    # ---- where it goes

    def system_message(self, texts: dict[str, str]) -> tuple[Message, ...]:
        """Return the message of the system texts, where they are one."""
        if not texts or self.policies.instructions_placement == "top_level":
            return ()
        return (Message("system", tuple([Text(text) for text in texts.values()])),)

    def instructions(self, texts: dict[str, str]) -> tuple[Instruction, ...] | None:
        """Return the system texts as layers, where each API places them."""
        if not texts or self.policies.instructions_placement == "system_item":
            return None
        return tuple([Instruction(text, source=_SOURCES[name]) for name, text in texts.items()])

    def tool_choice(self, tools: tuple[AnyTool, ...] | None) -> ToolChoice | None:
        """Return the choice of the named tool. A tool that is not sent is an error or a note, by policy."""
        name = self.given("tool_choice_name", self.request.tool_choice_name)
        if name is None:
            return None
        names = [other for tool in tools or () if (other := name_of(tool)) is not None]
        if name not in names:
            why = f"{quoted(name)} is not among the tools that are sent: {', '.join(map(quoted, names)) or 'none'}"
            if self.policies.unknown_choice == "error":
                raise InvalidRequest(why, field="tool_choice_name", path="tool_choice_name")
            self.notes.append(Note("refused", "tool_choice_name", "", f"{why}; an API may refuse it"))
        return ToolChoice("named", name)

    # ---- what the user says

    def said(self) -> tuple[tuple[Message, ...], tuple[Text, ...]]:
        """Return the message of native results, and the texts of the user: instruction, then results."""
        instruction = Text(self._wrapped())
        text = self.given("tool_results_json", self.request.tool_results_json)
        if text is None:
            return (), (instruction,)
        if self.policies.tool_results == "native":
            results = native_results(text, self.policies, self.notes)
            return ((Message("tool", results),) if results else ()), (instruction,)
        block = text_block(text, self.policies, self.notes)
        return (), (instruction, *([Text(block)] if block else []))

    def retrieved(self, text: str | None) -> tuple[Text, ...]:
        """Return what was retrieved, as it stands or between fences."""
        text = self.given("rag_context_block", text)
        if text is None:
            return ()
        return (Text(fenced(text, "retrieved") if self.policies.retrieved == "fenced" else text),)

    def _wrapped(self) -> str:
        wrapper, mode = self.policies.wrapper, self.request.mode
        if mode and "{mode}" not in wrapper:
            self.omit("mode", "the wrapper has no place for it")
        words = {"mode": mode or "", "instruction": self.request.instruction}
        return _PLACE.sub(lambda place: words[place[1]], wrapper)
