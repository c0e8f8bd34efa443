"""Words that a few chat APIs need: joined texts, ids of one form, optional credentials, an option of the last message."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptwire import (
    Image,
    Instruction,
    Message,
    Policies,
    Reasoning,
    ReasoningOptions,
    Request,
    Text,
    ToolCall,
    ToolResult,
    assistant,
    user,
)
from promptwire.errors import NoPlace, Refused
from promptwire.parts import Opaque
from tests.internals.compiler import Layout, SpecError, compile_project, find_layout

from .compiled import wire_of

SPEC = """
wire: chat_words
title: Chat Words
transport:
  method: POST
  url: "${base_url}/chat"
  auth:
    - {header: x-key, value: "${key}", env: CHAT_KEY, optional: true}
    - {header: x-key, value: "${key}", env: CHAT_KEY, when: {settings: {base_url: "https://cloud.example"}}}
  settings: {base_url: {default: "http://localhost"}}
instructions: {native: false, placement: first_message, role: system, several: join, mid_conversation: native}
continuation: {mode: resend}
body:
  model: $model
  think?: {or: [$reasoning, $reasoning.effort]}
  messages: $messages
slots: {content: list, thinking: list, images: list, tool_calls: list}
messages:
  system: {role: system, content: $content|join}
  user: {role: user, content: $content|join, images?: $images}
  assistant:
    role: assistant
    thinking?: $thinking
    content?: $content|join
    tool_calls?: $tool_calls
    prefix?: $vendor.prefix
unions:
  reasoning: {enabled: true, disabled: false}
parts:
  text: $text
  image.data@user>images: $data
  reasoning@assistant>thinking: {thoughts: [{text: $text}]}
  reasoning.several@assistant>thinking: {thoughts: [{text: "$texts[]"}]}
  reasoning.pieces@assistant>thinking: {thoughts: $vendor.thoughts}
  tool_call@assistant>tool_calls: {id?: $id|alnum(9), name: $name, arguments: $arguments}
  tool_result@tool>messages: {role: tool, id?: $call_id|alnum(9), content: $content|join}
flat_items: true
rules:
  - when: {}
    reject: {last_message.role: assistant}
    because: an answer does not stand last
    source: a test
  - when: {given: {last_message.vendor.prefix: true}}
    allow: {last_message.role: assistant}
    because: the model goes on
    source: a test
"""
PREFIX = {"chat_words": {"prefix": True}}


wire = wire_of("chat_words", SPEC)


def messages(wire: Any, *given: Message, **fields: Any) -> Any:
    """Build messages, see that they come back to the letter, and return what was built."""
    body = wire.build(Request("m", given, **fields)).body
    assert wire.build(wire.read(body).request, policies="verbatim").body == body
    return body["messages"]


# ---- joined texts


def test_texts_are_joined_beside_a_slot(wire: Any) -> None:
    picture = Image(data="aGk=")
    assert messages(wire, user("one", picture, "two"), user("three"), user(picture)) == [
        {"role": "user", "content": "one\n\ntwo", "images": ["aGk="]},
        {"role": "user", "content": "three"},
        {"role": "user", "content": "", "images": ["aGk="]},
    ]


def test_results_are_joined(wire: Any) -> None:
    results = Message("tool", [ToolResult("abcdefghi", ["four", "degrees"]), ToolResult("abcdefghj", "five")])
    assert messages(wire, results, user("?")) == [
        {"role": "tool", "id": "abcdefghi", "content": "four\n\ndegrees"},
        {"role": "tool", "id": "abcdefghj", "content": "five"},
        {"role": "user", "content": "?"},
    ]


def test_layers_are_joined(wire: Any) -> None:
    layers = (Instruction("Be terse."), Instruction("Be kind."))
    assert messages(wire, user("hi"), instructions=layers)[0] == {
        "role": "system",
        "content": "Be terse.\n\nBe kind.",
    }
    reading = wire.read(wire.build(Request("m", (user("hi"),), instructions=layers)).body)
    assert reading.request.instructions == "Be terse.\n\nBe kind."


def test_what_is_no_text_is_not_joined(wire: Any) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": ["a", {"type": "b"}]}]}
    request = wire.read(body).request
    assert request.messages[0].parts == (Text("a"), Opaque("chat_words", {"type": "b"}))
    assert wire.build(request, policies="verbatim").body == body


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        (
            "text: $text\n  image.data@user>images: $data",
            "text: {text: $text}\n  image.data@user>images: $data",
            '"text" is no text, but content is joined in a system message',
        ),
        (
            "image.data@user>images: $data",
            "image.data@tool: {data: $data}",
            '"image.data@tool" is no text, but content is joined in a tool message',
        ),
    ],
)
def test_only_text_lands_where_content_is_joined(tmp_path: Path, old: str, new: str, line: str) -> None:
    specs = tmp_path / "provider_specs"
    specs.mkdir()
    (specs / "chat_words.yaml").write_text(SPEC.replace(old, new), "utf-8")
    with pytest.raises(SpecError) as caught:
        compile_project(
            Layout(tmp_path, specs, find_layout(Path(__file__)).templates, tmp_path / "generated")
        )
    assert line in [problem.message for problem in caught.value.problems]


# ---- bare data has no place for its type, and needs none


def test_the_type_of_bare_data_is_not_needed(wire: Any) -> None:
    built = wire.build(Request("m", (user(Image(data="aGk=", media_type="image/png")),)))
    assert built.body["messages"] == [{"role": "user", "content": "", "images": ["aGk="]}]
    assert [str(note) for note in built.notes] == [
        "dropped messages[0].parts[0].media_type: Chat Words does not use it"
    ]


# ---- lists of one length, and what only an option can fill


def test_one_text_is_told_from_several_and_from_anything(wire: Any) -> None:
    pieces = Reasoning(vendor={"chat_words": {"thoughts": [{"page": 1}]}})
    rows = (Reasoning(text="so"), Reasoning(texts=("so", "and so")), Reasoning(texts=()), pieces)
    built = messages(wire, assistant(*rows), user("?"))
    assert built[0]["thinking"] == [
        {"thoughts": [{"text": "so"}]},
        {"thoughts": [{"text": "so"}, {"text": "and so"}]},
        {"thoughts": []},
        {"thoughts": [{"page": 1}]},
    ]
    parts = wire.read({"model": "m", "messages": built}).request.messages[0].parts
    assert [(part.text, part.texts, part.vendor) for part in parts] == [
        ("so", None, None),
        (None, ("so", "and so"), None),
        (None, (), None),
        (None, None, {"chat_words": {"thoughts": [{"page": 1}]}}),
    ]


def test_nothing_is_guessed_from_an_option_that_is_not_there(wire: Any) -> None:
    with pytest.raises(NoPlace, match="requires its text") as caught:
        wire.build(Request("m", (assistant(Reasoning(redacted="x")), user("?"))))
    assert (caught.value.path, caught.value.field) == ("messages[0].parts[0]", "reasoning")


# ---- a union, or a field of it, in one place


def test_a_mode_and_its_level_share_a_key(wire: Any) -> None:
    def think(**given: Any) -> Any:
        body = wire.build(Request("m", (user("hi"),), reasoning=ReasoningOptions(**given))).body
        reading = wire.read(body)
        assert reading.request.reasoning == ReasoningOptions(**given)
        return body["think"]

    assert (think(mode="enabled"), think(mode="disabled"), think(effort="high")) == (True, False, "high")
    with pytest.raises(NoPlace) as caught:
        think(mode="disabled", effort="high")
    assert (caught.value.path, caught.value.field) == ("reasoning", "effort")


# ---- ids


def test_ids_are_replaced_alike_in_calls_and_results(wire: Any) -> None:
    long = "call_PTLP8xhu3uwZk4l3nlnrrJha"
    request = Request(
        "m",
        (
            assistant(ToolCall(long, "f", {}), ToolCall("abcdefgh1", "f", {}), ToolCall(None, "f", {})),
            Message("tool", [ToolResult(long, "1"), ToolResult("abcdefgh1", "2")]),
        ),
    )
    built = wire.build(request)
    calls = built.body["messages"][0]["tool_calls"]
    mine = calls[0]["id"]
    assert (len(mine), mine.isascii(), mine.isalnum()) == (9, True, True)
    assert [call.get("id") for call in calls] == [mine, "abcdefgh1", None]
    assert [item["id"] for item in built.body["messages"][1:]] == [mine, "abcdefgh1"]
    assert [str(note) for note in built.notes] == [
        f"replaced messages[0].parts[0].id: Chat Words accepts ids of 9 letters and digits; sent as {mine}",
        f"replaced messages[1].parts[0].call_id: Chat Words accepts ids of 9 letters and digits; sent as {mine}",
    ]
    assert wire.build(request).body == built.body
    kept = wire.build(request, policies=Policies(ids="keep"))
    assert kept.body["messages"][0]["tool_calls"][0]["id"] == long
    assert kept.notes == ()


@pytest.mark.parametrize("odd", ["", "12345678", "abcdefgé1", "abc defgh", "abcdefgh1\n", "\ud800"])
def test_odd_ids_are_replaced(wire: Any, odd: str) -> None:
    built = wire.build(Request("m", (Message("tool", [ToolResult(odd, "1")]),)))
    (item,) = built.body["messages"]
    assert len(item["id"]) == 9
    assert item["id"].isascii()
    assert item["id"].isalnum()


def test_ids_stay_apart_and_the_same_however_many_were_met(
    wire: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("promptwire_runtime.build.shape_filters._MOST_DIGESTS", 2)
    given = [f"call_{number}" for number in range(5)]
    turns = [Message("tool", [ToolResult(each, "1")]) for each in given]
    first, second = (wire.build(Request("m", turns)).body["messages"] for _ in range(2))
    assert first == second
    assert len({item["id"] for item in first}) == len(given)


def test_an_id_that_was_read_stays(wire: Any) -> None:
    body = {"model": "m", "messages": [{"role": "tool", "id": "call_1", "content": "1"}]}
    reading = wire.read(body)
    assert (reading.understood, reading.kept) == (reading.leaves, 0)
    assert reading.request.messages[0].parts[0].call_id == "call_1"
    assert wire.build(reading.request, policies="verbatim").body == body


# ---- credentials


def test_an_optional_credential_has_no_placeholder(wire: Any) -> None:
    def headers(**settings: str) -> Any:
        return wire.build(Request("m", (user("hi"),)), settings=settings).headers

    assert headers() == {}
    assert headers(key="k") == {"x-key": "k"}
    assert headers(base_url="https://cloud.example") == {"x-key": "$CHAT_KEY"}
    assert headers(base_url="https://cloud.example", key="k") == {"x-key": "k"}


# ---- the last message


def test_an_option_of_the_last_message_decides(wire: Any) -> None:
    begun = Message("assistant", "Shall I", vendor=PREFIX)
    assert messages(wire, user("hi"), begun)[1] == {"role": "assistant", "content": "Shall I", "prefix": True}
    for given in ((user("hi"), Message("assistant", "Shall I")), (begun, Message("assistant", "more"))):
        with pytest.raises(Refused) as caught:
            wire.build(Request("m", given))
        assert caught.value.field == "last_message.role"
