"""Edges of agent calls: whole error texts, and what tools and outcomes of odd forms become."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptwire import CustomTool, HostedTool, Tool, aptix_responses
from promptwire.errors import InvalidRequest, LoadError, PolicyError
from promptwire.execution import (
    AgentExecuteRequest,
    Composed,
    ConversationContext,
    compose,
    load_call,
    tool_usage_block,
)
from tests.notes import changes

CONTEXT = {"model_name": "m"}
GUIDES = "<<<APTIX_SERVER_TOOL_USAGE_METADATA_BEGIN>>>"


def composed(policies: Any = "openai", **fields: Any) -> Composed:
    return compose(
        ConversationContext("m", "You plan."), AgentExecuteRequest("QA", "Go.", **fields), policies=policies
    )


def loaded(**more: Any) -> Any:
    return {"context": CONTEXT, "request": {"instruction": "Go."}, **more}


@pytest.mark.parametrize(
    ("source", "text"),
    [
        ({}, '"context" is missing\n"request" is missing'),
        (loaded(tool_guides={"a": "x"}, tool_usage_metadata_block="y"),
         '"tool_guides" and "tool_usage_metadata_block" say the same'),
        (loaded(request={"instruction": "Go.", "tools": [], "tools_json": "[]"}),
         'request: "tools" and "tools_json" say the same'),
        (loaded(request={"instruction": "Go.", "tool_results": [], "tool_results_json": "[]"}),
         'request: "tool_results" and "tool_results_json" say the same'),
        (loaded(request={"instruction": "Go.", "tools": {}}), "request.tools: expected a list of objects"),
        (loaded(request={"instruction": "Go.", "tools": [{"name": {1, 2}}]}),
         "request.tools[0].name: expected a JSON value, found"),
        (loaded(policies={"preset": 5}), "policies: int is not a preset; use one of openai"),
        (loaded(policies={"on_error": "no"}), 'policies: on_error="no" is not a valid policy; use one of raise, omit'),
        (loaded(tool_guides={"a b": "x"}),
         "tool_guides: guides[\"a b\"]: a tool's name has letters, digits and _.:/- alone"),
        (5, "a call is loaded from a mapping, a path or a text, not from int"),
    ],
)  # fmt: skip
def test_what_is_wrong_with_a_call(source: Any, text: str) -> None:
    with pytest.raises(LoadError) as raised:
        load_call(source)
    assert text in str(raised.value)


def test_a_call_may_say_its_usage_block_and_policies() -> None:
    call = load_call(
        loaded(tool_usage_metadata_block="<<<x>>>", policies={"unknown_choice": "note"}, stream=None)
    )
    assert (call.tool_usage_metadata_block, call.policies.unknown_choice, call.stream) == (
        "<<<x>>>",
        "note",
        None,
    )
    assert (call.notes, call.request.mode) == ((), None)
    assert load_call(loaded()).policies.unknown_choice == "error"


def test_guides_of_tools() -> None:
    block = tool_usage_block({"find": "Ask once.", "move": "\n", "wipe": ""})
    assert block.splitlines() == [
        GUIDES,
        "<<<APTIX_TOOL_USAGE_BEGIN name='find'>>>",
        "Ask once.",
        "<<<APTIX_TOOL_USAGE_END name='find'>>>",
        GUIDES.replace("BEGIN", "END"),
    ]
    assert tool_usage_block({"move": " "}) == ""
    for guides, field, text in (
        ({"a b": "x"}, "name", 'guides["a b"]: a tool\'s name has letters, digits and _.:/- alone'),
        (
            {"a": "<<<APTIX_"},
            "guide",
            'guides["a"]: a guide that holds <<<APTIX_ could close its own block',
        ),
    ):
        with pytest.raises(InvalidRequest) as raised:
            tool_usage_block(guides)
        assert raised.value.field == field
        assert text in str(raised.value)


def test_tools_of_every_form() -> None:
    schema = {"type": "object", "properties": {}}
    given = [
        {
            "type": "function",
            "name": "flat",
            "description": "d",
            "parameters": schema,
            "strict": True,
            "odd": 1,
        },
        {"type": "function", "function": {"name": "nested", "parameters": schema, "odd": 1}},
        {"name": "anthropic", "input_schema": schema},
        {"type": "custom", "name": "typed", "input_schema": schema},
        {"type": "custom", "name": "free", "format": {"type": "text"}},
        {"type": "web_search", "name": "web", "max_uses": 3},
    ]
    found = composed(tools_json=json.dumps(given))
    assert found.request.tools == (
        Tool("flat", "d", schema, strict=True),
        Tool("nested", parameters=schema),
        Tool("anthropic", parameters=schema),
        Tool("typed", parameters=schema),
        CustomTool("free", format={"type": "text"}),
        HostedTool("web_search", name="web", config={"max_uses": 3}),
    )
    assert changes(found.notes) == ["dropped tools_json[0].odd", "dropped tools_json[1].function.odd"]


def test_the_name_of_a_raw_tool() -> None:
    given = [
        {"name": 5},
        {"type": "function", "function": {"name": "nested"}},
        {"type": "function", "name": "flat"},
    ]
    for name in ("nested", "flat"):
        found = composed("agn003", tools_json=json.dumps(given), tool_choice_name=name)
        assert aptix_responses.build(found.request, settings={"base_url": "http://x"}).body[
            "tool_choice"
        ] == {
            "type": "tool",
            "name": name,
        }
        assert found.notes == ()
    found = composed("agn003", tools_json=json.dumps(given), tool_choice_name="other")
    assert changes(found.notes) == ["refused tool_choice_name"]
    with pytest.raises(InvalidRequest) as raised:
        composed(tool_choice_name="other")
    assert (raised.value.field, raised.value.path) == ("tool_choice_name", "tool_choice_name")
    assert '"other" is not among the tools that are sent: none' in str(raised.value)


def test_outcomes_that_are_none() -> None:
    rows: list[dict[str, Any]] = [
        {},
        {"IsServerTool": True, "X": 1},
        {"CallId": "c1", "ResultJson": {"a": "é"}, "X": 1},
    ]
    found = composed(tool_results_json=json.dumps(rows))
    assert changes(found.notes) == [
        "dropped tool_results_json[0]",
        "dropped tool_results_json[1]",
        "dropped tool_results_json[2].X",
    ]
    result: Any = found.request.messages[0].parts[0]
    assert (result.call_id, result.parts[0].text) == ("c1", '{"a": "é"}')


@pytest.mark.parametrize(
    ("row", "text"),
    [
        ({"ResultJson": "1"}, 'a result names the call that it answers: CallId is missing; tool_results="text_block" needs none'),
        ({"CallId": 5, "ResultJson": "1"}, "CallId: expected"),
        (7, "expected an object, found"),
    ],
)  # fmt: skip
def test_native_results_need_the_id_of_their_call(row: Any, text: str) -> None:
    with pytest.raises(LoadError) as raised:
        composed(tool_results_json=json.dumps([row]))
    assert text in str(raised.value)


@pytest.mark.parametrize(
    ("row", "block"),
    [
        ({"Name": "find", "ResultJson": "1"}, "find\nresult:\n```\n1\n```"),
        ({"Name": "a b", "CallId": "c\n"}, '"a b" (call "c\\n")\nno result'),
        ({"WasExecuted": True}, "a tool, executed\nno result"),
        (
            {"CallId": "c1", "WasExecuted": False, "ErrorMessage": "gone", "ResultJson": "````"},
            "a tool (call c1), not executed\nresult:\n`````\n````\n`````\nerror:\n```\ngone\n```",
        ),
    ],
)
def test_the_block_of_an_outcome(row: Any, block: str) -> None:
    found = composed("agn003", tool_results_json=json.dumps([row]))
    text = found.request.messages[-1].parts[-1]
    assert getattr(text, "text", None) == f"[TOOL_RESULTS]\n\n{block}"


@pytest.mark.parametrize(
    ("row", "said"),
    [
        ({"WasExecuted": False, "ErrorMessage": "gone"}, "The tool was not executed.\nError: gone"),
        ({"WasExecuted": True, "ResultJson": "1"}, "1"),
        ({"ErrorMessage": "gone", "ResultJson": [1]}, "Error: gone\n[1]"),
    ],
)
def test_what_a_native_result_says(row: Any, said: str) -> None:
    found = composed(tool_results_json=json.dumps([{"CallId": "c1", **row}]))
    result: Any = found.request.messages[0].parts[0]
    assert result.parts[0].text == said


def test_a_loaded_call_goes_on_from_the_one_before() -> None:
    policies = {"preset": "agn003", "continuation_tools": "if_changed"}
    tools = [{"type": "function", "name": "find"}]
    request = {"mode": "QA", "instruction": "Go.", "tools": tools, "response_continuation_id": "resp_1"}
    call = load_call(loaded(request=request, policies=policies, stream=True, rag_context_block="R"))
    first = call.compose()
    assert first.request.tools is not None
    assert call.compose(first).request.tools is None
    assert first.request.stream is True
    assert [getattr(part, "text", "") for part in first.request.messages[-1].parts][1:] == ["R"]
    for policies_value, name in (("odd", '"odd"'), (5, "int")):
        with pytest.raises(PolicyError) as raised:
            composed(policies_value)
        assert str(raised.value) == (
            f"{name} is not a preset; use one of openai, agn003, choices such as continuation_tools=if_changed, "
            "or ExecutionPolicies(...)"
        )
    notes: Any = 5
    with pytest.raises(InvalidRequest, match=r"^notes is an int, not list$"):
        tool_usage_block({"a": "x"}, notes)
