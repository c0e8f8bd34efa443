"""The id and the time that a caller gives to an answer that is written."""

from __future__ import annotations

from importlib import import_module
from typing import Any

import pytest

from promptwire import anthropic_messages, compatible_chat, openai_chat
from promptwire.errors import InvalidRequest

ANSWER = anthropic_messages.read_answer(
    {
        "type": "message",
        "id": "msg_1",
        "role": "assistant",
        "model": "m",
        "content": [{"type": "text", "text": "Yes."}],
        "stop_reason": "end_turn",
        "usage": {"input_tokens": 3, "output_tokens": 1},
    }
)


@pytest.mark.parametrize(
    ("wire", "key", "time"),
    [
        ("openai_chat", "created", 1790000000),
        ("compatible_chat", "created", 1790000000),
        ("mistral_chat", "created", 1790000000),
        ("openai_responses", "created_at", 1790000000),
        ("gemini_generate", "createTime", "2026-09-21T14:13:20Z"),
        ("gemini_interactions", "created", "2026-09-21T14:13:20Z"),
        ("ollama_chat", "created_at", "2026-09-21T14:13:20Z"),
    ],
)
def test_the_time_stands_where_the_api_has_it(wire: str, key: str, time: Any) -> None:
    module = import_module(f"promptwire.{wire}")
    notes: list[Any] = []
    body = module.write_answer(ANSWER, created=1790000000, id="mine", notes=notes, policies="lenient")
    assert body[key] == time
    assert "mine" in (body.get("id"), body.get("responseId"), "mine" if wire == "ollama_chat" else None)
    again = module.read_answer(body)
    assert (again.text, again.finish) == ("Yes.", "stop")
    assert [note for note in notes if "created" in note.field] == []


def test_an_api_without_a_time_is_written_as_before() -> None:
    body = anthropic_messages.write_answer(ANSWER, created=1790000000)
    assert body == anthropic_messages.write_answer(ANSWER)
    assert anthropic_messages.write_answer(ANSWER, id="mine")["id"] == "mine"


def test_a_time_that_was_read_is_replaced() -> None:
    body = openai_chat.write_answer(ANSWER, created=5)
    assert compatible_chat.write_answer(openai_chat.read_answer(body), created=6)["created"] == 6
    assert openai_chat.write_answer(openai_chat.read_answer(body), created=7)["created"] == 7
    assert openai_chat.write_answer(openai_chat.read_answer(body)) == body


@pytest.mark.parametrize("wrong", [-1, 10**12, "now", 1.5])
def test_what_is_no_time_is_an_error(wrong: Any) -> None:
    with pytest.raises((InvalidRequest, TypeError)) as caught:
        openai_chat.write_answer(ANSWER, created=wrong)
    assert "created" in str(caught.value)
