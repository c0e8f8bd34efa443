"""Limits of the gateway: keys, hosts, sizes, types, and configurations that cannot work."""

from __future__ import annotations

import asyncio
import gzip
import json
import logging
from types import SimpleNamespace
from typing import Any

import httpx
import openai
import pytest

from promptwire import llamacpp_chat, openai_chat
from promptwire.errors import SettingError
from tests.internals.clients import LOG, gateway

from .behind import BODIES, FRONTS, STREAMED, check_error, chunk


def test_the_key_of_a_client_is_passed_on_and_never_logged(
    at: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    at.claude.messages.create(model="c", max_tokens=9, messages=[{"role": "user", "content": "Hi"}])
    at.gpt.responses.create(model="c", input="Hi")
    at.gemini.models.generate_content(model="c", contents="Hi")
    httpx.post(
        f"{at.url}/v1beta/models/c:generateContent?key=sk-client",
        json={"contents": [{"parts": [{"text": "Hi"}]}]},
    )
    assert [sent.headers["authorization"] for sent in at.behind.sent] == ["Bearer sk-client"] * 4
    ours = [record.getMessage() for record in caplog.records if record.name.startswith("promptwire")]
    assert "sk-client" not in "\n".join(ours)
    assert [line for line in ours if "gemini_generate -> llamacpp_chat behind: 200" in line]


def test_losses_are_noted_in_a_header_and_in_the_log(
    at: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, LOG.name)
    body = {
        "model": "c",
        "max_tokens": 9,
        "service_tier": "auto",
        "messages": [{"role": "user", "content": "Hi"}],
    }
    answer = httpx.post(f"{at.url}/v1/messages", json=body)
    assert "dropped options.service_tier" in answer.headers[gateway.NOTES]
    assert "dropped options.service_tier" in caplog.text


@pytest.mark.parametrize("path", BODIES)
@pytest.mark.parametrize(
    ("content", "headers", "status"),
    [
        (b'{"model": "m', {}, 400),
        (b"[]", {}, 400),
        (b"null", {}, 400),
        (b"", {}, 400),
        (b"\xff\xfe\x00", {}, 400),
        (b'{"model": ' + b"[" * 50_000, {}, 400),
        (b'{"messages": 7, "input": 7, "contents": 7, "model": "m"}', {}, 400),
        (b'{"messages": 7, "input": {"a": [1]}, "contents": {"parts": 2}, "model": 3}', {}, 400),
        (b'{"a": "' + b"x" * 200_000 + b'"}', {}, 413),
        (gzip.compress(b"{}", mtime=0), {"content-encoding": "gzip"}, 415),
        (b"{}", {"content-type": "text/plain"}, 415),
        (b"{}", {"host": "evil.example"}, 421),
    ],
)
def test_what_no_client_sends_gets_an_error_of_the_api(
    at: SimpleNamespace, path: str, content: bytes, headers: dict[str, str], status: int
) -> None:
    sent = {
        "content-type": "application/json",
        "x-forwarded-host": "evil.example",
        "range": "bytes=0-",
        **headers,
    }
    check_error(httpx.post(at.url + path, content=content, headers=sent), path, status)
    assert at.behind.sent == []


def test_unknown_paths_and_methods_are_told(at: SimpleNamespace) -> None:
    answer = httpx.get(f"{at.url}/v1/messages", headers={"anthropic-version": "2023-06-01"})
    check_error(answer, "/v1/messages", 405)
    check_error(httpx.post(f"{at.url}/v1beta/models/m:embed", json={}), "/v1beta", 405)
    check_error(httpx.post(f"{at.url}/v1/embeddings", json={}), "/v1/chat/completions", 404)


def test_a_conversation_that_is_stored_elsewhere_is_refused(at: SimpleNamespace) -> None:
    with pytest.raises(openai.BadRequestError, match="send all its messages"):
        at.gpt.responses.create(model="m", input="And tomorrow?", previous_response_id="resp_1")
    assert at.behind.sent == []


def test_a_gateway_without_an_address_is_refused_at_once() -> None:
    from promptwire import compatible_chat

    with pytest.raises(SettingError, match="base_url"):
        gateway.Gateway(fronts=FRONTS, back=compatible_chat).check()


def test_a_gateway_starts_for_apis_whose_clients_need_settings() -> None:
    from promptwire import azure_openai_chat, compatible_chat

    # neither address is known here
    for front in (azure_openai_chat, compatible_chat):
        gateway.Gateway(fronts=(front,), back=llamacpp_chat, settings={"base_url": "http://a/v1"}).load()


CONTROLS = "x\r\nSet-Cookie: a=b\x00\x1b[2J\x85\u2028y"


def test_control_characters_of_a_request_forge_no_header_and_no_line_of_the_log(
    at: SimpleNamespace, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, LOG.name)
    for path, body in BODIES.items():
        asked = {**body, CONTROLS: 1}
        if "model" in body:
            asked["model"] = CONTROLS
        answer = httpx.post(at.url + path, json=asked)
        assert "set-cookie" not in answer.headers
        assert answer.status_code in (200, 400)
    ours = [record.getMessage() for record in caplog.records if record.name == LOG.name]
    assert any("Set-Cookie" in line for line in ours)
    assert [line for line in ours if len(line.splitlines()) > 1 or "\x1b" in line or "\x00" in line] == []


@pytest.mark.parametrize("streamed", [False, True])
@pytest.mark.parametrize("among_settings", [False, True])
def test_a_key_of_the_operator_that_the_server_repeats_reaches_nobody(
    among_settings: bool, streamed: bool, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, LOG.name)
    key = "sk-of-the-operator"
    message = {
        "error": {"message": f"Incorrect API key provided: {key}.", "type": f"bad {key}", "code": None}
    }

    def refuse(request: httpx.Request) -> httpx.Response:
        assert request.headers["authorization"] == f"Bearer {key}"
        if streamed:
            return httpx.Response(
                200, content=chunk({"content": "Hi"}) + b"data: " + json.dumps(message).encode() + b"\n\n"
            )
        return httpx.Response(401, json=message)

    for back in (llamacpp_chat, openai_chat):
        settings = {"base_url": "http://behind.example/v1"}
        given: Any = {"settings": {**settings, "api_key": key}} if among_settings else {"key": key}
        made = gateway.Gateway(**{"fronts": FRONTS, "back": back, "settings": settings, **given})
        assert key not in repr(made)
        app = gateway.application(made, httpx.AsyncClient(transport=httpx.MockTransport(refuse)))
        for path, body in (STREAMED if streamed else BODIES).items():
            answer = asyncio.run(posted(app, path, body))
            assert "Incorrect API key provided: $KEY." in answer.text
            assert key not in answer.text
    assert key not in caplog.text


async def posted(app: Any, path: str, body: Any) -> httpx.Response:
    transport, headers = httpx.ASGITransport(app), {"authorization": "Bearer sk-of-a-client"}
    async with httpx.AsyncClient(transport=transport, base_url="http://localhost", headers=headers) as client:
        return await client.post(path, json=body)
