"""Errors of the API behind, and of the gateway itself, are errors of the client's API, before and inside streams."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import anthropic
import httpx
import openai
import pytest
from google.genai import errors as gemini_errors, types as gemini

from promptwire import Event, cohere_v1
from promptwire.errors import InvalidRequest
from tests.internals.clients import gateway
from tests.internals.runtime import StreamWriter

from .behind import BODIES, FRONTS, PNG, STREAMED, Reply, check_error, chunk, fails, told, whole
from .callers import Caller

MESSAGES: Any = [{"role": "user", "content": "Hi"}]
CLAUDE: dict[str, Any] = {"model": "m", "max_tokens": 9, "messages": MESSAGES}


def test_a_rate_limit_is_one_for_every_client(at: SimpleNamespace, caller: Caller, stream: bool) -> None:
    at.behind.answer = told(429, "Slow down.", **{"retry-after": "7"})
    with pytest.raises(anthropic.RateLimitError, match="Slow down") as claude:
        caller.claude(stream=stream, **CLAUDE)
    assert claude.value.response.headers["retry-after"] == "7"
    assert claude.value.body == {
        "type": "error",
        "error": {"type": "rate_limit_error", "message": "Slow down."},
    }
    with pytest.raises(openai.RateLimitError, match="Slow down") as gpt:
        caller.responses(stream=stream, model="m", input="Hi")
    assert gpt.value.type != "insufficient_quota"
    with pytest.raises(openai.RateLimitError, match="Slow down") as gpt:
        caller.chat(stream=stream, model="m", messages=MESSAGES)
    assert gpt.value.type != "insufficient_quota"
    with pytest.raises(gemini_errors.ClientError, match="Slow down") as gem:
        caller.gemini(stream=stream, model="m", contents="Hi")
    assert (gem.value.code, gem.value.status) == (429, "RESOURCE_EXHAUSTED")


LIMIT = {"error": {"message": "Slow down.", "code": 429}}
REFUSAL = {"message": "No such model.", "code": "model_not_found"}
FAULTS: dict[str, tuple[Callable[[Any], Reply], int]] = {
    "refused": (told(400, "bad value"), 400),
    "key": (told(401, "bad key"), 401),
    "unknown model": (told(404, "no such model"), 404),
    "broken": (told(500, "oops"), 500),
    "busy": (told(503, "busy"), 503),
    "elsewhere": (lambda _: httpx.Response(302, headers={"location": "http://evil.example"}), 502),
    "page": (lambda _: httpx.Response(200, text="<html>Welcome</html>"), 502),
    "other JSON": (lambda _: httpx.Response(200, json={"hello": 1}), 502),
    "limit in an answer": (lambda _: httpx.Response(200, json=LIMIT), 429),
    "refusal in an answer": (lambda _: httpx.Response(200, json={"error": REFUSAL}), 404),
    "no JSON": (lambda _: httpx.Response(200, content=b"\xff\x00"), 502),
    "empty": (lambda _: httpx.Response(200), 502),
}
FAULTS["dead"] = fails(httpx.ConnectError("refused")), 502
FAULTS["slow"] = fails(httpx.ReadTimeout("")), 504
FAULTS["hung up"] = fails(httpx.RemoteProtocolError("closed")), 502


@pytest.mark.parametrize("fault", FAULTS)
def test_faults_behind_are_errors_of_the_clients_api(at: SimpleNamespace, fault: str) -> None:
    at.behind.answer, status = FAULTS[fault]
    for path, body in BODIES.items():
        check_error(httpx.post(at.url + path, json=body), path, status)
    for path, body in STREAMED.items():
        check_error(httpx.post(at.url + path, json=body), path, status)


def test_pictures_that_the_api_behind_refuses_are_its_error(
    at: SimpleNamespace, caller: Caller, stream: bool
) -> None:
    at.behind.answer = told(400, "image input is not supported")
    url = f"data:image/png;base64,{PNG}"
    content: Any = [{"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}]
    with pytest.raises(anthropic.BadRequestError, match="image input is not supported"):
        caller.claude(stream=stream, model="m", max_tokens=9, messages=[{"role": "user", "content": content}])
    content = [{"type": "image_url", "image_url": {"url": url}}]
    with pytest.raises(openai.BadRequestError, match="image input is not supported"):
        caller.chat(stream=stream, model="m", messages=[{"role": "user", "content": content}])
    content = [{"type": "input_image", "image_url": url, "detail": "auto"}]
    with pytest.raises(openai.BadRequestError, match="image input is not supported"):
        caller.responses(stream=stream, model="m", input=[{"role": "user", "content": content}])
    picture = gemini.Part.from_bytes(data=b"0000", mime_type="image/png")
    with pytest.raises(gemini_errors.ClientError, match="image input is not supported"):
        caller.gemini(stream=stream, model="m", contents=picture)


PICTURES: dict[str, dict[str, Any]] = {
    "/v1/messages": {
        "max_tokens": 9,
        "messages": [
            {
                "role": "user",
                "content": [
                    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}}
                ],
            }
        ],
    },
    "/v1/chat/completions": {
        "messages": [
            {
                "role": "user",
                "content": [{"type": "image_url", "image_url": {"url": f"data:image/png;base64,{PNG}"}}],
            }
        ]
    },
    "/v1/responses": {
        "input": [
            {
                "role": "user",
                "content": [{"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"}],
            }
        ]
    },
    "/v1beta/models/m:generateContent": {
        "contents": [{"role": "user", "parts": [{"inlineData": {"mimeType": "image/png", "data": PNG}}]}]
    },
}


@pytest.mark.parametrize("path", PICTURES)
def test_pictures_for_an_api_without_any_are_refused_before_they_are_sent(path: str) -> None:
    def never(_: httpx.Request) -> httpx.Response:
        raise AssertionError("it was sent")

    made = gateway.Gateway(
        fronts=FRONTS, back=cohere_v1, settings={"base_url": "http://a/v1", "api_key": "k"}
    )
    app = gateway.application(made, httpx.AsyncClient(transport=httpx.MockTransport(never)))

    async def ask() -> httpx.Response:
        async with httpx.AsyncClient(
            transport=httpx.ASGITransport(app), base_url="http://localhost"
        ) as client:
            return await client.post(path, json={"model": "m", **PICTURES[path]})

    answer = asyncio.run(ask())
    check_error(answer, path, 400)
    assert "image" in answer.json()["error"]["message"]


# ---- inside streams

OVERLOADED = b'data: {"error": {"message": "Busy.", "type": "overloaded_error", "code": 503}}\n\n'


def test_an_error_inside_a_stream_keeps_its_kind(at: SimpleNamespace, caller: Caller) -> None:
    at.behind.answer = lambda _: httpx.Response(200, content=chunk({"content": "12"}) + OVERLOADED)
    with pytest.raises(anthropic.APIError, match="Busy") as claude:
        caller.claude(stream=True, **CLAUDE)
    assert claude.value.body == {"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}}
    with pytest.raises(openai.APIError, match="Busy") as gpt:
        caller.chat(stream=True, model="m", messages=MESSAGES)
    assert (gpt.value.type, gpt.value.code) == ("overloaded_error", "503")
    with pytest.raises(gemini_errors.ServerError, match="Busy") as gem:
        caller.gemini(stream=True, model="m", contents="Hi")
    assert (gem.value.code, gem.value.status) == (503, "UNAVAILABLE")
    # the client has no exception for it: the last event tells it
    text = httpx.post(f"{at.url}/v1/responses", json=STREAMED["/v1/responses"]).text
    last = json.loads(text.strip().rpartition("data: ")[2])
    assert (last["type"], last["code"], last["message"]) == ("error", "server_is_overloaded", "Busy.")


def test_an_error_before_the_first_piece_of_a_stream_has_a_status(at: SimpleNamespace) -> None:
    at.behind.answer = lambda _: httpx.Response(200, content=OVERLOADED)
    for path, body in STREAMED.items():
        check_error(httpx.post(at.url + path, json=body), path, 503)


def test_a_stream_that_breaks_tells_it_in_the_clients_api(at: SimpleNamespace, caller: Caller) -> None:
    at.behind.answer = lambda _: httpx.Response(200, content=chunk({"content": "12"}))
    with pytest.raises(anthropic.APIError, match="broke off") as claude:
        caller.claude(stream=True, **CLAUDE)
    assert claude.value.body["error"]["type"] == "api_error"
    with pytest.raises(openai.APIError, match="broke off") as gpt:
        caller.chat(stream=True, model="m", messages=MESSAGES)
    assert gpt.value.type == "server_error"
    with pytest.raises(gemini_errors.ServerError, match="broke off") as gem:
        caller.gemini(stream=True, model="m", contents="Hi")
    assert (gem.value.code, gem.value.status) == (502, "INTERNAL")
    text = httpx.post(f"{at.url}/v1/responses", json=STREAMED["/v1/responses"]).text
    assert json.loads(text.strip().rpartition("data: ")[2])["code"] == "server_error"


def test_a_fault_of_the_gateway_itself_in_a_stream_is_told_too(
    at: SimpleNamespace, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fails(*_: Any) -> None:
        raise RuntimeError("sk-secret of the gateway")

    monkeypatch.setattr("promptwire_http.exchange.Exchange._chunk", fails)
    monkeypatch.setattr("promptwire_http.gateway.calls._first_events", nothing_yet)
    for path, body in STREAMED.items():
        answer = httpx.post(at.url + path, json=body)
        assert (answer.status_code, answer.headers["content-type"].partition(";")[0]) == (
            200,
            "text/event-stream",
        )
        assert "the gateway failed; its log says why" in answer.text and "sk-secret" not in answer.text
    assert "sk-secret of the gateway" in caplog.text


def test_an_answer_that_cannot_be_written_is_no_fault_of_the_client(
    at: SimpleNamespace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuses(self: StreamWriter, event: Event) -> bytes:
        if event.kind == "text":
            raise InvalidRequest("the text cannot be written")
        return feed(self, event)

    feed = StreamWriter.feed
    monkeypatch.setattr(StreamWriter, "feed", refuses)
    text = httpx.post(f"{at.url}/v1/messages", json=STREAMED["/v1/messages"]).text
    last = json.loads(text.strip().rpartition("data: ")[2])
    assert last["error"]["type"] == "api_error"
    assert last["error"]["message"] == "the answer of the server behind: the text cannot be written"


HALVES = [rb"half \ud83d", rb"\ude00", rb" and \ud83d"]


def test_half_characters_of_the_api_behind_reach_every_client_as_whole_ones(
    at: SimpleNamespace, caller: Caller
) -> None:
    def told(body: Any) -> httpx.Response:
        if body.get("stream"):
            raw = b"".join([chunk({"content": f"@{number}"}) for number in range(len(HALVES))])
            for number, half in enumerate(HALVES):
                raw = raw.replace(b"@%d" % number, half)
            return httpx.Response(200, content=raw + chunk({}, "stop") + b"data: [DONE]\n\n")
        return httpx.Response(200, content=whole({"content": "@"}).content.replace(b"@", b"".join(HALVES)))

    at.behind.answer = told
    said = "half \U0001f600 and \ufffd"
    for path, body in BODIES.items():
        answer = httpx.post(at.url + path, json=body)
        assert said in json.dumps(answer.json(), ensure_ascii=False)
        assert "U+FFFD stands for it" in answer.headers[gateway.NOTES]
    texts = (
        caller.claude(stream=True, **CLAUDE).content[0].text,
        caller.chat(stream=True, model="m", messages=MESSAGES).choices[0].message.content,
        caller.responses(stream=True, model="m", input="Hi").output_text,
        "".join([piece.text or "" for piece in caller.gemini(stream=True, model="m", contents="Hi")]),
    )
    assert texts == (said,) * 4


async def nothing_yet(_: Any) -> list[Any]:
    return []
