"""Prompt caches: an expansion changes the tools once, turns without one change nothing, native deferral never does."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptwire import (
    Answer,
    Options,
    Request,
    Tool,
    ToolCall,
    anthropic_messages,
    assistant,
    openai_chat,
    openai_responses,
    tool_result,
    user,
)
from promptwire.results import Candidate
from promptwire.toolkits import CollapsingConfig, Session, Toolkit, Toolkits

MODELS = {openai_chat: "gpt-4o", openai_responses: "gpt-5.6", anthropic_messages: "claude-sonnet-4-5"}
PARAMETERS = {"type": "object", "properties": {}}
KITS = [
    Toolkit(name, name, [Tool(f"{name}_{n}", parameters=PARAMETERS) for n in range(4)], system_prompt=f"RULES {name}")
    for name in ("disk", "git", "mail")
]  # fmt: skip
# what the model calls in each model call; None: it answers, and the user speaks again
CALLS = ("git", "git_0", None, "git_1", "git_2", None, "git_3", None, "git_0")


def answer_of(*parts: Any) -> Answer:
    return Answer(candidates=(Candidate(message=assistant(*parts)),))


def prefixes(
    wire: Any, config: CollapsingConfig, names: tuple[str | None, ...]
) -> tuple[list[str], list[str]]:
    """The tools, and the instructions, of every model call, as the bytes that are sent."""
    request = Request(MODELS[wire], user("Hello"), instructions="You help.", options=Options(max_tokens=9))
    session = Session(Toolkits(KITS, config), request, wire=wire)
    tools, instructions = [], []
    for number, name in enumerate((*names, None)):
        body = wire.build(session.request, policies="lenient").body
        tools.append(json.dumps(body["tools"]))
        instructions.append(
            json.dumps(body.get("system", body.get("instructions", body.get("messages", [0])[0])))
        )
        if name is None:
            session = session.after(answer_of("Done.")).turn(user("And now?"))
        else:
            answer = answer_of(ToolCall(f"c{number}", name))
            session = session.after(answer, *[tool_result(call, "done") for call in session.calls(answer)])
    return tools, instructions


def changes(texts: list[str]) -> list[int]:
    """The numbers of the model calls that sent something else than the one before."""
    return [number for number in range(1, len(texts)) if texts[number] != texts[number - 1]]


@pytest.mark.parametrize("order", ["in_place", "grouped_sorted"])
@pytest.mark.parametrize("wire", MODELS)
def test_an_expansion_changes_the_tools_once(wire: Any, order: str) -> None:
    config = CollapsingConfig(deferral="containers", prompt_lifetime="session", expanded_tool_order=order)
    tools, instructions = prefixes(wire, config, CALLS)
    assert changes(tools) == [1]
    assert changes(instructions) == [1]


@pytest.mark.parametrize("wire", MODELS)
def test_a_prompt_of_one_turn_changes_the_instructions_when_that_ends(wire: Any) -> None:
    tools, instructions = prefixes(wire, CollapsingConfig(deferral="containers"), CALLS)
    assert changes(tools) == [1]
    assert changes(instructions) == [1, 3]
    assert instructions[3] == instructions[0]


@pytest.mark.parametrize("wire", [openai_responses, anthropic_messages])
def test_native_deferral_never_changes_the_tools(wire: Any) -> None:
    names = tuple("git_1" if name == "git" else name for name in CALLS)
    tools, instructions = prefixes(wire, CollapsingConfig(prompt_lifetime="session"), names)
    assert changes(tools) == []
    # the rules stand in the descriptions of deferred functions
    assert changes(instructions) == []
    assert tools[0].count("defer_loading") == 12
    assert tools[0].count("RULES git") == 4


@pytest.mark.parametrize("wire", [openai_responses, anthropic_messages])
def test_instructions_that_come_with_use_change_once(wire: Any) -> None:
    names = tuple("git_1" if name == "git" else name for name in CALLS)
    config = CollapsingConfig(prompt_lifetime="session", native_instructions="use")
    tools, instructions = prefixes(wire, config, names)
    assert changes(tools) == []
    assert changes(instructions) == [1]


def test_two_sessions_send_the_same_bytes() -> None:
    config = CollapsingConfig(deferral="containers")
    assert prefixes(openai_chat, config, CALLS) == prefixes(openai_chat, config, CALLS)
