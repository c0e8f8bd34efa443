"""The only message of a body without its list, where the API also accepts that."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from promptwire import BodyError, gemini_interactions, openai_chat, user

MODEL = "gemini-3.5-flash"


@pytest.mark.parametrize(
    ("given", "role", "kinds"),
    [
        ({"type": "text", "text": "hi"}, "user", ["Text"]),
        ({"type": "image", "uri": "https://a.example/b.png", "mime_type": "image/png"}, "user", ["Image"]),
        ({"type": "user_input", "content": [{"type": "text", "text": "hi"}]}, "user", ["Text"]),
        ({"type": "function_result", "call_id": "c1", "name": "f", "result": "12 C"}, "tool", ["ToolResult"]),
    ],
)
def test_one_input_is_read_and_goes_back_as_it_came(
    given: dict[str, Any], role: str, kinds: list[str]
) -> None:
    body = {"model": MODEL, "input": given}
    reading = gemini_interactions.read(body)
    assert reading.understood == reading.leaves
    (message,) = reading.request.messages
    assert (message.role, [type(part).__name__ for part in message.parts]) == (role, kinds)
    assert gemini_interactions.build(reading.request, policies="verbatim").body == body


def test_a_second_message_makes_a_list_of_it() -> None:
    request = gemini_interactions.read({"model": MODEL, "input": {"type": "text", "text": "hi"}}).request
    longer = replace(request, messages=(*request.messages, user("And?")))
    assert gemini_interactions.build(longer).body["input"] == [
        {"type": "text", "text": "hi"},
        {"type": "user_input", "content": [{"type": "text", "text": "And?"}]},
    ]


def test_no_other_api_takes_an_object_for_its_messages() -> None:
    with pytest.raises(BodyError, match='"messages" is an object, not a list'):
        openai_chat.read({"model": "m", "messages": {"role": "user", "content": "hi"}})
