"""A recorded API behind the gateway, and requests of all four APIs for it."""

from __future__ import annotations

import asyncio
import base64
import json
import threading
from collections.abc import AsyncIterator, Awaitable, Callable
from inspect import isawaitable
from typing import Any, Final

import httpx

from promptwire import anthropic_messages, gemini_generate, openai_chat, openai_responses

FRONTS = (anthropic_messages, openai_chat, openai_responses, gemini_generate)
USAGE = {"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": 13}
SCHEMA: dict[str, Any] = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city": "Oslo"}'}}
PNG = base64.b64encode(b"\x89PNG\r\n\x1a\n0000").decode()
BODIES: Final[dict[str, dict[str, Any]]] = {
    "/v1/messages": {"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "Hi"}]},
    "/v1/chat/completions": {"model": "m", "messages": [{"role": "user", "content": "Hi"}]},
    "/v1/responses": {"model": "m", "input": "Hi"},
    "/v1beta/models/m:generateContent": {"contents": [{"role": "user", "parts": [{"text": "Hi"}]}]},
}
"""The path of each API, and a plain request for it."""
STREAMED: Final[dict[str, dict[str, Any]]] = {
    **{path: {**body, "stream": True} for path, body in BODIES.items() if not path.startswith("/v1beta")},
    "/v1beta/models/m:streamGenerateContent?alt=sse": BODIES["/v1beta/models/m:generateContent"],
}
"""The same as streams."""

Reply = httpx.Response | Awaitable[httpx.Response]


def whole(message: dict[str, Any], finish: str = "stop") -> httpx.Response:
    body = {
        "id": "a1", "object": "chat.completion", "created": 1, "model": "behind", "usage": USAGE,
        "choices": [{"index": 0, "message": {"role": "assistant", **message}, "finish_reason": finish}],
    }  # fmt: skip
    return httpx.Response(200, json=body)


def chunk(delta: dict[str, Any], finish: str | None = None, **more: Any) -> bytes:
    row = {
        "id": "a1", "object": "chat.completion.chunk", "created": 1, "model": "behind",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}], **more,
    }  # fmt: skip
    return b"data: " + json.dumps(row).encode() + b"\n\n"


def streamed(*deltas: dict[str, Any], finish: str = "stop", counted: bool = True) -> httpx.Response:
    counts = b"data: " + json.dumps({"id": "a1", "choices": [], "usage": USAGE}).encode() + b"\n\n"
    last = (counts if counted else b"") + b"data: [DONE]\n\n"
    return httpx.Response(200, content=b"".join([*map(chunk, deltas), chunk({}, finish), last]))


def told(status: int, message: str, **headers: str) -> Callable[[Any], httpx.Response]:
    """Return what answers every request with an error."""
    body = {"error": {"message": message, "type": "requests", "code": None}}
    return lambda _: httpx.Response(status, json=body, headers=headers)


def fails(error: Exception) -> Callable[[Any], httpx.Response]:
    """Return what raises an error in place of every answer."""

    def answer(_: Any) -> httpx.Response:
        raise error

    return answer


def check_error(answer: httpx.Response, path: str, status: int) -> None:
    """Check that an error is one of the API whose path it is."""
    assert answer.status_code == status, answer.text
    body = answer.json()
    assert body["error"]["message"] and "Traceback" not in answer.text
    if path == "/v1/messages":
        assert body["type"] == "error" and body["error"]["type"].endswith(("_error", "_too_large"))
    elif path.startswith("/v1beta"):
        assert body["error"].get("status", "X").isupper()
    else:
        assert isinstance(body["error"].get("type", ""), str)


class Words(httpx.AsyncByteStream):
    """A stream without an end, which notes when it is closed; after a whole answer, it only keeps the connection alive."""

    def __init__(self, *answer: bytes) -> None:
        self.closed = threading.Event()
        self._answer = answer

    async def __aiter__(self) -> AsyncIterator[bytes]:
        for piece in self._answer:
            yield piece
        while True:
            yield b": alive\n\n" if self._answer else chunk({"content": "and "})
            await asyncio.sleep(0.01)

    async def aclose(self) -> None:
        self.closed.set()


class Silence:
    """An answer that never comes, and notes when it is wanted and when nobody waits for it any more."""

    def __init__(self) -> None:
        self.asked = threading.Event()
        self.cancelled = threading.Event()

    async def __call__(self, _: Any) -> httpx.Response:
        self.asked.set()
        try:
            await asyncio.sleep(60)
        except asyncio.CancelledError:
            self.cancelled.set()
            raise
        raise AssertionError("it was waited for")


class Behind:
    """The API behind: it answers as it is told, and remembers what it was sent."""

    def __init__(self) -> None:
        self.answer: Callable[[Any], Reply] = self.usual
        self.sent: list[httpx.Request] = []

    async def __call__(self, request: httpx.Request) -> httpx.Response:
        self.sent.append(request)
        reply = self.answer(json.loads(request.content))
        return await reply if isawaitable(reply) else reply

    def usual(self, body: Any) -> httpx.Response:
        """Call the tool if there is one and no result of it, else say a few words."""
        if body.get("tools") and all(message["role"] != "tool" for message in body["messages"]):
            pieces = {"tool_calls": [{"index": 0, **CALL}]}
            if body.get("stream"):
                return streamed(pieces, finish="tool_calls")
            return whole({"content": None, "tool_calls": [CALL]}, "tool_calls")
        if body.get("stream"):
            counted = bool(body.get("stream_options"))
            return streamed({"role": "assistant", "content": "12"}, {"content": " C."}, counted=counted)
        return whole({"content": "12 C."})

    def thinking(self, body: Any) -> httpx.Response:
        """Think, then say a few words."""
        if body.get("stream"):
            return streamed(
                {"reasoning_content": "Oslo"}, {"reasoning_content": " first."}, {"content": "12 C."}
            )
        return whole({"reasoning_content": "Oslo first.", "content": "12 C."})

    @property
    def body(self) -> Any:
        """The body of the last request."""
        return json.loads(self.sent[-1].content)
