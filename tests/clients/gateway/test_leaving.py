"""A client that leaves: the request to the API behind ends with its own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import anthropic
import httpx
import openai
import pytest
from google import genai
from google.genai import types as gemini
from starlette.requests import Request as Asked

from promptwire import Event, Request, llamacpp_chat, openai_chat, user
from tests.internals.clients import Call, ClientLeftError, gateway

from .behind import BODIES, STREAMED, Silence, Words, chunk
from .callers import KEY


@pytest.mark.parametrize("path", STREAMED)
def test_a_client_that_leaves_stops_the_stream_behind(at: SimpleNamespace, path: str) -> None:
    words = Words()
    at.behind.answer = lambda _: httpx.Response(200, stream=words)
    with httpx.stream("POST", at.url + path, json=STREAMED[path]) as answer:
        # without a name, the iterator would close the response at once
        pieces = answer.iter_bytes()
        assert next(pieces)
        assert not words.closed.is_set()
    assert words.closed.wait(10)


@pytest.mark.parametrize("last", [b"data: [DONE]\n\n", b""], ids=["marked", "finished"])
@pytest.mark.parametrize("path", STREAMED)
def test_a_stream_ends_with_its_answer_although_the_server_behind_stays_connected(
    at: SimpleNamespace, path: str, last: bytes
) -> None:
    words = Words(chunk({"content": "Hi"}), chunk({}, "stop"), last)
    at.behind.answer = lambda _: httpx.Response(200, stream=words)
    answer = httpx.post(at.url + path, json=STREAMED[path], timeout=30)
    assert "Hi" in answer.text
    assert "error" not in answer.text.replace('"error":null', "")
    assert words.closed.wait(10)


@pytest.mark.parametrize("path", [*BODIES, *STREAMED])
def test_a_client_that_leaves_before_an_answer_stops_the_request_behind(
    at: SimpleNamespace, path: str
) -> None:
    silence = Silence()
    at.behind.answer = silence
    with pytest.raises(httpx.ReadTimeout):
        httpx.post(at.url + path, json=BODIES.get(path) or STREAMED[path], timeout=httpx.Timeout(5, read=0.5))
    assert silence.asked.is_set()
    assert silence.cancelled.wait(10)


Leave = Callable[[str], Any]


async def leave_claude(url: str) -> None:
    async with (
        anthropic.AsyncAnthropic(api_key=KEY, base_url=url, max_retries=0) as client,
        client.messages.stream(**BODIES["/v1/messages"]) as events,
    ):
        async for text in events.text_stream:
            assert text
            return


async def leave_chat(url: str) -> None:
    async with (
        openai.AsyncOpenAI(api_key=KEY, base_url=f"{url}/v1", max_retries=0) as client,
        client.chat.completions.stream(**BODIES["/v1/chat/completions"]) as events,
    ):
        async for _ in events:
            return


async def leave_responses(url: str) -> None:
    async with (
        openai.AsyncOpenAI(api_key=KEY, base_url=f"{url}/v1", max_retries=0) as client,
        client.responses.stream(**BODIES["/v1/responses"]) as events,
    ):
        async for _ in events:
            return


async def leave_gemini(url: str) -> None:
    async with genai.Client(api_key=KEY, http_options=gemini.HttpOptions(base_url=url)).aio as client:
        rows = await client.models.generate_content_stream(model="m", contents="Hi")
        async for _ in rows:
            return


@pytest.mark.parametrize("leave", [leave_claude, leave_chat, leave_responses, leave_gemini])
def test_a_task_of_an_official_client_that_ends_stops_the_stream_behind(
    at: SimpleNamespace, leave: Leave
) -> None:
    words = Words()
    at.behind.answer = lambda _: httpx.Response(200, stream=words)
    asyncio.run(leave(at.url))
    assert words.closed.wait(10)


class Waiting:
    """The events of a stream behind, which waits for ever after its first one."""

    def __init__(self, *events: Event) -> None:
        self.events = [*events]
        self.is_closed = False

    def __aiter__(self) -> Waiting:
        return self

    async def __anext__(self) -> Event:
        if not self.events:
            await asyncio.sleep(60)
        return self.events.pop(0)

    def ready(self) -> list[Event]:
        return []

    async def aclose(self) -> None:
        self.is_closed = True


async def left() -> dict[str, Any]:
    """What a server says of a client that has left."""
    return {"type": "http.disconnect"}


def call_of(http: httpx.AsyncClient, receive: Any = left) -> Call:
    """Return the call of a client, which has left unless `receive` says otherwise."""
    made = gateway.Gateway(fronts=(openai_chat,), back=llamacpp_chat)
    return Call(made, http, openai_chat, Asked({"type": "http", "headers": []}, receive))


ASKED = Request("m", [user("Hi")], stream=True)


def test_the_stream_behind_is_closed_where_a_client_leaves_before_its_first_event() -> None:
    async def leave() -> Waiting:
        waiting = Waiting()
        client: Any = SimpleNamespace(stream=lambda _: waiting)
        async with httpx.AsyncClient() as http:
            with pytest.raises(ClientLeftError):
                await call_of(http)._streamed(client, ASKED, None)
        return waiting

    assert asyncio.run(leave()).is_closed


@pytest.mark.parametrize("sent", [1, 2], ids=["before the first piece", "between two pieces"])
def test_the_stream_behind_is_closed_where_a_client_leaves_a_stream_that_has_begun(sent: int) -> None:
    async def leave() -> tuple[Waiting, list[Any]]:
        waiting = Waiting(Event(kind="start"), Event(kind="text", text="Hi"))
        client: Any = SimpleNamespace(stream=lambda _: waiting)
        messages: list[Any] = []
        left = asyncio.Event()

        async def receive() -> dict[str, Any]:
            await left.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            messages.append(message)
            if len(messages) == sent:
                left.set()
                # the server hears of it
                await asyncio.sleep(0.05)

        async with httpx.AsyncClient() as http:
            answer = await call_of(http, receive)._streamed(client, ASKED, None)
            await asyncio.wait_for(answer({"type": "http"}, receive, send), 10)
        return waiting, messages

    waiting, messages = asyncio.run(leave())
    assert waiting.is_closed
    assert [message["type"] for message in messages] == ["http.response.start", "http.response.body"][:sent]


def test_a_client_that_leaves_at_once_stops_a_server_that_has_not_answered(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("promptwire_http.gateway.calls.SILENCE", 0.01)

    async def leave() -> tuple[Waiting, int]:
        waiting = Waiting()
        client: Any = SimpleNamespace(stream=lambda _: waiting)

        async def receive() -> dict[str, Any]:
            return await asyncio.Future()

        async def send(_: Any) -> None:
            raise OSError

        async with httpx.AsyncClient() as http:
            answer = await call_of(http, receive)._streamed(client, ASKED, None)
            await answer({"type": "http"}, receive, send)
            return waiting, len(asyncio.all_tasks())

    waiting, tasks = asyncio.run(leave())
    assert waiting.is_closed
    assert tasks == 1
