"""Readings: the number of leaves, of those understood and kept, the path of each that is not, the notes."""

from __future__ import annotations

import json
from typing import Any

import pytest

import promptwire
from promptwire import (
    BodyError,
    Cache,
    Continuation,
    HostedTool,
    Instruction,
    Message,
    Text,
    ToolCall,
    ToolResult,
)
from promptwire.parts import Opaque
from promptwire.plugins import Kept, Provenance
from tests.examples import examples
from tests.internals.runtime import Swap, TurnCollector, is_deferred, with_fields
from tests.laws.traces import module
from tests.searching import TESTED_WIRES

USER: dict[str, Any] = {"role": "user", "content": "hi"}
CALL = {"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}", "odd": 3}}
FUNCTION = {"type": "function", "odd": 1, "function": {"name": "f", "parameters": {}, "inner": 2}}
CHOICE = {"type": "function", "function": {"name": "f"}, "odd": 1}
SYSTEM = "moved instructions: they were the first message, of role system"
MARKED = {"type": "text", "text": "a", "cache_control": {"type": "ephemeral", "odd": 2}}

# wire, body beside its model, leaves, understood, kept, what is unknown, notes
READINGS: dict[str, tuple[str, dict[str, Any], tuple[int, int, int], list[str], list[str]]] = {
    "all known": ("openai_chat", {"messages": [USER]}, (3, 3, 0), [], []),
    "keys of the body": (
        "openai_chat",
        {"messages": [USER], "odd": 1, "more": {"a": [1, 2], "b": {}}, "seed": None, "stop": []},
        (9, 5, 4),
        ["Request.odd", "Request.more"],
        [],
    ),
    "messages": (
        "openai_chat",
        {"messages": [{**USER, "odd": 1}, {"role": "critic", "content": "c", "x": [1, 1]}, 5]},
        (9, 3, 6),
        ["Message.odd", "messages[] (unknown element)", "messages[] (unknown element)"],
        [],
    ),
    "values in other signs, and one tool or instruction without a list": (
        "gemini_generate",
        {
            "contents": [{"parts": [{"inlineData": {"mimeType": "image/png", "data": "__-7-w=="}}]}],
            "systemInstruction": {"parts": {"text": "Be terse."}},
            "generationConfig": {"topK": 40.0},
            "tools": {"function_declarations": [{"name": "f"}]},
        },
        (5, 5, 0),
        [],
        [],
    ),
    "parts in snake case, alone and beside another key": (
        "gemini_generate",
        {
            "contents": [
                {"role": "user", "parts": [{"inline_data": {"mime_type": "image/png", "data": "aGk="}}]},
                {
                    "role": "user",
                    "parts": [{"file_data": {"mime_type": "image/png", "file_uri": "https://a.example/b"}}],
                },
                {
                    "role": "model",
                    "parts": [{"function_call": {"name": "f", "args": {}}, "thought_signature": "c2ln"}],
                },
                {
                    "role": "user",
                    "parts": [{"function_response": {"name": "f", "response": {"output": "12 C"}}}],
                },
            ]
        },
        (13, 13, 0),
        [],
        [],
    ),
    "parts": (
        "openai_chat",
        {"messages": [{"role": "user", "content": [{"type": "text", "text": "t", "odd": "text"}, {"type": "new"}]}]},
        (6, 4, 2),
        ["Text.odd", "content[] (unknown element)"],
        [],
    ),
    "tools": (
        "openai_chat",
        {
            "messages": [USER],
            "tools": [FUNCTION, {"type": "new", "x": 1}],
            "tool_choice": CHOICE,
            "response_format": {"type": "json_object", "odd": 1},
        },
        (15, 9, 6),
        ["Tool.odd", "Tool.function.inner", "tools[] (unknown element)", "ToolChoice.odd", "ResponseFormat.odd"],
        [],
    ),
    "calls and results": (
        "openai_chat",
        {
            "messages": [
                USER,
                {"role": "assistant", "content": None, "tool_calls": [CALL]},
                {"role": "tool", "tool_call_id": "c", "content": "r", "name": "f", "odd": 4},
            ]
        },
        (15, 13, 2),
        ["ToolCall.function.odd", "ToolResult.odd"],
        [],
    ),
    "values that do not fit": (
        "openai_chat",
        {"temperature": "warm", "max_tokens": 5, "messages": "hi", "n": 1.5},
        (5, 3, 2),
        ["Request.temperature", "Request.n"],
        [],
    ),
    "layers, marks and thinking": (
        "anthropic_messages",
        {
            "max_tokens": 5,
            "system": [{"type": "text", "text": "s", "odd": 1}],
            "messages": [{"role": "user", "content": [MARKED]}],
            "thinking": {"type": "enabled", "budget_tokens": 1024, "odd": 1},
        },
        (13, 10, 3),
        ["Text.cache_control.odd", "Instruction.odd", "ReasoningOptions.odd"],
        [],
    ),
    "objects below": (
        "gemini_generate",
        {
            "contents": [{"role": "user", "parts": [{"text": "a", "odd": 1}, {"odd": 2}]}],
            "generationConfig": {"temperature": 1, "odd": 3},
            "odd": 4,
        },
        (7, 3, 4),
        ["Request.odd", "Request.generationConfig.odd", "Text.odd", "content[] (unknown element)"],
        [],
    ),
    "items": (
        "openai_responses",
        {
            "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "a", "odd": 1}], "odd": 2},
                {"type": "new", "odd": 3},
            ],
            "reasoning": {"effort": "low", "odd": 4},
        },
        (11, 6, 5),
        ["Request.reasoning.odd", "Message.odd", "Text.odd", "messages[] (unknown element)"],
        [],
    ),
    "a first message of the system": (
        "mistral_chat",
        {"messages": [{"role": "system", "content": "s"}, USER]},
        (5, 5, 0),
        [],
        [SYSTEM],
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", READINGS)
def test_what_a_reading_says(case: str) -> None:
    wire, body, counts, unknown, notes = READINGS[case]
    body = body if wire == "gemini_generate" else {"model": "m", **body}
    reading = getattr(promptwire, wire).read(json.loads(json.dumps(body)))
    assert (reading.leaves, reading.understood, reading.kept) == counts
    assert list(reading.unknown) == unknown
    assert [str(note) for note in reading.notes] == notes
    assert getattr(promptwire, wire).build(reading.request, policies="verbatim").body == body


ELSEWHERE = ": is this a request of OpenAI Chat Completions?"


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ([], "the body is a list, not an object"),
        (None, "the body is null, not an object"),
        ({}, f'the body has no "messages"{ELSEWHERE}'),
        ({"messages": {}}, f'"messages" is an object, not a list{ELSEWHERE}'),
        ({"messages": True, "model": "m"}, f'"messages" is a boolean, not a list{ELSEWHERE}'),
    ],
)
def test_what_is_no_body_says_what_it_is(body: Any, said: str) -> None:
    for given in (body, json.dumps(body), json.dumps(body).encode()):
        with pytest.raises(BodyError) as refused:
            promptwire.openai_chat.read(given)
        assert str(refused.value) == f"openai_chat: {said}"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("no", "the body is not an object but 'no'"),
        (b"\xffno", "the body is not an object but '\ufffdno'"),
        (
            b"\x1f\x8b00",
            "the bytes are no body: they are compressed with gzip; read them with a client that decompresses,"
            " or with gzip.decompress",
        ),
        (
            json.dumps({"messages": [USER], "odd": json.loads("[" * 100 + "]" * 100)}),
            "the body cannot be read: it is nested deeper than 100 levels, or holds itself",
        ),
        (
            json.dumps({"messages": [USER], "odd": [[]] * 1_000_000}),
            "the body cannot be read: it has more than 1,000,000 lists and objects",
        ),
    ],
    ids=["no JSON", "no UTF-8", "gzip", "too deep", "too large"],
)
def test_what_is_no_text_of_a_body_says_why(text: str | bytes, said: str) -> None:
    with pytest.raises(BodyError) as refused:
        promptwire.openai_chat.read(text)
    assert str(refused.value) == f"openai_chat: {said}"
    (finding,) = promptwire.openai_chat.check(text)
    assert (finding.what, finding.reason) == ("unreadable", said)


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_the_text_of_a_body_is_read_as_the_body(wire: str) -> None:
    read, build = module(wire).read, module(wire).build
    for body in [example.body for example in examples() if example.wire == wire]:
        reading = read(body)
        text = json.dumps(body, ensure_ascii=False)
        for given in (text, text.encode(), bytearray(text.encode())):
            found = read(given)
            assert (found.request, found.body, found.understood) == (
                reading.request,
                body,
                reading.understood,
            )
            assert build(found.request, policies="verbatim").body == body


@pytest.mark.parametrize(
    ("first", "instructions"),
    [
        ({"role": "system", "content": "s"}, "s"),
        ({"role": "system", "content": [{"type": "text", "text": "s"}]}, "s"),
        (
            {"role": "system", "content": [{"type": "text", "text": "s"}, {"type": "text", "text": "t"}]},
            (Instruction("s"), Instruction("t")),
        ),
        ({"role": "system", "content": ""}, None),
        ({"role": "system", "content": []}, None),
        ({"role": "system", "content": "s", "name": "ann"}, None),
        ({"role": "user", "content": "s"}, None),
    ],
)
def test_which_first_messages_are_instructions(first: dict[str, Any], instructions: Any) -> None:
    reading = promptwire.openai_chat.read({"model": "gpt-4o", "messages": [first, USER]})
    assert reading.request.instructions == instructions
    assert [str(note) for note in reading.notes] == ([SYSTEM] if instructions else [])
    assert len(reading.request.messages) == (1 if instructions else 2)


@pytest.mark.parametrize(
    ("node", "values", "expected"),
    [
        (None, {"ttl": None}, None),
        (None, {"ttl": "1h"}, Cache("1h")),
        (Cache("5m"), {"ttl": None}, Cache("5m")),
        (Cache("5m"), {"ttl": "1h"}, Cache("1h")),
    ],
)
def test_a_node_is_completed_by_what_stood_elsewhere(
    node: Any, values: dict[str, Any], expected: Any
) -> None:
    assert with_fields(node, Cache, **values) == expected


ORIGIN = Provenance("w")
A, B, ASK, TELL = Text("a"), Text("b"), ToolCall("c", "f", {}), ToolResult("c", "r")
SAID, MUTE = Message("assistant", A, id="m_1"), Message("assistant", ())


@pytest.mark.parametrize(
    ("items", "messages"),
    [
        ([ASK, TELL], [Message("assistant", ASK, provenance=ORIGIN), Message("tool", TELL, provenance=ORIGIN)]),
        ([SAID, ASK], [Message("assistant", (A, ASK), id="m_1")]),
        ([ASK, SAID], [Message("assistant", (ASK, A), id="m_1")]),
        ([ASK, SAID, SAID], [Message("assistant", (ASK, A), id="m_1"), SAID]),
        ([ASK, MUTE], [Message("assistant", ASK, provenance=ORIGIN), MUTE]),
        ([SAID], [SAID]),
        ([{"x": 1}, {"x": 2}], [Message("user", Opaque("w", {"x": n}, "messages"), provenance=ORIGIN) for n in (1, 2)]),
        ([TELL, {"x": 1}, TELL], [
            Message("tool", TELL, provenance=ORIGIN),
            Message("user", Opaque("w", {"x": 1}, "messages"), provenance=ORIGIN),
            Message("tool", TELL, provenance=ORIGIN),
        ]),
        ([Message("user", B), TELL], [Message("user", B), Message("tool", TELL, provenance=ORIGIN)]),
        ([None, ASK], [Message("assistant", ASK, provenance=ORIGIN)]),
    ],
)  # fmt: skip
def test_which_items_are_one_message(items: list[Any], messages: list[Message]) -> None:
    turns = TurnCollector(ORIGIN, group=True)
    for item in items:
        if isinstance(item, Message):
            turns.add_message(item)
        elif isinstance(item, dict):
            turns.add_unknown(Opaque("w", item, "messages"))
        else:
            assert turns.add_item("tool" if item is TELL else "assistant", item) is (item is not None)
    found = turns.finish()
    assert list(found) == messages
    assert [message.provenance for message in found] == [message.provenance for message in messages]


def test_items_stay_apart_where_no_wire_groups_them() -> None:
    turns = TurnCollector(ORIGIN, group=False)
    turns.add_item("assistant", ASK)
    turns.add_message(SAID)
    assert turns.finish() == (Message("assistant", ASK, provenance=ORIGIN), SAID)


def test_no_item_joins_words_of_the_user() -> None:
    turns = TurnCollector(ORIGIN, group=True)
    turns.add_message(Message("user", B))
    assert turns.add_item("user", A)
    turns.add_unknown(Opaque("w", {"x": 1}, "messages"))
    assert turns.add_item("user", A)
    texts = [[part for part in message.parts if part in (A, B)] for message in turns.finish()]
    assert texts == [[B], [A], [], [A]]


def test_hosted_tools_are_read_as_they_stand() -> None:
    tool = {"type": "web_search_20250305", "name": "web_search", "odd": 1}
    reading = promptwire.anthropic_messages.read(
        {"model": "m", "max_tokens": 5, "messages": [USER], "tools": [tool]}
    )
    assert isinstance((reading.request.tools or ())[0], HostedTool)
    assert (reading.leaves, reading.understood, reading.kept, list(reading.unknown)) == (7, 7, 0, [])


GEMINI = {"contents": [{"role": "user", "parts": [{"text": "a"}]}]}
HOST = "https://generativelanguage.googleapis.com"
AZURE = "https://r.openai.azure.com/openai/deployments/gpt-4o/chat/completions?api-version=2024-10-21"
AT_AZURE = {"endpoint": "https://r.openai.azure.com", "api_version": "2024-10-21"}
BEDROCK = "https://bedrock-runtime.us-east-1.amazonaws.com/model/claude-3/invoke-with-response-stream"
AT_BEDROCK = {"anthropic_version": "bedrock-2023-05-31", "max_tokens": 5, "messages": [USER]}


@pytest.mark.parametrize(
    ("wire", "body", "url", "model", "stream", "settings"),
    [
        ("gemini_generate", GEMINI, None, None, None, {}),
        ("gemini_generate", GEMINI, f"{HOST}/v1beta/models/g-2:generateContent", "g-2", None, {}),
        (
            "gemini_generate",
            GEMINI,
            f"{HOST}/v1/models/g-2:streamGenerateContent?alt=sse",
            "g-2",
            True,
            {"api_version": "v1"},
        ),
        ("openai_chat", {"model": "m", "messages": [USER]}, None, "m", None, {}),
        ("openai_chat", {"model": 5, "messages": [USER]}, None, None, None, {}),
        ("openai_chat", {"messages": [USER], "stream": False}, None, None, False, {}),
        ("azure_openai_chat", {"messages": [USER]}, AZURE, "gpt-4o", None, AT_AZURE),
        ("azure_openai_chat", {"model": "m", "messages": [USER]}, AZURE, "m", None, AT_AZURE),
        ("anthropic_bedrock", AT_BEDROCK, BEDROCK, "claude-3", True, {}),
    ],
)
def test_what_body_and_url_say_of_model_and_stream(
    wire: str, body: Any, url: str | None, model: str | None, stream: bool | None, settings: dict[str, str]
) -> None:
    reading = getattr(promptwire, wire).read(body, url)
    request = reading.request
    assert (request.model, request.stream, reading.settings, reading.notes) == (model, stream, settings, ())
    api = getattr(promptwire, wire).WIRE.api
    assert request.messages[-1].provenance == Provenance(wire, model, api)


def test_a_url_is_text() -> None:
    url: Any = 5
    with pytest.raises(BodyError) as refused:
        promptwire.openai_chat.read({"messages": [USER]}, url)
    assert str(refused.value) == "openai_chat: the URL is text, not int"


def test_what_is_continued_belongs_to_its_wire() -> None:
    body = {"model": "m", "input": "hi", "previous_response_id": "r_1", "odd": 1}
    request = promptwire.openai_responses.read(body).request
    assert request.continuation == Continuation(id="r_1", wire="openai_responses")
    assert request.kept is not None
    assert request.kept == Kept("openai_responses", request.kept.form, model="m")


@pytest.mark.parametrize(
    "held", [{"model": "m"}, {"instructions": "Be brief."}, {"name": "n"}, {"metadata": {"a": "b"}}]
)
@pytest.mark.parametrize(
    "inputs",
    ["hi", [{"object": "entry", "type": "function.result", "tool_call_id": "call_1", "result": "12 C"}]],
    ids=["text", "result"],
)
def test_a_body_that_repeats_what_the_server_holds_comes_back(held: dict[str, Any], inputs: Any) -> None:
    wire, body = promptwire.mistral_conversations, {**held, "inputs": inputs}
    reading = wire.read(body, "https://api.mistral.ai/v1/conversations/conv_1")
    assert reading.request.continuation == Continuation(conversation="conv_1", wire="mistral_conversations")
    assert wire.build(reading.request, policies="verbatim").body == body


@pytest.mark.parametrize(
    ("said", "settings", "counts", "unknown"),
    [
        ({}, {}, (4, 4, 0), []),
        ({"anthropic_version": "2026-10-21"}, {"api_version": "2026-10-21"}, (4, 4, 0), []),
        ({"anthropic_version": "other"}, {}, (4, 3, 1), ["Request.anthropic_version"]),
        ({"anthropic_version": 5}, {}, (4, 3, 1), ["Request.anthropic_version"]),
        ({"anthropic_version": ""}, {}, (4, 4, 0), []),
        ({"anthropic_beta": ["a", "b"]}, {"betas": ["a", "b"]}, (6, 6, 0), []),
        ({"anthropic_beta": []}, {}, (5, 5, 0), []),
        ({"anthropic_beta": "a"}, {}, (5, 4, 1), ["Request.anthropic_beta"]),
        ({"anthropic_beta": ["a", 5]}, {}, (6, 4, 2), ["Request.anthropic_beta"]),
        ({"anthropic_beta": ["a"], "odd": 1}, {"betas": ["a"]}, (6, 5, 1), ["Request.odd"]),
    ],
)
def test_settings_that_stand_in_the_body(
    said: dict[str, Any], settings: dict[str, Any], counts: tuple[int, int, int], unknown: list[str]
) -> None:
    body = AT_BEDROCK | said
    reading = promptwire.anthropic_bedrock.read(body)
    assert (reading.settings, list(reading.unknown)) == (settings, unknown)
    assert (reading.leaves, reading.understood, reading.kept) == counts
    assert promptwire.anthropic_bedrock.build(reading.request, policies="verbatim").body == body


@pytest.mark.parametrize(
    ("content", "texts"),
    [
        ([{"type": "text", "text": "a"}, {"cachePoint": {"type": "default"}}], [Text("a", cache=Cache())]),
        ([{"cachePoint": {"type": "default"}}, {"text": "a"}], None),
        ([{"text": "a"}, {"cachePoint": {"type": "default"}}, {"text": "b"}], [Text("a", cache=Cache()), Text("b")]),
        ([{"text": "a"}, {"cachePoint": {"type": "default"}}, {"cachePoint": {"type": "default"}}], None),
    ],
)  # fmt: skip
def test_a_mark_goes_onto_the_element_before_it(content: list[Any], texts: list[Text] | None) -> None:
    content = [{"text": each["text"]} if "text" in each else each for each in content]
    body: dict[str, Any] = {"messages": [{"role": "user", "content": content}]}
    reading = promptwire.bedrock_converse.read(body)
    (message,) = reading.request.messages
    if texts is None:
        assert [type(part) for part in message.parts].count(Opaque) == 1
    else:
        assert list(message.parts) == texts
    assert promptwire.bedrock_converse.build(reading.request, policies="verbatim").body == body


DECLARED = {"name": "f", "description": "One."}


@pytest.mark.parametrize(
    "tools",
    [
        [{"functionDeclarations": []}],
        [{"functionDeclarations": []}, {"googleSearch": {}}],
        [{"googleSearch": {}}, {"functionDeclarations": []}],
        [{"functionDeclarations": [DECLARED]}, {"googleSearch": {}}],
        [{"functionDeclarations": [DECLARED]}, {"functionDeclarations": [DECLARED | {"name": "g"}]}],
    ],
)
def test_groups_of_functions_come_back(tools: list[dict[str, Any]]) -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}], "tools": tools}
    reading = promptwire.gemini_generate.read(body)
    assert promptwire.gemini_generate.build(reading.request, policies="verbatim").body == body


@pytest.mark.parametrize(
    ("api", "messages"),
    [
        ("gemini_generate", {"contents": [{"role": "user", "parts": [{"text": "hi"}]}]}),
        ("bedrock_converse", {"messages": [{"role": "user", "content": [{"text": "hi"}]}]}),
        (
            "openai_responses",
            {"input": [{"role": "user", "content": [{"type": "input_text", "text": "hi"}]}]},
        ),
    ],
)
def test_a_text_alone_and_empty_settings_are_remembered_at_once(api: str, messages: dict[str, Any]) -> None:
    of_wire = promptwire.wire(api)
    empty = {"gemini_generate": "generationConfig", "bedrock_converse": "inferenceConfig"}.get(
        api, "metadata"
    )
    body: dict[str, Any] = {**messages, empty: {}}
    (message,) = of_wire.read(messages).request.messages
    assert message.parts == (Text("hi"),)
    assert not is_deferred(message)
    for given in (messages, body):
        reading = of_wire.read(given)
        assert not reading.unread
        assert not reading.deviations
        assert of_wire.build(reading.request, policies="verbatim").body == given


def test_an_empty_object_of_settings_is_no_reason_to_write_a_body() -> None:
    body = {"contents": [{"role": "user", "parts": [{"text": "hi"}]}], "generationConfig": {}}
    request = promptwire.gemini_generate.read(body).request
    assert not is_deferred(request)
    assert request.kept is not None
    assert request.kept.form is not None
    assert request.kept.form.swapped == (Swap({}, {"generationConfig": {}}),)
