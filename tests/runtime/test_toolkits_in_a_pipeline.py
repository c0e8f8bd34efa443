"""A pipeline with toolkits: `prepare` begins a message turn, `after` goes on, and what stands in a request is bare again."""

from __future__ import annotations

import asyncio
import copy
import json
from dataclasses import replace
from typing import Any

import pytest

import promptwire
from promptwire import (
    Answer,
    Instruction,
    Request,
    Tool,
    ToolCall,
    anthropic_messages,
    assistant,
    dump_request,
    load_request,
    openai_responses,
    tool_result,
    user,
)
from promptwire.context import Pipeline, Prepared
from promptwire.errors import AnswerError
from promptwire.results import Candidate
from promptwire.toolkits import CollapsingConfig, Toolkit, Toolkits, ToolkitState
from tests.notes import changes

FILES = Toolkit("Files", "Files", [Tool("open"), Tool("close")], system_prompt="FILE RULES")
GIT = Toolkit("Git", "Versions", [Tool("commit")], system_prompt="GIT RULES")
AGENT = Pipeline(
    base="You help.", toolkits=[FILES, GIT], filters=[], static_memory="Two spaces.", scope=lambda _: None
)


def answer_of(*parts: Any) -> Answer:
    return Answer(candidates=(Candidate(message=assistant(*parts)),))


def names(prepared: Prepared) -> list[Any]:
    return [getattr(tool, "name", None) or getattr(tool, "type", "") for tool in prepared.request.tools or ()]


def test_one_message_turn_after_the_other() -> None:
    prepared = AGENT.prepare(Request("m", user("Read the file.")))
    assert names(prepared) == ["Files", "Git"]
    assert prepared.report.stages == ("instructions", "filter static_memory", "toolkits", "scope")
    assert changes(prepared.report.notes) == ["replaced tools"]
    memory = "\n\n<static_memory>\nTwo spaces.\n</static_memory>"
    assert prepared.request.instructions == f"You help.{memory}"
    prepared = AGENT.after(prepared, answer_of(ToolCall("c1", "Files")))
    assert names(prepared) == ["open", "close", "Git"]
    assert prepared.request.instructions == f"You help.{memory}\n\nFILE RULES"
    assert prepared.unscoped.instructions == f"You help.{memory}"
    with pytest.raises(AnswerError, match=r"the answer calls open \(c2\), and no result is given"):
        AGENT.after(prepared, answer_of(ToolCall("c2", "open")))
    prepared = AGENT.after(prepared, answer_of(ToolCall("c2", "open")), tool_result("c2", "text"))
    prepared = AGENT.after(prepared, answer_of("It says text."))
    assert prepared.session is not None
    # the conversation and the state are all that is kept
    state = ToolkitState.of_json(prepared.session.state.to_json())
    following = AGENT.prepare(
        Request("m", (*prepared.unscoped.messages, user("And now?"))), toolkit_state=state
    )
    assert names(following) == ["open", "close", "Git"]
    assert following.request.instructions == f"You help.{memory}"


@pytest.mark.parametrize("wire", [None, openai_responses, anthropic_messages])
@pytest.mark.parametrize("native", [True, False])
def test_a_prepared_request_may_be_prepared_again(wire: Any, native: bool) -> None:
    """Tools of toolkits and what they said are not taken for the request's own."""
    model = "claude-sonnet-4-5" if wire is anthropic_messages else "gpt-5.6"
    agent = Pipeline(base="You help.", toolkits=Toolkits([FILES, GIT]), native=native)
    own = Request(model, user("Hello"), instructions="Be brief.", tools=[Tool("clock")])
    prepared = agent.prepare(own, wire=wire)
    prepared = agent.after(prepared, answer_of(ToolCall("c1", "Files" if wire is None else "open")), *(
        () if wire is None else (tool_result("c1", "text"),)
    ))  # fmt: skip
    assert prepared.session is not None
    again = agent.prepare(prepared.request, toolkit_state=prepared.session.state, wire=wire)
    assert names(again) == names(prepared)
    told = str(dump_request(replace(prepared.request, tools=None)))
    assert ("FILE RULES" in told) == (wire is None)
    assert "FILE RULES" in str(dump_request(prepared.request))
    assert "FILE RULES" not in str(dump_request(replace(again.request, tools=None)))
    assert dump_request(again.unscoped) == dump_request(prepared.unscoped)


def test_a_scope_sees_what_shows() -> None:
    seen: list[list[str]] = []

    def scope(request: Request) -> list[Any]:
        seen.append([getattr(tool, "name", "") for tool in request.tools or ()])
        return [tool for tool in request.tools or () if getattr(tool, "name", "") != "Git"]

    agent = Pipeline(toolkits=[FILES, GIT], scope=scope)
    prepared = agent.after(agent.prepare(Request("m", user("Hello"))), answer_of(ToolCall("c", "Files")))
    assert seen == [["Files", "Git"], ["open", "close", "Git"]]
    assert names(prepared) == ["open", "close"]
    assert names(agent.next_call(prepared, user("And?"))) == ["open", "close"]


def test_without_toolkits_it_is_request_after() -> None:
    agent = Pipeline(base="You help.")
    prepared = agent.prepare(Request("m", user("Hello"), tools=[Tool("clock")]))
    answer = answer_of(ToolCall("c", "clock"))
    assert agent.after(prepared, answer, tool_result("c", "12")).request == prepared.request.after(
        answer, tool_result("c", "12")
    )
    assert agent.after(prepared, answer, tool_result("c", "12")).session is None


def test_what_must_be_awaited_is() -> None:
    async def rules() -> str:
        await asyncio.sleep(0)
        return "LATE RULES"

    agent = Pipeline(
        base="You help.", toolkits=[Toolkit("Files", rules, [Tool("open")], system_prompt=rules)]
    )

    async def talk() -> Prepared:
        prepared = await agent.prepare_async(Request("m", user("Hello")))
        return await agent.after_async(prepared, answer_of(ToolCall("c", "Files")))

    prepared = asyncio.run(talk())
    assert prepared.request.instructions == "You help.\n\nLATE RULES"
    assert prepared.session is not None
    assert prepared.session.state.descriptions == {"Files": "LATE RULES"}


# APIs with tools that have one place for instructions; OpenAI Responses has a field and messages of the system
ONE_PLACE = (
    "openai_chat",
    "aptix_responses",
    "cloudflare_run",
    "cohere_chat",
    "compatible_chat",
    "dashscope_generation",
    "deepseek_chat",
    "groq_chat",
    "mistral_chat",
    "mistral_conversations",
    "ollama_chat",
    "onnx_genai",
    "openrouter_chat",
    "watsonx_chat",
    "anthropic_messages",
    "bedrock_converse",
    "gemini_generate",
)
TWO_PLACES = ("openai_responses", "xai_responses", "cohere_v1")
DEVELOPER = Instruction("Be brief.", role="developer")
LAYERS: dict[str, tuple[Any, Any]] = {
    "text": ("You help.", None),
    "two texts": ("You help.", "Today is Monday."),
    "developer": ("You help.", DEVELOPER),
    "developer first": (DEVELOPER, "You help."),
    "developer alone": (DEVELOPER, None),
    "developer between": (["You help.", DEVELOPER], "Today is Monday."),
    "developers": (["You help.", DEVELOPER], ["Go on.", Instruction("In French.", role="developer")]),
}


def bodies_of_both_paths(name: str, layers: str) -> list[tuple[Any, Any]]:
    """Return what an API is sent while a container is active and when it was not yet called, by each path.

    The request is prepared once and again, also after it was stored, and is built also after it was written to a file.
    """
    module: Any = promptwire.wire(name)
    kit = Toolkit("Disk", "Files", [Tool("look")], system_prompt="Never twice.")
    config = CollapsingConfig(deferral="containers", prompt_lifetime="session")
    base, own = LAYERS[layers]
    bodies: list[tuple[Any, Any]] = []
    for native in (True, False):
        agent = Pipeline(base=base, native=native, toolkits=Toolkits([kit], config))
        prepared = agent.prepare(Request("m", user("Hi"), instructions=own), wire=module)
        assert prepared.session
        session = prepared.session.expand("Disk")
        # prepared again, also where it was stored in between
        for request in (session.request, copy.deepcopy(session.request)):
            again = agent.prepare(request, wire=module, toolkit_state=session.state).request
            for sent in (again, load_request(dump_request(again))):
                built = [
                    module.build(each, policies="lenient").body
                    for each in (load_request(dump_request(prepared.request)), sent)
                ]
                bodies.append((built[0], built[1]))
    return bodies


@pytest.mark.parametrize("layers", LAYERS)
@pytest.mark.parametrize("name", ONE_PLACE)
def test_both_paths_of_instructions_give_one_body_while_a_container_is_active(name: str, layers: str) -> None:
    bodies = bodies_of_both_paths(name, layers)
    assert bodies == [bodies[0]] * 8
    assert json.dumps(bodies[0]).count("Never twice.") == 1


@pytest.mark.parametrize("layers", LAYERS)
@pytest.mark.parametrize("name", TWO_PLACES)
def test_each_path_gives_one_body_where_an_api_has_two_places(name: str, layers: str) -> None:
    bodies = bodies_of_both_paths(name, layers)
    assert bodies == [bodies[0]] * 4 + [bodies[4]] * 4
    assert [json.dumps(body).count("Never twice.") for body in (bodies[0], bodies[4])] == [1, 1]
