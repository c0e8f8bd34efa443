"""A choice among tools needs tools: without any it is an error, and it is left out with the last tool."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import promptwire
from promptwire import CustomTool, Options, Request, Tool, ToolChoice, user
from promptwire.errors import NoPlace, Refused
from promptwire.parts import ToolGroup
from tests.laws.specimens import base
from tests.searching import TESTED_WIRES

NOTED = ("dropped", "tool_choice", "tool_choice", "none of the tools is sent")
REQUEST = Request("m", [user("hi")], options=Options(max_tokens=8))
# wires that have tools, and no free-text tools
WIRES = [
    wire
    for wire in TESTED_WIRES
    if (kinds := getattr(promptwire, wire).WIRE.capabilities["tools"]["kinds"]) and "custom" not in kinds
]


@pytest.mark.parametrize("wire", WIRES)
def test_it_goes_with_the_tools(wire: str) -> None:
    build, plain = getattr(promptwire, wire).build, base(wire)
    given = replace(plain, tools=(CustomTool("note"),), tool_choice=ToolChoice("required", parallel=False))
    with pytest.raises((NoPlace, Refused)):
        build(given)
    built = build(given, policies="loss=note,refusals=send,repairs=off")
    assert built.body == build(plain).body
    noted = [(note.action, note.path, note.field, note.why) for note in built.notes]
    assert noted.count(NOTED) == 1
    assert [row for row in noted if row[1] == "tool_choice" and row != NOTED] == []


def test_it_stays_with_a_tool_that_is_sent() -> None:
    given = replace(
        REQUEST,
        tools=(CustomTool("note"), Tool("f", parameters={"type": "object"})),
        tool_choice=ToolChoice("required"),
    )
    body: Any = promptwire.bedrock_converse.build(given, policies="loss=note,refusals=send,repairs=off").body
    assert [tool["toolSpec"]["name"] for tool in body["toolConfig"]["tools"]] == ["f"]
    assert body["toolConfig"]["toolChoice"] == {"any": {}}


def test_nothing_is_noted_without_a_choice() -> None:
    given = replace(REQUEST, tools=(CustomTool("note"),))
    built = promptwire.anthropic_messages.build(given, policies="loss=note,refusals=send,repairs=off")
    assert [note.path for note in built.notes] == ["tools[0]"]


def test_an_empty_group_is_not_all_tools() -> None:
    tools = (ToolGroup("g", "a group", ()), Tool("f", parameters={"type": "object"}))
    given = replace(REQUEST, tools=tools, tool_choice=ToolChoice("named", "f"))
    built = promptwire.openai_responses.build(given)
    assert built.body["tool_choice"] == {"type": "function", "name": "f"}
    assert built.notes == ()


# APIs with tools that a request does not list: those of an agent, or of the answer before
TOOLS_ELSEWHERE = {"aptix_responses", "mistral_agents"}
# recorded with status 200
ACCEPTED = {("cohere_chat", "none"), ("xai_chat", None)}


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_a_choice_without_tools_is_an_error(wire: str) -> None:
    api = getattr(promptwire, wire)
    known = api.WIRE.capabilities["tools"]
    for choice in (
        ToolChoice("none"),
        ToolChoice("required"),
        ToolChoice("named", "f"),
        ToolChoice(parallel=False),
    ):
        request = replace(base(wire), tool_choice=choice)
        placed = known["parallel"] if choice.parallel is not None else choice.mode in known["choice"]
        if placed and (wire in TOOLS_ELSEWHERE or (wire, choice.mode) in ACCEPTED):
            assert api.build(request).body.keys() & {"tool_choice", "parallel_tool_calls"}
        else:
            with pytest.raises(Refused if placed else (NoPlace, Refused)) as refused:
                api.build(request)
            assert refused.value.field.startswith("tool_choice") or not placed


def test_tools_of_an_agent_or_of_a_stored_prompt_are_chosen_among() -> None:
    agent = replace(REQUEST, vendor={"mistral_conversations": {"agent_id": "ag_1"}})
    agent = replace(agent, model=None, tool_choice=ToolChoice("required"))
    body: Any = promptwire.mistral_conversations.build(agent).body
    assert body["completion_args"]["tool_choice"] == "any"
    stored = replace(REQUEST, vendor={"openai_responses": {"prompt": {"id": "pmpt_1"}}})
    stored = replace(stored, options=Options(), tool_choice=ToolChoice("required", parallel=False))
    body = promptwire.openai_responses.build(stored).body
    assert (body["tool_choice"], body["parallel_tool_calls"]) == ("required", False)


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_portable_drops_it_with_a_note(wire: str) -> None:
    api = getattr(promptwire, wire)
    built = api.build(replace(base(wire), tool_choice=ToolChoice("required")), policies="portable")
    if wire in TOOLS_ELSEWHERE - {"aptix_responses"}:
        assert (built.body["tool_choice"], built.notes) == ("any", ())
    else:
        assert built.body == api.build(base(wire)).body
        assert [(note.action, note.field) for note in built.notes] == [("dropped", "tool_choice")]
    with pytest.raises((NoPlace, Refused)):
        promptwire.openai_chat.build(
            replace(REQUEST, tool_choice=ToolChoice("required")), policies="portable, tool_choice=off"
        )
