"""Words of the spec language that few wires need, each compiled, built with and read back."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import (
    Cache,
    Image,
    Message,
    Options,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    assistant,
    user,
)

from .compiled import wire_of

SPEC = """
wire: small_wire
title: Small
transport: {method: POST, url: "https://small.example/v1/${model}"}
instructions: {native: true, placement: top_level, field: systemInstruction, several: blocks, mid_conversation: none}
continuation: {mode: resend}
tools: {format: gemini, choice: [auto, required], group_under: functionDeclarations}
aliases: snake
body:
  generationConfig?: {maxOutputTokens?: $max_tokens, stopSequences?: $stop, ...: $response_format}
  toolConfig?: {mode?: $tool_choice}
  tools?: $tools
  systemInstruction?: $instructions[]
  contents: $messages
slots: {content: list}
messages:
  user: {role: user, parts: "$content[]"}
  assistant: {role: model, parts: "$content[]"}
  tool: {role: user, parts: "$content[]"}
marks:
  cache: {cachePoint: {type: default, ttl?: $ttl}}
unions:
  instruction:
    layer: {text: $text}
  tool:
    function: {name: $name, description?: $description, parametersJsonSchema: $parameters}
    hosted: {type: $type, ...: $config}
  tool_choice: {auto: AUTO, required: ANY}
  response_format:
    json_schema: {responseMimeType?: =application/json, responseJsonSchema: $schema}
    json: {responseMimeType: application/json}
parts:
  text: {text: $text, thought?: =false}
  image.data: {inlineData: {mimeType: $media_type(image/*), data: $data}}
  document.data: {inlineData: {mimeType: $media_type, data: $data}}
  tool_call@assistant: {functionCall: {id?: $id, name: $name, args: $arguments}}
  tool_result@user,tool: {functionResponse: {id?: $call_id, parts: "$content[]"}}
"""


wire = wire_of("small_wire", SPEC)


def test_gathered_tools_marks_and_layers_are_written(wire: Any) -> None:
    tools = [Tool("f", None, {}), Tool("g", "G", {"type": "object"}, cache=Cache("1h"))]
    request = Request(
        "m",
        [
            user(Text("hi", cache=Cache()), "more"),
            assistant(ToolCall("c", "f", {})),
            Message("tool", [ToolResult("c", "4")]),
        ],
        instructions=["one", "two"],
        tools=tools,
        options=Options(max_tokens=5, stop=("a",)),
    )
    assert wire.build(request).body == {
        "generationConfig": {"maxOutputTokens": 5, "stopSequences": ["a"]},
        "tools": [
            {
                "functionDeclarations": [
                    {"name": "f", "parametersJsonSchema": {}},
                    {"name": "g", "parametersJsonSchema": {"type": "object"}, "description": "G"},
                ]
            },
            {"cachePoint": {"type": "default", "ttl": "1h"}},
        ],
        "systemInstruction": [{"text": "one"}, {"text": "two"}],
        "contents": [
            {
                "role": "user",
                "parts": [{"text": "hi"}, {"cachePoint": {"type": "default"}}, {"text": "more"}],
            },
            {"role": "model", "parts": [{"functionCall": {"name": "f", "args": {}, "id": "c"}}]},
            {"role": "user", "parts": [{"functionResponse": {"parts": [{"text": "4"}], "id": "c"}}]},
        ],
    }


BODIES: dict[str, dict[str, Any]] = {
    "snake_case aliases": {
        "generation_config": {"max_output_tokens": 5, "stopSequences": ["a"]},
        "contents": [
            {"role": "user", "parts": [{"inline_data": {"mime_type": "image/png", "data": "AA=="}}]}
        ],
    },
    "aliases of one key in one body": {
        "generationConfig": {"max_output_tokens": 5},
        "system_instruction": [{"text": "s"}],
        "contents": [{"role": "user", "parts": [{"text": "x", "thought": False}]}],
    },
    "tools in two groups": {
        "tools": [
            {"functionDeclarations": [{"name": "f", "parametersJsonSchema": {}}]},
            {"functionDeclarations": [{"name": "g", "parametersJsonSchema": {}}]},
            {"type": "search", "depth": 2},
        ],
        "contents": [],
    },
    "marks": {
        "contents": [
            {
                "role": "user",
                "parts": [
                    {"cachePoint": {"type": "default"}},
                    {"text": "a"},
                    {"cachePoint": {"type": "default", "ttl": "5m"}},
                    {"cachePoint": {"type": "default"}},
                    {"text": "b"},
                ],
            }
        ]
    },
    "a spread format": {
        "generationConfig": {
            "responseMimeType": "application/json",
            "responseJsonSchema": {"type": "object"},
        },
        "contents": [{"role": "model", "parts": [{"text": "x"}]}],
    },
    "a spread format without its constant": {
        "generationConfig": {"maxOutputTokens": 1, "responseJsonSchema": {"type": "object"}},
        "contents": [],
    },
}


@pytest.mark.parametrize("name", BODIES)
def test_every_spelling_comes_back(wire: Any, name: str) -> None:
    reading = wire.read(BODIES[name])
    assert wire.build(reading.request, policies="verbatim").body == BODIES[name]
    assert reading.understood + reading.kept == reading.leaves


def test_marks_are_read_onto_the_part_before(wire: Any) -> None:
    parts = wire.read(BODIES["marks"]).request.messages[0].parts
    assert [type(part).__name__ for part in parts] == ["Opaque", "Text", "Opaque", "Text"]
    assert [part.cache for part in parts] == [None, Cache("5m"), None, None]


def test_guards_tell_media_apart(wire: Any) -> None:
    def part(media_type: str) -> Any:
        element = {"inlineData": {"mimeType": media_type, "data": "AA=="}}
        return wire.read({"contents": [{"role": "user", "parts": [element]}]}).request.messages[0].parts[0]

    assert part("image/png") == Image(data="AA==", media_type="image/png")
    assert type(part("application/pdf")).__name__ == "Document"


def test_spread_is_read_into_the_response_format(wire: Any) -> None:
    read = wire.read(BODIES["a spread format"]).request.response_format
    assert (read.kind, read.schema) == ("json_schema", {"type": "object"})
    assert (
        wire.read(
            {"generationConfig": {"responseMimeType": "application/json"}, "contents": []}
        ).request.response_format.kind
        == "json"
    )
