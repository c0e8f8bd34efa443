"""Toolkits: every case of `toolkits/*.yaml`, compared whole.

A case begins a session and goes on by its `events`; each key of `expect` says something of the session after all of
them, or, where it begins with `each_`, after the start and after every event. Each case runs twice: with functions
that answer at once, and with functions that must be awaited; the state goes through JSON after every event. README.md in
that folder is the table of requirements and cases; `UPDATE_GOLDEN=1` writes it anew.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any

import pytest

from promptwire import (
    Answer,
    Message,
    PromptwireError,
    Request,
    Tool,
    ToolCall,
    ToolResult,
    assistant,
    dump_request,
    load_request,
    tool_result,
    user,
)
from promptwire.results import Candidate
from promptwire.toolkits import CollapsingConfig, Member, Session, Toolkit, Toolkits, ToolkitState
from tests.cases.requirements import CaseFolder
from tests.internals.runtime import container_description

# what tests of this file and of tests/runtime show without a case: number -> test
ELSEWHERE = {
    "S1-14": ("tests/cases/test_toolkits.py: the defaults are the documented ones",),
    "S1-20": ("tests/runtime/test_toolkits.py: texts are asked for at expansion and not before",),
    "S1-26": ("tests/runtime/test_toolkits.py: lints",),
}
FOLDER = CaseFolder(
    "toolkits",
    ("descriptions", "tools", "prompts", "results", "skills", "servers", "deferral", "mistakes"),
    "Toolkits",
    ELSEWHERE,
)
CASES = FOLDER.cases
CASE_KEYS = {"case", "shows", "config", "toolkits", "request", "wire", "events", "describe", "expect"}


class Run:
    """One case, run in one of the two ways."""

    def __init__(self, case: Mapping[str, Any], *, waiting: bool) -> None:
        self.case = case
        self.waiting = waiting
        self.results: list[list[str]] = []

    # ---- what the case has

    def toolkits(self) -> Toolkits:
        kits = [self.toolkit(words) for words in self.case["toolkits"]]
        return Toolkits(kits, CollapsingConfig(**self.case.get("config", {})))

    def toolkit(self, words: Mapping[str, Any]) -> Toolkit:
        given = dict(words)
        for text in ("description", "function_result", "system_prompt"):
            if isinstance(given.get(text), dict):
                given[text] = self.function(given[text])
        given["tools"] = [self.tool(item) for item in given.get("tools", ())]
        return Toolkit(**given)

    def tool(self, item: Any) -> Any:
        if isinstance(item, str):
            return Tool(item)
        if "tool" in item:
            tools: Any = load_request({"tools": [item["tool"]]}).tools
            return Member(tools[0], **{name: value for name, value in item.items() if name != "tool"})
        return self.toolkit(item)

    def function(self, words: Mapping[str, Any]) -> Callable[[], Any]:
        calls = iter(words.get("each", ()))

        def give() -> Any:
            if "fails" in words:
                raise ValueError(words["fails"])
            return next(calls) if "each" in words else words["gives"]

        async def awaited() -> Any:
            await asyncio.sleep(0)
            return give()

        return awaited if self.waiting else give

    # ---- what happens

    def sessions(self) -> list[Session]:
        """The session at the start, and after each event."""
        request = load_request(self.case.get("request", {"model": "m", "messages": [{"user": "Hello"}]}))
        name = self.case.get("wire")
        wire = import_module(f"promptwire.{name}") if name else None
        kits = self.toolkits()
        begin: Any = Session.begin_async if self.waiting else Session
        sessions = [self.done(begin(kits, request, ToolkitState(), wire))]
        for event in self.case.get("events", ()):
            (kind, words), *rest = event.items()
            assert not rest
            session = getattr(self, f"do_{kind}")(sessions[-1], words)
            # nothing but the conversation and this JSON need be kept between two requests
            state = ToolkitState.of_json(json.loads(json.dumps(session.state.to_json())))
            sessions.append(Session(session.toolkits, session.bare, state, session.wire))
        return sessions

    def done(self, value: Any) -> Any:
        return asyncio.run(value) if self.waiting else value

    def do_calls(self, session: Session, names: list[str]) -> Session:
        """The model calls functions; the caller runs those that are its own, which say "done"."""
        start = len(session.bare.messages)
        calls = [ToolCall(f"c{start}_{number}", name) for number, name in enumerate(names)]
        answer = Answer(candidates=(Candidate(message=assistant(*calls), finish="tool_calls"),))
        results = [tool_result(call, "done") for call in session.calls(answer)]
        after = session.after_async if self.waiting else session.after
        following: Session = self.done(after(answer, *results))
        self.results.append([text_of(message) for message in following.bare.messages[start + 1 :]])
        return following

    def do_says(self, session: Session, text: str) -> Session:
        return session.after(Answer(candidates=(Candidate(message=assistant(text), finish="stop"),)))

    def do_turn(self, session: Session, text: str) -> Session:
        return session.turn(user(text))

    def do_expand(self, session: Session, names: list[str]) -> Session:
        expanded: Session = self.done((session.expand_async if self.waiting else session.expand)(*names))
        return expanded

    def do_collapse(self, session: Session, names: list[str]) -> Session:
        return session.collapse(*names)

    def do_moves(self, session: Session, words: Mapping[str, Any]) -> Session:
        return session.on(import_module(f"promptwire.{words['wire']}"), words.get("model"))

    def do_choose(self, session: Session, words: Mapping[str, Any]) -> Session:
        return session.changed(tool_choice=load_request({"tool_choice": words}).tool_choice)

    # ---- what comes of it

    def say(self, key: str, session: Session) -> Any:
        return getattr(self, f"say_{key}")(session)

    def say_tools(self, session: Session) -> Any:
        return names_of(session.request)

    def say_descriptions(self, session: Session) -> Any:
        return {tool.name: tool.description for tool in session.request.tools or () if isinstance(tool, Tool)}

    def say_instructions(self, session: Session) -> Any:
        return session.request.instructions

    def say_request(self, session: Session) -> Any:
        return dump_request(session.request)

    def say_messages(self, session: Session) -> Any:
        return dump_request(Request(None, session.request.messages))["messages"]

    def say_state(self, session: Session) -> Any:
        return {name: value for name, value in session.state.to_json().items() if value}

    def say_notes(self, session: Session) -> Any:
        return [str(note) for note in session.notes]

    def say_results(self, session: Session) -> Any:
        return self.results[-1]

    def say_body(self, session: Session) -> Any:
        built = import_module(f"promptwire.{self.case['wire']}").build(session.request)
        wanted = self.case["expect"]["body"]
        return {key: built.body[key] for key in wanted}

    def outcome(self, keys: list[str]) -> dict[str, Any]:
        if "describe" in self.case:
            words = dict(self.case["describe"])
            config = CollapsingConfig(**self.case.get("config", {}))
            return {"description": container_description(config=config, **words)}
        sessions = self.sessions()
        return {
            key: [self.say(key[5:], session) for session in sessions]
            if key.startswith("each_")
            else self.say(key, sessions[-1])
            for key in keys
        }


def names_of(request: Request) -> list[Any]:
    """The names of tools, a group as its name to those of its own."""
    names: list[Any] = []
    for tool in request.tools or ():
        inside = getattr(tool, "tools", None)
        name = getattr(tool, "name", None) or getattr(tool, "type", None)
        names.append(name if inside is None else {name: [inner.name for inner in inside]})
    return names


def text_of(message: Message) -> str:
    (part,) = message.parts
    assert isinstance(part, ToolResult)
    return "".join([getattr(piece, "text", "") for piece in part.parts])


@pytest.mark.parametrize("waiting", [False, True], ids=["at once", "awaited"])
@pytest.mark.parametrize("name", CASES)
def test_case(name: str, waiting: bool) -> None:
    case = CASES[name]
    assert set(case) <= CASE_KEYS
    expected = case["expect"]
    try:
        outcome = Run(case, waiting=waiting).outcome([key for key in expected if key != "error"])
    except PromptwireError as error:
        outcome = {"error": str(error)}
    for key in expected.keys() & {"request", "messages"}:
        whole = expected[key] if key == "request" else {"messages": expected[key]}
        request = dump_request(load_request(whole))
        expected = {**expected, key: request if key == "request" else request["messages"]}
    assert outcome == expected


def test_the_defaults_are_the_documented_ones() -> None:
    """S1-14."""
    config = CollapsingConfig()
    assert config.enabled is True
    assert config.collapse_frontend_tools is False
    assert config.max_function_names_in_description == 10
    assert config.persist_system_prompt_injections is False
    assert config.skill_instruction_mode == "both"
    assert config.mcp_server_instructions == {}
    assert config.frontend_tools_instructions is None
    assert config.lifetime == "message_turn"


def test_every_requirement_is_shown_and_the_table_is_current() -> None:
    FOLDER.check()
