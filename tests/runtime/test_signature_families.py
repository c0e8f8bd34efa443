"""Signatures and encrypted reasoning are sent only to models of a family that accepts them."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import (
    Options,
    Reasoning,
    Request,
    ToolCall,
    anthropic_messages,
    assistant,
    bedrock_converse,
    gemini_generate,
    tool_result,
    user,
)
from promptwire.errors import NoPlace
from promptwire.plugins import Provenance, Wire

THOUGHT = Reasoning(text="No divisor up to 45.", signature="EqQBCg==")


def asked(wire: Any, model: str, maker: str, *parts: Any) -> Request:
    origin = Provenance(wire.WIRE.name, maker, wire.WIRE.api)
    said = assistant(*(parts or (THOUGHT, "2027 is prime.")), provenance=origin)
    return Request(model, [user("q"), said, user("sure?")], options=Options(max_tokens=9))


@pytest.mark.parametrize(
    ("wire", "model", "maker", "accepts"),
    [
        (anthropic_messages, "claude-opus-4-8", "claude-opus-4-8-20260301", True),
        (anthropic_messages, "claude-opus-4-20250514", "claude-opus-4-0", True),
        (anthropic_messages, "claude-opus-4-8", "claude-fable-5", False),
        (anthropic_messages, "claude-sonnet-5", "claude-opus-4-8", False),
        (anthropic_messages, "claude-fable-5-1", "claude-opus-5-5", True),
        (anthropic_messages, "claude-opus-5", "claude-fable-5-1", False),
        (anthropic_messages, "claude-fable-5-1", "claude-fable-5", True),
        (anthropic_messages, "claude-mythos-5-2", "claude-fable-5-2", True),
        (anthropic_messages, "claude-fable-5-1", "claude-fable-5-2", False),
        (anthropic_messages, "my-alias", "claude-fable-5-1", True),
        (bedrock_converse, "us.anthropic.claude-opus-5-v1:0", "claude-opus-5", True),
        (bedrock_converse, "anthropic.claude-sonnet-4-5-v1:0", "anthropic.claude-opus-4-5-v1:0", False),
        (gemini_generate, "gemini-3-flash", "gemini-3.1-pro", True),
        (gemini_generate, "gemini-3-pro", "gemini-2.5-pro", False),
    ],
)
def test_which_models_accept_the_signatures_of_others(
    wire: Any, model: str, maker: str, accepts: bool
) -> None:
    facts: Wire = wire.WIRE
    assert facts.signatures is not None
    assert facts.signatures.accepts(model, maker) is accepts
    assert facts.signatures.accepts(maker, maker)


def test_thinking_of_another_model_is_refused_or_left_out() -> None:
    request = asked(anthropic_messages, "claude-sonnet-5", "claude-opus-4-8")
    with pytest.raises(
        NoPlace, match="claude-opus-4-8 made it, and claude-sonnet-5 does not accept it"
    ) as refused:
        anthropic_messages.build(request)
    assert refused.value.path == "messages[1].parts[0]"
    built = anthropic_messages.build(request, policies="lenient")
    assert "EqQB" not in str(built.body)
    assert "2027 is prime." in str(built.body)
    assert any("made it" in note.why and note.path == "messages[1].parts[0]" for note in built.notes)
    # a verbatim build sends the history as it is
    assert "EqQB" in str(anthropic_messages.build(request, policies="verbatim").body)
    same = asked(anthropic_messages, "claude-opus-4-8", "claude-opus-4-8-20260301")
    assert "EqQB" in str(anthropic_messages.build(same).body)


def test_a_signed_call_of_another_generation_loses_its_signature_only() -> None:
    call = ToolCall("c1", "f", {"a": 1}, signature="c2ln")
    origin = Provenance("gemini_generate", "gemini-3-pro", "gemini_generate")
    said = assistant(call, provenance=origin)
    messages = [user("q"), said, tool_result(call, "r")]
    built = gemini_generate.build(Request("gemini-2.5-flash", messages), policies="lenient")
    assert built.body["contents"][1]["parts"] == [
        {"functionCall": {"name": "f", "id": "c1", "args": {"a": 1}}}
    ]
    assert [(note.action, note.path, note.field) for note in built.notes] == [
        ("dropped", "messages[1].parts[0]", "signature")
    ]


def test_an_answer_goes_on_with_the_model_that_gave_it() -> None:
    body = {
        "type": "message",
        "role": "assistant",
        "model": "claude-opus-4-8-20260301",
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "EqQBCg=="},
            {"type": "text", "text": "Yes."},
        ],
        "stop_reason": "end_turn",
    }
    first = Request("claude-opus-4-8", [user("q")], options=Options(max_tokens=9))
    following = first.after(anthropic_messages.read_answer(body), user("why?"))
    assert anthropic_messages.build(following).body["messages"][1]["content"] == body["content"]
    moved = following.replace(model="claude-fable-5")
    written = anthropic_messages.build(moved, policies="lenient").body["messages"][1]["content"]
    assert written in ("Yes.", [{"type": "text", "text": "Yes."}])
