"""A server that speaks any API: a function gives the answer to each neutral request, whole or as a stream."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import httpx

from promptwire import Answer, Event, Part, Request, ToolCall, assistant, openai_chat
from promptwire.execution import run, run_async
from promptwire.http import AsyncClient, Client
from promptwire.parts import Refusal
from promptwire.results import Candidate, Usage

Respond = Callable[[Request], Answer]


def saying(*parts: str | Part, finish: str | None = None) -> Answer:
    """Return an answer with these parts."""
    calls = any(isinstance(part, ToolCall) for part in parts)
    ended = finish or ("tool_calls" if calls else "stop")
    candidate = Candidate(message=assistant(*parts), finish=ended, index=0)
    return Answer(candidates=(candidate,), id="a", model="m", usage=Usage(input=3, output=2, total=5))


@dataclass
class ScriptedApi:
    """The server. `bodies` and `requests` are what arrived; an `httpx.Response`, or what makes one, is sent in place of an answer."""

    respond: Callable[[Request], Any]
    wire: Any = openai_chat
    bodies: list[Any] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)

    def __call__(self, sent: httpx.Request) -> httpx.Response:
        """Answer one request."""
        self.bodies.append(json.loads(sent.content))
        request = self.wire.read(self.bodies[-1], str(sent.url)).request
        self.requests.append(request)
        answer = self.respond(request)
        answer = answer() if callable(answer) else answer
        if isinstance(answer, httpx.Response):
            return answer
        streamed = request.stream or "stream" in sent.url.path.rpartition(":")[2].lower()
        if not (streamed or sent.url.path.endswith("converse-stream")):
            body = self.wire.write_answer(answer, id="a", created=1, policies="lenient")
            return httpx.Response(200, json=body)
        writer = self.wire.write_stream(id="a", model=answer.model, created=1, usage=True, policies="lenient")
        pieces = [*map(writer.feed, _events(answer)), writer.close()]
        return httpx.Response(200, content=b"".join(pieces))

    def ask(self, request: Request) -> Answer:
        """Answer without a client."""
        self.requests.append(request)
        answer = self.respond(request)
        if not isinstance(answer, Answer):
            raise ConnectionError("the server failed")
        return answer


def _events(answer: Answer) -> Iterator[Event]:
    for number, part in enumerate(answer.parts):
        if isinstance(part, ToolCall):
            yield Event(kind="call", id=part.id, name=part.name, place=(0, number))
            yield Event(kind="arguments", text=json.dumps(part.arguments), place=(0, number))
        else:
            kind = "refusal" if isinstance(part, Refusal) else "text"
            yield Event(kind=kind, text=getattr(part, "text", ""), place=(0, number))
    yield Event(kind="usage", data=answer.usage)
    yield Event(kind="finish", name=answer.finish)


WAYS = ("run", "run_stream", "async run", "async run_stream", "own", "async own")


def run_with(api: ScriptedApi, way: str, request: Request, tools: Any = (), **options: Any) -> Any:
    """Run the loop in one of `WAYS`: clients, blocking and not, whole and streamed, and with functions of one's own."""
    later, _, method = way.rpartition(" ")
    if method == "own":
        return _run_own(api, later, request, tools, options)
    transport = httpx.MockTransport(api)
    terms: dict[str, Any] = {"api_key": "k", "policies": "lenient", "retries": 0}
    if not later:
        client = Client(api.wire, http=httpx.Client(transport=transport), **terms)
        given: Any = getattr(client, method)(request, tools, **options)
        return given.result() if "stream" in method else given

    async def answer() -> Any:
        client = AsyncClient(api.wire, http=httpx.AsyncClient(transport=transport), **terms)
        given: Any = getattr(client, method)(request, tools, **options)
        return await (given.result() if "stream" in method else given)

    return asyncio.run(answer())


def _run_own(api: ScriptedApi, later: str, request: Request, tools: Any, options: dict[str, Any]) -> Any:
    if not later:
        return run(api.ask, request, tools, wire=api.wire, **options)

    async def ask(asked: Request) -> Answer:
        await asyncio.sleep(0)
        return api.ask(asked)

    return asyncio.run(run_async(ask, request, tools, wire=api.wire, **options))
