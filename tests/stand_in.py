"""A model that stands in for the APIs while pages are run: it reads each request as its API's, and answers as that API.

Nothing goes over the network. It calls each tool it is given, for Oslo, until a result says how warm it is there; then
it says so itself.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from itertools import takewhile
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request as Sent

import httpx

import promptwire
from promptwire import Answer, Event, Message, Text, Tool, ToolCall, ToolResult, assistant
from promptwire.results import Candidate, Usage

WIRES = {
    "https://api.openai.com/v1/chat/completions": "openai_chat",
    "https://api.openai.com/v1/responses": "openai_responses",
    "https://api.anthropic.com/v1/messages": "anthropic_messages",
    "https://generativelanguage.googleapis.com/v1beta/models/": "gemini_generate",
}
# as users have it in their environment
KEYS = {"OPENAI_API_KEY": "sk-secret", "ANTHROPIC_API_KEY": "sk-secret"}
_ID, _CREATED = "answer_1", 1_760_000_000


def urlopen(sent: Sent, timeout: float | None = None) -> io.BytesIO:
    """Answer as `urllib.request.urlopen` does; without a key it is an error of 401, with a busy one of 429."""
    del timeout
    assert isinstance(sent.data, bytes)
    status, headers, content = respond(sent.full_url, sent.headers, sent.data)
    if status != HTTPStatus.OK:
        raise HTTPError(sent.full_url, status, status.phrase, headers, io.BytesIO(content))  # type: ignore[arg-type]
    return io.BytesIO(content)


_send = httpx.HTTPTransport.handle_request


def handle_request(transport: httpx.HTTPTransport, sent: httpx.Request) -> httpx.Response:
    """Answer as the transport of `httpx.Client` does; a server that a page starts itself is asked."""
    if sent.url.host in ("127.0.0.1", "localhost"):
        return _send(transport, sent)
    status, headers, content = respond(str(sent.url), sent.headers, sent.content)
    return httpx.Response(status, headers=headers, content=content)


_send_later = httpx.AsyncHTTPTransport.handle_async_request


async def handle_async_request(transport: httpx.AsyncHTTPTransport, sent: httpx.Request) -> httpx.Response:
    """Answer as the transport of `httpx.AsyncClient` does."""
    if sent.url.host in ("127.0.0.1", "localhost"):
        return await _send_later(transport, sent)
    status, headers, content = respond(str(sent.url), sent.headers, await sent.aread())
    return httpx.Response(status, headers=headers, content=content)


def respond(url: str, headers: Mapping[str, str], content: bytes) -> tuple[HTTPStatus, dict[str, str], bytes]:
    """Return status, headers and content of the answer to a request."""
    wire = next(getattr(promptwire, name) for start, name in WIRES.items() if url.startswith(start))
    if any("$" in value for value in headers.values()):
        error = b'{"error": {"type": "authentication_error", "message": "This key is not known."}}'
        return HTTPStatus.UNAUTHORIZED, {}, error
    if any("busy" in value for value in headers.values()):
        error = b'{"error": {"type": "rate_limit_error", "message": "Too many requests."}}'
        return HTTPStatus.TOO_MANY_REQUESTS, {"retry-after": "2"}, error
    request = wire.read(json.loads(content), url).request
    answer = answer_to(request)
    if request.stream:
        writer = wire.write_stream(
            id=_ID,
            model=request.model,
            created=_CREATED,
            usage=bool(request.stream_usage),
            policies="lenient",
        )
        return HTTPStatus.OK, {}, b"".join([*map(writer.feed, _events(answer)), writer.close()])
    body = wire.write_answer(answer, policies="lenient")
    if urlsplit(url).netloc == "api.openai.com":
        body |= {"created": _CREATED}
    return HTTPStatus.OK, {}, json.dumps(body).encode()


def answer_to(request: promptwire.Request) -> Answer:
    """Return the model's answer to a request."""
    tools = [tool for tool in request.tools or () if isinstance(tool, Tool)]
    turn = list(
        takewhile(lambda message: message.role != "user" or _results(message), request.messages[::-1])
    )
    called = {part.name for message in turn for part in message.parts if isinstance(part, ToolCall)}
    left = [tool for tool in tools if tool.name not in called]
    wanted = request.response_format is not None
    said = '{"city": "Oslo", "degrees": 12}' if wanted else "It is 12 degrees in Oslo."
    message, finish = assistant(said), "stop"
    if left and "12" not in "".join([text for message in turn for text in _results(message)]):
        message, finish = (
            assistant(ToolCall(f"call_{len(called) + 1}", left[0].name, {"city": "Oslo"})),
            "tool_calls",
        )
    return Answer(
        candidates=(Candidate(message=message, finish=finish, index=0),),
        id=_ID,
        model=request.model,
        usage=Usage(input=20, output=8, total=28),
    )


def _results(message: Message) -> list[str]:
    """Return the texts of the tool results of a message."""
    results = [part for part in message.parts if isinstance(part, ToolResult)]
    return ["".join([text.text for text in result.parts if isinstance(text, Text)]) for result in results]


def _events(answer: Answer) -> Iterator[Event]:
    """Yield an answer in pieces."""
    for number, part in enumerate(answer.parts):
        if isinstance(part, ToolCall):
            yield Event(kind="call", id=part.id, name=part.name, place=(0, number))
            yield Event(kind="arguments", text=json.dumps(part.arguments), place=(0, number))
    for number, word in enumerate(answer.text.split(" ") if answer.text else ()):
        yield Event(kind="text", text=f" {word}" if number else word, place=(0, 0))
    yield Event(kind="usage", data=answer.usage)
    yield Event(kind="finish", name=answer.finish)
