"""Ollama: the Python SDK's types and client agree with every example, apart from what that SDK is known to lose.

SDK 0.6.3 is narrower than the server: its types lack what stands in `LACKED`, and its client leaves it out in silence.
"""

from __future__ import annotations

import copy
import inspect
import json
import os
import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any, Final
from unittest import mock

import httpx
import ollama
import pytest

from tests.conformance.edits import edited
from tests.conformance.ollama_types import Body, problems
from tests.conformance.sdk_echo import Sent, without_noise
from tests.examples import Example, of_wire

EXAMPLES: Final = of_wire("ollama_chat")
_SERVER: Final = "a field of the server's own type"
_IDS: Final = "a field of the server's own type; older servers pass over it"
_SCHEMA: Final = "JSON Schema, which the server keeps, or passes over itself"
# places that the types of SDK 0.6.3 lack, and why the spec has them; the client drops all of them but options
LACKED: Final[dict[str, str]] = {
    "truncate": _SERVER,
    "shift": _SERVER,
    "_debug_render_only": _SERVER,
    "options.min_p": _SERVER,
    "options.draft_num_predict": _SERVER,
    "messages[].tool_call_id": _IDS,
    "messages[].tool_calls[].id": _IDS,
    "messages[].tool_calls[].function.index": _SERVER,
    "tools[].function.parameters.additionalProperties": _SCHEMA,
    "tools[].function.parameters.properties.limits.properties": _SCHEMA,
    "tools[].function.parameters.properties.limits.required": _SCHEMA,
    "tools[].function.parameters.properties.place.anyOf": _SCHEMA,
}
# what the client drops besides: empty texts
DROPPED: Final = {"messages[].content"}


def _without_places(path: str) -> str:
    return re.sub(r"\[\d+\]", "[]", path)


def sent(body: Body, **settings: str) -> Sent:
    """Return what the SDK's client sends for the call with a body's arguments, without keys that have no parameter."""
    caught: list[httpx.Request] = []

    def answer(request: httpx.Request) -> httpx.Response:
        caught.append(request)
        return httpx.Response(400, json={"error": "caught"})

    environment = {"OLLAMA_API_KEY": settings["api_key"]} if "api_key" in settings else {}
    with mock.patch.dict(os.environ, environment, clear=True), suppress(ollama.ResponseError):
        client = ollama.Client(settings.get("base_url"), transport=httpx.MockTransport(answer))
        known = inspect.signature(client.chat).parameters
        answered: Any = client.chat(
            **{key: value for key, value in copy.deepcopy(body).items() if key in known}
        )
        list(answered)  # a stream is asked for when its first piece is
    (request,) = caught
    headers = without_noise(request.headers)
    return Sent(
        method=request.method,
        url=str(request.url),
        headers={name: value for name, value in headers.items() if name != "accept"},
        body=json.loads(request.content),
    )


def lost(stated: Any, found: Any, path: str = "") -> Iterator[str]:
    """Name the keys that are stated and were not sent; any other difference fails."""
    if isinstance(stated, dict) and isinstance(found, dict):
        assert found.keys() <= stated.keys(), path
        for key, value in stated.items():
            place = f"{path}.{key}" if path else key
            if key in found:
                yield from lost(value, found[key], place)
            else:
                yield place
    elif isinstance(stated, list) and isinstance(found, list):
        assert len(stated) == len(found), path
        for index, pair in enumerate(zip(stated, found, strict=True)):
            yield from lost(*pair, f"{path}[{index}]")
    else:
        assert stated == found, path
        assert isinstance(stated, bool) is isinstance(found, bool), path


def stated(example: Example) -> Body:
    """The body as the client writes it: it always says whether it streams, and which tools there are."""
    return {"stream": False, "tools": [], **example.build().body}


def _refused(body: Body) -> set[str]:
    """The places that the types lack; they may refuse nothing else."""
    rows = problems(body)
    assert [row for row in rows if not row.endswith(": unknown key")] == []
    return {_without_places(row.partition(": ")[0]) for row in rows}


def _gone(example: Example) -> set[str]:
    """The places that the client does not send."""
    body = stated(example)
    return {_without_places(path) for path in lost(body, sent(body, **(example.settings or {})).body)}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_sdks_types_refuse_only_what_they_lack(example: Example) -> None:
    assert _refused(example.build().body) <= LACKED.keys()


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_client_sends_the_body(example: Example) -> None:
    assert _gone(example) <= {*LACKED, *DROPPED}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_client_sends_it_where_the_build_says(example: Example) -> None:
    settings = example.settings or {}
    built, found = example.build(), sent(stated(example), **settings)
    headers = built.headers
    if "api_key" not in settings:
        headers.pop("authorization", None)  # a placeholder
    assert (found.method, found.url, found.headers) == (built.method, built.url, headers)


def test_all_that_the_sdk_loses_is_shown() -> None:
    refused = set[str]().union(*(_refused(example.build().body) for example in EXAMPLES))
    gone = set[str]().union(*map(_gone, EXAMPLES))
    assert refused == LACKED.keys()
    assert gone == {*LACKED, *DROPPED} - {"options.min_p", "options.draft_num_predict"}


FULL: Final = {example.name: example.build().body for example in EXAMPLES}
# example, place, wrong value (`...`: the key is removed), finding at that place
WRONG: Final[list[tuple[str, str, object, str]]] = [
    ("every sampling parameter", "model", ..., "missing"),
    ("every sampling parameter", "top_logprobs", "5", "'5' is not int"),
    ("every sampling parameter", "options.stop", "END", "'END' is not a list"),
    ("every sampling parameter", "options.num_predict", 0.5, "0.5 is not int"),
    ("every sampling parameter", "options.top_q", 1, "unknown key"),
    ("every sampling parameter", "temperature", 1, "unknown key"),
    ("the model thinks at a level", "think", [], "[] is not"),
    ("an answer in json", "format", 7, "7 is"),
    ("how the server runs the model", "keep_alive", [], "[] is not"),
    ("layers are one text", "messages.0.role", "developer", "'developer' is none of"),
    ("layers are one text", "messages.0.content", [{"type": "text"}], "[{'type': 'text'}] is not str"),
    ("a picture alone", "messages.0.images.0", "data:image/png;base64,iVBORw0KGgo=", "is not base64"),
    ("a server without ids", "messages.1.tool_calls.0.function.arguments", "{}", "'{}' is not an object"),
    ("a server without ids", "messages.1.tool_calls.0.function.name", ..., "missing"),
    ("a server without ids", "messages.2.name", "f", "unknown key"),
    ("a tool without a schema", "tools.0.function.strict", True, "unknown key"),
    ("a tool without a schema", "tool_choice", "auto", "unknown key"),
]


@pytest.mark.parametrize(("name", "place", "value", "finding"), WRONG)
def test_one_wrong_place_is_named(name: str, place: str, value: object, finding: str) -> None:
    before, body = problems(FULL[name]), edited(FULL[name], place, value)
    path = re.sub(r"\.(\d+)", r"[\1]", place)
    found = [row for row in problems(body) if row not in before]
    assert [row.startswith(f"{path}: {finding}") for row in found] == [True]
