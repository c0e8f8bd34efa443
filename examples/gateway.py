"""A gateway: clients of one API, served by a server that speaks another.

    python examples/gateway.py http://127.0.0.1:8080

Clients of Anthropic Messages are served by the Chat Completions of the server behind, clients of Chat Completions by
its Messages. Needs starlette, uvicorn and httpx beside promptwire.
"""

from __future__ import annotations

import sys
import time
from collections.abc import AsyncIterator
from dataclasses import replace
from types import ModuleType

import httpx
import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request as Asked
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from promptwire import AnswerError, Event, PromptwireError, Request, anthropic_messages, openai_chat

# the path of a client's API -> that API, the one of the server behind, and what stands before its path there
ROUTES = {
    "/v1/messages": (anthropic_messages, openai_chat, "/v1"),
    "/v1/chat/completions": (openai_chat, anthropic_messages, ""),
}


def gateway(server: str, key: str = "none") -> Starlette:
    """Make the application; `server` is scheme, host and port of the one behind, `key` what it asks for."""
    client = httpx.AsyncClient(timeout=600)

    async def serve(asked: Asked) -> Response:
        front, back, before = ROUTES[asked.url.path]
        try:
            request = front.read(await asked.json()).request
            # a limit that one API asks for, and counts that the other sends only when asked
            counted = bool(request.stream_usage)
            options = replace(request.options, max_tokens=request.options.max_tokens or 1024)
            request = replace(request, options=options, stream_usage=request.stream)
            settings = {"base_url": server + before, "api_key": key}
            built = back.build(request, settings=settings, policies="portable")
        except (PromptwireError, ValueError) as error:
            return failure(400, str(error))
        sent = client.build_request(
            built.method, built.url, headers=dict(built.headers), content=built.json()
        )
        answer = await client.send(sent, stream=True)
        if answer.is_success and request.stream:
            return StreamingResponse(
                pieces(front, back, request, answer, counted), media_type="text/event-stream"
            )
        await answer.aread()
        if answer.is_success:
            return JSONResponse(front.write_answer(back.read_answer(answer.json()), policies="portable"))
        return failure(answer.status_code, back.read_error(answer.status_code, answer.text).message)

    return Starlette(routes=[Route(path, serve, methods=["POST"]) for path in ROUTES])


async def pieces(
    front: ModuleType, back: ModuleType, request: Request, answer: httpx.Response, counted: bool
) -> AsyncIterator[bytes]:
    """Give a stream of one API as that of another, while it comes."""
    stream = back.stream()
    writer = front.write_stream(
        model=request.model, created=int(time.time()), usage=counted, policies="portable"
    )
    try:
        async for chunk in answer.aiter_bytes():
            for event in stream.feed(chunk):
                yield writer.feed(event)
        for event in stream.rest():
            yield writer.feed(event)
        stream.close()
    except (AnswerError, httpx.HTTPError) as error:
        yield writer.feed(Event(kind="error", data={"message": str(error)}))
    finally:
        await answer.aclose()
    yield writer.close()


def failure(status: int, message: str) -> JSONResponse:
    """Say what went wrong; clients of both APIs look for it there."""
    return JSONResponse({"type": "error", "error": {"type": "api_error", "message": message}}, status)


if __name__ == "__main__":
    uvicorn.run(gateway(sys.argv[1]), host="127.0.0.1", port=8000)
