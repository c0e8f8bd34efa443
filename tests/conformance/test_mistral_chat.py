"""Mistral chat and agents: the SDK's types take every example, and its client sends the same request."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any, Final

import httpx
import pytest
from mistralai.client import Mistral
from mistralai.client.errors import SDKError

from tests.conformance.catching import catching, without
from tests.conformance.edits import edited
from tests.conformance.mistral_types import FIELDS, problems, without_defaults
from tests.conformance.sdk_echo import Sent
from tests.examples import Example, examples

Body = dict[str, Any]

EXAMPLES: Final = [example for example in examples() if example.wire in FIELDS]
# Findings of the SDK's types where the spec is right: example -> (findings, why).
EXCEPTIONS: Final[dict[str, tuple[list[str], str]]] = {
    "mistral_chat: how much of a document is read": (
        ["document_image_limit: unknown key", "document_page_limit: unknown key"],
        "the Mistral provider of vercel's AI SDK sends both, 2026-08",
    ),
    "mistral_chat: sound of a known type": (
        ["messages[0].content[0].input_audio: {'data': 'SUQzBAA=', 'format': 'mp3'} is not str"],
        "the vendor's page on audio shows the object, and recorded requests with it were answered",
    ),
    "mistral_chat: ids are kept where the caller says so": (
        [
            "messages[1].tool_calls[0].id: 'toolu_01' is not nine letters and digits",
            "messages[2].tool_call_id: 'toolu_01' is not nine letters and digits",
        ],
        "what the caller asks for: servers that speak this API may take any id",
    ),
}
# defaults of the client's models that it writes out: key -> value
DEFAULTS: Final[dict[str, object]] = {
    "stream": False,
    "prefix": False,
    "index": 0,
    "ignore_other_categories": False,
    "model_name": "mistral-moderation-2603",
}


def sent(wire: str, body: Body, **settings: str) -> Sent:
    """Return what the SDK's client sends for the call with a body's arguments."""
    arguments = {key: value for key, value in body.items() if key != "stream"}
    with catching(httpx) as (transport, caught):
        client = Mistral(api_key=settings["api_key"], server_url=settings.get("base_url"), client=transport)
        calls: Any = client.chat if wire == "mistral_chat" else client.agents
        with suppress(SDKError):
            (calls.stream if body.get("stream") else calls.complete)(**arguments)
    (request,) = caught
    # what the client tells its own tracing
    url = request.url.removesuffix("#stream")
    return replace(request, url=url, headers=without(request.headers, "accept"))


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_sdks_types_accept_the_body(example: Example) -> None:
    """An exception must still be refused, for exactly what it names, so that the list cannot rot."""
    assert problems(example.wire, example.build().body) == EXCEPTIONS.get(str(example), ([], ""))[0]


# the client has no parameter for the limits, and its models do not know the object
UNSENDABLE: Final = ("mistral_chat: how much of a document is read", "mistral_chat: sound of a known type")


@pytest.mark.parametrize("example", [row for row in EXAMPLES if str(row) not in UNSENDABLE], ids=str)
def test_the_sdk_sends_what_the_build_states(example: Example) -> None:
    settings = {"api_key": "test-key", **(example.settings or {})}
    built = example.build(**settings)
    found = sent(example.wire, built.body, **settings)
    assert Sent(
        method=found.method,
        url=found.url,
        headers=found.headers,
        body=without_defaults(found.body, built.body, DEFAULTS),
    ) == Sent(method=built.method, url=built.url, headers=built.headers, body=built.body)


def test_the_sdk_still_cannot_send_the_others() -> None:
    rows = {str(row): row.build().body for row in EXAMPLES if str(row) in UNSENDABLE}
    limits, sound = UNSENDABLE
    with pytest.raises(TypeError, match="document_image_limit"):
        sent("mistral_chat", rows[limits], api_key="test-key")
    body: Any = sent("mistral_chat", rows[sound], api_key="test-key").body
    (chunk,) = body["messages"][0]["content"]
    assert chunk == {
        "type": "UNKNOWN",
        "is_unknown": True,
        "raw": rows[sound]["messages"][0]["content"][0],
    }


def test_every_exception_is_an_example() -> None:
    assert {*EXCEPTIONS, *UNSENDABLE} <= {str(example) for example in EXAMPLES}


def _full() -> Iterator[tuple[str, Body]]:
    """The body of an example for each kind of place that is damaged below."""
    for example in EXAMPLES:
        yield str(example), example.build().body


FULL: Final = dict(_full())
# example, place, wrong value (`...`: the key is removed), finding at that place
WRONG: Final[list[tuple[str, str, object, str]]] = [
    ("every sampling parameter", "top_k", "40", "'40' is not int"),
    ("every sampling parameter", "temprature", 1, "unknown key"),
    ("every sampling parameter", "stop.0", 1, "1 is not str"),
    ("every sampling parameter", "logprobs", 1, "1 is not bool"),
    ("every sampling parameter", "model", ..., "missing"),
    ("every parameter around the model", "prediction.type", "text", "'text' is none of 'content'"),
    ("every parameter around the model", "service_tier", "flex", "'flex' is none of 'auto', 'standard_only'"),
    ("every parameter around the model", "guardrails.0.moderation_llm_v2.action", "warn", "'warn' is none of"),
    ("an effort", "reasoning_effort", "utmost", "'utmost' is none of"),
    ("an effort", "prompt_mode", "chat", "'chat' is none of 'reasoning'"),
    ("an answer by schema", "response_format.json_schema.schema", ..., "missing"),
    ("an answer by schema", "response_format.json_schema.schema_definition", {}, "unknown key"),
    ("an answer by schema", "response_format.type", "schema", "'schema' is none of"),
    ("a call and its result", "messages.1.role", "bot", "'bot' is none of"),
    ("a call and its result", "messages.1.tool_calls.0.function.name", ..., "missing"),
    ("a call and its result", "messages.1.tool_calls.0.id", "call_1", "'call_1' is not nine letters and digits"),
    ("a call and its result", "messages.2.is_error", True, "unknown key"),
    ("a call and its result", "tools.0.function.parameters", ..., "missing"),
    ("one named tool", "tool_choice.function.name", ..., "missing"),
    ("a tool must be called, one at a time", "tool_choice", "must", "'must' is not an object"),
    ("tools that the API runs itself", "tools.1.library_ids", ..., "missing"),
    ("images by data and by address", "messages.0.content.1.image_url.detail", "huge", "'huge' is none of"),
    ("documents by data, address and file", "messages.0.content.3.file_id", 7, "7 is not str"),
    ("documents by data, address and file", "messages.0.content.0.filename", "a", "unknown key"),
    ("thinking goes back before the answer", "messages.1.content.0.thinking.0.type", ..., "missing"),
    ("thinking goes back before the answer", "messages.1.content.0.thinking", "so", "'so' is not a list"),
    ("an answer with references", "messages.1.content.1.reference_ids.0", 0.5, "0.5 is not"),
    ("an answer to go on from", "messages.1.prefix", "yes", "'yes' is not bool"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "place", "value", "finding"), WRONG)
def test_one_wrong_place_is_named(name: str, place: str, value: object, finding: str) -> None:
    body = edited(FULL[f"mistral_chat: {name}"], place, value)
    path = re.sub(r"\.(\d+)", r"[\1]", place)
    assert [row.startswith(f"{path}: {finding}") for row in problems("mistral_chat", body)] == [True]
