"""Cohere Chat: the SDK's types take every example, and its client sends the same request."""

from __future__ import annotations

from typing import Any, Final

import cohere
import pytest

from tests.conformance.cohere_types import problems, sent
from tests.conformance.edits import edited
from tests.conformance.sdk_echo import Sent
from tests.examples import Example, of_wire

Body = dict[str, Any]

EXAMPLES: Final = of_wire("cohere_chat")


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_sdks_types_accept_the_body(example: Example) -> None:
    assert problems(example.build().body) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_sdk_sends_what_the_build_states(example: Example) -> None:
    settings = {"api_key": "test-key", **(example.settings or {})}
    built = example.build(**settings)
    # the client says of every request whether it is streamed
    stated = Sent(
        method=built.method, url=built.url, headers=built.headers, body={"stream": False, **built.body}
    )
    assert sent(cohere.ClientV2, built.body, settings) == stated


FULL: Final[Body] = {
    "model": "m",
    "max_tokens": 1,
    "temperature": 0.5,
    "p": 0.5,
    "k": 1,
    "frequency_penalty": 0.5,
    "presence_penalty": 0.5,
    "stop_sequences": ["a"],
    "seed": 1,
    "logprobs": True,
    "thinking": {"type": "enabled", "token_budget": 9},
    "response_format": {"type": "json_object", "json_schema": {"type": "object"}},
    "safety_mode": "STRICT",
    "citation_options": {"mode": "FAST"},
    "priority": 1,
    "stream": True,
    "tools": [{"type": "function", "function": {"name": "f", "description": "d", "parameters": {}}}],
    "tool_choice": "REQUIRED",
    "strict_tools": True,
    "documents": ["text", {"id": "d", "data": {"a": 1}}],
    "messages": [
        {"role": "system", "content": [{"type": "text", "text": "s"}]},
        {"role": "user", "content": [{"type": "image_url", "image_url": {"url": "u", "detail": "low"}}]},
        {
            "role": "assistant",
            "tool_plan": "p",
            "content": [{"type": "thinking", "thinking": "t"}, {"type": "text", "text": "a"}],
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
            "citations": [{"start": 0, "end": 1, "text": "a", "type": "PLAN", "sources": [{"type": "tool", "id": "x"}]}],
        },
        {"role": "tool", "tool_call_id": "c", "content": [{"type": "document", "document": {"data": {}}}]},
    ],
}  # fmt: skip

# where in the full body, what stands there instead (`...` removes it), what is found
REFUSED: Final[list[tuple[str, Any, str]]] = [
    ("top_k", 1, "top_k: unknown key"),
    ("model", ..., "model: missing"),
    ("messages", ..., "messages: missing"),
    ("max_tokens", "1", "max_tokens: '1' is not int"),
    ("temperature", -1, "temperature: -1 is not from 0 to inf"),
    ("k", 501, "k: 501 is not from 0 to 500"),
    ("p", 1.0, "p: 1.0 is not from 0.01 to 0.99"),
    ("presence_penalty", 2, "presence_penalty: 2 is not from 0 to 1"),
    ("stop_sequences", ["a"] * 6, "stop_sequences: more than 5"),
    ("thinking.type", "adaptive", "thinking.type: 'adaptive' is none of 'disabled', 'enabled'"),
    ("thinking.token_budget", 0, "thinking.token_budget: not positive"),
    ("response_format.schema", {}, "response_format.schema: unknown key"),
    ("response_format.type", "json_schema", "response_format.type: 'json_schema' is none of 'json_object'"),
    ("safety_mode", "NONE", "safety_mode: 'NONE' is none of 'CONTEXTUAL', 'OFF', 'STRICT'"),
    ("citation_options.mode", "fast", "citation_options.mode: 'fast' is none of 'ACCURATE', 'DISABLED', 'ENABLED', 'FAST', 'OFF'"),
    ("tool_choice", "required", "tool_choice: 'required' is none of 'NONE', 'REQUIRED'"),
    ("tools[0].function.parameters", ..., "tools[0].function.parameters: missing"),
    ("tools[0].function.strict", True, "tools[0].function.strict: unknown key"),
    ("documents[1].data", "text", "documents[1].data: 'text' is not an object"),
    ("messages[0].role", "developer", "messages[0].role: 'developer' is none of 'user'"),
    ("messages[1].content[0].image_url.detail", "max", "messages[1].content[0].image_url.detail: 'max' is none of 'auto', 'high', 'low'"),
    ("messages[1].name", "bob", "messages[1].name: unknown key"),
    ("messages[2].content[0].signature", "s", "messages[2].content[0].signature: unknown key"),
    ("messages[2].tool_calls[0].function.arguments", {}, "messages[2].tool_calls[0].function.arguments: {} is not str"),
    ("messages[2].citations[0].sources[0].type", "web", "messages[2].citations[0].sources[0].type: 'web' is none of 'tool'"),
    ("messages[3].tool_call_id", ..., "messages[3].tool_call_id: missing"),
    ("messages[3].content[0].document.data", ..., "messages[3].content[0].document.data: missing"),
]  # fmt: skip


@pytest.mark.parametrize(("where", "value", "found"), REFUSED, ids=[row[0] for row in REFUSED])
def test_one_wrong_leaf_is_named(where: str, value: Any, found: str) -> None:
    assert problems(FULL) == []
    assert problems(edited(FULL, where, value)) == [found]


def test_the_sdk_sends_the_full_body_unchanged() -> None:
    assert sent(cohere.ClientV2, FULL, {"api_key": "k", "client_name": "me"}) == Sent(
        method="POST",
        url="https://api.cohere.com/v2/chat",
        headers={"authorization": "Bearer k", "content-type": "application/json", "x-client-name": "me"},
        body=FULL,
    )


def test_what_json_cannot_hold_is_found() -> None:
    assert problems({**FULL, "documents": [{"data": {"a": float("nan")}}]}) == [
        "documents[0].data.a: nan is not JSON"
    ]
