"""Values other than lists and dicts that callers pass in, and uses of a build."""

from __future__ import annotations

import copy
import pickle
from collections import ChainMap
from dataclasses import replace
from enum import Enum
from types import MappingProxyType
from typing import Any, cast

import pytest

import promptwire
from promptwire import (
    BodyError,
    Continuation,
    Instruction,
    Message,
    Options,
    Reasoning,
    ReasoningOptions,
    Request,
    ResponseFormat,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    anthropic_messages,
    assistant,
    bedrock_converse,
    gemini_generate,
    mistral_chat,
    openai_chat,
    openai_responses,
    tool_result,
    user,
)
from promptwire.errors import InvalidRequest, Refused, SettingError
from promptwire.parts import ToolGroup
from tests.laws.specimens import base
from tests.laws.traces import address
from tests.notes import changes, refused
from tests.searching import TESTED_WIRES


def test_text_in_a_tuple_is_a_part_as_in_a_list() -> None:
    for parts in (("hello",), ["hello"], iter(("hello",))):
        assert Message("user", cast("Any", parts)).parts == (Text("hello"),)
        assert ToolResult("c", cast("Any", parts if not hasattr(parts, "__next__") else ["hello"])).parts == (
            Text("hello"),
        )
    assert Request("m", (), instructions=("a", "b")).instructions == (Instruction("a"), Instruction("b"))


def test_one_text_is_never_taken_for_its_letters() -> None:
    assert Reasoning(summary=cast("Any", "abc")).summary == ("abc",)
    assert Reasoning(texts=cast("Any", ["a", "b"])).texts == ("a", "b")
    for make in (
        lambda: ToolChoice("several", names=cast("Any", "ab"), must=True),
        lambda: ToolGroup("g", tools=cast("Any", "ab")),
        lambda: Request("m", cast("Any", "hello")),
        lambda: Request("m", (), tools=cast("Any", "ab")),
    ):
        with pytest.raises(InvalidRequest, match="are a list, not one text"):
            make()


@pytest.mark.parametrize(
    "mapping", [MappingProxyType({"a": MappingProxyType({"b": 1})}), ChainMap({"a": {"b": 1}})]
)
@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_any_mapping_is_an_object(wire: str, mapping: Any) -> None:
    plain = {"a": {"b": 1}}
    settings = address(wire)
    sent: list[bytes] = []
    for given in (mapping, plain):
        request = Request(
            "meta.llama3-8b-instruct-v1:0" if wire == "bedrock_meta" else "m",
            [user("q"), assistant(ToolCall("c", "f", given)), tool_result("c", "r")],
            tools=[Tool("f", "Does it", {"type": "object"})],
            options=Options(max_tokens=9),
            response_format=ResponseFormat("json_schema", schema=given, name="n"),
        )
        built = getattr(promptwire, wire).build(request, settings=settings, policies="lenient")
        sent.append(built.json())
    assert sent[0] == sent[1]


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_a_build_and_a_reading_can_be_pickled_and_copied(wire: str) -> None:
    module = getattr(promptwire, wire)
    for given in (None, address(wire)):
        built = module.build(base(wire), settings=given)
        for again in (pickle.loads(pickle.dumps(built)), copy.deepcopy(built)):  # noqa: S301  # our own
            assert (again.body, again.notes, again.request) == (built.body, built.notes, built.request)
            assert again.wire.name == wire
            assert again.digest == built.digest
        reading = module.read(built.body)
        assert pickle.loads(pickle.dumps(reading.request)) == reading.request  # noqa: S301  # our own


@pytest.mark.parametrize("again", [copy.deepcopy, lambda built: pickle.loads(pickle.dumps(built))])  # noqa: S301
def test_a_copy_of_a_build_knows_the_places_of_its_own_nodes(again: Any) -> None:
    turns = [user("q"), user(Text("r", signature="s")), user(Text("s", signature="s"))]
    built = openai_chat.build(Request("m", turns), policies="lenient")
    places = [f"messages[{index}].parts[0]" for index in (1, 2)]
    assert [note.path for note in built.notes if note.field == "signature"] == places
    copied = again(built)
    built.report.request = Request()
    assert [note.path for note in copied.notes if note.field == "signature"] == places


def test_a_result_has_the_name_of_the_call_before_it() -> None:
    turns = [
        user("q"),
        assistant(ToolCall("call_0", "first", {})), tool_result("call_0", "x"),
        assistant(ToolCall("call_0", "second", {})), tool_result("call_0", "y"),
    ]  # fmt: skip
    body: Any = gemini_generate.build(Request("m", turns)).body
    parts = [part for content in body["contents"] for part in content["parts"]]
    assert [part["functionResponse"]["name"] for part in parts if "functionResponse" in part] == [
        "first",
        "second",
    ]
    body = gemini_generate.build(
        Request("m", [turns[0], turns[2], turns[1]]), policies="lenient,refusals=send,repairs=off"
    ).body
    assert body["contents"][1]["parts"][0]["functionResponse"]["name"] == "first"


ODD = [
    Message("user", ["b"], id="i"),
    Message("user", ["b"], status="completed"),
    openai_chat.read(
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "b"}], "own": 1}]}
    ).request.messages[0],
    openai_responses.read(
        {"input": [{"type": "message", "role": "user", "content": "b", "id": "m1"}]}
    ).request.messages[0],
]


@pytest.mark.parametrize("wire", [anthropic_messages, bedrock_converse, gemini_generate])
@pytest.mark.parametrize("message", ODD)
def test_neighbours_are_one_message_whatever_else_they_carry(wire: Any, message: Message) -> None:
    options = Options(max_tokens=9)
    merged = wire.build(Request("m", [user("a"), message], options=options), policies="lenient")
    expected = wire.build(Request("m", [user("a"), user("b")], options=options))
    assert merged.body == expected.body
    assert [note.action for note in merged.notes][-1] == "merged"
    assert {note.path for note in merged.notes if note.action == "dropped"} == {"messages[1]"}


def test_what_a_neighbour_says_to_this_wire_keeps_it_apart() -> None:
    extra = Message("user", ["b"], extra={"anthropic_messages": {"own": 1}})
    body: Any = anthropic_messages.build(Request("m", [user("a"), extra], options=Options(max_tokens=9))).body
    assert body["messages"] == [
        {"role": "user", "content": "a"},
        {"role": "user", "content": "b", "own": 1},
    ]


def test_an_option_without_a_value_is_an_element_of_no_known_shape() -> None:
    body = {"messages": [{"role": "assistant", "content": [{"type": "thinking", "thinking": None}]}]}
    reading = mistral_chat.read(body)
    again: Any = mistral_chat.build(replace(reading.request), policies="verbatim").body
    assert again == body


MIXED = {
    "max_tokens": 9,
    "messages": [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": [{"type": "tool_use", "id": "t1", "name": "f", "input": {}}]},
        {"role": "user", "content": [
            {"type": "text", "text": "here"},
            {"type": "tool_result", "tool_use_id": "t1", "content": "r"},
            {"type": "text", "text": "go"},
        ]},
    ],
}  # fmt: skip


def test_results_stand_apart_where_nothing_may_stand_beside_them() -> None:
    request = replace(
        anthropic_messages.read(MIXED).request, model="gemini-3-pro", options=Options(max_tokens=9)
    )
    built = gemini_generate.build(request)
    body: Any = built.body
    response = {"name": "f", "response": {"output": "r"}, "id": "t1"}
    assert body["contents"][2:] == [
        {"role": "user", "parts": [{"functionResponse": response}]},
        {"role": "user", "parts": [{"text": "here"}, {"text": "go"}]},
    ]
    assert [(note.action, note.path) for note in built.notes] == [("moved", "messages[2]")]


def test_what_gemini_took_so_it_gets_so() -> None:
    response = {"functionResponse": {"name": "f", "response": {"output": "r"}}}
    body = {"contents": [{"role": "user", "parts": [response, {"text": "go"}]}]}
    again: Any = gemini_generate.build(replace(gemini_generate.read(body).request, model="m")).body
    assert again == body


def test_reading_notes_instructions_that_it_takes_out_of_the_messages() -> None:
    said: list[Any] = [{"role": "system", "content": "Be brief."}, {"role": "user", "content": "hi"}]
    reading = openai_chat.read({"messages": said})
    assert reading.request.instructions == "Be brief."
    assert changes(reading.notes) == ["moved instructions"]
    assert openai_chat.read({"messages": said[1:]}).notes == ()


@pytest.mark.parametrize(
    ("held", "kind"),
    [({}, "an object"), ({"a": 1}, "an object"), (3, "a number"), (True, "a boolean"), (None, "null")],
)
def test_what_a_body_holds_is_called_as_json_calls_it(held: object, kind: str) -> None:
    with pytest.raises(BodyError, match=rf'^openai_chat: "messages" is {kind}, not a list: '):
        openai_chat.read({"messages": held})


class Named(str, Enum):  # noqa: UP042  # as callers write them: str() of these is not their text
    """Words as members, which equal their texts."""

    REASONING = "o3-mini"
    KEY = "sk-1"
    MOST = "max"


def test_a_member_of_an_enumeration_is_its_text() -> None:
    sampled = Options(temperature=0.5)
    for model in (Named.REASONING, "o3-mini"):  # one may be remembered under the other
        with refused(Refused, "options.temperature"):
            openai_chat.build(Request(model, [user("q")], options=sampled))
    with refused(Refused, "reasoning.effort"):
        openai_chat.build(Request("gpt-5", [user("q")], reasoning=ReasoningOptions(effort=Named.MOST)))
    built = gemini_generate.build(Request(Named.REASONING, [user("q")]), settings={"api_key": Named.KEY})
    assert "/models/o3-mini:generateContent" in built.url
    assert "sk-1" in built.headers.values()


def test_settings_are_those_of_the_build() -> None:
    settings = {"api_key": "one"}
    built = openai_chat.build(Request("m", [user("q")]), settings=settings)
    settings["api_key"] = "two"
    assert built.headers["authorization"] == "Bearer one"


def test_a_message_that_came_empty_is_left_out_where_an_api_takes_no_blank_text() -> None:
    body = {
        "model": "m",
        "messages": [{"role": "user", "content": "q"}, {"role": "assistant", "content": None}],
    }
    read = openai_chat.read(body).request
    built = anthropic_messages.build(replace(read, options=Options(max_tokens=9)))
    assert built.body["messages"] == [{"role": "user", "content": "q"}]
    assert changes(built.notes) == ["dropped messages[1].message"]


def test_every_value_that_a_rule_refuses_is_noted() -> None:
    tools = [Tool("a", parameters={"type": "string"}), Tool("b", parameters={"type": "array"})]
    request = Request("claude-opus-4-8", [user("q")], tools=tools, options=Options(max_tokens=9))
    notes = anthropic_messages.build(request, policies="lenient").notes
    assert [note.path for note in notes] == ["tools[0]", "tools[1]"]


def test_messages_held_by_the_server_need_its_id() -> None:
    turns = [user("a"), assistant("b"), user("c")]
    with refused(InvalidRequest, "continuation.start"):
        openai_responses.build(Request("m", turns, continuation=Continuation(start=2)))


@pytest.mark.parametrize("model", [123, True, ["m"], b"m"], ids=repr)
def test_a_model_that_is_no_text_is_named(model: Any) -> None:
    with pytest.raises(InvalidRequest, match=r"^Request: model is an? \w+, not str or None$") as refused:
        Request(model, (user("hi"),))
    assert refused.value.field == "model"


def test_a_setting_that_is_none_or_an_empty_list_is_not_given() -> None:
    request = Request("claude-sonnet-4-5", (user("hi"),), options=Options(max_tokens=9))
    plain = anthropic_messages.build(request)
    given = anthropic_messages.build(
        request, settings={"api_version": None, "betas": [], "base_url": None, "api_key": None}
    )
    assert (given.url, given.headers, given.body) == (plain.url, plain.headers, plain.body)
    request = replace(request, vendor={"gemini_generate": {"model_armor_config": {}}}, model="gemini-2.5-pro")
    with pytest.raises(Refused):
        gemini_generate.build(request, settings={"platform": None})
    assert (
        "anthropic-beta"
        not in anthropic_messages.build(request, settings={"betas": ""}, policies="lenient").headers
    )
    with pytest.raises(SettingError, match="base_url is empty"):
        _ = anthropic_messages.build(request, settings={"base_url": ""}, policies="lenient").url
    with pytest.raises(SettingError, match='"region" is not a setting'):
        anthropic_messages.build(request, settings={"region": None})


def test_a_url_may_be_any_text_and_is_nothing_else() -> None:
    class Address(str):
        __slots__ = ()

    body = {"model": "m", "messages": []}
    address = "https://host.example/v1/chat/completions"
    assert openai_chat.read(body, Address(address)).settings == {"base_url": "https://host.example/v1"}
    wrong: Any = 5
    with pytest.raises(BodyError, match="openai_chat: the URL is text, not int"):
        openai_chat.read(body, wrong)
