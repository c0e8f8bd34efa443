"""A URL that is none of its wire is noted, and nothing of it is repeated."""

from __future__ import annotations

from typing import Any

import promptwire

BODY: dict[str, Any] = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}


def test_a_url_of_another_api_is_noted() -> None:
    reading = promptwire.openai_chat.read(BODY, "https://me:s3cret@host.example/v1/messages?key=s3cret")
    assert [str(note) for note in reading.notes] == [
        "dropped url: no URL of OpenAI Chat Completions has this form: expected ${base_url}/chat/completions"
    ]
    assert (reading.settings, reading.request.model) == ({}, "m")


def test_so_is_any_url_of_a_runtime_in_the_own_process() -> None:
    reading = promptwire.onnx_genai.read({"messages": BODY["messages"]}, "https://host.example/chat")
    title = promptwire.onnx_genai.WIRE.title
    assert [str(note) for note in reading.notes] == [f"dropped url: no URL of {title} has this form"]


def test_a_url_of_the_wire_and_no_url_leave_no_note() -> None:
    assert promptwire.openai_chat.read(BODY).notes == ()
    assert promptwire.openai_chat.read(BODY, "http://localhost:1/v1/chat/completions?x=1").notes == ()
