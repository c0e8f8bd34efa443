"""Streams of the gateway: what keeps a silent one alive, and the bytes of an API behind that is the client's own."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from tests.internals.clients import gateway

from .behind import BODIES, STREAMED, USAGE, chunk
from .callers import Caller
from .test_errors import CLAUDE, MESSAGES

PINGS = {
    "/v1/messages": b'event: ping\ndata: {"type": "ping"}\n\n',
    "/v1/chat/completions": b": keep-alive\n\n",
    "/v1/responses": b": keep-alive\n\n",
    "/v1beta/models/m:streamGenerateContent?alt=sse": b"\n",
    "/v1beta/models/m:streamGenerateContent": b"\n",
}
ASKED = STREAMED | {"/v1beta/models/m:streamGenerateContent": BODIES["/v1beta/models/m:generateContent"]}
CHAT = "/v1/chat/completions"
ERROR = b'data: {"error": {"message": "Busy.", "type": "server_error", "code": 503}}\n\n'


class Slow(httpx.AsyncByteStream):
    """A stream with silences, in seconds, between its pieces."""

    def __init__(self, *pieces: bytes | float) -> None:
        self._pieces = pieces

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._pieces:
            if isinstance(piece, float):
                await asyncio.sleep(piece)
            else:
                yield piece


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch, at: SimpleNamespace) -> SimpleNamespace:
    """A gateway that breaks a silence early."""
    monkeypatch.setattr("promptwire_http.gateway.calls.SILENCE", 0.2)
    monkeypatch.setattr("promptwire_http.gateway.streaming.SILENCE", 0.2)
    return at


def slow(*pieces: bytes | float) -> Any:
    return lambda _: httpx.Response(200, stream=Slow(*pieces))


HI = chunk({"content": "Hi"})


@pytest.mark.parametrize("path", ASKED)
@pytest.mark.parametrize(
    ("pieces", "before"),
    [((0.7, HI), True), ((HI[:20], 0.7, HI[20:]), True), ((HI, 0.7), False)],
    ids=["before the first piece", "inside it", "behind it"],
)
def test_a_silent_stream_is_kept_alive(
    impatient: SimpleNamespace, path: str, pieces: tuple[Any, ...], before: bool
) -> None:
    impatient.behind.answer = slow(*pieces, chunk({}, "stop"), b"data: [DONE]\n\n")
    content = httpx.post(impatient.url + path, json=ASKED[path]).content
    first, last = content[: content.index(b"Hi")], content[content.index(b"Hi") :]
    assert PINGS[path] in (first if before else last)


def test_clients_skip_what_keeps_a_stream_alive(impatient: SimpleNamespace, caller: Caller) -> None:
    impatient.behind.answer = slow(
        0.5,
        chunk({"content": "12"}),
        0.5,
        chunk({"content": " C."}),
        0.5,
        chunk({}, "stop"),
        b"data: [DONE]\n\n",
    )
    texts = (
        caller.claude(stream=True, **CLAUDE).content[0].text,
        caller.chat(stream=True, model="m", messages=MESSAGES).choices[0].message.content,
        caller.responses(stream=True, model="m", input="Hi").output_text,
        "".join([piece.text or "" for piece in caller.gemini(stream=True, model="m", contents="Hi")]),
    )
    assert texts == ("12 C.",) * 4


@pytest.mark.parametrize("path", STREAMED)
def test_an_error_behind_a_silence_ends_the_stream_that_has_begun(
    impatient: SimpleNamespace, path: str
) -> None:
    impatient.behind.answer = slow(0.5, ERROR)
    answer = httpx.post(impatient.url + path, json=STREAMED[path])
    assert answer.status_code == 200
    assert b"Busy." in answer.content


@pytest.mark.parametrize("path", STREAMED)
def test_an_error_without_a_silence_keeps_its_status(impatient: SimpleNamespace, path: str) -> None:
    impatient.behind.answer = slow(ERROR)
    assert httpx.post(impatient.url + path, json=STREAMED[path]).status_code == 503


WHOLE = {
    "id": "a1", "object": "chat.completion", "created": 1, "model": "behind", "usage": USAGE, "system_fingerprint": "f",
    "x_of_the_host": {"depth": 1.50, "big": 12345678901234567890},
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "Hi", "refusal": None}, "logprobs": None, "finish_reason": "stop"}
    ],
}  # fmt: skip


def test_a_whole_answer_of_the_same_api_passes_unchanged(at: SimpleNamespace) -> None:
    raw = json.dumps(WHOLE, indent=1).replace("1.5", "1.50").encode()
    at.behind.answer = lambda _: httpx.Response(200, content=raw)
    answer = httpx.post(at.url + CHAT, json=BODIES[CHAT])
    assert answer.content == raw
    assert gateway.NOTES not in answer.headers
    assert (
        json.loads(httpx.post(at.url + "/v1/messages", json=BODIES["/v1/messages"]).content)["type"]
        == "message"
    )


@pytest.mark.parametrize("cut", [1, 7, 64, 10_000])
@pytest.mark.parametrize("line", [b"\n", b"\r\n"])
def test_a_stream_of_the_same_api_passes_unchanged(at: SimpleNamespace, cut: int, line: bytes) -> None:
    last = json.dumps({"id": "a1", "choices": [], "usage": USAGE, "x_of_the_host": 1}).encode()
    raw = b"".join([
        b": ping\n\n", chunk({"role": "assistant", "x_of_the_host": [1.50]}), chunk({"content": "Hi"}), b": ping\n\n",
        chunk({"content": "!"}), chunk({}, "stop", timings={"ms": 1}), b"data: " + last + b"\n\ndata: [DONE]\n\n",
    ]).replace(b"\n", line)  # fmt: skip
    at.behind.answer = slow(*[raw[place : place + cut] for place in range(0, len(raw), cut)])
    # behind the mark of the end, half a line break may be left
    assert httpx.post(at.url + CHAT, json=STREAMED[CHAT]).content.rstrip() == raw.rstrip()


def test_what_fails_inside_a_stream_of_the_same_api_is_an_event_of_its_own(at: SimpleNamespace) -> None:
    first = chunk({"content": "Hi"})
    at.behind.answer = slow(first + chunk({"content": "there"})[:30])
    content = httpx.post(at.url + CHAT, json=STREAMED[CHAT]).content
    assert content.startswith(first)
    rows = [json.loads(row.removeprefix(b"data: ")) for row in content.removeprefix(first).split(b"\n\n")[:1]]
    assert rows[0]["error"]["type"] == "server_error"


def test_a_page_in_place_of_a_stream_of_the_same_api_does_not_pass(at: SimpleNamespace) -> None:
    at.behind.answer = lambda _: httpx.Response(200, json=WHOLE)
    content = httpx.post(at.url + CHAT, json=STREAMED[CHAT]).content
    assert content.startswith(b"data: ") and b"Hi" in content
