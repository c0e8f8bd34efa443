"""The README's agent loop against a server on this machine: through httpx, and through the vendors' clients."""

from __future__ import annotations

import json
import operator
from collections.abc import Callable
from importlib import import_module
from typing import Any, Final

import pytest

from promptwire import Answer, BodyError, Built, PromptwireError, openai_chat
from promptwire.errors import StreamError
from tests.live.agent import QUESTION, run_agent, weather

from .loopback import Loopback
from .sdks import client_of

CALL: Final = {
    "id": "c1",
    "object": "chat.completion",
    "created": 1,
    "model": "m",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "weather", "arguments": '{"city": "Oslo"}'},
                    }
                ],
            },
            "finish_reason": "tool_calls",
        }
    ],
    "usage": {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7},
}
TEXT: Final = CALL | {
    "choices": [
        {"index": 0, "message": {"role": "assistant", "content": "12 C in Oslo."}, "finish_reason": "stop"}
    ]
}
ANSWERS: Final = tuple(map(openai_chat.read_answer, (CALL, TEXT)))
WIRES: Final = {
    "openai_chat": "openai",
    "openai_responses": "openai",
    "anthropic_messages": "anthropic",
    "gemini_generate": "google-genai",
}
MODELS: Final = {"gemini_generate": "gemini-2.5-flash", "anthropic_messages": "claude-sonnet-4-5"}
Send = Callable[[Built[Any]], Any]


def module(wire: str) -> Any:
    return import_module(f"promptwire.{wire}")


def question(wire: str, *, stream: bool) -> Any:
    return QUESTION.replace(model=MODELS.get(wire, "gpt-4o"), stream=stream)


def written(wire: str, answer: Answer, *, stream: bool) -> tuple[bytes, str]:
    """Return the bytes of an answer on a wire, and their type."""
    if not stream:
        body = module(wire).write_answer(answer, id="a1", created=1, policies="lenient")
        return json.dumps(body).encode(), "application/json"
    writer = module(wire).write_stream(id="a1", model="m", created=1, policies="lenient")
    return writer.answer(answer), "text/event-stream"


def answering(server: Loopback, wire: str, send: Send, *, stream: bool) -> Send:
    """Return a function that sends a request to a server whose next answer is the next of `ANSWERS`."""
    answers = iter(ANSWERS)

    def send_one(built: Built[Any]) -> Any:
        server.answer(*written(wire, next(answers), stream=stream))
        return send(built)

    return send_one


def through_httpx(server: Loopback, wire: str, *, stream: bool) -> Send:
    def send(built: Built[Any]) -> Any:
        import httpx

        arguments = {**built.httpx(), "url": server.here(built.url)}
        if not stream:
            return httpx.request(**arguments, trust_env=False).content
        reader = module(wire).stream()
        with httpx.stream(**arguments, trust_env=False) as response:
            told = [event.text for event in reader.feed_from(response.iter_bytes()) if event.kind == "text"]
        answer = reader.close()
        assert "".join(told) == answer.text
        return answer.raw

    return send


def through_client(server: Loopback, wire: str, *, stream: bool) -> Send:
    sdk = WIRES[wire]

    def send(built: Built[Any]) -> Any:
        arguments = built.kwargs_for(sdk)
        client = client_of(sdk, wire, server.here(arguments.base_url))
        given = operator.attrgetter(arguments.call)(client)(**arguments)
        if not stream:
            return given
        reader = module(wire).stream()
        told = [event.text for event in reader.feed_from(given) if event.kind == "text"]
        answer = reader.close()
        assert "".join(told) == answer.text
        return answer.raw

    return send


def through_helper(server: Loopback, wire: str, *, stream: bool) -> Send:
    """Use the helpers of the clients that sum up a stream themselves."""
    assert stream
    sdk = WIRES[wire]

    def send(built: Built[Any]) -> Any:
        arguments = built.kwargs_for(sdk)
        client = client_of(sdk, wire, server.here(arguments.base_url))
        place = {"openai_chat": "chat.completions", "openai_responses": "responses"}.get(wire, "messages")
        reader = module(wire).stream()
        given = {name: value for name, value in arguments.items() if name != "stream"}
        with operator.attrgetter(f"{place}.stream")(client)(**given) as chunks:
            told = [event.text for event in reader.feed_from(chunks) if event.kind == "text"]
        answer = reader.close()
        assert "".join(told) == answer.text
        return answer.raw

    return send


WAYS: Final = [
    pytest.param(wire, way, stream, id=f"{wire}-{way.__name__}-{'stream' if stream else 'whole'}")
    for wire in WIRES
    for way in (through_httpx, through_client, through_helper)
    for stream in (False, True)
    if way is not through_helper or (stream and wire != "gemini_generate")
]


@pytest.mark.parametrize(("wire", "way", "stream"), WAYS)
def test_the_agent_loop_ends_with_the_text(wire: str, way: Any, stream: bool, server: Loopback) -> None:
    send = answering(server, wire, way(server, wire, stream=stream), stream=stream)
    answer = run_agent(module(wire), question(wire, stream=stream), send, {"weather": weather})
    assert (answer.text, answer.finish, answer.calls) == ("12 C in Oslo.", "stop", ())
    first, second = server.arrived
    assert "weather" in str(first.body)
    # the second request has the call and its result
    assert "12 C in Oslo" in str(second.body)
    reading = module(wire).read(second.body)
    calls = [
        part for message in reading.request.messages for part in message.parts if hasattr(part, "arguments")
    ]
    assert [(call.name, call.parsed_arguments) for call in calls] == [("weather", {"city": "Oslo"})]


PAGE: Final = (b"<html><body>Bad gateway</body></html>", "text/html", 502)
FAILURES: Final = {
    "openai_chat": [
        (
            b'{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}',
            "application/json",
            429,
        ),
        PAGE,
    ],
    "openai_responses": [
        (
            b'{"error":{"message":"Rate limit reached","type":"requests","code":"rate_limit_exceeded"}}',
            "application/json",
            429,
        ),
        PAGE,
    ],
    "anthropic_messages": [
        (
            b'{"type":"error","error":{"type":"rate_limit_error","message":"Rate limit reached"}}',
            "application/json",
            429,
        ),
        (
            b'{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}',
            "application/json",
            529,
        ),
        PAGE,
    ],
    "gemini_generate": [
        (
            b'{"error":{"code":429,"message":"Rate limit reached","status":"RESOURCE_EXHAUSTED"}}',
            "application/json",
            429,
        ),
        PAGE,
    ],
}
KINDS: Final = {429: "rate_limit", 529: "overloaded", 502: "server"}
FAILED: Final = [
    pytest.param(wire, failure, stream, id=f"{wire}-{failure[2]}-{'stream' if stream else 'whole'}")
    for wire, failures in FAILURES.items()
    for failure in failures
    for stream in (False, True)
]


@pytest.mark.parametrize(("wire", "failure", "stream"), FAILED)
def test_the_agent_loop_ends_with_a_clear_error(
    wire: str, failure: tuple[bytes, str, int], stream: bool, server: Loopback
) -> None:
    content, content_type, status = failure
    server.answer(content, content_type, status)
    request = question(wire, stream=stream)
    with pytest.raises((BodyError, StreamError)) as caught:
        run_agent(module(wire), request, through_httpx(server, wire, stream=stream), {"weather": weather})
    words = {429: "Rate limit reached", 529: "Overloaded", 502: "Bad gateway"}
    assert words[status] in str(caught.value)
    if status != 502:
        error = getattr(caught.value, "error", None)
        assert error is not None
        assert (error.kind, error.retryable) == (KINDS[status], True)
    # who looks at the status gets the kind of an HTML page as well
    error = module(wire).read_error(status, content)
    assert (error.kind, error.retryable) == (KINDS[status], True)


@pytest.mark.parametrize(("wire", "failure", "stream"), FAILED)
def test_clients_raise_their_own_errors(
    wire: str, failure: tuple[bytes, str, int], stream: bool, server: Loopback
) -> None:
    content, content_type, status = failure
    server.answer(content, content_type, status)
    request = question(wire, stream=stream)
    with pytest.raises(Exception, match=f"{status}|Bad gateway") as caught:
        run_agent(module(wire), request, through_client(server, wire, stream=stream), {"weather": weather})
    assert not isinstance(caught.value, PromptwireError)
    assert type(caught.value).__module__.partition(".")[0] in ("openai", "anthropic", "google")
