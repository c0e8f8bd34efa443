"""Items of an answer that have a role and no content: what stands under another key is told, and all come back."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptwire import anthropic_messages, mistral_conversations, openai_responses
from promptwire.errors import AnswerError

_SAID = [{"type": "output_text", "text": "One moment.", "annotations": []}]
_MUTE = {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "contents": _SAID}
_CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "c1",
    "name": "look",
    "arguments": "{}",
    "status": "completed",
}
_SPEAKING = {**{key: value for key, value in _MUTE.items() if key != "contents"}, "content": _SAID}


@pytest.mark.parametrize(
    ("output", "place"),
    [
        ([_MUTE], "output[0]"),
        ([_MUTE, _CALL], "output[0]"),
        ([_CALL, _MUTE], "output[1]"),
        ([_SPEAKING, _CALL, _MUTE], "output[2]"),
    ],
)
def test_a_message_under_another_key_is_a_problem_beside_calls_and_other_messages_too(
    output: list[dict[str, Any]], place: str
) -> None:
    body = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "gpt-5.4",
        # each place has lists of its own
        "output": json.loads(json.dumps(output)),
    }
    answer = openai_responses.read_answer(body)
    assert [(note.path, note.field) for note in answer.unread] == [(place, "contents")]
    assert openai_responses.write_answer(answer) == body


def test_a_message_alone_under_another_key_has_no_text() -> None:
    answer = openai_responses.read_answer(
        {"id": "resp_1", "status": "completed", "model": "gpt-5.4", "output": [_MUTE]}
    )
    with pytest.raises(AnswerError, match="contents"):
        _ = answer.text


def test_a_message_that_says_nothing_is_no_problem_and_comes_back() -> None:
    empty = {**_SPEAKING, "content": []}
    body = {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "model": "gpt-5.4",
        "output": [empty, _CALL],
    }
    answer = openai_responses.read_answer(body)
    assert (answer.unread, answer.text, [call.name for call in answer.calls]) == ((), "", ["look"])
    assert openai_responses.write_answer(answer) == body


def test_a_message_that_only_begins_is_no_problem_yet() -> None:
    begun = {**_SPEAKING, "status": "in_progress", "content": [], "x_note": {"by": "host"}}
    stream = openai_responses.stream()
    list(stream.feed({"type": "response.output_item.added", "output_index": 0, "item": begun}))
    assert stream.unread == ()


@pytest.mark.parametrize("reason", ["end_turn", "tool_use"])
def test_a_message_that_is_the_body_itself_is_told_too(reason: str) -> None:
    body = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-sonnet-4-5",
        "contents": [{"type": "text", "text": "One moment."}],
        "stop_reason": reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 2},
    }
    answer = anthropic_messages.read_answer(body)
    assert [note.field for note in answer.unread] == ["contents"]
    with pytest.raises(AnswerError, match="contents"):
        _ = answer.text
    assert anthropic_messages.write_answer(answer) == body


def test_a_message_behind_a_tool_of_the_api_is_told_too() -> None:
    ran = {"type": "tool.execution", "id": "t1", "name": "web_search", "arguments": "{}"}
    spoken = {"type": "message.output", "id": "m1", "role": "assistant", "contents": "One moment."}
    body = {
        "conversation_id": "c1",
        "outputs": [ran, spoken],
        "usage": {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3},
    }
    answer = mistral_conversations.read_answer(body)
    assert [(note.path, note.field) for note in answer.unread] == [("outputs[1]", "contents")]
    assert mistral_conversations.write_answer(answer) == body
