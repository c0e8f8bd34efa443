"""The official clients of four APIs, blocking and asynchronous, each of which asks and streams in the same words."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager
from typing import Any, Protocol, TypeVar

import anthropic
import openai
from google import genai
from google.genai import types as gemini

T = TypeVar("T")
KEY = "sk-client"


class Caller(Protocol):
    """Asks through the official clients. Answers are objects of these clients; a stream is read to its end."""

    def claude(self, *, stream: bool, **arguments: Any) -> Any:
        """Return the message of Anthropic's client."""

    def chat(self, *, stream: bool, **arguments: Any) -> Any:
        """Return the completion of OpenAI's client."""

    def responses(self, *, stream: bool, **arguments: Any) -> Any:
        """Return the response of OpenAI's client."""

    def gemini(self, *, stream: bool, **arguments: Any) -> list[gemini.GenerateContentResponse]:
        """Return the responses of Google's client: one, or those of a stream."""


class Blocking:
    """The blocking clients."""

    def __init__(self, url: str) -> None:
        self._anthropic = anthropic.Anthropic(api_key=KEY, base_url=url, max_retries=0)
        self._openai = openai.OpenAI(api_key=KEY, base_url=f"{url}/v1", max_retries=0)
        self._google = genai.Client(api_key=KEY, http_options=gemini.HttpOptions(base_url=url))

    def claude(self, *, stream: bool, **arguments: Any) -> Any:
        if not stream:
            return self._anthropic.messages.create(**arguments)
        with self._anthropic.messages.stream(**arguments) as events:
            return events.get_final_message()

    def chat(self, *, stream: bool, **arguments: Any) -> Any:
        if not stream:
            return self._openai.chat.completions.create(**arguments)
        with self._openai.chat.completions.stream(**arguments) as events:
            return events.get_final_completion()

    def responses(self, *, stream: bool, **arguments: Any) -> Any:
        if not stream:
            return self._openai.responses.create(**arguments)
        with self._openai.responses.stream(**arguments) as events:
            return events.get_final_response()

    def gemini(self, *, stream: bool, **arguments: Any) -> list[gemini.GenerateContentResponse]:
        if not stream:
            return [self._google.models.generate_content(**arguments)]
        return [*self._google.models.generate_content_stream(**arguments)]


class Asynchronous:
    """The asynchronous clients, each call in an event loop and with a client of its own."""

    def __init__(self, url: str) -> None:
        self._url = url

    def claude(self, *, stream: bool, **arguments: Any) -> Any:
        async def ask(client: anthropic.AsyncAnthropic) -> Any:
            if not stream:
                return await client.messages.create(**arguments)
            async with client.messages.stream(**arguments) as events:
                return await events.get_final_message()

        return _run(anthropic.AsyncAnthropic(api_key=KEY, base_url=self._url, max_retries=0), ask)

    def chat(self, *, stream: bool, **arguments: Any) -> Any:
        async def ask(client: openai.AsyncOpenAI) -> Any:
            if not stream:
                return await client.chat.completions.create(**arguments)
            async with client.chat.completions.stream(**arguments) as events:
                return await events.get_final_completion()

        return _run(self._openai(), ask)

    def responses(self, *, stream: bool, **arguments: Any) -> Any:
        async def ask(client: openai.AsyncOpenAI) -> Any:
            if not stream:
                return await client.responses.create(**arguments)
            async with client.responses.stream(**arguments) as events:
                return await events.get_final_response()

        return _run(self._openai(), ask)

    def gemini(self, *, stream: bool, **arguments: Any) -> list[gemini.GenerateContentResponse]:
        async def ask(client: Any) -> list[gemini.GenerateContentResponse]:
            if not stream:
                return [await client.models.generate_content(**arguments)]
            return [row async for row in await client.models.generate_content_stream(**arguments)]

        client = genai.Client(api_key=KEY, http_options=gemini.HttpOptions(base_url=self._url))
        return _run(client.aio, ask)

    def _openai(self) -> openai.AsyncOpenAI:
        return openai.AsyncOpenAI(api_key=KEY, base_url=f"{self._url}/v1", max_retries=0)


def _run(client: AbstractAsyncContextManager[Any], ask: Callable[[Any], Awaitable[T]]) -> T:
    async def inside() -> T:
        async with client as opened:
            return await ask(opened)

    return asyncio.run(inside())


CALLERS: dict[str, Callable[[str], Caller]] = {"blocking": Blocking, "asynchronous": Asynchronous}
