"""Groq's own types take every example body, and its own client sends what the build states."""

from __future__ import annotations

import inspect
from contextlib import suppress
from typing import Any, Final

import groq
import httpx
import pytest
from groq.types.chat.completion_create_params import CompletionCreateParams

from tests.conformance.catching import catching
from tests.conformance.sdk_echo import Sent, without_noise
from tests.conformance.strict_types import findings
from tests.examples import Example, of_wire

EXAMPLES: Final = of_wire("groq_chat")

# Findings of the SDK's types where the spec is right: example -> (findings, why).
EXCEPTIONS: Final[dict[str, tuple[list[str], str]]] = {
    "an answer by schema, streamed": (
        ["stream_options: unknown key of CompletionCreateParams"],
        "the API takes it and answers with usage; recorded requests have it",
    ),
}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_groqs_types_accept_the_body(example: Example) -> None:
    expected, _ = EXCEPTIONS.get(example.name, ([], ""))
    assert findings(CompletionCreateParams, example.build().body) == expected


def test_every_exception_is_an_example() -> None:
    assert EXCEPTIONS.keys() <= {example.name for example in EXAMPLES}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_groqs_client_sends_what_the_build_states(example: Example) -> None:
    built = example.build(**({} if "api_key" in (example.settings or {}) else {"api_key": "test-key"}))
    settings = {"api_key": "test-key", **(example.settings or {})}
    with catching(httpx) as (client, caught), suppress(groq.BadRequestError):
        create = groq.Groq(**settings, http_client=client, max_retries=0).chat.completions.create
        known = inspect.signature(create).parameters
        unknown = {key: value for key, value in built.body.items() if key not in known}
        arguments: dict[str, Any] = {key: value for key, value in built.body.items() if key in known}
        create(**arguments, extra_body=unknown)
    headers = {"accept": "application/json"} | without_noise(built.headers)
    assert caught == [Sent(method=built.method, url=built.url, headers=headers, body=built.body)]


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ({"verbosity": "low"}, ["verbosity: unknown key of CompletionCreateParams"]),
        (
            {"reasoning_effort": "max"},
            ["reasoning_effort: 'max' is none of 'default', 'high', 'low', 'medium', 'none'"],
        ),
        (
            {"messages": [{"role": "assistant", "reasoning_content": "x"}]},
            ["messages[0].reasoning_content: unknown key of ChatCompletionAssistantMessageParam"],
        ),
        (
            {"documents": [{"source": {"type": "text"}}]},
            ["documents[0].source.text: missing, DocumentSourceChatCompletionDocumentSourceText requires it"],
        ),
    ],
)
def test_groqs_types_bite(edit: dict[str, Any], expected: list[str]) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    assert findings(CompletionCreateParams, body) == []
    assert findings(CompletionCreateParams, body | edit) == expected
