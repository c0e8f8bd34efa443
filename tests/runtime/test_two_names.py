"""Thinking under either of the names that servers of OpenAI's API give it."""

from __future__ import annotations

from typing import Any

import pytest

import promptwire
from promptwire import Reasoning, Text


@pytest.mark.parametrize("name", ["reasoning_content", "reasoning"])
def test_both_names_are_read_and_come_back(name: str) -> None:
    answer = {"role": "assistant", name: "Two and two.", "content": "4"}
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "2+2?"}, answer]}
    reading = promptwire.openai_chat.read(body)
    parts = reading.request.messages[1].parts
    assert [(type(part), getattr(part, "text", None)) for part in parts] == [
        (Reasoning, "Two and two."),
        (Text, "4"),
    ]
    assert reading.understood == reading.leaves
    assert promptwire.openai_chat.build(reading.request).body == body


def test_what_stands_under_both_comes_back_too() -> None:
    answer = {"role": "assistant", "reasoning_content": "Hm.", "reasoning": "Hm.", "content": "4"}
    body: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "2+2?"}, answer]}
    reading = promptwire.openai_chat.read(body)
    assert (reading.leaves - reading.understood, [*reading.unknown]) == (1, ["Message.reasoning"])
    assert promptwire.openai_chat.build(reading.request, policies="verbatim").body == body
