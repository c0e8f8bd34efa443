"""A message of which nothing is left is not sent, and is nobody's neighbour."""

from __future__ import annotations

from dataclasses import replace

import pytest

import promptwire
from promptwire import (
    Cache,
    Message,
    Options,
    Reasoning,
    Request,
    Text,
    ToolCall,
    ToolResult,
    anthropic_messages,
    assistant,
    openai_chat,
    user,
)
from promptwire.errors import NoPlace
from promptwire.plugins import Provenance
from tests.notes import refused


@pytest.mark.parametrize("wire", ["anthropic_messages", "anthropic_bedrock"])
def test_a_message_of_which_nothing_is_left_is_not_sent(wire: str) -> None:
    thought = Message("assistant", Reasoning(text="Hm."))
    request = Request(
        "m", (user("Hi"), thought, user("Still there?")), options=promptwire.Options(max_tokens=8)
    )
    built = getattr(promptwire, wire).build(request, policies="loss=note,refusals=send,repairs=off")
    assert built.body["messages"] == [
        {
            "role": "user",
            "content": [{"type": "text", "text": "Hi"}, {"type": "text", "text": "Still there?"}],
        }
    ]
    assert [(note.action, note.path, note.field) for note in built.notes] == [
        ("dropped", "messages[1].parts[0]", "reasoning"),
        ("dropped", "messages[1]", "message"),
        ("merged", "", "messages"),
    ]
    with refused(NoPlace, "messages[1].parts[0].reasoning"):
        getattr(promptwire, wire).build(request)


def test_an_empty_message_is_sent_as_it_was_given() -> None:
    for wire in ("anthropic_messages", "openai_chat", "gemini_generate"):
        request = Request(
            "m", (user("Hi"), Message("assistant", ()), user("?")), options=promptwire.Options(max_tokens=8)
        )
        # these APIs refuse such a message, as their specs say
        body = getattr(promptwire, wire).build(request, policies="verbatim").body
        assert len(body.get("messages") or body["contents"]) == 3


@pytest.mark.parametrize(
    "lost",
    [
        Message("tool", (ToolResult(None, "1"),)),
        Message("user", (ToolResult(None, "1"),)),
        Message("assistant", Reasoning(text="Hm.")),
        Message("assistant", Reasoning(text="Hm.", signature="x"), provenance=Provenance("gemini_generate")),
    ],
    ids=["result", "result of a user", "thought", "thought of another API"],
)
@pytest.mark.parametrize("end", [(user("Bye"),), (user("Bye"), user("Really"))], ids=len)
def test_what_is_not_sent_is_no_neighbour(lost: Message, end: tuple[Message, ...]) -> None:
    """The next message joins the one that was sent before it, and no other."""
    policies = promptwire.Policies(loss="note", missing="omit", refusals="send", repairs="off")
    before = (user("Hi"), promptwire.assistant("Hello."), user("So?"))
    build = promptwire.anthropic_messages.build
    limit = promptwire.Options(max_tokens=8)
    with_it = build(Request("m", (*before, lost, *end), options=limit), policies=policies)
    without = build(Request("m", (*before, *end), options=limit), policies=policies)
    assert with_it.body == without.body
    assert with_it.body["messages"][1] == {"role": "assistant", "content": "Hello."}


def test_a_thought_of_which_nothing_has_a_place_is_no_empty_item() -> None:
    thought = Message("assistant", (Reasoning(text="so", signature="c2ln"), Text("It is so.")))
    request = Request("m", (user("q"), thought, user("!")), options=Options(max_tokens=64))
    with pytest.raises(NoPlace) as refused:
        promptwire.openai_responses.build(request)
    assert (refused.value.path, refused.value.field) == ("messages[1].parts[0]", "reasoning")
    built = promptwire.openai_responses.build(request, policies="loss=note,refusals=send,repairs=off")
    assert built.body["input"][1:] == [
        {"role": "assistant", "content": "It is so."},
        {"role": "user", "content": "!"},
    ]
    known = Message("assistant", (Reasoning(text="so", summary=("s",)),))
    body = promptwire.openai_responses.build(
        replace(request, messages=(user("q"), known)), policies="loss=note,refusals=send,repairs=off"
    ).body
    assert body["input"][1] == {"type": "reasoning", "summary": [{"type": "summary_text", "text": "s"}]}


def test_the_message_that_is_last_in_place_of_an_empty_one_is_checked() -> None:
    turns = [user("Hi"), assistant("Well"), user(Text(" "))]
    request = Request("claude-opus-4-7", turns, options=Options(max_tokens=8))
    built = anthropic_messages.build(request, policies="loss=note,refusals=send,repairs=off")
    assert [(note.action, note.path, note.field) for note in built.notes][2:] == [
        ("refused", "messages[1]", "last_message.role")
    ]


@pytest.mark.parametrize(("name", "notes"), [("f", []), ("g", ["messages[1].parts[0]"])])
def test_a_name_that_a_call_shares_with_its_result_is_not_missed(name: str, notes: list[str]) -> None:
    result = ToolResult("c", [Text("1", cache=Cache())], name=name)
    turns = [assistant(ToolCall("c", "f", {})), Message("tool", [result])]
    built = openai_chat.build(Request("m", turns), policies="lenient")
    assert [note.path for note in built.notes if note.field == "name"] == notes
