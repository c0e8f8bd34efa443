"""Text of nothing but white space: left out with a note where an API refuses it, and nowhere else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

import promptwire
from promptwire import (
    Cache,
    Message,
    Options,
    Policies,
    Request,
    Text,
    ToolCall,
    ToolResult,
    anthropic_messages,
    assistant,
    bedrock_converse,
    gemini_generate,
    openai_chat,
    tool_result,
    user,
)
from promptwire.errors import NoPlace, Refused
from tests.internals.runtime import as_object
from tests.notes import changes, refused

BLANK = ["", " ", "\n\t", "\u00a0"]
REFUSING = [
    "anthropic_bedrock",
    "anthropic_foundry",
    "anthropic_messages",
    "anthropic_vertex",
    "bedrock_converse",
]
OPTIONS = Options(max_tokens=8)


def ask(*messages: Message) -> Request:
    return Request("claude-sonnet-4-5", list(messages), options=OPTIONS)


def texts(value: Any) -> list[str]:
    """All texts of messages, wherever they stand in their content."""
    if isinstance(value, str):
        return [value]
    if isinstance(value, list):
        return [text for item in value for text in texts(item)]  # pyright: ignore[reportUnknownVariableType]
    return [text for key in ("text", "content") for text in texts(as_object(value).get(key, []))]


@pytest.mark.parametrize("wire", REFUSING)
@pytest.mark.parametrize("text", BLANK)
def test_blank_text_is_left_out_with_a_note(wire: str, text: str) -> None:
    built = getattr(promptwire, wire).build(ask(user(text, "Hi"), assistant(text), user("Bye", text)))
    assert texts(built.body["messages"]) == ["Hi", "Bye"]
    assert [note.path for note in built.notes if note.action == "dropped"] == [
        "messages[0].parts[0]",
        "messages[1].parts[0]",
        "messages[1]",
        "messages[2].parts[1]",
    ]


@pytest.mark.parametrize("text", BLANK)
def test_a_call_of_another_api_with_blank_text_is_the_call(text: str) -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    body = {
        "model": "gpt-4o",
        "messages": [
            {"role": "user", "content": "How warm is Oslo?"},
            {"role": "assistant", "content": text, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "call_1", "content": text},
        ],
    }
    request = openai_chat.read(body).request
    assert openai_chat.build(request).body == body
    built = anthropic_messages.build(replace(request, model="claude-sonnet-4-5", options=OPTIONS))
    _, said, answered = built.body["messages"]
    assert said["content"] == [{"type": "tool_use", "id": "call_1", "name": "weather", "input": {}}]
    assert answered["content"] == [{"type": "tool_result", "tool_use_id": "call_1", "content": text}]
    assert changes(note for note in built.notes if note.action == "dropped") == [
        "dropped messages[1].parts[0].text"
    ]


def test_what_was_read_from_the_very_wire_comes_back() -> None:
    blocks = [{"type": "text", "text": ""}, {"type": "text", "text": "Hi"}]
    body = {"model": "m", "max_tokens": 8, "messages": [{"role": "user", "content": blocks}]}
    built = anthropic_messages.build(anthropic_messages.read(body).request)
    assert (built.body, built.notes) == (body, ())


@pytest.mark.parametrize("policies", ["verbatim", Policies(blank="keep")])
def test_a_policy_keeps_blank_text(policies: Any) -> None:
    built = anthropic_messages.build(ask(user(" ", "Hi"), assistant(""), user("Bye")), policies=policies)
    assert texts(built.body["messages"]) == [" ", "Hi", "", "Bye"]


def test_a_policy_refuses_blank_text() -> None:
    with refused(Refused, "messages[1].parts[0].text"):
        bedrock_converse.build(ask(user("Hi"), assistant(""), user("Bye")), policies=Policies(blank="error"))


@pytest.mark.parametrize(
    ("content", "path"),
    [
        ("", "messages[1]"),
        ([{"type": "text", "text": " "}, {"type": "text", "text": "Hi"}], "messages[1].content[0]"),
        ([], "messages[1]"),
    ],
)
def test_blank_text_of_the_very_wire_is_named_by_the_linter(content: Any, path: str) -> None:
    hi = {"role": "user", "content": "Hi"}
    body = {"model": "m", "max_tokens": 8, "messages": [hi, {"role": "assistant", "content": content}, hi]}
    assert [(found.what, found.path) for found in anthropic_messages.check(body)] == [("refused", path)]
    request = anthropic_messages.read(body).request
    assert anthropic_messages.build(request).body == body
    with pytest.raises(Refused, match="rejects blank text; omit it"):
        anthropic_messages.build(request, policies="blank=error")


def test_an_answer_to_go_on_with_may_be_blank() -> None:
    hi = {"role": "user", "content": [{"text": "Hi"}]}
    for content in ([], [{"text": ""}]):
        assert (
            bedrock_converse.check(
                {"modelId": "m", "messages": [hi, {"role": "assistant", "content": content}]}
            )
            == ()
        )


def test_a_conversation_of_nothing_but_blank_text_is_refused() -> None:
    with refused(Refused, "messages[0].parts[0].text"):
        anthropic_messages.build(ask(user(" ")))


@pytest.mark.parametrize("wire", REFUSING)
@pytest.mark.parametrize(
    ("given", "left", "noted"),
    [
        (" ", None, ["instructions"]),
        ("", None, []),
        (["", "Be terse.", "\n"], "Be terse.", ["instructions[0].text", "instructions[2].text"]),
        ([" ", "\t"], None, ["instructions[0].text", "instructions[1].text"]),
    ],
)
def test_instructions_that_say_nothing_are_left_out(
    wire: str, given: Any, left: str | None, noted: list[str]
) -> None:
    request = replace(ask(user("Hi")), instructions=given)
    build = getattr(promptwire, wire).build
    built = build(request)
    assert texts(built.body.get("system", [])) == ([] if left is None else [left])
    assert [f"{note.path}.{note.field}".removeprefix(".") for note in built.notes] == noted
    assert all("rejects blank text" in note.why for note in built.notes)
    if noted:
        with pytest.raises(Refused, match="rejects blank text; omit it"):
            build(request, policies=Policies(blank="error"))
        kept = build(request, policies=Policies(blank="keep")).body["system"]
        assert texts(kept) == ([given] if isinstance(given, str) else given)


def test_a_first_message_that_says_nothing_is_no_instruction() -> None:
    built = anthropic_messages.build(ask(Message("system", " "), user("Hi")))
    assert "system" not in built.body
    assert [(note.action, note.path) for note in built.notes] == [
        ("moved", "messages[0]"),
        ("dropped", "messages[0].parts[0]"),
    ]


@pytest.mark.parametrize("wire", REFUSING)
def test_a_message_without_parts_is_left_out(wire: str) -> None:
    build = getattr(promptwire, wire).build
    request = ask(user("Hi"), assistant(), user("Bye"), assistant())
    built = build(request)
    assert texts(built.body["messages"]) == ["Hi", "Bye"]
    assert [(note.path, note.why) for note in built.notes if note.action == "dropped"] == [
        ("messages[1]", "it is empty"),
        ("messages[3]", "it is empty"),
    ]
    with refused(Refused, "messages[1].parts"):
        build(request, policies=Policies(blank="error"))
    assert len(build(request, policies=Policies(blank="keep")).body["messages"]) == 4
    with refused(Refused, "messages[0].parts"):
        build(ask(user()))


def test_a_message_that_says_something_beside_is_sent_without_parts() -> None:
    own: Any = {"anthropic_messages": {"output_config": {"effort": "low"}}}
    request = replace(ask(user("Hi"), Message("system", vendor=own)), model="claude-opus-5-5")
    assert anthropic_messages.build(request).body["messages"][1] == {
        "role": "system",
        "output_config": {"effort": "low"},
    }


def test_what_stands_on_blank_text_is_not_lost_silently() -> None:
    part = Text("", extra={"anthropic_messages": {"a": 1}}, vendor={"anthropic_messages": {"b": 1}})
    notes = anthropic_messages.build(ask(user("Hi", part)), policies="lenient").notes
    assert {note.field for note in notes} == {
        "vendor.anthropic_messages.b",
        "extra.anthropic_messages",
        "text",
    }


@pytest.mark.parametrize("wire", [anthropic_messages, bedrock_converse])
def test_a_mark_on_blank_text_is_not_lost_silently(wire: Any) -> None:
    request = ask(user("Hi", Text("", cache=Cache())))
    with refused(NoPlace, "messages[0].parts[1].cache"):
        wire.build(request)
    notes = wire.build(request, policies="lenient").notes
    assert [(note.action, note.field) for note in notes] == [("dropped", "cache"), ("dropped", "text")]


@pytest.mark.parametrize("text", BLANK)
def test_other_apis_get_blank_text_as_it_is(text: str) -> None:
    built = openai_chat.build(
        ask(
            user(text),
            assistant(ToolCall("call_1", "f")),
            Message("tool", [ToolResult("call_1", text)]),
            user(text, "Hi"),
        )
    )
    first, _, answered, last = built.body["messages"]
    assert (first["content"], answered["content"]) == (text, text)
    assert texts(last) == [text, "Hi"]
    assert built.notes == ()


# ---- an API answers with blank text that it rejects in the next request: LibreChat-AI/agents PR 124
THINKS = {"type": "thinking", "thinking": "Oslo.", "signature": "EoADCg=="}
CALLS = {"type": "tool_use", "id": "toolu_1", "name": "weather", "input": {}}


def claude_says(*content: dict[str, Any]) -> Request:
    body = {"type": "message", "role": "assistant", "model": "claude-sonnet-4-5", "content": list(content)}
    answer = anthropic_messages.read_answer({**body, "stop_reason": "end_turn"})
    return ask(user("Hi")).after(answer, *[tool_result(call, "12 C") for call in answer.calls])


@pytest.mark.parametrize("text", ["", " ", "\n\n"])
def test_blank_text_of_an_answer_does_not_go_back(text: str) -> None:
    blank = {"type": "text", "text": text}
    request = claude_says(THINKS, blank, CALLS)
    built = anthropic_messages.build(request)
    assert built.body["messages"][1]["content"] == [THINKS, CALLS]
    assert changes(built.notes) == ["dropped messages[1].parts[1].text"]
    kept = anthropic_messages.build(request, policies="verbatim").body["messages"]
    assert kept[1]["content"] == [THINKS, blank, CALLS]


@pytest.mark.parametrize("content", [(), ({"type": "text", "text": ""},), ({"type": "text", "text": "\n"},)])
def test_an_answer_without_a_word_is_left_out(content: Any) -> None:
    request = claude_says(*content)
    built = anthropic_messages.build(request.replace(messages=(*request.messages, user("And?"))))
    assert [message["role"] for message in built.body["messages"]] == ["user"]
    assert texts(built.body["messages"]) == ["Hi", "And?"]
    assert anthropic_messages.check(built.body) == ()


def test_blank_text_of_an_answer_goes_back_where_it_is_taken() -> None:
    call = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": "{}"}}
    for said in ({"content": "", "tool_calls": [call]}, {"content": ""}):
        message = {"role": "assistant", **said}
        answer = openai_chat.read_answer({"choices": [{"message": message, "finish_reason": "stop"}]})
        request = ask(user("Hi")).after(answer, *[tool_result(call, "12 C") for call in answer.calls])
        built = openai_chat.build(request)
        assert (built.body["messages"][1], built.notes) == (message, ())


def test_a_signature_holds_blank_text_in_its_answer() -> None:
    parts = [{"text": "Hello."}, {"text": "", "thoughtSignature": "aGk="}]
    content = {"role": "model", "parts": parts}
    answer = gemini_generate.read_answer({"candidates": [{"content": content, "finishReason": "STOP"}]})
    request = Request("gemini-3-pro", [user("Hi")]).after(answer, user("And?"))
    assert gemini_generate.build(request).body["contents"][1] == content
