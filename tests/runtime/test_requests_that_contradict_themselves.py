"""Requests that say two things at once are errors on every API, with the way out; policies turn them into notes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import promptwire
from promptwire import (
    Continuation,
    Instruction,
    Options,
    PromptwireError,
    Request,
    Tool,
    anthropic_messages,
    cohere_chat,
    gemini_generate,
    mistral_chat,
    ollama_chat,
    openai_chat,
    openai_responses,
    user,
)
from tests.laws.specimens import base
from tests.searching import TESTED_WIRES

WIRES = {
    openai_chat: "gpt-4o",
    openai_responses: "gpt-4o",
    anthropic_messages: "claude-haiku-4-5",
    gemini_generate: "gemini-2.5-flash",
    cohere_chat: "command-r",
    mistral_chat: "mistral-large-latest",
    ollama_chat: "llama3",
}
each_wire = pytest.mark.parametrize(("wire", "model"), WIRES.items(), ids=lambda value: str(value)[-24:-15])
OPTIONS = Options(max_tokens=20)


def tool(name: str, says: str = "says") -> Tool:
    return Tool(name, says, {"type": "object", "properties": {}})


@each_wire
def test_tools_of_one_name_are_an_error(wire: Any, model: str) -> None:
    request = Request(model, user("Hi"), tools=[tool("f"), tool("g"), tool("f", "other")], options=OPTIONS)
    with pytest.raises(PromptwireError, match=r'tools\[2\]: the name "f" of a tool is refused'):
        wire.build(request)
    assert any('the name "f"' in str(note) for note in wire.build(request, policies="refusals=send").notes)
    wire.build(Request(model, user("Hi"), tools=[tool("f"), tool("g")], options=OPTIONS))


@each_wire
@pytest.mark.parametrize(
    "said", [" \n", (Instruction(" "), Instruction("\t", role="developer"))], ids=["text", "layers"]
)
def test_blank_instructions_are_left_out_everywhere(wire: Any, model: str, said: Any) -> None:
    request = Request(model, user("Hi"), instructions=said, options=OPTIONS)
    bare = wire.build(Request(model, user("Hi"), options=OPTIONS))
    built = wire.build(request)
    assert built.body == bare.body
    assert any(note.action == "dropped" and "instructions" in str(note) for note in built.notes)
    with pytest.raises(PromptwireError, match='use blank="drop"'):
        wire.build(request, policies="blank=error")


def test_blank_layers_are_left_out_among_others() -> None:
    request = Request("gpt-4o", user("Hi"), instructions=(Instruction(" "), Instruction("Be brief.")))
    assert openai_chat.build(request).body["messages"][0] == {"role": "system", "content": "Be brief."}


def test_extra_that_contradicts_a_continuation_is_an_error() -> None:
    def request(value: Any) -> Request:
        extra = {"openai_responses": {"previous_response_id": value, "seed": 1}}
        return Request("gpt-4o", user("Hi"), continuation=Continuation(id="resp_1"), extra=extra)

    with pytest.raises(PromptwireError, match="`previous_response_id` contradicts the continuation"):
        openai_responses.build(request("resp_2"))
    assert openai_responses.build(request("resp_1")).body["previous_response_id"] == "resp_1"
    built = openai_responses.build(request("resp_2"), policies="refusals=send")
    assert built.body["previous_response_id"] == "resp_2"
    alone = Request("gpt-4o", user("Hi"), extra={"openai_responses": {"previous_response_id": "resp_2"}})
    assert openai_responses.build(alone).body["previous_response_id"] == "resp_2"


@pytest.mark.parametrize(
    ("wire", "key", "continued"),
    [
        ("openai_responses", "conversation", Continuation(conversation="conv_1")),
        ("azure_openai_responses", "previous_response_id", Continuation(id="resp_1")),
        ("gemini_interactions", "previous_interaction_id", Continuation(id="int_1")),
        ("aptix_responses", "previous_response_id", Continuation(id="resp_1")),
    ],
)
def test_on_every_api_that_continues_in_its_body(wire: str, key: str, continued: Continuation) -> None:
    api = getattr(promptwire, wire)

    def request(value: Any) -> Request:
        return replace(base(wire), continuation=continued, extra={wire: {key: value}})

    same = continued.id or continued.conversation
    with pytest.raises(PromptwireError, match=f"`{key}` contradicts the continuation of the request"):
        api.build(request("other"))
    assert api.build(request(same)).body[key] == same


def test_extra_that_names_another_conversation_beside_it_is_an_error() -> None:
    extra = {"openai_responses": {"conversation": "conv_1"}}
    continued = Request("gpt-4o", user("Hi"), continuation=Continuation(id="resp_1"), extra=extra)
    with pytest.raises(PromptwireError, match="`conversation` contradicts the continuation of the request"):
        openai_responses.build(continued)
    begun = continued.replace(continuation=Continuation())
    assert openai_responses.build(begun).body["conversation"] == "conv_1"


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_blank_instructions_send_what_none_send(wire: str) -> None:
    api = getattr(promptwire, wire)
    built = api.build(replace(base(wire), instructions=" \n"))
    assert built.body == api.build(base(wire)).body
    assert [(note.action, note.field) for note in built.notes] == [("dropped", "instructions")]
