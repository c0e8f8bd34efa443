"""Keys that reading only kept come back on their own wire; every other wire notes each of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import promptwire
from promptwire import (
    Options,
    Request,
    Text,
    Tool,
    ToolCall,
    anthropic_messages,
    bedrock_converse,
    dump_request,
    gemini_generate,
    load_request,
    openai_chat,
    openai_responses,
    tool_result,
    user,
)
from tests.laws.specimens import holds
from tests.laws.traces import address
from tests.searching import TESTED_WIRES

WHY = "only openai_chat has this key"
CALL = {
    "id": "c",
    "type": "function",
    "own_call": 1,
    "function": {"name": "f", "arguments": "{}", "inner": 3},
}
BODY: dict[str, Any] = {
    "model": "m",
    "max_completion_tokens": 9,
    "own": 1,
    "messages": [
        {"role": "user", "content": "in JSON", "own_message": 2},
        {"role": "user", "content": [{"type": "text", "text": "t", "own_text": {"a": 1}}]},
        {"role": "assistant", "content": "hm", "own_turn": 1, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c", "content": "r", "own_result": 1},
    ],
    "tools": [
        {
            "type": "function",
            "own_tool": 1,
            "function": {"name": "f", "description": "d", "parameters": {"type": "object"}},
        }
    ],
    "tool_choice": {"type": "function", "function": {"name": "f"}, "own_choice": 1},
    "response_format": {"type": "json_object", "own_format": 1},
}
KEPT = {
    ("request", "own"),
    ("messages[0]", "own_message"),
    ("messages[1].parts[0]", "own_text"),
    ("messages[2]", "own_turn"),
    ("messages[2].parts[1]", "own_call"),
    ("messages[2].parts[1]", "function.inner"),
    ("messages[3].parts[0]", "own_result"),
    ("tools[0]", "own_tool"),
    ("tool_choice", "own_choice"),
    ("response_format", "own_format"),
}

# the prompt is one text, and a conversation is refused
ONE_TEXT = ("bedrock_meta", "bedrock_titan", "ollama_generate")


def kept_rows(notes: Any) -> list[tuple[str, str]]:
    return [(note.path or "request", note.field) for note in notes if note.why == WHY]


def test_its_own_wire_gets_all_of_it_back() -> None:
    request = openai_chat.read(BODY).request
    built = openai_chat.build(request)
    assert built.body == BODY
    # what nobody here understands is named, and goes out all the same
    assert {(note.action, note.path or "request", note.field) for note in built.notes} == {
        ("passed through", *row) for row in KEPT
    }
    assert openai_chat.build(request, policies="verbatim").notes == ()


@pytest.mark.parametrize("wire", [name for name in TESTED_WIRES if name not in ("openai_chat", *ONE_TEXT)])
def test_another_wire_notes_each_key_once(wire: str) -> None:
    request = replace(openai_chat.read(BODY).request, options=Options(max_tokens=9))
    built = getattr(promptwire, wire).build(
        request, settings=address(wire), policies="loss=note,refusals=send,repairs=off"
    )
    rows = kept_rows(built.notes)
    assert len(set(rows)) == len(rows)
    # what has no place here at all is dropped as a whole, with a note of its own, and what it holds with it
    gone = {note.path for note in built.notes if note.action == "dropped" and note.why != WHY}
    gone |= {path for path, _ in KEPT if path.partition(".")[0] in gone}
    gone |= {
        note.field.partition(".")[0]
        for note in built.notes
        if note.path in ("", "request") and note.why != WHY
    }
    assert {row for row in KEPT if row[0] not in gone} <= set(rows) <= KEPT
    calls = {"own_call"} if holds(wire, "tool_call") else set()
    assert {"own_tool", "own_message", "own_text", "own_turn"} | calls <= {field for _, field in rows}


@pytest.mark.parametrize("wire", [name for name in TESTED_WIRES if name != "anthropic_messages"])
def test_a_value_that_no_field_holds_is_noted_with_its_key(wire: str) -> None:
    body: dict[str, Any] = {
        "model": "m",
        "max_tokens": 2000,
        "top_k": {"u": 9},
        "thinking": {"type": "enabled", "budget_tokens": 1024, "own_thought": 1},
        "messages": [
            {"role": "user", "content": {"type": "text", "text": "lost"}},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": {"u": "x"}}]},
        ],
    }
    request = anthropic_messages.read(body).request
    assert anthropic_messages.build(request, policies="loss=note,refusals=send,repairs=off").body == body
    built = getattr(promptwire, wire).build(
        request, settings=address(wire), policies="loss=note,refusals=send,repairs=off"
    )
    rows = {
        (note.path, note.field.rpartition(".")[2])
        for note in built.notes
        if note.why == "only anthropic_messages has this key"
    }
    gone = {(note.path, note.field) for note in built.notes}
    # what a tool returned is text, though it came as an object
    expected = {("", "top_k"), ("messages[0]", "content")}
    if not gone & {("", "reasoning.mode"), ("reasoning", "mode"), ("", "reasoning")}:
        expected.add(("reasoning", "own_thought"))
    # a result that has no place here, or its whole message
    lost = {path for path, field in gone if field in ("tool_result", "role")}
    unsaid = {row for row in expected if lost & {row[0], row[0].partition(".")[0]}}
    assert rows | unsaid >= expected


@pytest.mark.parametrize("wire", [name for name in TESTED_WIRES if name not in ("openai_chat", *ONE_TEXT)])
def test_a_turn_that_is_written_in_pieces_is_noted_once(wire: str) -> None:
    (turn,) = openai_chat.read(
        {"messages": [{"role": "assistant", "content": "a", "own": 1}]}
    ).request.messages
    turn = replace(turn, parts=(Text("a"), ToolCall("c", "f", {}), Text("b")))
    messages = (user("q"), turn, tool_result("c", "r"))
    request = Request("m", messages, tools=(Tool("f", "Does it", {}),), options=Options(max_tokens=9))
    built = getattr(promptwire, wire).build(
        request, settings=address(wire), policies="loss=note,refusals=send,repairs=off"
    )
    assert kept_rows(built.notes) == [("messages[1]", "own")]


def test_another_spelling_of_a_value_that_is_sent_is_no_loss() -> None:
    level: dict[str, Any] = {
        "contents": [{"role": "user", "parts": [{"text": "hi"}]}],
        "generationConfig": {"thinkingConfig": {"thinkingLevel": "medium"}},
    }
    request = replace(gemini_generate.read(level).request, model="gpt-5")
    built = openai_responses.build(request)
    assert (built.body["reasoning"], built.notes) == ({"effort": "medium"}, ())
    held = {"name": "n", "schema": '{"type": "object"}'}
    form = {"textFormat": {"type": "json_schema", "structure": {"jsonSchema": held}}}
    body = {"messages": [{"role": "user", "content": [{"text": "hi"}]}], "outputConfig": form}
    assert openai_responses.build(replace(bedrock_converse.read(body).request, model="gpt-5")).notes == ()


def test_another_model_gets_no_spelling_of_the_first_one() -> None:
    body = {"model": "gpt-4o", "max_tokens": 50, "own": 1, "messages": [{"role": "user", "content": "hi"}]}
    request = openai_chat.read(body).request
    assert openai_chat.build(request).body == body
    moved = openai_chat.build(replace(request, model="gpt-5")).body
    assert moved == {
        "model": "gpt-5",
        "max_completion_tokens": 50,
        "own": 1,
        "messages": [{"role": "user", "content": "hi"}],
    }
    again = load_request(dump_request(request, kept=True))
    assert openai_chat.build(again).body == body
    assert "max_tokens" not in openai_chat.build(replace(again, model="gpt-5")).body


@pytest.mark.parametrize(
    ("wire", "body"),
    [
        (
            "watsonx_chat",
            {
                "model_id": "m",
                "messages": [{"role": "user", "content": "hi"}],
                "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}],
                "tool_choice": {"type": "function", "function": {"name": "f"}},
            },
        ),
        (
            "yandex_completion",
            {"modelUri": "gpt://b/m", "jsonObject": True, "messages": [{"role": "user", "text": "hi"}]},
        ),
    ],
)
@pytest.mark.parametrize("target", ["cohere_chat", "openai_chat", "anthropic_messages", "ollama_chat"])
def test_a_key_of_the_body_is_no_key_of_a_union_among_its_keys(
    wire: str, body: dict[str, Any], target: str
) -> None:
    read, build = getattr(promptwire, wire), getattr(promptwire, target).build
    request = read.read({**body, "own": 1}).request
    assert read.build(request, policies="verbatim").body == {**body, "own": 1}
    notes = [str(note) for note in build(request, policies="lenient").notes]
    assert [note for note in notes if "own:" in note] == [f"dropped own: only {wire} has this key"]
