"""Cohere Chat v1: the SDK's types take every example, and its client sends the same request."""

from __future__ import annotations

import copy
import json
from typing import Any, Final

import cohere
import httpx
import pytest

from promptwire import cohere_v1, load_request
from tests.conformance.cohere_types import FIELDS_OF_V1, problems, sent
from tests.conformance.edits import edited
from tests.conformance.sdk_echo import Sent
from tests.examples import Example, of_wire

Body = dict[str, Any]

EXAMPLES: Final = of_wire("cohere_v1")


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_sdks_types_accept_the_body(example: Example) -> None:
    assert problems(example.build().body, FIELDS_OF_V1) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_sdk_sends_what_the_build_states(example: Example) -> None:
    settings = {"api_key": "test-key", **(example.settings or {})}
    built = example.build(**settings)
    # the client says of every request whether it is streamed
    stated = Sent(
        method=built.method, url=built.url, headers=built.headers, body={"stream": False, **built.body}
    )
    assert sent(cohere.Client, built.body, settings) == stated


CALL: Final[Body] = {"name": "f", "parameters": {"a": 1}}
FULL: Final[Body] = {
    "message": "hi",
    "model": "m",
    "preamble": "s",
    "chat_history": [
        {"role": "SYSTEM", "message": "s"},
        {"role": "USER", "message": "q"},
        {"role": "CHATBOT", "message": "p", "tool_calls": [CALL]},
        {"role": "TOOL", "tool_results": [{"call": CALL, "outputs": [{"b": 2}]}]},
    ],
    "conversation_id": "c",
    "prompt_truncation": "AUTO",
    "connectors": [{"id": "web-search", "options": {"site": "example.com"}}],
    "search_queries_only": False,
    "documents": [{"title": "t", "text": "x"}],
    "citation_quality": "FAST",
    "temperature": 0.5,
    "max_tokens": 1,
    "max_input_tokens": 9,
    "k": 1,
    "p": 0.5,
    "seed": 1,
    "stop_sequences": ["a"],
    "frequency_penalty": 0.5,
    "presence_penalty": 0.5,
    "raw_prompting": False,
    "tools": [
        {
            "name": "f",
            "description": "d",
            "parameter_definitions": {"a": {"description": "d", "type": "int", "required": True}},
        }
    ],
    "tool_results": [{"call": CALL, "outputs": [{"b": 2}]}],
    "force_single_step": True,
    "response_format": {"type": "json_object", "schema": {"type": "object"}},
    "safety_mode": "STRICT",
    "stream": True,
}

# where in the full body, what stands there instead (`...` removes it), what is found
REFUSED: Final[list[tuple[str, Any, str]]] = [
    ("tool_choice", "REQUIRED", "tool_choice: unknown key"),
    ("message", ..., "message: missing"),
    ("max_tokens", "1", "max_tokens: '1' is not int"),
    ("temperature", -1, "temperature: -1 is not from 0 to inf"),
    ("k", 501, "k: 501 is not from 0 to 500"),
    ("p", 1.0, "p: 1.0 is not from 0.01 to 0.99"),
    ("stop_sequences", ["a"] * 6, "stop_sequences: more than 5"),
    ("safety_mode", "OFF", "safety_mode: 'OFF' is none of 'CONTEXTUAL', 'NONE', 'STRICT'"),
    ("prompt_truncation", "ON", "prompt_truncation: 'ON' is none of 'AUTO', 'AUTO_PRESERVE_ORDER', 'OFF'"),
    ("response_format.json_schema", {}, "response_format.json_schema: unknown key"),
    ("documents[0].data", {}, "documents[0].data: {} is not str"),
    ("connectors[0].id", ..., "connectors[0].id: missing"),
    ("tools[0].description", ..., "tools[0].description: missing"),
    ("tools[0].parameters", {}, "tools[0].parameters: unknown key"),
    (
        "tools[0].parameter_definitions.a.type",
        ["int"],
        "tools[0].parameter_definitions.a.type: ['int'] is not str",
    ),
    (
        "tools[0].parameter_definitions.a.enum",
        [1],
        "tools[0].parameter_definitions.a.enum: unknown key",
    ),
    ("tool_results[0].call.name", ..., "tool_results[0].call.name: missing"),
    ("tool_results[0].call.parameters", "{}", "tool_results[0].call.parameters: '{}' is not an object"),
    ("tool_results[0].outputs", "x", "tool_results[0].outputs: 'x' is not a list"),
    ("tool_results[0].outputs[0]", "x", "tool_results[0].outputs[0]: 'x' is not an object"),
]


@pytest.mark.parametrize(("where", "value", "found"), REFUSED, ids=[row[0] for row in REFUSED])
def test_one_wrong_leaf_is_named(where: str, value: Any, found: str) -> None:
    assert problems(FULL, FIELDS_OF_V1) == []
    assert problems(edited(FULL, where, value), FIELDS_OF_V1) == [found]


def test_the_sdk_sends_the_full_body_unchanged() -> None:
    settings = {"api_key": "k", "client_name": "me", "accepts": "text/event-stream"}
    assert sent(cohere.Client, FULL, settings) == Sent(
        method="POST",
        url="https://api.cohere.com/v1/chat",
        headers={
            "accepts": "text/event-stream",
            "authorization": "Bearer k",
            "content-type": "application/json",
            "x-client-name": "me",
        },
        body=FULL,
    )


def test_the_full_body_is_understood_and_comes_back() -> None:
    reading = cohere_v1.read(copy.deepcopy(FULL))
    assert (reading.understood, reading.kept) == (reading.leaves, 0)
    assert cohere_v1.build(reading.request, policies="verbatim").body == FULL


WARM: Final = {
    "model": "m",
    "messages": [{"user": "How warm is Oslo?"}],
    "tools": [{"name": "f", "description": "d", "parameters": {"type": "object", "properties": {}}}],
}


@pytest.mark.parametrize("framing", ["ndjson", "sse"])
def test_the_client_reads_the_stream_that_is_written(framing: str) -> None:
    """Lines that the SDK's client takes for its own API's, and what it then holds of the answer."""
    body = {
        "generation_id": "g1",
        "text": "I look.",
        "tool_calls": [{"name": "f", "parameters": {"a": 1}}],
        "finish_reason": "COMPLETE",
        "meta": {"tokens": {"input_tokens": 9, "output_tokens": 3}},
    }
    raw = cohere_v1.write_stream(framing=framing, id="g1").answer(cohere_v1.read_answer(body))
    if framing == "sse":
        assert raw.count(b"data: ") == raw.count(b"event: ")
        return
    respond = httpx.MockTransport(lambda _: httpx.Response(200, content=raw))
    built = cohere_v1.build(load_request({**WARM, "stream": True}))
    with httpx.Client(transport=respond) as transport:
        client = cohere.Client(api_key="k", base_url="https://api.cohere.com", httpx_client=transport)
        events = list(client.chat_stream(**built.kwargs_for("cohere")))
    assert [event.event_type for event in events] == [
        "stream-start", "text-generation", "tool-calls-chunk", "tool-calls-chunk", "stream-end",
    ]  # fmt: skip
    last = events[-1]
    assert (last.finish_reason, last.response.text) == ("COMPLETE", "I look.")
    assert [(call.name, call.parameters) for call in last.response.tool_calls] == [("f", {"a": 1})]
    assert last.response.meta.tokens.input_tokens == 9


def test_why_it_ended_is_told_once() -> None:
    """The last event says it twice: of itself, and in the whole answer."""
    said = {"event_type": "stream-end", "finish_reason": "MAX_TOKENS"}
    whole = {"generation_id": "g1", "text": "Hi", "finish_reason": "MAX_TOKENS"}
    stream = cohere_v1.stream()
    events = stream.feed(json.dumps({**said, "response": whole}).encode() + b"\n")
    assert [event.name for event in events if event.kind == "finish"] == ["length"]
