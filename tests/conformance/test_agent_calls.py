"""Calls of an agent under the preset `openai` have the vendor's own type: initial ones, and those that continue."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given, strategies as st

from promptwire import openai_responses
from promptwire.execution import AgentExecuteRequest, ConversationContext, compose
from tests.conformance.strict_types import problems

# a caller's tools need not say whether they are strict, and the API does not ask
UNASKED = ": missing, FunctionToolParam requires it"
SCHEMA = {
    "type": "object",
    "properties": {"city": {"type": "string"}},
    "required": ["city"],
    "additionalProperties": False,
}
TOOLS = (
    {"type": "function", "name": "find", "description": "Finds", "parameters": SCHEMA, "strict": False},
    {"type": "function", "function": {"name": "find", "parameters": SCHEMA, "strict": True}},
    {"name": "find", "description": "Finds", "input_schema": SCHEMA},
    {"name": "find", "parameters": SCHEMA},
)
RESULTS = st.lists(
    st.fixed_dictionaries(
        {"CallId": st.sampled_from(["call_1", "call_2"])},
        optional={
            "Name": st.sampled_from(["find", ""]),
            "WasExecuted": st.booleans(),
            "ResultJson": st.text() | st.none() | st.just({"n": [1, "\u00fc"]}),
            "ErrorMessage": st.text() | st.none(),
        },
    ),
    max_size=2,
    unique_by=lambda row: row["CallId"],
)
TEXTS = st.text(max_size=20)


def body_of(call: AgentExecuteRequest, **beside: Any) -> dict[str, Any]:
    composed = compose(ConversationContext("gpt-4o", "You plan.", 0.5), call, **beside)
    assert composed.notes == ()
    body: dict[str, Any] = json.loads(openai_responses.build(composed.request).json())
    return body


@given(
    tools=st.lists(st.sampled_from(TOOLS), max_size=1),
    chosen=st.booleans(),
    continued=st.booleans(),
    results=RESULTS,
    retrieved=TEXTS.map(str.strip),
    usage=TEXTS.map(str.strip),
    stream=st.sampled_from([None, True, False]),
)
def test_the_vendors_types_accept_every_call(  # noqa: PLR0913  # each is drawn
    *,
    tools: list[Any],
    chosen: bool,
    continued: bool,
    results: list[Any],
    retrieved: str,
    usage: str,
    stream: bool,
) -> None:
    call = AgentExecuteRequest(
        "QA",
        "Do it.",
        response_continuation_id="resp_1" if continued else None,
        tools_json=json.dumps(tools),
        tool_choice_name="find" if chosen and tools else None,
        tool_results_json=json.dumps(results) if continued else None,
    )
    body = body_of(call, rag_context_block=retrieved, tool_usage_metadata_block=usage, stream=stream)
    refused = [line for line in problems("openai_responses", body) if not line.endswith(UNASKED)]
    assert refused == []
    # nothing that the server forgets is left to it
    assert body["instructions"].startswith("You plan.")
    assert [tool["name"] for tool in body.get("tools", [])] == ["find"] * len(tools)
    assert body.get("tool_choice") == ({"type": "function", "name": "find"} if chosen and tools else None)
    assert [item["call_id"] for item in body["input"][:-1]] == [row["CallId"] for row in results if continued]
