"""Hugging Face's own types take every example body, and its own client sends what the build states."""

from __future__ import annotations

import inspect
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any, Final
from unittest import mock

import httpx2
import huggingface_hub
import pytest
from huggingface_hub.errors import HfHubHTTPError
from huggingface_hub.hf_api import InferenceProviderMapping
from huggingface_hub.inference._providers import _common, hf_inference
from huggingface_hub.utils import _http

from promptwire import Request, ResponseFormat, huggingface_chat, user
from tests.conformance.catching import catching
from tests.conformance.huggingface_types import problems
from tests.conformance.sdk_echo import Sent, without_noise
from tests.examples import Example, of_wire

EXAMPLES: Final = of_wire("huggingface_chat")

# Findings of the SDK's types where the spec is right: example -> (findings, why).
EXCEPTIONS: Final[dict[str, tuple[list[str], str]]] = {
    "a call and its result, with a prompt for the tools": (
        [
            "messages[1].tool_calls[0].function.arguments: unknown key of ChatCompletionInputFunctionDefinition",
            "messages[1].tool_calls[0].function.parameters: missing, "
            "ChatCompletionInputFunctionDefinition requires it",
            "messages[2].tool_call_id: unknown key of ChatCompletionInputMessage",
        ],
        "the type uses a tool's definition for its call, and allows more keys; recorded requests have these",
    ),
    "one named tool": (
        ["tool_choice.type: 'function' is none of "],
        "the type has no such key, but allows more; providers ask for OpenAI's form",
    ),
}


@contextmanager
def _offline(provider: str, model: str | None) -> Iterator[list[Sent]]:
    """Catch what the SDK sends; the mapping of a provider's models, which it would ask for, is given."""
    mapping = InferenceProviderMapping(  # type: ignore[no-untyped-call]
        provider=provider,
        hf_model_id=str(model),
        providerId=str(model),
        status="live",
        task="conversational",
    )
    with (
        catching(httpx2) as (client, caught),
        mock.patch.object(_http, "_GLOBAL_CLIENT", client),
        mock.patch.object(_common, "HARDCODED_MODEL_INFERENCE_MAPPING", {provider: {model: mapping}}),
        mock.patch.object(hf_inference, "_check_supported_task"),
    ):
        yield caught


def _send(body: Mapping[str, Any], settings: Mapping[str, Any]) -> Sent:
    provider = settings.get("provider", "auto")
    with _offline(provider, body["model"]) as caught, suppress(HfHubHTTPError):
        client = huggingface_hub.InferenceClient(
            provider=provider, api_key=settings["api_key"], bill_to=settings.get("bill_to")
        )
        known = inspect.signature(client.chat_completion).parameters
        unknown = {key: value for key, value in body.items() if key not in known}
        arguments: dict[str, Any] = {key: value for key, value in body.items() if key in known}
        client.chat_completion(**arguments, extra_body=unknown)
    (sent,) = caught
    return sent


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_types_accept_the_body(example: Example) -> None:
    expected, _ = EXCEPTIONS.get(example.name, ([], ""))
    assert problems(example.build().body) == expected


def test_every_exception_is_an_example() -> None:
    assert EXCEPTIONS.keys() <= {example.name for example in EXAMPLES}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_client_sends_what_the_build_states(example: Example) -> None:
    settings = {"api_key": "hf_test", **(example.settings or {})}
    built = example.build(**settings)
    sent = _send(built.body, settings)
    # the client always says whether it streams
    assert (sent.method, sent.url, sent.body) == (built.method, built.url, {"stream": False} | built.body)
    assert without_noise(built.headers).items() <= sent.headers.items()


@pytest.mark.parametrize("provider", ["together", "fireworks-ai", "cohere", "hf-inference", "novita"])
def test_a_schema_is_read_in_each_providers_form(provider: str) -> None:
    schema = {"type": "object", "properties": {"name": {"type": "string"}}}
    form = ResponseFormat("json_schema", schema, "city")
    built = huggingface_chat.build(Request("m/n", (user("A city?"),), response_format=form))
    sent = _send(built.body, {"api_key": "hf_test", "provider": provider})
    reading = huggingface_chat.read(sent.body, sent.url)
    assert reading.settings == {"provider": provider}
    assert reading.understood == reading.leaves
    assert reading.request.response_format is not None
    assert (reading.request.response_format.kind, reading.request.response_format.schema) == (
        "json_schema",
        schema,
    )
    again = huggingface_chat.build(reading.request, settings=reading.settings)
    assert (again.url, again.body) == (sent.url, sent.body)


@pytest.mark.parametrize(
    ("edit", "expected"),
    [
        ({"reasoning_effort": "low"}, ["reasoning_effort: unknown key of ChatCompletionInput"]),
        ({"stop": "END"}, ["stop: 'END' is not a list or null"]),
        (
            {"response_format": {"type": "json_schema", "json_schema": {"schema": {}}}},
            ["response_format.json_schema.name: missing, ChatCompletionInputJSONSchema requires it"],
        ),
        (
            {"messages": [{"role": "user", "content": [{"type": "input_audio"}]}]},
            ["messages[0].content[0].type: 'input_audio' is none of 'image_url', 'text'"],
        ),
    ],
)
def test_the_types_bite(edit: dict[str, Any], expected: list[str]) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    assert problems(body) == []
    assert problems(body | edit) == expected
