"""Words for APIs like Google's: results as objects, hosted kinds named by their key, roles with several words."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import (
    HostedTool,
    Image,
    Json,
    Message,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolChoice,
    ToolResult,
    assistant,
    user,
)
from promptwire.errors import MissingField, NoPlace
from promptwire.parts import AnyTool

from .compiled import wire_of

SPEC = """
wire: object_wire
title: Object
transport: {method: POST, url: "https://object.example"}
instructions: {native: true, placement: top_level, field: systemInstruction, several: parts, mid_conversation: none}
continuation: {mode: resend}
tools: {format: small, choice: [named, several], group_under: functions}
aliases: snake
body:
  words?: $modalities|upper
  level?: $reasoning.effort|enum(LEVEL_)
  tools?: $tools
  choice?: $tool_choice
  systemInstruction?: {kind: text, role?: =user, parts: "$instructions[]"}
  contents: $messages
slots: {content: list}
messages:
  user: {role: {or: [user, function, null]}, parts: "$content[]"}
  assistant: {role: model, parts: "$content[]"}
  tool: {role: user, parts: "$content[]"}
passes: [merge_speakers]
unions:
  instruction:
    layer: {text: $text}
  tool:
    function: {name: $name}
    hosted.web_search: {webSearch: {...: $config}}
    hosted.run_code: {runCode: $config}
  tool_choice:
    named: {mode: ANY, names: $name|list}
    several: {mode: "$must|word(ANY,SOME)", names: $names}
parts:
  image.data: {inlineData: {mimeType: $media_type(image/*), data: $data}}
  tool_call@assistant: {call: {id?: $id, name: $name, args: $arguments}}
  tool_result@user,tool:
    result: {id?: $call_id, name: $name, response: "$content|keyed(output,error)", parts?: "$content[]"}
  hosted_call.code@assistant: {code: {id?: $id, ...: $payload}}
  hosted_call@assistant: {ran: {type: $type, id?: $id}}
  text: {text: $text}
"""
IMAGE = Image(data="AA==", media_type="image/png")
IMAGE_JSON = {"inlineData": {"mimeType": "image/png", "data": "AA=="}}


wire = wire_of("object_wire", SPEC)


def returned(wire: Any, result: ToolResult) -> dict[str, Any]:
    """Return the body of a result without its id and name."""
    body = wire.build(Request(messages=[Message("tool", [result])])).body
    written: dict[str, Any] = body["contents"][0]["parts"][0]["result"]
    return {key: value for key, value in written.items() if key not in ("id", "name")}


@pytest.mark.parametrize(
    ("parts", "failed", "written"),
    [
        (["a"], None, {"response": {"output": "a"}}),
        (["a", "b"], None, {"response": {"output": "a\n\nb"}}),
        (["a"], True, {"response": {"error": "a"}}),
        ([], None, {"response": {}}),
        ([], True, {"response": {"error": ""}}),
        ([Json({"x": 1})], None, {"response": {"x": 1}}),
        ([Json({"x": 1})], True, {"response": {"error": {"x": 1}}}),
        ([Json([1])], None, {"response": {"output": [1]}}),
        (["a", Json({"x": 1})], None, {"response": {"output": ["a", {"x": 1}]}}),
        (["a", IMAGE], None, {"response": {"output": "a"}, "parts": [IMAGE_JSON]}),
        ([IMAGE], None, {"response": {}, "parts": [IMAGE_JSON]}),
    ],
)
def test_a_result_is_written_as_an_object(
    wire: Any, parts: Any, failed: bool | None, written: dict[str, Any]
) -> None:
    assert returned(wire, ToolResult("c", parts, name="f", is_error=failed)) == written


@pytest.mark.parametrize(
    ("response", "parts", "failed"),
    [
        ({"output": "a"}, (Text("a"),), None),
        ({"error": "a"}, (Text("a"),), True),
        ({"error": {"x": 1}}, (Json({"x": 1}),), True),
        ({"output": [1]}, (Json([1]),), None),
        ({"output": {"x": 1}}, (Json({"output": {"x": 1}}),), None),
        ({"output": "a", "x": 1}, (Json({"output": "a", "x": 1}),), None),
        ({}, (), None),
    ],
)
def test_an_object_is_read_as_a_result(wire: Any, response: Any, parts: Any, failed: bool | None) -> None:
    body = {"contents": [{"role": "user", "parts": [{"result": {"name": "f", "response": response}}]}]}
    reading = wire.read(body)
    (message,) = reading.request.messages
    assert (message.role, message.parts) == ("tool", (ToolResult(None, parts, name="f", is_error=failed),))
    assert wire.build(reading.request, policies="verbatim").body == body
    assert (reading.understood, reading.kept) == (reading.leaves, 0)


def test_what_a_text_of_a_result_carries_is_reported(wire: Any) -> None:
    cited = ToolResult("c", [Text("a", citations=[1])], name="f")
    with pytest.raises(NoPlace, match="citations: the result is sent as a JSON object"):
        returned(wire, cited)


def test_a_result_has_the_name_of_its_call(wire: Any) -> None:
    call = assistant(ToolCall("c", "f", {}), ToolCall("d", "g", {}))
    results = [Message("tool", [ToolResult("c", "1")]), Message("tool", [ToolResult("d", "2", name="own")])]
    body = wire.build(Request(messages=[call, *results, user("hi")])).body
    assert body["contents"][1:] == [
        {
            "role": "user",
            "parts": [
                {"result": {"name": "f", "response": {"output": "1"}, "id": "c"}},
                {"result": {"name": "own", "response": {"output": "2"}, "id": "d"}},
            ],
        },
        {"role": "user", "parts": [{"text": "hi"}]},
    ]
    with pytest.raises(MissingField) as caught:
        wire.build(Request(messages=[Message("tool", [ToolResult("e", "3")])]))
    assert (caught.value.path, caught.value.field) == ("messages[0].parts[0]", "name")


def test_hosted_kinds_are_named_by_their_keys(wire: Any) -> None:
    tools: list[AnyTool] = [
        HostedTool("web_search"),
        Tool("f"),
        HostedTool("run_code", config={"a": 1}),
        Tool("g"),
    ]
    request = Request(messages=[user("hi")], tools=tools)
    body = wire.build(request).body
    assert body["tools"] == [
        {"webSearch": {}},
        {"functions": [{"name": "f"}, {"name": "g"}]},
        {"runCode": {"a": 1}},
    ]
    read = wire.read(body).request.tools
    assert [tool for tool in read if type(tool) is HostedTool] == [tools[0], tools[2]]
    with pytest.raises(NoPlace, match="hosted"):
        wire.build(Request(messages=[user("hi")], tools=[HostedTool("paint")]))
    said = [{"code": {"id": "1", "text": "x"}}, {"ran": {"type": "code", "id": "2"}}, {"ran": {"type": "b"}}]
    replayed = {"contents": [{"role": "model", "parts": said}]}
    parts = wire.read(replayed).request.messages[0].parts
    assert [(part.type, part.payload) for part in parts] == [
        ("code", {"text": "x"}),
        ("code", None),
        ("b", None),
    ]


def test_roles_have_several_words(wire: Any) -> None:
    contents = [
        {"role": "function", "parts": [{"text": "a"}]},
        {"parts": [{"text": "b"}]},
        {"role": None, "parts": []},
        {"role": "user", "parts": [{"text": "c"}]},
        "odd",
    ]
    reading = wire.read({"contents": contents})
    assert [message.role for message in reading.request.messages] == ["user"] * 5
    assert [len(message.parts) for message in reading.request.messages] == [1, 1, 0, 1, 1]
    assert wire.build(reading.request, policies="verbatim").body == {"contents": contents}


def test_instructions_stand_inside_an_object(wire: Any) -> None:
    body = wire.build(Request(messages=[user("hi")], instructions=["a", "b"])).body
    assert body["systemInstruction"] == {"kind": "text", "parts": [{"text": "a"}, {"text": "b"}]}
    spelled = {
        "system_instruction": {"kind": "text", "role": "user", "parts": [{"text": "a"}]},
        "contents": [],
    }
    reading = wire.read(spelled)
    assert [layer.text for layer in reading.request.instructions] == ["a"]
    assert wire.build(reading.request, policies="verbatim").body == spelled


@pytest.mark.parametrize(
    ("names", "choice"),
    [
        (["f"], ToolChoice("named", name="f")),
        (["f", "g"], ToolChoice("several", names=("f", "g"), must=True)),
    ],
)
def test_one_name_stands_in_a_list(wire: Any, names: list[str], choice: ToolChoice) -> None:
    body = {"choice": {"mode": "ANY", "names": names}, "contents": []}
    assert wire.read(body).request.tool_choice == choice
    assert wire.build(Request(tool_choice=choice), policies="refusals=ignore").body == body


def test_words_in_capitals(wire: Any) -> None:
    body = {"words": ["TEXT", "IMAGE"], "level": "LEVEL_HIGH", "contents": []}
    request = wire.read(body).request
    assert (request.modalities, request.reasoning.effort) == (("text", "image"), "high")
    assert wire.build(request).body == body
    # lists of words are read in any letters, as clients spell them; what goes back is what came
    small = {"words": ["Text"], "level": "high", "contents": []}
    reading = wire.read(small)
    assert (reading.request.modalities, reading.request.reasoning) == (("text",), None)
    assert wire.build(reading.request, policies="verbatim").body == small


def test_a_guarded_shape_names_what_is_missing(wire: Any) -> None:
    with pytest.raises(MissingField, match="media_type"):
        wire.build(Request(messages=[user(Image(data="AA=="))]))
    with pytest.raises(NoPlace, match=r"image: its media_type must match image/\* for this API"):
        wire.build(Request(messages=[user(Image(data="AA==", media_type="text/plain"))]))
