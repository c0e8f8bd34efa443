"""Messages in pieces: parts that are items of their own, and elements that stand among the messages as they came."""

from __future__ import annotations

from typing import Any

import pytest

import promptwire
from promptwire import Image, Message, Options, Request, Text, Tool, ToolCall, ToolResult, user
from promptwire.parts import CustomToolResult, ItemReference, Opaque
from tests.laws.traces import address, module
from tests.searching import TESTED_WIRES

CRITIC = {"role": "critic", "content": "c"}
LIST_KEYS = ("messages", "input", "contents", "inputs")
MERGING = ("anthropic_messages", "bedrock_converse", "gemini_generate")


def built(wire: str, *messages: Message) -> Any:
    request = Request("m", messages, tools=(Tool("f", "Does it.", {}),), options=Options(max_tokens=9))
    return module(wire).build(request, settings=address(wire), policies="lenient,refusals=send,repairs=off")


def sent(body: Any) -> list[Any]:
    """List the items of a conversation, also of one whose last message stands under a key of its own."""
    if isinstance(body.get("input"), dict):
        body = body["input"]
    if "chat_history" in body:
        return [*body["chat_history"], {"message": body["message"]}]
    return next(body[key] for key in LIST_KEYS if key in body)


def said(item: Any) -> list[str]:
    """List the texts of one item."""
    held = item.get("content", item.get("parts", item.get("message", item.get("text"))))
    return [held] if isinstance(held, str) else [each["text"] for each in held]


# wires with a list of messages: the others take one prompt text
LISTING = tuple(
    wire for wire in TESTED_WIRES if wire not in ("bedrock_meta", "bedrock_titan", "ollama_generate")
)


@pytest.mark.parametrize("wire", LISTING)
def test_an_element_among_the_messages_keeps_its_place(wire: str) -> None:
    own = Opaque(wire, CRITIC, "messages")
    result = built(wire, Message("user", (Text("a"), own, Text("b"))), user("d"))
    items = sent(result.body)
    assert items[1] == CRITIC
    assert said(items[0]) == ["a"]
    assert [text for item in items[2:] for text in said(item)] == ["b", "d"]
    assert len(items) == (3 if module(wire).WRITERS.merges else 4)
    assert [note.action for note in result.notes if note.path.startswith("messages[")] == []


@pytest.mark.parametrize("wire", LISTING)
def test_nothing_joins_an_element_that_stands_as_it_came(wire: str) -> None:
    alone = Message("user", (Opaque(wire, CRITIC, "messages"),))
    result = built(wire, alone, user("b"))
    first, second = sent(result.body)
    assert (first, said(second)) == (CRITIC, ["b"])
    assert "message" not in {note.field for note in result.notes if note.path}
    assert CRITIC == {"role": "critic", "content": "c"}


@pytest.mark.parametrize("wire", MERGING)
def test_what_follows_such_an_element_inside_a_joined_message_is_an_item(wire: str) -> None:
    own = Opaque(wire, CRITIC, "messages")
    result = built(wire, user("z"), Message("user", (Text("a"), own, Text("b")), name="n"), user("d"))
    first, critic, last = sent(result.body)
    assert (said(first), critic, said(last)) == (["z", "a"], CRITIC, ["b", "d"])
    rows = [(note.action, note.path, note.field) for note in result.notes if note.path.startswith("messages")]
    assert rows == [("dropped", "messages[1]", "name")]


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_what_stands_on_a_message_is_sent_or_noted_once(wire: str) -> None:
    everywhere = {name: {"more": 1} for name in promptwire.WIRES}
    turn = Message(
        "assistant",
        (Text("a"), ToolCall("c", "f", {}), Text("b")),
        name="n",
        id="msg_1",
        status="completed",
        phase="commentary",
        extra=everywhere,
    )
    answer = Message("user", (Text("d"), ToolResult("c", (Text("r"),)), Text("e")), name="n", id="msg_2")
    result = built(wire, user("q"), turn, answer)
    rows = [(note.path, note.field) for note in result.notes if note.path.startswith("messages[")]
    assert len(set(rows)) == len(rows)
    text = result.json().decode()
    for value in ('"msg_1"', '"msg_2"', '"more"'):
        assert text.count(value) <= 1


def test_only_the_first_piece_has_the_id() -> None:
    turn = Message(
        "assistant", (Text("a"), ToolCall("c", "f", {}), Text("b")), id="msg_1", phase="commentary"
    )
    assert built("openai_responses", user("q"), turn).body["input"] == [
        {"role": "user", "content": "q"},
        {
            "type": "message",
            "role": "assistant",
            "content": [{"type": "output_text", "text": "a", "annotations": []}],
            "id": "msg_1",
            "phase": "commentary",
        },
        {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
        {"role": "assistant", "content": "b", "phase": "commentary"},
    ]


def test_what_stands_behind_calls_is_noted_where_calls_have_a_list_of_their_own() -> None:
    call = ToolCall("c", "f", {})
    turn = Message("assistant", (Text("a"), call, Text("b"), call, Text("d")))
    for wire in ("openai_chat", "cohere_chat", "mistral_chat", "ollama_chat"):
        rows = [(note.path, note.field) for note in built(wire, turn).notes if note.action == "moved"]
        assert rows == [("messages[0]", "parts")]
        first = Message("assistant", (Text("a"), Text("b"), call, call))
        assert "moved" not in {note.action for note in built(wire, first).notes}
        lost = Message("assistant", (call, Image(file_id="x")))
        assert "moved" not in {note.action for note in built(wire, lost).notes}
        own = Message("assistant", (call, Opaque(wire, {"type": "new"})))
        assert "moved" in {note.action for note in built(wire, own).notes}
    for wire in ("anthropic_messages", "openai_responses", "gemini_generate"):
        assert "moved" not in {note.action for note in built(wire, turn).notes}


def test_options_of_another_wire_are_noted_once() -> None:
    own = Opaque("anthropic_messages", CRITIC, "messages")
    turn = Message(
        "user", (Text("a"), own, Text("b")), vendor={"zz": {"q": 1}, "anthropic_messages": {"no": 1}}
    )
    rows = [
        note.field for note in built("anthropic_messages", turn).notes if note.path.startswith("messages")
    ]
    assert rows == ["vendor.zz.q", "vendor.anthropic_messages.no"]


@pytest.mark.parametrize("wire", MERGING)
def test_merged_is_what_has_been_merged(wire: str) -> None:
    def actions(*messages: Message) -> list[str]:
        notes = built(wire, *messages).notes
        return [note.action for note in notes if note.action == "merged" or note.field == "message"]

    assert actions(user("q"), user("b")) == ["merged"]
    assert actions(user("q"), Message("user", (Opaque(wire, CRITIC, "messages"),))) == []
    assert actions(user("q"), Message("user", ())) == ["dropped"]
    assert actions(user("q"), Message("user", (ItemReference("r"),))) == ["dropped"]
    assert actions(Message("user", (ItemReference("r"), CustomToolResult("c", "t")))) == ["dropped"]


def test_an_element_that_is_null_keeps_its_place() -> None:
    null = Opaque("anthropic_messages", None, "messages")
    result = built("anthropic_messages", user("q"), Message("user", (Text("x"), null)), user("hi"))
    assert result.body["messages"][1:] == [None, {"role": "user", "content": "hi"}]


def test_an_option_of_the_wire_stands_on_every_piece() -> None:
    own = Opaque("mistral_chat", CRITIC, "messages")
    options: dict[str, dict[str, object]] = {
        "mistral_chat": {"prefix": True},
        "cohere_chat": {"citations": []},
    }
    turn = Message("assistant", (Text("a"), own, Text("b")), vendor=options)
    result = built("mistral_chat", user("q"), turn)
    assert result.body["messages"][1:] == [
        {"role": "assistant", "content": "a", "prefix": True},
        CRITIC,
        {"role": "assistant", "content": "b", "prefix": True},
    ]
    rows = [(note.path, note.field) for note in result.notes if note.path.startswith("messages")]
    assert rows == [("messages[1]", "vendor.cohere_chat.citations")]
