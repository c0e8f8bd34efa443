"""The bytes of a conversation's requests: joined from old and new fragments, identical to `json()`."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import pytest

import promptwire
from promptwire import (
    Cache,
    Message,
    Options,
    PromptwireError,
    Request,
    Text,
    Tool,
    ToolCall,
    assistant,
    load_request,
    tool_result,
    user,
)
from promptwire.results import ConversationEncoder
from tests.examples import examples
from tests.notes import refused

WIRES = ("openai_chat", "openai_responses", "anthropic_messages", "gemini_generate", "bedrock_converse")
TOOLS = [
    Tool(f"t{i}", "A tool.", {"type": "object", "properties": {"n": {"type": "number"}}}) for i in range(3)
]


def turns(wire: Any) -> list[Request]:
    """A conversation with calls and results that grows, and then loses its beginning."""
    request = Request("m", [user("hi")], instructions="Be terse.", tools=TOOLS, options=Options(max_tokens=9))
    found = [request]
    for turn in range(4):
        call = ToolCall(f"c{turn}", "t1", {"n": turn, "z": [1, 1.0, True, None, -0.0, "é\u2028"]})
        request = request.replace(
            messages=(
                *request.messages,
                Message("assistant", [Text("So:"), call]),
                tool_result(call, f"r{turn}"),
            )
        )
        found.append(request)
    marked = Message("user", [Text("now", cache=Cache())])
    found.append(request.replace(messages=(*request.messages, assistant("Done."), marked)))
    found.append(request.replace(messages=request.messages[3:], tools=TOOLS[1:]))
    return found


@pytest.mark.parametrize("name", WIRES)
def test_bytes_are_those_of_json(name: str) -> None:
    wire, encoder, reused = promptwire.wire(name), ConversationEncoder(), []
    for request in turns(wire):
        built = wire.build(request, policies="lenient")
        assert encoder.encode(built) == built.json()
        reused.append(encoder.reused)
    assert reused[0] == 0
    assert all(later > earlier for earlier, later in pairwise(reused[:5]))


@pytest.mark.parametrize("name", WIRES)
def test_all_but_the_new_messages_is_joined(name: str) -> None:
    wire, encoder = promptwire.wire(name), ConversationEncoder()
    first, second = [wire.build(request, policies="lenient") for request in turns(wire)[3:5]]
    encoder.encode(first)
    added = len(encoder.encode(second)) - len(first.json())
    # what stands outside lists is encoded again: the model, the length of the answer
    assert encoder.reused > len(second.json()) - added - 150


def test_examples_that_grow_message_by_message_are_encoded_as_they_are() -> None:
    joined, wrong = 0, []
    for example in examples():
        request = load_request(example.request)
        for policies in ("lenient", "portable"):
            encoder = ConversationEncoder()
            for count in range(1, len(request.messages) + 1):
                grown = request.replace(messages=request.messages[:count])
                try:
                    built = promptwire.wire(example.wire).build(
                        grown, settings=example.settings, policies=policies
                    )
                except PromptwireError:
                    continue
                wrong += [example.name] if encoder.encode(built) != built.json() else []
                joined += encoder.reused > 0
    assert wrong == []
    assert joined > 500


SAME = [
    ({"n": 1}, {"n": 1.0}),
    ({"n": 1}, {"n": True}),
    ({"n": 0.0}, {"n": -0.0}),
    ({"a": 1, "b": 2}, {"b": 2, "a": 1}),
    ({"a": [1, 2]}, {"a": [1, 2, 3]}),
    ({"a": {}}, {"a": []}),
    ({"a": None}, {"b": None}),
]


@pytest.mark.parametrize(("first", "second"), [*SAME, *[(b, a) for a, b in SAME]])
def test_values_that_are_equal_and_not_the_same_are_encoded(first: Any, second: Any) -> None:
    encoder = ConversationEncoder()
    for arguments in (first, second):
        message = Message("assistant", [ToolCall("c", "t", arguments)])
        built = promptwire.anthropic_messages.build(
            Request("m", [user("hi"), message, tool_result("c", "r")], options=Options(max_tokens=9))
        )
        assert encoder.encode(built) == built.json()


def test_a_body_that_is_changed_is_encoded_as_it_is() -> None:
    encoder = ConversationEncoder()
    built: Any = promptwire.openai_chat.build(Request("m", [user("A"), user("B")]))
    encoder.encode(built)
    built.body["messages"][0]["content"] = "C"
    assert encoder.encode(built) == built.json()
    for text in ("A", "C"):
        later = promptwire.openai_chat.build(Request("m", [user(text), user("B")]))
        built.body["messages"][0]["content"] = text
        assert encoder.encode(later) == later.json()


def test_a_body_may_be_changed_before_it_is_encoded() -> None:
    encoder = ConversationEncoder()
    request = Request("m", [user("A"), assistant("B")])
    for text in ("A", "C", "C", "A"):
        request = request.replace(messages=(*request.messages, user("on"), assistant("so")))
        built: Any = promptwire.openai_chat.build(request)
        built.body["messages"][0]["content"] = text
        assert encoder.encode(built) == built.json()


def test_options_and_vendor_options_may_change_from_turn_to_turn() -> None:
    encoder = ConversationEncoder()
    request = Request("m", [user("hi")], options=Options(stop=["a"], temperature=1))
    for changed in (
        request,
        request.replace(options=Options(stop=["b"], temperature=1)),
        request.replace(options=Options(stop=["b"], temperature=1.0)),
        request.replace(vendor={"openai_chat": {"prediction": {"type": "content", "content": [1]}}}),
        request.replace(vendor={"openai_chat": {"prediction": {"type": "content", "content": [True]}}}),
        request.replace(extra={"openai_chat": {"more": [{"n": 1}]}}),
        request.replace(extra={"openai_chat": {"more": [{"n": 1.0}]}}),
        request.replace(messages=[*request.messages, assistant("so"), user("on")]),
        request.replace(messages=request.messages),
    ):
        built = promptwire.openai_chat.build(changed, policies="lenient")
        assert encoder.encode(built) == built.json()


def test_what_is_no_json_is_told_with_its_place_in_the_body() -> None:
    built: Any = promptwire.openai_chat.build(Request("m", [user("hi")]))
    built.body["messages"][0]["content"] = float("nan")
    with refused(promptwire.errors.InvalidRequest, "messages[0].content"):
        ConversationEncoder().encode(built)
