"""A conversation of three turns with a tool call, held by each server that holds any: every request whole, and judged."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, Final

import pytest
from google.genai._gaos.types import interactions
from mistralai.client import models as mistral

import promptwire
from promptwire import Answer, Continuation, Options, Request, Tool, ToolCall, assistant, tool_result, user
from promptwire.results import Candidate
from tests.conformance import judges
from tests.conformance.model_types import fields_of, findings

Body = dict[str, Any]
SCHEMA: Final = {"type": "object", "properties": {"city": {"type": "string"}}}
TOOL: Final = Tool("weather", "The weather now.", SCHEMA)
ASKED: Final = Request(
    "m-1",
    [user("How warm is Oslo?")],
    instructions="Be terse.",
    tools=[TOOL],
    continuation=Continuation(),
    options=Options(max_tokens=64),
)
NAME: Final = {"name": "weather", "description": "The weather now."}


@dataclass(frozen=True, slots=True, kw_only=True)
class Talk:
    """How one wire says the three requests, and what its API answers to the first two.

    judge    says what the vendor's types refuse in a body
    whole    the third request where the server holds nothing
    urls     where the three requests go, where that depends on what is continued
    """

    settings: dict[str, str]
    answers: tuple[Any, Any]
    bodies: tuple[Body, Body, Body]
    judge: Callable[[Body], list[str]]
    whole: Body
    urls: tuple[str, str, str] | None = None
    other: dict[str, str] | None = None


def _responses(name: str, *items: Body) -> Body:
    more = {"object": "response", "created_at": 1790000000, "status": "completed", "model": "m-1"}
    return {"id": name, **more, "output": list(items)}


def _responses_talk(settings: dict[str, str], other: dict[str, str]) -> Talk:
    call = {
        "type": "function_call",
        "id": "fc_1",
        "call_id": "call_1",
        "name": "weather",
        "arguments": '{"city":"Oslo"}',
    }
    text = {"type": "output_text", "text": "12 C.", "annotations": []}
    said = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [text]}
    always: Body = {
        "model": "m-1",
        "instructions": "Be terse.",
        "max_output_tokens": 64,
        "tools": [{"type": "function", **NAME, "parameters": SCHEMA, "strict": False}],
    }
    first = {"role": "user", "content": "How warm is Oslo?"}
    result = {"type": "function_call_output", "call_id": "call_1", "name": "weather", "output": "12 C"}
    last = {"role": "user", "content": "And Rome?"}
    return Talk(
        settings=settings,
        other=other,
        answers=(_responses("resp_1", call), _responses("resp_2", said)),
        bodies=(
            {**always, "input": [first]},
            {**always, "previous_response_id": "resp_1", "input": [result]},
            {**always, "previous_response_id": "resp_2", "input": [last]},
        ),
        judge=lambda body: judges.judge("openai_responses", body),
        whole={**always, "input": [first, call, result, said, last]},
    )


def _anthropic_talk() -> Talk:
    def answer(name: str, reason: str, *content: Body) -> Body:
        more = {"type": "message", "role": "assistant", "model": "m-1", "stop_sequence": None}
        usage = {"input_tokens": 10, "output_tokens": 5}
        return {"id": name, **more, "content": list(content), "stop_reason": reason, "usage": usage}

    call = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {"city": "Oslo"}}
    said = {"type": "text", "text": "12 C."}
    held: Body = {"system": "Be terse.", "tools": [{**NAME, "input_schema": SCHEMA}]}
    first = {"role": "user", "content": "How warm is Oslo?"}
    result = {
        "role": "user",
        "content": [{"type": "tool_result", "tool_use_id": "toolu_1", "content": "12 C"}],
    }
    last = {"role": "user", "content": "And Rome?"}
    always: Body = {"model": "m-1", "max_tokens": 64}
    turns = [
        first,
        {"role": "assistant", "content": [call]},
        result,
        {"role": "assistant", "content": [said]},
        last,
    ]
    made = {"thread": {"type": "create"}}
    return Talk(
        settings={},
        other={"base_url": "https://gate.example"},
        answers=(answer("msg_1", "tool_use", call), answer("msg_2", "end_turn", said)),
        bodies=(
            {**always, **made, **held, "messages": [first]},
            {**always, "thread": {"type": "continue", "previous_message_id": "msg_1"}, "messages": [result]},
            {**always, "thread": {"type": "continue", "previous_message_id": "msg_2"}, "messages": [last]},
        ),
        judge=lambda body: judges.judge(
            "anthropic_messages", {k: v for k, v in body.items() if k != "thread"}
        ),
        whole={**always, **made, **held, "messages": turns},
    )


def _mistral_talk() -> Talk:
    def answer(*outputs: Body) -> Body:
        usage = {"prompt_tokens": 10, "completion_tokens": 5, "total_tokens": 15}
        return {
            "object": "conversation.response",
            "conversation_id": "conv_1",
            "outputs": list(outputs),
            "usage": usage,
        }

    def judge(body: Body) -> list[str]:
        kind: Any = mistral.ConversationRequest if "model" in body else mistral.ConversationAppendRequest
        return findings(fields_of(kind), {"stream": False, **body})

    call = {
        "object": "entry",
        "type": "function.call",
        "tool_call_id": "FI5qQGzDE",
        "name": "weather",
        "arguments": '{"city":"Oslo"}',
    }
    said = {"object": "entry", "type": "message.output", "role": "assistant", "content": "12 C."}
    first = {"object": "entry", "type": "message.input", "role": "user", "content": "How warm is Oslo?"}
    result = {"object": "entry", "type": "function.result", "tool_call_id": "FI5qQGzDE", "result": "12 C"}
    last = {"object": "entry", "type": "message.input", "role": "user", "content": "And Rome?"}
    args = {"completion_args": {"max_tokens": 64}}
    tool = {"type": "function", "function": {**NAME, "parameters": SCHEMA}}
    begun: Body = {"model": "m-1", "instructions": "Be terse.", "tools": [tool], **args}
    made = "https://api.mistral.ai/v1/conversations"
    return Talk(
        settings={},
        other={"base_url": "https://api.eu.mistral.ai"},
        answers=(answer(call), answer(said)),
        bodies=({**begun, "inputs": [first]}, {**args, "inputs": [result]}, {**args, "inputs": [last]}),
        judge=judge,
        whole={**begun, "inputs": [first, call, result, said, last]},
        urls=(made, f"{made}/conv_1", f"{made}/conv_1"),
    )


def _gemini_talk() -> Talk:
    def answer(name: str, status: str, *steps: Body) -> Body:
        when = {"created": "2026-11-23T20:00:00Z", "updated": "2026-11-23T20:00:01Z"}
        return {
            "id": name,
            "object": "interaction",
            "status": status,
            "model": "m-1",
            **when,
            "steps": list(steps),
        }

    def judge(body: Body) -> list[str]:
        return findings(fields_of(interactions.CreateModelInteraction), {**body, "model": "gemini-3.8-flash"})

    thought = {"type": "thought", "signature": "c2ln"}
    call = {"type": "function_call", "id": "fc_1", "name": "weather", "arguments": {"city": "Oslo"}}
    said = {"type": "model_output", "content": [{"type": "text", "text": "12 C."}]}
    first = {"type": "user_input", "content": [{"type": "text", "text": "How warm is Oslo?"}]}
    result = {"type": "function_result", "call_id": "fc_1", "name": "weather", "result": "12 C"}
    last = {"type": "user_input", "content": [{"type": "text", "text": "And Rome?"}]}
    always: Body = {
        "model": "m-1",
        "system_instruction": "Be terse.",
        "tools": [{"type": "function", **NAME, "parameters": SCHEMA}],
        "generation_config": {"max_output_tokens": 64},
    }
    return Talk(
        settings={},
        other={"base_url": "https://gate.example"},
        answers=(answer("v1_1", "requires_action", thought, call), answer("v1_2", "completed", said)),
        bodies=(
            {**always, "input": [first]},
            {**always, "previous_interaction_id": "v1_1", "input": [result]},
            {**always, "previous_interaction_id": "v1_2", "input": [last]},
        ),
        judge=judge,
        whole={**always, "input": [first, thought, call, result, said, last]},
    )


def _onnx_talk() -> Talk:
    def answer(*parts: Any) -> Answer:
        held = Continuation(id="chat-1", wire="onnx_genai")
        return Answer(candidates=(Candidate(message=assistant(*parts)),), continuation=held)

    function = {"name": "weather", "arguments": {"city": "Oslo"}}
    first = {"role": "user", "content": "How warm is Oslo?"}
    result = {"role": "tool", "tool_call_id": "c1", "name": "weather", "content": "12 C"}
    last = {"role": "user", "content": "And Rome?"}
    said = [
        {
            "role": "assistant",
            "content": "",
            "tool_calls": [{"id": "c1", "type": "function", "function": function}],
        },
        result,
        {"role": "assistant", "content": "12 C."},
    ]
    system = {"role": "system", "content": "Be terse."}
    tools = {"tools": [{"type": "function", "function": {**NAME, "parameters": SCHEMA}}]}
    always: Body = {"model": "m-1", "turn_options": {"max_generated_tokens": 64}}
    goes_on = {**always, "generator": "chat-1"}
    return Talk(
        settings={},
        answers=(answer(ToolCall("c1", "weather", {"city": "Oslo"})), answer("12 C.")),
        bodies=(
            {**always, **tools, "messages": [system, first]},
            {**goes_on, "messages": [result]},
            {**goes_on, "messages": [last]},
        ),
        judge=lambda body: [],
        whole={**always, **tools, "messages": [system, first, *said, last]},
    )


AZURE: Final = {"endpoint": "https://my.openai.azure.com"}
TALKS: Final = {
    "openai_responses": _responses_talk({}, {"project": "proj_2"}),
    "azure_openai_responses": _responses_talk(AZURE, {"endpoint": "https://your.openai.azure.com"}),
    "anthropic_messages": _anthropic_talk(),
    "mistral_conversations": _mistral_talk(),
    "gemini_interactions": _gemini_talk(),
    "onnx_genai": _onnx_talk(),
}


def held(wire: str) -> list[tuple[Request, Any]]:
    """The three requests of a conversation, each with what is built of it."""
    module, talk = getattr(promptwire, wire), TALKS[wire]
    # OpenAI follows schemas to the letter unless it is told not to
    strict = False if wire.endswith("responses") else None
    request = replace(ASKED, tools=(replace(TOOL, strict=strict),))
    turns: list[tuple[Request, Any]] = []
    for given in (*talk.answers, None):
        built = module.build(request, settings=talk.settings or None)
        turns.append((request, built))
        if given is not None:
            answer = given if isinstance(given, Answer) else module.read_answer(given)
            new = [tool_result(call, "12 C") for call in answer.calls] or [user("And Rome?")]
            request = request.after(answer, *new, built=built)
    return turns


def test_every_wire_whose_server_holds_anything_is_here() -> None:
    stateful = {wire for wire in promptwire.WIRES if getattr(promptwire, wire).WIRE.state is not None} - {
        "anthropic_foundry",
        "aptix_responses",
        "xai_responses",
    }
    assert {*TALKS} == stateful


@pytest.mark.parametrize("wire", TALKS)
def test_each_request_holds_what_the_server_lacks(wire: str) -> None:
    talk = TALKS[wire]
    turns = held(wire)
    assert [built.body for _, built in turns] == list(talk.bodies)
    assert [line for body in talk.bodies for line in talk.judge(body)] == []
    if talk.urls is not None:
        assert tuple(built.url for _, built in turns) == talk.urls
    assert [note.field for note in turns[0][1].notes if note.action == "dropped"] == []


MISFITS: Final[dict[str, tuple[Callable[[Continuation], Continuation], str]]] = {
    "forgotten": (lambda known: replace(known, expired=True), "the conversation has expired on the server"),
    "another API": (lambda known: replace(known, wire="elsewhere"), "the conversation belongs to elsewhere"),
}


@pytest.mark.parametrize("misfit", MISFITS)
@pytest.mark.parametrize("wire", TALKS)
def test_what_does_not_fit_is_replayed_with_a_note(wire: str, misfit: str) -> None:
    talk, (change, why) = TALKS[wire], MISFITS[misfit]
    request, _ = held(wire)[2]
    assert request.continuation is not None
    unfit = replace(request, continuation=change(request.continuation))
    built = getattr(promptwire, wire).build(unfit, settings=talk.settings or None)
    # what another API holds was never meant to be held here
    begun = {} if misfit == "another API" else {"thread": {"type": "create"}}
    whole = {key: value for key, value in talk.whole.items() if key != "thread" or begun}
    assert built.body == whole
    assert talk.judge(built.body) == []
    assert [str(note) for note in built.notes if note.action == "replaced"] == [
        f"replaced continuation: {why}; all messages are sent again"
    ]


@pytest.mark.parametrize("wire", [wire for wire, talk in TALKS.items() if talk.other is not None])
def test_another_account_gets_all_messages(wire: str) -> None:
    talk = TALKS[wire]
    assert talk.other is not None
    (name,) = talk.other
    request, _ = held(wire)[2]
    built = getattr(promptwire, wire).build(request, settings={**talk.settings, **talk.other})
    assert built.body == talk.whole
    assert (
        f"replaced continuation: the conversation belongs to another {name}; all messages are sent again"
        in map(str, built.notes)
    )
