"""A tool message holds results: anything else in it would become the user's words, or vanish."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

import promptwire
from promptwire import (
    Image,
    Json,
    Message,
    Options,
    Part,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    assistant,
    bedrock_converse,
    openai_chat,
    tool_result,
    user,
    yandex_completion,
)
from promptwire.errors import Refused, RequestError
from promptwire.parts import Opaque
from tests.internals.runtime import replace
from tests.laws.specimens import holds
from tests.notes import changes, refused
from tests.searching import TESTED_WIRES

RESULT = ToolResult("call_1abc", "12 C", name="f")


def asking(*parts: Part) -> Request:
    """Make a request whose third message is a tool message with these parts, after the call of a tool."""
    turns = [user("q"), assistant(ToolCall("call_1abc", "f")), Message("tool", parts)]
    tool = Tool("f", "d", {"type": "object", "properties": {}})
    return Request("m", turns, tools=[tool], options=Options(max_tokens=9))


@pytest.mark.parametrize(
    ("parts", "path", "field"),
    [
        ((Text("fresh"),), "messages[2].parts[0]", "text"),
        ((RESULT, Text("fresh")), "messages[2].parts[1]", "text"),
        ((RESULT, Image(data="AA==", media_type="image/png")), "messages[2].parts[1]", "image"),
        ((), "messages[2]", "role"),
    ],
    ids=["text", "beside", "image", "empty"],
)
def test_what_is_no_result_has_no_place_in_a_tool_message(
    parts: tuple[Part, ...], path: str, field: str
) -> None:
    for wire in [wire for wire in TESTED_WIRES if holds(wire, "tool_result")]:
        module: Any = import_module(f"promptwire.{wire}")
        with pytest.raises(RequestError) as refused:
            module.build(asking(*parts))
        found = [(each.path, each.field) for each in refused.value.problems if each.what == "no place"]
        assert found[0] == (path, field)
        built = module.build(asking(*parts), policies="loss=note,refusals=send,repairs=off")
        assert "fresh" not in built.json().decode()
        assert [note.action for note in built.notes if note.path == path] == ["dropped"]


def test_what_a_message_of_results_says_beside_them_belongs_to_the_user() -> None:
    request = asking(RESULT)
    said = Request("m", [*request.messages, user("go on")], tools=request.tools, options=request.options)
    body: Any = openai_chat.build(said).body
    assert [message["role"] for message in body["messages"]] == ["user", "assistant", "tool", "user"]


def test_a_name_that_the_call_says_as_well_is_none_that_is_lost() -> None:
    call = ToolCall("c1", "weather", {"city": "Oslo"})
    asked = Request("m", [user("How warm?"), Message("assistant", [call])])
    own = openai_chat.build(replace(asked, messages=(*asked.messages, tool_result(call, "12 C"))))
    other = openai_chat.build(
        replace(asked, messages=(*asked.messages, tool_result(call, "12 C", name="forecast")))
    )
    why = "dropped messages[2].parts[0].name: OpenAI Chat Completions does not use it"
    assert ([*map(str, own.notes)], [*map(str, other.notes)]) == ([], [why])


@pytest.mark.parametrize(
    ("wire", "key", "first"),
    [
        ("anthropic_messages", "content", {"type": "tool_result", "tool_use_id": "c1", "content": "1"}),
        ("bedrock_converse", "content", {"toolResult": {"toolUseId": "c1", "content": [{"text": "1"}]}}),
    ],
)
def test_results_behind_an_element_that_stands_alone_are_written_once(
    wire: str, key: str, first: dict[str, Any]
) -> None:
    calls = [ToolCall(f"c{number}", "f", {}) for number in (1, 2, 3)]
    apart = {"role": "user", key: [first], "odd": 1}
    results = [tool_result(calls[1], "2", name="other"), tool_result(calls[2], "3")]
    request = Request(
        "m",
        [user("q"), assistant(*calls), Message("tool", [Opaque(wire, apart, place="messages")]), *results],
        tools=[Tool("f", "F.", {"type": "object"})],
        options=Options(max_tokens=9),
    )
    built: Any = getattr(promptwire, wire).build(request, policies="lenient")
    two = str(built.body["messages"][3])
    assert (built.body["messages"][2], len(built.body["messages"])) == (apart, 4)
    assert [two.count(call.id or "") for call in calls] == [0, 1, 1]
    assert [(note.action, note.path, note.field) for note in built.notes] == [
        ("dropped", "messages[3].parts[0]", "name"),
        ("merged", "", "messages"),
    ]


def test_an_id_that_pairs_a_result_with_no_call_is_named_where_names_pair_them() -> None:
    call = Message("assistant", [ToolCall("c1", "weather", {"city": "Bonn"})])

    def notes(result: ToolResult) -> list[str]:
        request = Request("m", [user("And Bonn?"), call, Message("tool", [result])])
        return [str(note) for note in yandex_completion.build(request, policies="lenient").notes]

    assert notes(ToolResult("c1", "12 C")) == []
    assert notes(ToolResult("c2", "12 C", name="weather")) == [
        "dropped messages[1].parts[0].id: YandexGPT Completion does not use it",
        "dropped messages[2].parts[0].call_id: YandexGPT Completion does not use it",
    ]


def test_the_speaker_of_a_tool_message_does_not_become_text_among_results() -> None:
    told = Message("tool", [ToolResult("c1", "12 C", name="weather")], name="bob")
    call = Message("assistant", [ToolCall("c1", "weather", {"city": "Bonn"})])
    request = Request("m", [user("And Bonn?"), call, told])
    built = yandex_completion.build(request, policies="lenient")
    assert changes(built.notes) == ["dropped messages[2].name"]
    assert built.body["messages"][2] == {
        "role": "user",
        "toolResultList": {"toolResults": [{"functionResult": {"name": "weather", "content": "12 C"}}]},
    }


def test_a_speaker_that_is_said_beside_a_call_and_left_out_has_the_place_of_its_message() -> None:
    call = Message("assistant", [ToolCall("c1", "weather", {"city": "Bonn"})], name="bot")
    request = Request("m", [user("And Bonn?"), call, Message("tool", [ToolResult("c1", "12 C")])])
    notes = yandex_completion.build(request, policies="lenient").notes
    assert [(note.action, note.path, note.field) for note in notes] == [
        ("replaced", "messages[1]", "name"),
        ("dropped", "messages[1]", "text"),
    ]


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ({"data": {"__type": 1}}, '{"data":{"__type":1}}'),
        ({"a": [{"b": {"__type": "x"}}]}, '{"a":[{"b":{"__type":"x"}}]}'),
        # live checks of bifrost issue 5762: these are accepted
        ({"__type": 1}, None),
        ({"data": {"__typename": 1}, "rows": [1, [2]]}, None),
    ],
)
def test_json_that_smithy_takes_for_a_union_goes_to_converse_as_text(value: Any, text: str | None) -> None:
    request = asking(ToolResult("call_1abc", (Json(value),), name="f"))
    if text is not None:
        with refused(Refused, "messages[2].parts[0].parts[0].tool.json.value.*"):
            bedrock_converse.build(request)
    built = bedrock_converse.build(request, policies="portable")
    found = {"json": value} if text is None else {"text": text}
    assert built.body["messages"][2]["content"] == [
        {"toolResult": {"toolUseId": "call_1abc", "content": [found]}}
    ]
    assert bedrock_converse.check(built.body, built.url) == ()
