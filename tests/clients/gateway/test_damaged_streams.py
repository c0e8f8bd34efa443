"""The official clients ask a gateway before a host that damages its streams, as hosts do, streamed and not.

What a client has in the end is what the stream says to who reads all of it. Where the host failed, the client fails.
"""

from __future__ import annotations

import copy
import json
import threading
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any, NamedTuple

import anthropic
import httpx
import openai
import pytest
import uvicorn
from google.genai import errors as google

from promptwire import Answer, PromptwireError
from tests.answers import Events, module, stream_bytes, streams
from tests.internals.clients import gateway
from tests.laws.test_streams_say_one_thing import DAMAGES, TELLING, canonical, pieces, view_of

from .behind import FRONTS
from .callers import Blocking, Caller

pytestmark = pytest.mark.slow
BACKS = ("openai_responses", "anthropic_messages", "gemini_generate", "openai_chat")
# of several candidates, clients of an API with one answer have the first that begins
SEVERAL = "two candidates that alternate"
QUESTION: Any = {"role": "user", "content": "Hi"}
FAILED = (openai.APIError, anthropic.APIError, google.APIError)
# OpenAI's helper for streams of responses takes no event of an error; Anthropic's client parses arguments
OWN_WORDS = ("a `response.completed` event", "parse tool parameter JSON")
Calls = list[tuple[str | None, str]]


class Got(NamedTuple):
    """What a client has of an answer."""

    text: str
    calls: Calls


class Host:
    """A host behind a gateway, which answers every request with the same bytes."""

    def __init__(self, back: str) -> None:
        self.content = b""
        transport = httpx.MockTransport(lambda _: httpx.Response(200, content=self.content))
        made = gateway.Gateway(fronts=FRONTS, back=module(back), key="sk-behind", models={"*": "behind"})
        app = gateway.application(made, httpx.AsyncClient(transport=transport))
        self.server = uvicorn.Server(
            uvicorn.Config(app, host="127.0.0.1", port=0, log_config=None, access_log=False)
        )
        self._thread = threading.Thread(target=self.server.run, daemon=True)
        self._thread.start()
        while not self.server.started:
            time.sleep(0.01)
        self.url = f"http://127.0.0.1:{self.server.servers[0].sockets[0].getsockname()[1]}"

    def stop(self) -> None:
        self.server.should_exit = True
        self._thread.join(10)


@pytest.fixture(scope="module", params=BACKS)
def behind(request: pytest.FixtureRequest) -> Iterator[tuple[str, Host]]:
    host = Host(request.param)
    yield request.param, host
    host.stop()


def claude(caller: Caller, stream: bool) -> Got:
    parts = caller.claude(stream=stream, model="m", max_tokens=64, messages=[QUESTION]).content
    calls = sorted((part.name, canonical(part.input)) for part in parts if part.type == "tool_use")
    return Got("".join([part.text for part in parts if part.type == "text"]), calls)


def chat(caller: Caller, stream: bool) -> Got:
    message = caller.chat(stream=stream, model="m", messages=[QUESTION]).choices[0].message
    calls = [call.function for call in message.tool_calls or ()]
    return Got(message.content or "", sorted((call.name, canonical(call.arguments)) for call in calls))


def responses(caller: Caller, stream: bool) -> Got:
    answer = caller.responses(stream=stream, model="m", input="Hi")
    calls = [item for item in answer.output if item.type == "function_call"]
    return Got(answer.output_text, sorted((call.name, canonical(call.arguments)) for call in calls))


def gemini(caller: Caller, stream: bool) -> Got:
    rows = caller.gemini(stream=stream, model="m", contents="Hi")
    contents = [each.content for row in rows for each in row.candidates or () if each.content is not None]
    parts = [part for content in contents for part in content.parts or ()]
    calls = [part.function_call for part in parts if part.function_call is not None]
    text = "".join([part.text or "" for part in parts if not part.thought])
    return Got(text, sorted((call.name, canonical(json.dumps(call.args))) for call in calls))


CLIENTS: dict[str, Callable[[Caller, bool], Got]] = {
    "anthropic_messages": claude,
    "openai_chat": chat,
    "openai_responses": responses,
    "gemini_generate": gemini,
}


def read(back: str, raw: bytes) -> tuple[Answer | None, bool]:
    """Return the answer that a damaged stream holds, None if it failed, and whether an event said that it is damaged."""
    stream = module(back).stream()
    try:
        events = [*stream.feed(raw), *stream.rest()]
        answer = stream.close()
    except PromptwireError:
        return None, True
    return answer, any(event.kind in TELLING for event in events)


def ask(front: str, caller: Caller, stream: bool) -> Got | None:
    """Return what a client has in the end; None if it failed as its users expect."""
    try:
        return CLIENTS[front](caller, stream)
    except FAILED:
        return None
    except (RuntimeError, ValueError) as error:
        if any(words in str(error) for words in OWN_WORDS):
            return None
        raise


def expected(front: str, answer: Answer) -> Got:
    """Return what a client of the whole answer has."""
    written = module(front).read_answer(module(front).write_answer(answer, policies="lenient"))
    view = view_of(written)[0]
    return Got(view["text"], view["calls"])


def damaged(events: Events, damage: Callable[[Events, Random], None]) -> Events:
    events = copy.deepcopy(events)
    if len(events) > 1 and pieces(events):
        damage(events, Random(damage.__name__))  # noqa: S311
    return events


@pytest.mark.parametrize("damage", DAMAGES)
def test_clients_behind_a_gateway_have_what_a_damaged_stream_says(
    behind: tuple[str, Host], damage: Callable[[Events, Random], None]
) -> None:
    back, host = behind
    caller = Blocking(host.url)
    for example in streams():
        if example.wire != back or example.name == SEVERAL or not pieces(example.events):
            continue
        host.content = stream_bytes(example.framing, damaged(example.events, damage))
        answer, told = read(back, host.content)
        # OpenAI's client fails on an answer that was cut
        fronts = [
            front for front in CLIENTS if front != back and (answer is None or answer.finish != "length")
        ]
        for front in fronts:
            for stream in (True, False):
                got, shown = ask(front, caller, stream), f"{example.name}, {front}, {stream}"
                if answer is None or got is None:
                    assert (got, told) == (None, True), shown
                else:
                    assert told or got == expected(front, answer), shown


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_that_failed_and_says_nothing_is_an_error(stream: bool) -> None:
    host = Host("gemini_generate")
    content = {"role": "model", "parts": [{"thoughtSignature": "c2ln"}]}
    candidate = {"index": 0, "content": content, "finishReason": "MALFORMED_FUNCTION_CALL"}
    body = {"candidates": [candidate], "modelVersion": "gemini-3-pro", "responseId": "r1"}
    host.content = stream_bytes("sse", [(None, body)]) if stream else json.dumps(body).encode()
    try:
        for front in CLIENTS.keys() - {"gemini_generate"}:
            assert ask(front, Blocking(host.url), stream) is None
        # to a client of the same API, it passes as it is
        assert ask("gemini_generate", Blocking(host.url), stream) == Got("", [])
    finally:
        host.stop()
