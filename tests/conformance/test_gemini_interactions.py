"""Gemini Interactions: the SDK's types take every example, answer and event, and its client sends the same request."""

from __future__ import annotations

import json
from contextlib import suppress
from typing import Any, Final

import httpx
import pytest
from google import genai
from google.genai._gaos.types import interactions as types
from google.genai.types import HttpOptions

from tests.checkout import ROOT
from tests.conformance.catching import catching
from tests.conformance.interactions_types import problems
from tests.conformance.model_types import fields_of, findings
from tests.conformance.sdk_echo import Sent
from tests.examples import Example, of_wire

WIRE: Final = "gemini_interactions"
EXAMPLES: Final = of_wire(WIRE)
CASES: Final[Any] = json.loads((ROOT / "generated" / "tests" / "cases" / f"{WIRE}.json").read_text("utf-8"))
EVENTS: Final[dict[str, Any]] = {
    "interaction.created": types.InteractionCreatedEvent,
    "interaction.completed": types.InteractionCompletedEvent,
    "interaction.status_update": types.InteractionStatusUpdate,
    "step.start": types.StepStart,
    "step.delta": types.StepDelta,
    "step.stop": types.StepStop,
}


@pytest.mark.parametrize("example", EXAMPLES, ids=str)
def test_the_types_take_what_is_built(example: Example) -> None:
    assert problems(example.build().body) == []


def sent(body: dict[str, Any]) -> Sent:
    """Return what the SDK's client sends for the call with a body's arguments."""
    with catching(httpx) as (transport, caught):
        client = genai.Client(api_key="k", http_options=HttpOptions(httpx_client=transport))
        create: Any = client.interactions.create
        with suppress(Exception):
            create(**body)
    (request,) = caught
    return request


@pytest.mark.parametrize(
    "example", [row for row in EXAMPLES if "platform" not in (row.settings or {})], ids=str
)
def test_the_client_sends_the_same(example: Example) -> None:
    built = example.build(api_key="k")
    found = sent(built.body)
    assert (found.url, found.body) == (built.url, built.body)
    assert found.headers.items() >= built.headers.items()


@pytest.mark.parametrize(
    ("change", "finding"),
    [
        ({"sistem_instruction": "x"}, "sistem_instruction: unknown key"),
        ({"generation_config": {"top_q": 4}}, "generation_config.top_q: unknown key"),
        ({"service_tier": 1}, "service_tier: 1 is none of 'deferred'"),
        ({"input": [{"type": "user_input", "content": [{"type": "text"}]}]}, "text: missing"),
    ],
)
def test_the_types_refuse(change: dict[str, Any], finding: str) -> None:
    found = problems({"model": "gemini-3.8-flash", "input": "hi", **change})
    assert any(finding in line for line in found), found


@pytest.mark.parametrize("row", CASES["answers"], ids=lambda row: row["name"])
def test_the_types_take_every_answer(row: Any) -> None:
    # recorded answers say what they are
    assert findings(fields_of(types.Interaction), row["body"]) == ["object: unknown key"]


@pytest.mark.parametrize("row", CASES["streams"], ids=lambda row: row["name"])
def test_the_types_take_every_event(row: Any) -> None:
    rows = [event[1] if isinstance(event, list) else event for event in row["events"]]
    # the mark of the end is no event
    events = [event for event in rows if event != "[DONE]"]
    assert [
        line for event in events for line in findings(fields_of(EVENTS[event["event_type"]]), event)
    ] == []
