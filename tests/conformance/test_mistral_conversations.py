"""Mistral Conversations: the SDK's types take every example and answer, and its client sends the same request."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, Final

import httpx
import pytest
from mistralai.client import Mistral, models as types
from mistralai.client.errors import SDKError

from tests.checkout import ROOT
from tests.conformance.catching import catching
from tests.conformance.mistral_types import without_defaults
from tests.conformance.model_types import fields_of, findings
from tests.conformance.sdk_echo import Sent
from tests.examples import Example, of_wire

Body = dict[str, Any]
WIRE: Final = "mistral_conversations"
EXAMPLES: Final = of_wire(WIRE)
MADE: Final = "https://api.mistral.ai/v1/conversations"
# what the SDK's client writes by itself: key -> value
DEFAULTS: Final[dict[str, object]] = {
    "stream": False,
    "store": True,
    "handoff_execution": "server",
    "prefix": False,
    "ignore_other_categories": False,
    "model_name": "mistral-moderation-2603",
}
EVENTS: Final = {
    "conversation.response.started": types.ResponseStartedEvent,
    "conversation.response.done": types.ResponseDoneEvent,
    "message.output.delta": types.MessageOutputEvent,
    "function.call.delta": types.FunctionCallEvent,
    "tool.execution.started": types.ToolExecutionStartedEvent,
    "tool.execution.delta": types.ToolExecutionDeltaEvent,
    "tool.execution.done": types.ToolExecutionDoneEvent,
}


def problems(body: Body, url: str) -> list[str]:
    """Return what the SDK's types refuse in a body for a URL."""
    made = url == MADE
    kind: Any = types.ConversationRequest if made else types.ConversationAppendRequest
    return findings(fields_of(kind), {"stream": False, **body})


def sent(body: Body, url: str) -> Sent:
    """Return what the SDK's client sends for the call with a body's arguments."""
    with catching(httpx) as (transport, caught):
        calls: Any = Mistral(api_key="sk-x", client=transport).beta.conversations
        arguments = {key: value for key, value in body.items() if key != "stream"}
        with suppress(SDKError):
            if url == MADE:
                calls.start(**arguments)
            else:
                calls.append(conversation_id=url.removeprefix(f"{MADE}/"), **arguments)
    (request,) = caught
    return request


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_types_take_what_is_built(example: Example) -> None:
    built = example.build()
    assert problems(built.body, built.url) == []


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_client_sends_the_same(example: Example) -> None:
    built = example.build()
    found = sent(built.body, built.url)
    assert found.url == built.url
    assert without_defaults(found.body, built.body, DEFAULTS) == built.body


def test_the_types_refuse_what_belongs_to_the_other_address() -> None:
    appended = {"tool_confirmations": [{"tool_call_id": "a", "confirmation": "allow"}]}
    assert problems({"inputs": "hi", **appended}, MADE) == ["tool_confirmations: unknown key"]
    assert problems({"inputs": "hi", "model": "m"}, f"{MADE}/conv_1") == ["model: unknown key"]
    entry = {"object": "entry", "type": "message.input", "role": "system", "content": "hi"}
    assert problems({"inputs": [entry]}, MADE) != []


CASES: Final[Any] = json.loads((ROOT / "generated" / "tests" / "cases" / f"{WIRE}.json").read_text("utf-8"))


@pytest.mark.parametrize("row", CASES["answers"], ids=lambda row: row["name"])
def test_the_types_take_every_answer(row: Any) -> None:
    assert findings(fields_of(types.ConversationResponse), row["body"]) == []


@pytest.mark.parametrize("row", CASES["streams"], ids=lambda row: row["name"])
def test_the_types_take_every_event(row: Any) -> None:
    events = [event[1] if isinstance(event, list) else event for event in row["events"]]
    assert [line for event in events for line in findings(fields_of(EVENTS[event["type"]]), event)] == []
