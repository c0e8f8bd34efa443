"""A call is refused without its result, and a result without its call, just where the body would hold such a one."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from hypothesis import given, strategies as st

import promptwire
from promptwire import Message, Options, Policies, Request, ToolCall, assistant, system, tool_result, user

A, B = ToolCall("a", "f", {}), ToolCall("b", "f", {})
MESSAGES = (
    user("hi"),
    assistant("well"),
    assistant(A),
    assistant("now", B),
    assistant(A, B),
    tool_result("a", "1"),
    tool_result("b", "2"),
    Message("tool", (*tool_result("b", "2").parts, *tool_result("a", "1").parts)),
    user(*tool_result("a", "1").parts, "and?"),
    system("be brief"),
)


def chat_pairs(messages: list[Any]) -> bool:
    """Whether the messages right behind each message with calls are its results, and no other message is one."""
    wanted: set[str] = set()
    answered: set[str] = set()
    for message in messages:
        if message["role"] == "tool":
            if message["tool_call_id"] not in wanted | answered:
                return False
            answered.add(message["tool_call_id"])
            wanted.discard(message["tool_call_id"])
            continue
        if wanted:
            return False
        answered = set()
        wanted = {call["id"] for call in message.get("tool_calls", ())}
    return not wanted


def turn_pairs(messages: list[Any]) -> bool:
    """Whether the turn behind each turn with calls holds its results, and no other turn has one."""
    wanted: list[str] = []
    for message in messages:
        blocks = message["content"] if isinstance(message["content"], list) else []
        results = [block["tool_use_id"] for block in blocks if block["type"] == "tool_result"]
        # of two calls of one id, each has a result
        if not (set(results) <= set(wanted) and Counter(wanted) <= Counter(results)):
            return False
        wanted = [block["id"] for block in blocks if block["type"] == "tool_use"]
    return not wanted


WIRES = {"openai_chat": chat_pairs, "anthropic_messages": turn_pairs}


@pytest.mark.parametrize("wire", WIRES)
@given(messages=st.lists(st.sampled_from(MESSAGES), min_size=1, max_size=8))
def test_what_is_refused_is_what_the_body_shows(wire: str, messages: list[Message]) -> None:
    request = Request("claude-opus-4-8", [user("hi"), *messages], options=Options(max_tokens=9))
    build = getattr(promptwire, wire).build
    noted = build(request, policies="loss=note,refusals=send,repairs=off")
    told = any("requires both" in note.why for note in noted.notes)
    assert told is not WIRES[wire](noted.body["messages"])
    kept = build(request, policies=Policies(loss="note", refusals="send", orphans="keep", repairs="off"))
    assert kept.body == noted.body
    assert not any("requires both" in note.why for note in kept.notes)
