"""xAI's chat bodies: OpenAI's types, what OpenAI's SDK sends to xAI, and the fields of xAI's own protocol buffers.

xAI says of this API that it is OpenAI's; which of OpenAI's fields it knows is told by its own SDK, whose
messages name the same fields.
"""

from __future__ import annotations

from typing import Any, Final

import pytest
from xai_sdk.proto import chat_pb2  # type: ignore[import-untyped]  # the package carries no types

from tests.conformance.sdk_echo import Sent, echo, without_noise
from tests.conformance.strict_types import problems
from tests.examples import Example, of_wire

_EXAMPLES: Final = of_wire("xai_chat")
_PARAMS: Final = "CompletionCreateParamsNonStreaming"

# Findings of OpenAI's types where the spec is right: example -> (findings, why).
EXCEPTIONS: Final[dict[str, tuple[list[str], str]]] = {
    "thinking, a call, and a refusal": (
        ["messages[1].reasoning_content: unknown key of ChatCompletionAssistantMessageParam"],
        "xAI's own: Message.reasoning_content",
    ),
    "an answer of thinking alone": (
        ["messages[1].reasoning_content: unknown key of ChatCompletionAssistantMessageParam"],
        "xAI's own: Message.reasoning_content",
    ),
    "the answer later": (
        [f"deferred: unknown key of {_PARAMS}"],
        "xAI's own: the page on deferred chat completions",
    ),
}

# keys that the REST API has and its twin says otherwise: -> the twin's field, or the call that stands for it
_REST: Final = {
    "max_completion_tokens": "max_tokens",
    "stream": "GetCompletionChunk",
    "stream_options": "GetCompletionChunk",
    "deferred": "StartDeferredCompletion",
}


def _fields(message: str) -> set[str]:
    return {field.name for field in getattr(chat_pb2, message).DESCRIPTOR.fields}


def strangers(body: dict[str, Any]) -> list[str]:
    """Name the keys of a body, its messages, tools and calls that xAI's own messages do not have."""
    found = [key for key in body if _REST.get(key, key) not in _fields("GetCompletionsRequest") | _calls()]
    for index, message in enumerate(body["messages"]):
        known = _fields("Message") | {"refusal"}  # the answer's own key, given back
        found += [f"messages[{index}].{key}" for key in message if key not in known]
        for call in message.get("tool_calls", []):
            found += [f"messages[{index}].tool_calls.{key}" for key in call if key not in _fields("ToolCall")]
    for index, tool in enumerate(body.get("tools", [])):
        found += [f"tools[{index}].{key}" for key in tool["function"] if key not in _fields("Function")]
    search = body.get("search_parameters", {})
    return [*found, *(f"search.{key}" for key in search if key not in _fields("SearchParameters"))]


def _calls() -> set[str]:
    (service,) = chat_pb2.DESCRIPTOR.services_by_name.values()
    return {method.name for method in service.methods}


@pytest.mark.parametrize("example", _EXAMPLES, ids=str)
def test_openais_types_accept_the_body(example: Example) -> None:
    """An exception must still be refused, for exactly what it names, so that the list cannot rot."""
    findings, _ = EXCEPTIONS.get(example.name, ([], ""))
    assert problems("openai_chat", example.build().body) == findings


@pytest.mark.parametrize("example", _EXAMPLES, ids=str)
def test_xais_own_messages_have_every_key(example: Example) -> None:
    assert strangers(example.build().body) == []


@pytest.mark.parametrize("example", _EXAMPLES, ids=str)
def test_openais_sdk_sends_what_the_build_states(example: Example) -> None:
    built = example.build(api_key="k")
    settings = example.settings or {}
    names = {"x-grok-conv-id": settings["conversation"]} if "conversation" in settings else {}
    sent = echo(
        "openai_chat",
        built.body,
        api_key="k",
        base_url=settings.get("base_url", "https://api.x.ai/v1"),
        extra_headers=names,
    )
    stated = {"accept": "application/json", **without_noise(built.headers)}
    assert Sent(
        method=sent.method, url=sent.url, headers=without_noise(sent.headers), body=sent.body
    ) == Sent(method=built.method, url=built.url, headers=stated, body=built.body)


def test_the_twin_bites() -> None:
    call = {"id": "1", "function": {"name": "f", "arguments": "{}"}, "indx": 0}
    body = {
        "model": "m",
        "modalities": ["text"],
        "messages": [{"role": "assistant", "audio": {}, "tool_calls": [call]}],
        "tools": [{"type": "function", "function": {"name": "f", "output": {}}}],
        "search_parameters": {"mode": "on", "maximum": 1},
    }
    assert strangers(body) == [
        "modalities",
        "messages[0].audio",
        "messages[0].tool_calls.indx",
        "tools[0].output",
        "search.maximum",
    ]


def test_every_exception_is_an_example() -> None:
    assert EXCEPTIONS.keys() <= {example.name for example in _EXAMPLES}
