"""Signed or encrypted values of one API are not sent to another, and a note or an error names them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import promptwire
from promptwire import Message, Options, Request, ToolCall, ToolResult, user
from promptwire.errors import NoPlace
from tests.notes import refused

THOUGHT: dict[str, Any] = {
    "type": "thinking",
    "thinking": "It is a question.",
    "signature": "EqQB",
}


ANTHROPIC: dict[str, Any] = {
    "model": "claude-sonnet-4-5",
    "max_tokens": 64,
    "messages": [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": [THOUGHT, {"type": "text", "text": "Hello."}]},
        {"role": "user", "content": "Bye"},
    ],
}


GEMINI: dict[str, Any] = {
    "contents": [
        {"role": "user", "parts": [{"text": "Weather?"}]},
        {
            "role": "model",
            "parts": [
                {
                    "functionCall": {"id": "c1", "name": "weather", "args": {}},
                    "thoughtSignature": "c2ln",
                }
            ],
        },
        {
            "role": "user",
            "parts": [{"functionResponse": {"id": "c1", "name": "weather", "response": {"output": "sun"}}}],
        },
    ]
}


def notes(built: Any) -> list[tuple[str, str, str, str]]:
    return [(note.action, note.path, note.field, note.why) for note in built.notes]


def test_a_signed_call_goes_to_another_api_without_its_signature() -> None:
    request = replace(promptwire.gemini_generate.read(GEMINI).request, model="mistral-large-latest")
    built = promptwire.mistral_chat.build(request, policies="loss=note,refusals=send,repairs=off")
    messages: Any = built.body["messages"]
    assert messages[1]["tool_calls"] == [
        {"type": "function", "id": "ex25pqAaj", "function": {"name": "weather", "arguments": "{}"}}
    ]
    why = "it comes from gemini_generate, and no other API accepts it"
    assert ("dropped", "messages[1].parts[0]", "signature", why) in notes(built)


def test_a_strict_build_refuses_it_and_says_where() -> None:
    request = replace(promptwire.gemini_generate.read(GEMINI).request, model="m")
    with pytest.raises(NoPlace) as caught:
        promptwire.mistral_chat.build(request)
    assert (caught.value.path, caught.value.field) == ("messages[1].parts[0]", "signature")
    assert str(caught.value).startswith(
        "mistral_chat: messages[1].parts[0]: signature: it comes from gemini_generate, and no other API accepts it"
    )


def test_thinking_signed_elsewhere_is_left_out() -> None:
    request = promptwire.anthropic_messages.read(ANTHROPIC).request
    built = promptwire.bedrock_converse.build(request, policies="loss=note,refusals=send,repairs=off")
    assert built.body["messages"][1] == {
        "role": "assistant",
        "content": [
            {"reasoningContent": {"reasoningText": {"text": "It is a question."}}},
            {"text": "Hello."},
        ],
    }
    why = "it comes from anthropic_messages, and no other API accepts it"
    assert ("dropped", "messages[1].parts[0]", "signature", why) in notes(built)


@pytest.mark.parametrize("wire", ["anthropic_bedrock", "anthropic_foundry", "anthropic_vertex"])
def test_a_dialect_of_the_same_api_takes_it(wire: str) -> None:
    request = promptwire.anthropic_messages.read(ANTHROPIC).request
    built = getattr(promptwire, wire).build(request)
    assert built.body["messages"][1]["content"][0] == THOUGHT
    assert built.notes == ()


def test_encrypted_reasoning_is_nothing_elsewhere() -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}
    body = {
        "model": "o3",
        "input": [{"role": "user", "content": "Hi"}, item, {"role": "user", "content": "?"}],
    }
    request = promptwire.openai_responses.read(body).request
    built = promptwire.openrouter_chat.build(request, policies="loss=note,refusals=send,repairs=off")
    assert built.body["messages"] == [{"role": "user", "content": "Hi"}, {"role": "user", "content": "?"}]
    assert [(action, path, field) for action, path, field, _ in notes(built)] == [
        ("dropped", "messages[1].parts[0]", "reasoning"),
        ("dropped", "messages[1]", "message"),
    ]


def test_a_dump_keeps_what_a_payload_needs() -> None:
    request = promptwire.anthropic_messages.read(ANTHROPIC).request
    again = promptwire.load_request(promptwire.dump_request(request))
    assert promptwire.anthropic_messages.build(again).body == ANTHROPIC


def test_a_later_note_names_the_part_that_the_caller_gave() -> None:
    request = promptwire.gemini_generate.read(GEMINI).request
    before, said, after = request.messages
    (call,) = said.parts
    assert isinstance(call, ToolCall)
    marked = replace(said, parts=(replace(call, item_id="fc_1"),))
    request = replace(request, model="m", messages=(before, marked, after))
    built = promptwire.mistral_chat.build(request, policies="loss=note,refusals=send,repairs=off")
    assert [(path, field) for _, path, field, _ in notes(built) if path.startswith("messages[1]")] == [
        ("messages[1].parts[0]", "signature"),
        ("messages[1].parts[0]", "id"),
        ("messages[1].parts[0]", "item_id"),
    ]


def test_citations_stay_with_the_api_that_made_them() -> None:
    cited = {"type": "url_citation", "url": "https://example.org", "start_index": 0, "end_index": 2}
    text = {"type": "output_text", "text": "It is so.", "annotations": [cited]}
    said = {"type": "message", "role": "assistant", "content": [text]}
    body: dict[str, Any] = {
        "model": "m",
        "max_output_tokens": 64,
        "input": [{"role": "user", "content": "?"}, said, {"role": "user", "content": "!"}],
    }
    request = promptwire.openai_responses.read(body).request
    with pytest.raises(NoPlace) as refused:
        promptwire.anthropic_messages.build(request)
    assert (refused.value.path, refused.value.field) == ("messages[1].parts[0]", "citations")
    built = promptwire.anthropic_messages.build(request, policies="loss=note,refusals=send,repairs=off")
    assert built.body["messages"][1] == {"role": "assistant", "content": "It is so."}
    assert ("dropped", "messages[1].parts[0]", "citations") in [row[:3] for row in notes(built)]
    again: Any = promptwire.azure_openai_responses.build(request).body
    assert again["input"][1]["content"] == [text]


def test_a_result_that_is_no_error_says_nothing_new() -> None:
    call = Message("assistant", (ToolCall("c1", "f", {}),))

    def answered(is_error: bool) -> Request:
        result = Message("tool", (ToolResult("c1", "1", is_error=is_error),))
        return Request("m", (user("q"), call, result), options=Options(max_tokens=99))

    for wire in (promptwire.openai_chat, promptwire.openai_responses):
        assert [note.field for note in wire.build(answered(False)).notes if note.field != "id"] == [
            "is_error"
        ]
        with refused(NoPlace, "messages[2].parts[0].is_error"):
            wire.build(answered(True))
    assert promptwire.anthropic_messages.build(answered(False)).notes == ()


def test_the_id_of_a_file_may_mean_nothing_to_another_api() -> None:
    image: Any = {"type": "input_image", "file_id": "file-1"}
    body = {
        "model": "m",
        "input": [{"role": "user", "content": [{"type": "input_text", "text": "?"}, image]}],
    }
    request = replace(promptwire.openai_responses.read(body).request, options=Options(max_tokens=64))
    built = promptwire.anthropic_messages.build(request)
    messages: Any = built.body["messages"]
    assert messages[0]["content"][1]["source"] == {"type": "file", "file_id": "file-1"}
    assert [(note.action, note.path, note.field) for note in built.notes] == [
        ("ambiguous", "messages[0].parts[1]", "file_id")
    ]
    assert promptwire.azure_openai_responses.build(request).notes == ()


@pytest.mark.parametrize("wire", ["anthropic_messages", "openai_chat", "gemini_generate"])
def test_an_empty_list_of_citations_is_nothing_that_another_api_loses(wire: str) -> None:
    text = {"type": "output_text", "text": "Hello.", "annotations": []}
    message = {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "status": "completed",
        "content": [text],
    }
    answer = promptwire.openai_responses.read_answer(
        {"object": "response", "id": "r1", "status": "completed", "model": "m", "output": [message]}
    )
    request = Request("m", user("Hi"), options=Options(max_tokens=64)).after(answer, user("Bye"))
    built = getattr(promptwire, wire).build(request)
    assert [note.field for note in built.notes] == ["id", "status"]
    # and its own API gets it as it was
    assert promptwire.openai_responses.build(request).body["input"][1] == message
