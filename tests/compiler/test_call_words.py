"""Words for APIs whose calls have no ids: results that say what was called, and parameters as Python types."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from hypothesis import given, strategies as st

from promptwire import Message, Request, Text, Tool, ToolCall, ToolResult
from promptwire.errors import InvalidRequest, MissingField, NoPlace, Refused
from tests.compiler.compiled import wire_of
from tests.internals.runtime import replace, same
from tests.laws.strategies import searching
from tests.strategies import json_objects, json_values, names, texts

SPEC = """
wire: recall
title: Recall
transport: {method: POST, url: "https://recall.example"}
instructions: {native: true, placement: top_level, field: briefing, several: join, mid_conversation: native}
continuation: {mode: resend}
tools: {format: recall, choice: []}
body:
  briefing?: $instructions|join
  tools?: $tools
  so_far?: $messages
  asked: {or: [$messages.last.user.content, ""]}
  outcomes?: $messages.last.tool.outcomes[]
slots: {content: list, calls: list, outcomes: list}
messages:
  system: {role: system, content: $content|join}
  user: {role: user, content: $content|join}
  assistant: {role: assistant, content: $content|join, calls?: $calls}
  tool: {role: tool, outcomes: $outcomes}
unions:
  tool:
    function: {name: $name, takes?: $parameters|python_types}
parts:
  text: $text
  tool_call@assistant>calls: {name: $name, with: $arguments}
  tool_result@tool>outcomes:
    call: {name: $name, with: {or: [$vendor.with, $name|arguments]}}
    gave: $content|join
"""

recall = wire_of("recall", SPEC)


def asked(*messages: Message, tools: tuple[Tool, ...] | None = None) -> Request:
    """Make a request."""
    return Request(None, messages, tools=tools)


def called(*calls: ToolCall) -> Message:
    """Make a message of calls."""
    return Message("assistant", calls)


def gave(*results: ToolResult) -> Message:
    """Make a message of results."""
    return Message("tool", results)


OSLO, ROME = {"city": "Oslo"}, {"city": "Rome"}
# two messages, and the arguments that each result says
PAIRS = {
    "by their ids, in any order": (
        called(ToolCall("a", "f", OSLO), ToolCall("b", "f", ROME)),
        gave(ToolResult("b", "25"), ToolResult("a", "12")),
        [ROME, OSLO],
    ),
    "by their names and order, without ids": (
        called(ToolCall(None, "f", OSLO), ToolCall(None, "g"), ToolCall(None, "f", ROME)),
        gave(
            ToolResult(None, "12", name="f"),
            ToolResult(None, "25", name="f"),
            ToolResult(None, "0", name="g"),
        ),
        [OSLO, ROME, {}],
    ),
    "of arguments that are text": (
        called(ToolCall("a", "f", '{"city": "Oslo"}')),
        gave(ToolResult("a", "12")),
        [OSLO],
    ),
    "of which one says its arguments itself": (
        called(ToolCall(None, "f", OSLO)),
        gave(
            ToolResult(None, "12", name="f"),
            ToolResult(None, "25", name="f", vendor={"recall": {"with": ROME}}),
        ),
        [OSLO, ROME],
    ),
}


@pytest.mark.parametrize("case", PAIRS)
def test_results_say_what_was_called(recall: Any, case: str) -> None:
    calls, results, arguments = PAIRS[case]
    built = recall.build(asked(Message("user", "hi"), calls, results))
    assert [outcome["call"]["with"] for outcome in built.body["outcomes"]] == arguments
    assert {outcome["call"]["name"] for outcome in built.body["outcomes"]} <= {"f", "g"}
    assert built.notes == ()
    reading = recall.read(copy.deepcopy(built.body))
    assert (reading.understood, reading.kept) == (reading.leaves, 0)
    assert same(recall.build(reading.request).body, built.body)


def test_the_last_call_of_an_id_is_answered(recall: Any) -> None:
    built = recall.build(
        asked(
            called(ToolCall("a", "f", OSLO)), gave(ToolResult("a", "12")),
            called(ToolCall("a", "f", ROME)), gave(ToolResult("a", "25")),
        )
    )  # fmt: skip
    assert built.body["so_far"][1]["outcomes"][0]["call"]["with"] == OSLO
    assert built.body["outcomes"][0]["call"]["with"] == ROME


def test_what_is_read_follows_its_call(recall: Any) -> None:
    """The arguments exist once: a change of the call also changes its result."""
    body = recall.build(asked(*PAIRS["by their names and order, without ids"][:2])).body
    request = recall.read(body).request
    _, results = request.messages
    assert [part.vendor for part in results.parts] == [None] * 3
    changed = Message("assistant", [ToolCall(None, name, {"at": name}) for name in "fgf"])
    again = recall.build(replace(request, messages=(changed, results))).body
    assert [outcome["call"]["with"] for outcome in again["outcomes"]] == [
        {"at": "f"},
        {"at": "f"},
        {"at": "g"},
    ]


def test_a_call_that_stands_nowhere_is_read_as_an_option(recall: Any) -> None:
    body = {"asked": "How warm?", "outcomes": [{"call": {"name": "f", "with": OSLO}, "gave": "12"}]}
    reading = recall.read(copy.deepcopy(body))
    user, tool = reading.request.messages
    assert (user.role, tool.parts[0].name, tool.parts[0].vendor) == ("user", "f", {"recall": {"with": OSLO}})
    assert (reading.understood, reading.kept) == (reading.leaves, 0)
    built = recall.build(reading.request)
    assert (built.body, built.notes) == (body, ())


@pytest.mark.parametrize(("call_id", "told"), [("c9", "has this id"), (None, "has its name")])
def test_a_result_without_its_call_is_refused(recall: Any, call_id: str | None, told: str) -> None:
    request = asked(Message("user", "hi"), gave(ToolResult(call_id, "12", name="f")))
    with pytest.raises(Refused) as caught:
        recall.build(request)
    assert caught.value.field == "tool_result.call_id"
    assert f"no call before it {told}, and Recall requires the arguments of the call with its result" in str(
        caught.value
    )
    for policies in ("orphans=keep", "verbatim"):
        built = recall.build(request, policies=policies)
        assert built.body["outcomes"] == [{"call": {"name": "f", "with": {}}, "gave": "12"}]
        # the API has no ids
        assert [(note.action, note.field) for note in built.notes] == [("dropped", "call_id")] * bool(call_id)
    repaired = recall.build(request, policies="lenient")
    said = "Result of f, whose call is not in this conversation:\n\n12"
    assert repaired.body == {"asked": said, "so_far": [{"role": "user", "content": "hi"}]}
    assert [(note.action, note.path, note.field) for note in repaired.notes] == [
        ("replaced", "messages[1].parts[0]", "tool_result")
    ]


def test_arguments_that_are_no_object_name_the_call(recall: Any) -> None:
    calls = called(ToolCall("a", "f", "[1]"))
    with pytest.raises(InvalidRequest, match=r"messages\[0\].parts\[0\]: tool arguments are a list"):
        recall.build(asked(calls, gave(ToolResult("a", "12"))))


def test_the_id_of_a_call_that_nothing_answers_is_noted(recall: Any) -> None:
    calls = called(ToolCall("a", "f", OSLO), ToolCall("b", "f", ROME))
    built = recall.build(asked(calls, gave(ToolResult("b", "25"))))
    assert [(note.action, note.path, note.field) for note in built.notes] == [
        ("dropped", "messages[0].parts[0]", "id")
    ]


def test_a_body_shares_nothing_with_the_call(recall: Any) -> None:
    arguments = {"city": ["Oslo"]}
    built = recall.build(asked(called(ToolCall("a", "f", arguments)), gave(ToolResult("a", "12"))))
    built.body["outcomes"][0]["call"]["with"]["city"].append("Rome")
    assert arguments == {"city": ["Oslo"]}


@st.composite
def conversations(draw: st.DrawFn) -> tuple[Message, ...]:
    """Draw turns with calls without ids, some of one name, and results in their order."""
    messages: list[Message] = []
    for _ in range(draw(st.integers(0, 4))):
        messages.append(Message("user", draw(texts())))
        calls = [
            ToolCall(None, draw(st.sampled_from("fg")), draw(json_objects()))
            for _ in range(draw(st.integers(0, 3)))
        ]
        if calls:
            results = [ToolResult(None, draw(texts()), name=call.name) for call in calls]
            messages += [Message("assistant", (Text(draw(texts())), *calls)), gave(*results)]
    return tuple(messages)


@searching(200)
@given(messages=conversations())
@pytest.mark.search
def test_a_conversation_without_ids_comes_back_as_it_was(recall: Any, messages: tuple[Message, ...]) -> None:
    body = recall.build(asked(*messages)).body
    reading = recall.read(copy.deepcopy(body))
    assert (reading.understood, reading.kept) == (reading.leaves, 0)
    assert same(recall.build(reading.request).body, body)
    assert [
        part for message in reading.request.messages for part in message.parts if type(part) is ToolResult
    ] == [part for message in messages for part in message.parts if type(part) is ToolResult]


def of_types(levels: int = 4) -> st.SearchStrategy[dict[str, Any]]:
    """Draw schemas that Python types say."""
    words = ("string", "integer", "number", "boolean", "array", "object")
    plain = st.sampled_from(words).map(lambda word: {"type": word})
    if not levels:
        return plain
    inner = of_types(levels - 1)
    lists = inner.map(lambda schema: {"type": "array", "items": schema})
    return plain | lists | inner.map(lambda schema: {"type": "object", "additionalProperties": schema})


@st.composite
def parameters(draw: st.DrawFn) -> dict[str, Any]:
    """Draw schemas of parameters that definitions say, each as it is read again."""
    properties = draw(st.dictionaries(names(), of_types(), max_size=4))
    for name in properties:
        properties[name] |= {"description": draw(texts())} if draw(st.booleans()) else {}
    required = [name for name in properties if draw(st.booleans())]
    schema = {"type": "object", "properties": properties}
    return schema | ({"required": required} if required else {})


def tooled(schema: dict[str, Any]) -> Request:
    """Make a request with one tool."""
    return asked(Message("user", "hi"), tools=(Tool("f", parameters=schema),))


@searching(300)
@given(schema=parameters())
@pytest.mark.search
def test_a_schema_comes_back_from_its_types(recall: Any, schema: dict[str, Any]) -> None:
    built = recall.build(tooled(schema))
    assert built.notes == ()
    reading = recall.read(copy.deepcopy(built.body))
    assert (reading.understood, reading.kept) == (reading.leaves, 0)
    assert reading.request.tools[0].parameters == schema
    assert same(recall.build(reading.request).body, built.body)


@searching(300)
@given(definitions=json_values() | st.dictionaries(names(), json_values()) | st.dictionaries(
    names(), st.fixed_dictionaries({"type": st.sampled_from(("str", "list[int]", "Dict[str,Any]", "List[", "date"))},
    optional={"required": json_values(), "description": json_values(), "default": json_values()}),
))  # fmt: skip
@pytest.mark.search
def test_any_definitions_come_back_exactly(recall: Any, definitions: Any) -> None:
    body = {"asked": "hi", "tools": [{"name": "f", "takes": definitions}]}
    reading = recall.read(copy.deepcopy(body))
    assert same(recall.build(reading.request, policies="verbatim").body, body)
    assert reading.understood + reading.kept == reading.leaves


# a schema of one parameter, the place that is named, and the type and description that a lenient build sends instead
UNSAYABLE: dict[str, tuple[dict[str, Any], str, type[Exception], str, str | None]] = {
    "words to choose from": ({"type": "string", "enum": ["a"]}, "enum", NoPlace, "str", "{enum: ['a']}"),
    "a least number": ({"type": "integer", "minimum": 1}, "minimum", NoPlace, "int", "{minimum: 1}"),
    "two types": ({"type": ["string", "null"]}, "type", NoPlace, "str", "{type: ['string', 'null']}"),
    "no value": ({"type": "null"}, "type", NoPlace, "str", "{type: null}"),
    "an object with keys": (
        {"type": "object", "properties": {}},
        "properties",
        NoPlace,
        "Dict",
        "{properties: {}}",
    ),
    "an object without any": (
        {"type": "object", "additionalProperties": False},
        "additionalProperties",
        NoPlace,
        "Dict",
        "{additionalProperties: False}",
    ),
    "texts of one form in a list": (
        {"type": "array", "items": {"type": "string", "format": "date"}},
        "items.format",
        NoPlace,
        "List[str]",
        "{items: {'type': 'string', 'format': 'date'}}",
    ),
    "anything": ({}, "type", MissingField, "str", None),
    "one of two": (
        {"anyOf": [{"type": "string"}, {"type": "null"}]},
        "anyOf",
        NoPlace,
        "str",
        "{anyOf: [{'type': 'string'}, {'type': 'null'}]}",
    ),
    "what is defined elsewhere": ({"$ref": "#/$defs/a"}, "$ref", NoPlace, "str", None),
}


@pytest.mark.parametrize("case", UNSAYABLE)
def test_what_types_cannot_say_is_named(recall: Any, case: str) -> None:
    schema, place, error, type_, description = UNSAYABLE[case]
    request = tooled({"type": "object", "properties": {"x": schema}})
    with pytest.raises(error) as caught:
        recall.build(request)
    field = f"parameters.properties.x.{place}"
    assert (caught.value.path, caught.value.field) == ("tools[0]", field)  # type: ignore[attr-defined]
    built = recall.build(request, policies="lenient")
    said = {} if description is None else {"description": description}
    assert built.body["tools"][0]["takes"] == {"x": {**said, "type": type_, "required": False}}
    assert ("replaced", "tools[0]", "parameters.properties.x") in [
        (note.action, note.path, note.field) for note in built.notes
    ]


def test_what_says_nothing_to_a_model_is_noted(recall: Any) -> None:
    schema = {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "F",
        "properties": {"x": {"type": "string", "title": "X", "default": "a"}},
        "additionalProperties": False,
    }
    built = recall.build(tooled(schema))
    assert built.body["tools"] == [{"name": "f", "takes": {"x": {"type": "str", "required": False}}}]
    assert [note.field for note in built.notes] == [
        "parameters.$schema", "parameters.title", "parameters.properties.x.default", "parameters.properties.x.title",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("schema", "field"),
    [
        ({"type": "array"}, "parameters.type"),
        ({"type": "object", "properties": []}, "parameters.properties"),
        ({"type": "object", "required": ["x"]}, "parameters.required"),
        ({"type": "object", "properties": {"x": True}}, "parameters.properties.x"),
        ({"type": "object", "description": "d"}, "parameters.description"),
    ],
)
def test_parameters_are_named_objects(recall: Any, schema: dict[str, Any], field: str) -> None:
    with pytest.raises(NoPlace) as caught:
        recall.build(tooled(schema))
    assert caught.value.field == field
    recall.build(tooled(schema), policies="lenient")


def test_types_inside_types_have_an_end(recall: Any) -> None:
    endless: dict[str, Any] = {"type": "array"}
    for _ in range(40):
        endless = {"type": "array", "items": endless}
    with pytest.raises(NoPlace):
        recall.build(tooled({"properties": {"x": endless}}))
    deep = {"x": {"type": "List[" * 5000 + "str" + "]" * 5000, "required": True}}
    reading = recall.read({"asked": "hi", "tools": [{"name": "f", "takes": deep}]})
    assert reading.request.tools[0].parameters is None
    assert recall.build(reading.request).body["tools"] == [{"name": "f", "takes": deep}]
