"""Shapes of one kind in two slots, free JSON beside named keys, layers whose role a wire lacks."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Document, Instruction, Json, Part, Reasoning, Request, Text, assistant, user
from promptwire.errors import InvalidRequest, MissingField, NoPlace

from .compiled import wire_of

SPEC = """
wire: kinds_wire
title: Kinds
transport: {method: POST, url: "https://small.example/v1"}
instructions: {native: false, placement: first_message, role: system, several: parts, mid_conversation: native}
continuation: {mode: resend}
body: {model?: $model, messages: $messages}
slots: {plan: one, content: list}
messages:
  system: {role: system, content: $content}
  user: {role: user, content: "$content[]"}
  assistant: {role: assistant, plan?: $plan, content?: "$content[]"}
unions:
  instruction:
    layer: {type: text, text: $text}
parts:
  text: {type: text, text: $text}
  reasoning.plan@assistant>plan: $summary|join
  reasoning@assistant: {type: thinking, thinking: $text}
  document.text: {type: document, data: {text: $text, ...: $vendor.more}}
  json: {type: json, data: {...: $value}}
"""


wire = wire_of("kinds_wire", SPEC)


def built(wire: Any, *parts: Part) -> Any:
    """The item of one assistant message, as it is built and as it comes back."""
    body = wire.build(Request("m", [assistant(*parts)])).body
    reading = wire.read(body)
    assert (reading.request.messages[0].parts, reading.kept) == (parts, 0)
    assert wire.build(reading.request, policies="verbatim").body == body
    return body["messages"][0]


def test_each_shape_lands_in_its_own_slot(wire: Any) -> None:
    plan, thinking = Reasoning(summary=("first",)), Reasoning(text="second")
    second = {"type": "thinking", "thinking": "second"}
    assert built(wire, plan, thinking) == {"role": "assistant", "plan": "first", "content": [second]}
    assert built(wire, thinking) == {"role": "assistant", "content": [second]}
    assert built(wire, plan) == {"role": "assistant", "plan": "first"}
    with pytest.raises(NoPlace, match="can hold only one of its kind"):
        wire.build(Request("m", [assistant(plan, plan)]))
    with pytest.raises(NoPlace, match="text"):
        wire.build(Request("m", [assistant(Reasoning(summary=("first",), text="second"))]))


def test_free_json_stands_beside_named_keys(wire: Any) -> None:
    document = Document(text="one", vendor={"kinds_wire": {"more": {"url": "u"}}})
    assert built(wire, document, Document(text="two"), Json({"a": [1]}), Json({}))["content"] == [
        {"type": "document", "data": {"text": "one", "url": "u"}},
        {"type": "document", "data": {"text": "two"}},
        {"type": "json", "data": {"a": [1]}},
        {"type": "json", "data": {}},
    ]


@pytest.mark.parametrize("value", [5, "text", [1]])
def test_what_has_no_keys_cannot_stand_beside_keys(wire: Any, value: Any) -> None:
    with pytest.raises(InvalidRequest, match=r"messages\[0\].parts\[0\]: expected a JSON object, found "):
        wire.build(Request("m", [user(Json(value))]))
    with pytest.raises(InvalidRequest, match=r"messages\[0\].parts\[0\]: more must be an object"):
        wire.build(Request("m", [user(Document(text="one", vendor={"kinds_wire": {"more": value}}))]))


def test_null_is_no_object(wire: Any) -> None:
    with pytest.raises(MissingField, match="value is missing"):
        wire.build(Request("m", [user(Json(None))]))


def test_a_layers_role_that_the_wire_lacks_is_noted(wire: Any) -> None:
    layers = (Instruction("one"), Instruction("two", role="developer"), Instruction("three", role="system"))
    made = wire.build(Request("m", [user(Text("hi"))], instructions=layers))
    texts = [{"type": "text", "text": text} for text in ("one", "two", "three")]
    assert made.body["messages"][0] == {"role": "system", "content": texts}
    assert [(note.action, note.path, note.field) for note in made.notes] == [
        ("dropped", "instructions[1]", "role")
    ]
