"""Reasoning that an API does not store and did not encrypt cannot go back: it is refused, or left out with a note."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Options, Request, openai_responses, user
from promptwire.errors import Refused
from tests.notes import refused

SUMMARY = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]}
TEXT = {
    "type": "message",
    "id": "msg_1",
    "role": "assistant",
    "status": "completed",
    "content": [{"type": "output_text", "text": "Hi", "annotations": []}],
}


def following(reasoning: dict[str, Any], *, store: bool | None) -> Request:
    body = {"id": "resp_1", "object": "response", "created_at": 1, "status": "completed", "model": "gpt-5.6"}
    answer = openai_responses.read_answer(body | {"output": [reasoning, TEXT]})
    return Request("gpt-5.6", [user("q")], options=Options(store=store)).after(answer, user("more"))


def test_what_is_neither_stored_nor_encrypted_is_left_out_with_a_note() -> None:
    request = following(SUMMARY, store=False)
    with refused(Refused, "messages[1].parts[0].assistant[parts.id=rs_*].reasoning.encrypted|redacted"):
        openai_responses.build(request)
    built = openai_responses.build(request, policies="portable")
    assert [item.get("id") for item in built.body["input"]] == [None, "msg_1", None]
    assert [(note.action, note.path) for note in built.notes] == [("dropped", "messages[1].parts[0]")]


@pytest.mark.parametrize(
    ("reasoning", "store"),
    [(SUMMARY, None), (SUMMARY, True), (SUMMARY | {"encrypted_content": "gAAA"}, False)],
)
def test_what_is_stored_or_encrypted_goes_back(reasoning: dict[str, Any], store: bool | None) -> None:
    built = openai_responses.build(following(reasoning, store=store))
    assert built.body["input"][1] == reasoning
    assert not built.notes
