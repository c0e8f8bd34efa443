"""First messages of the system or developer: which are read as instructions, and what their layers hold."""

from __future__ import annotations

from typing import Any

import pytest

import promptwire
from promptwire import Cache, Instruction

ASK = {"role": "user", "content": "hi"}
MARK = {"type": "ephemeral"}

# wire, model, the first messages, the instructions, how many messages are left beside the question
FIRST: dict[str, tuple[str, str, list[dict[str, Any]], Any, int]] = {
    "none": ("openai_chat", "gpt-4o", [], None, 0),
    "the usual role": ("openai_chat", "gpt-4o", [{"role": "system", "content": "a"}], "a", 0),
    "another role": (
        "openai_chat",
        "gpt-4o",
        [{"role": "developer", "content": "a"}],
        (Instruction("a", role="developer"),),
        0,
    ),
    "only the first": (
        "openai_chat",
        "gpt-4o",
        [{"role": "system", "content": "a"}, {"role": "system", "content": "b"}],
        "a",
        1,
    ),
    "several texts": (
        "openai_chat",
        "gpt-4o",
        [{"role": "system", "content": [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]}],
        (Instruction("a"), Instruction("b")),
        0,
    ),
    "a name": ("openai_chat", "gpt-4o", [{"role": "system", "content": "a", "name": "n"}], None, 1),
    "an empty text": ("openai_chat", "gpt-4o", [{"role": "system", "content": ""}], None, 1),
    "no text": ("openai_chat", "gpt-4o", [{"role": "system", "content": []}], None, 1),
    "what is unknown": ("openai_chat", "gpt-4o", [{"role": "system", "content": [{"type": "new"}]}], None, 1),
    "the user": ("openai_chat", "gpt-4o", [ASK], None, 1),
    "a mark of a cache": (
        "openrouter_chat",
        "m",
        [{"role": "system", "content": [{"type": "text", "text": "a", "cache_control": MARK}]}],
        (Instruction("a", cache=Cache()),),
        0,
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", FIRST)
def test_first_messages_are_read_as_instructions(case: str) -> None:
    wire, model, first, instructions, left = FIRST[case]
    body = {"model": model, "messages": [*first, ASK]}
    reading = getattr(promptwire, wire).read(body)
    assert reading.request.instructions == instructions
    assert len(reading.request.messages) == left + 1
    moved = [str(note) for note in reading.notes]
    assert moved == (
        []
        if instructions is None
        else [f"moved instructions: they were the first message, of role {first[0]['role']}"]
    )
    assert getattr(promptwire, wire).build(reading.request, policies="verbatim").body == body


def test_a_layer_remembers_what_its_text_did() -> None:
    text = {"type": "text", "text": "a", "odd": 1}
    body = {"model": "gpt-4o", "messages": [{"role": "system", "content": [text]}, ASK]}
    reading = promptwire.openai_chat.read(body)
    layers: Any = reading.request.instructions
    (layer,) = layers
    assert layer.kept is not None
    assert list(reading.unknown) == ["Instruction.odd"]
    assert promptwire.openai_chat.build(reading.request, policies="verbatim").body == body


@pytest.mark.parametrize(
    ("system", "expected"),
    [
        ("a", "a"),
        ("", None),
        ([], None),
        (5, None),
        (
            [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}],
            (Instruction("a"), Instruction("b")),
        ),
        ([{"type": "text", "text": "a"}, {"type": "new"}], None),
    ],
)
def test_layers_are_read_where_all_elements_are_some(system: Any, expected: Any) -> None:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 8, "system": system, "messages": [ASK]}
    reading = promptwire.anthropic_messages.read(body)
    assert reading.request.instructions == expected
    assert promptwire.anthropic_messages.build(reading.request, policies="verbatim").body == body


# values that are not bodies of a wire, and the whole error
NO_BODY: list[tuple[Any, str]] = [
    ([], "openai_chat: the body is a list, not an object"),
    ({}, 'openai_chat: the body has no "messages": is this a request of OpenAI Chat Completions?'),
    (
        {"messages": 5},
        'openai_chat: "messages" is a number, not a list: is this a request of OpenAI Chat Completions?',
    ),
]


@pytest.mark.parametrize(("body", "said"), NO_BODY)
def test_what_is_no_body_is_named(body: Any, said: str) -> None:
    with pytest.raises(promptwire.BodyError) as refused:
        promptwire.openai_chat.read(body)
    assert str(refused.value) == said


def test_no_message_is_no_instruction() -> None:
    body: dict[str, Any] = {"model": "gpt-4o", "messages": []}
    reading = promptwire.openai_chat.read(body)
    assert (reading.request.instructions, reading.request.messages) == (None, ())
    assert promptwire.openai_chat.build(reading.request, policies="verbatim").body == body
