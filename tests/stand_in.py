"""A model that stands in for the APIs while pages are run: it reads each request as its API's, and answers as that API.

Nothing goes over the network. It calls the first tool it is given, for Oslo; it says how warm it is where it was told.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Mapping
from http import HTTPStatus
from urllib.error import HTTPError
from urllib.parse import urlsplit
from urllib.request import Request as Sent

import httpx

import promptwire
from promptwire import Answer, Event, Tool, ToolCall, assistant
from promptwire.results import Candidate, Usage

WIRES = {
    "https://api.openai.com/v1/chat/completions": "openai_chat",
    "https://api.openai.com/v1/responses": "openai_responses",
    "https://api.anthropic.com/v1/messages": "anthropic_messages",
    "https://generativelanguage.googleapis.com/v1beta/models/": "gemini_generate",
}
# as users have it in their environment
KEYS = {"OPENAI_API_KEY": "sk-secret"}
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
    last = request.messages[-1]
    tools = [tool for tool in request.tools or () if isinstance(tool, Tool)]
    message, finish = assistant("It is 12 degrees in Oslo."), "stop"
    if tools and not any(hasattr(part, "call_id") for part in last.parts):
        message, finish = assistant(ToolCall("call_1", tools[0].name, {"city": "Oslo"})), "tool_calls"
    return Answer(
        candidates=(Candidate(message=message, finish=finish, index=0),),
        id=_ID,
        model=request.model,
        usage=Usage(input=20, output=8, total=28),
    )


def _events(answer: Answer) -> Iterator[Event]:
    """Yield an answer in pieces."""
    for number, part in enumerate(answer.parts):
        if isinstance(part, ToolCall):
            yield Event(kind="call", id=part.id, name=part.name, place=(0, number))
            yield Event(kind="arguments", text=json.dumps(part.arguments), place=(0, number))
    for word in answer.text.split(" "):
        yield Event(kind="text", text=word if word == answer.text.split(" ")[0] else f" {word}", place=(0, 0))
    yield Event(kind="usage", data=answer.usage)
    yield Event(kind="finish", name=answer.finish)
