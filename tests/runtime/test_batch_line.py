"""One request as a line of its API's batch file."""

from __future__ import annotations

import json
from typing import Any

import pytest

import promptwire
from promptwire import Built, Options, Request, user
from promptwire.errors import InvalidRequest, SettingError

REQUEST = Request("m", [user("hi")], options=Options(max_tokens=8))
LINES: dict[str, dict[str, Any]] = {
    "openai_chat": {
        "custom_id": "one",
        "method": "POST",
        "url": "/v1/chat/completions",
        "body": {"model": "m", "max_completion_tokens": 8, "messages": [{"role": "user", "content": "hi"}]},
    },
    "openai_responses": {
        "custom_id": "one",
        "method": "POST",
        "url": "/v1/responses",
        "body": {"model": "m", "max_output_tokens": 8, "input": [{"role": "user", "content": "hi"}]},
    },
    "anthropic_messages": {
        "custom_id": "one",
        "params": {"model": "m", "max_tokens": 8, "messages": [{"role": "user", "content": "hi"}]},
    },
}


def _build(wire: str, request: Request) -> Built[Any]:
    built: Built[Any] = getattr(promptwire, wire).build(request)
    return built


@pytest.mark.parametrize("wire", LINES)
def test_line_holds_the_very_body(wire: str) -> None:
    built = _build(wire, REQUEST)
    line = built.batch_line("one")
    assert json.loads(line) == LINES[wire]
    assert built.json() in line
    assert b"\n" not in line


HI = [{"role": "user", "content": "hi"}]
CHAT = {"model": "m", "max_tokens": 8, "messages": HI}
# wire, service, settings -> one line
SERVICES: list[tuple[str, str | None, dict[str, Any], dict[str, Any]]] = [
    ("compatible_chat", "together", {"base_url": "https://x"}, {"custom_id": "one", "body": CHAT}),
    (
        "compatible_chat",
        None,
        {"base_url": "https://api.fireworks.ai/inference/v1"},
        {"custom_id": "one", "body": {key: CHAT[key] for key in ("max_tokens", "messages")}},
    ),
    (
        "mistral_chat",
        None,
        {},
        {"custom_id": "one", "body": {key: CHAT[key] for key in ("max_tokens", "messages")}},
    ),
    (
        "bedrock_converse",
        None,
        {},
        {
            "recordId": "one",
            "modelInput": {
                "inferenceConfig": {"maxTokens": 8},
                "messages": [{"role": "user", "content": [{"text": "hi"}]}],
            },
        },
    ),
    (
        "gemini_generate",
        None,
        {},
        {
            "key": "one",
            "request": {
                "generationConfig": {"maxOutputTokens": 8},
                "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
            },
        },
    ),
    (
        "gemini_generate",
        None,
        {"platform": "vertex", "project": "p"},
        {
            "request": {
                "generationConfig": {"maxOutputTokens": 8},
                "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
                "labels": {"promptwire_id": "one"},
            },
        },
    ),
]


@pytest.mark.parametrize(("wire", "service", "settings", "line"), SERVICES)
def test_line_is_that_of_the_service(
    wire: str, service: str | None, settings: dict[str, Any], line: dict[str, Any]
) -> None:
    built: Built[Any] = getattr(promptwire, wire).build(REQUEST, settings=settings)
    before = json.dumps(built.body)
    assert json.loads(built.batch_line("one", service)) == line
    assert json.dumps(built.body) == before


@pytest.mark.parametrize(
    ("wire", "path"),
    [
        ("azure_openai_chat", "/chat/completions"),
        ("groq_chat", "/v1/chat/completions"),
        ("xai_chat", "/v1/chat/completions"),
    ],
)
def test_line_states_the_path_of_the_service(wire: str, path: str) -> None:
    settings = {"endpoint": "https://x.openai.azure.com"} if wire.startswith("azure") else {}
    built: Built[Any] = getattr(promptwire, wire).build(REQUEST, settings=settings)
    assert json.loads(built.batch_line("one"))["url"] == path


def test_services_that_are_not_meant_are_named() -> None:
    built = promptwire.compatible_chat.build(REQUEST, settings={"base_url": "https://other"})
    with pytest.raises(SettingError, match="name one of together, fireworks"):
        built.batch_line("one")
    with pytest.raises(SettingError, match='"apart"; use together, fireworks'):
        built.batch_line("one", "apart")
    with pytest.raises(InvalidRequest, match="batches are not supported"):
        promptwire.ollama_chat.build(REQUEST).batch_line("one")


@pytest.mark.parametrize("wire", LINES)
def test_what_no_batch_takes_is_refused(wire: str) -> None:
    with pytest.raises(InvalidRequest, match="requires an id"):
        _build(wire, REQUEST).batch_line("")
    streamed = Request("m", [user("hi")], options=Options(max_tokens=8), stream=True)
    with pytest.raises(InvalidRequest, match="cannot be streamed"):
        _build(wire, streamed).batch_line("one")
