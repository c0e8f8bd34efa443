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

from .behind import BODIES, STREAMED, Silence, Words
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
