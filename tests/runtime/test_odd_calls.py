"""Calls that nobody can run or answer are named, in answers and in streams; thinking is found under its other names."""

from __future__ import annotations

import json
from typing import Any
from zlib import crc32

import pytest

from promptwire import (
    bedrock_converse,
    compatible_chat,
    groq_chat,
    openai_chat,
    openai_responses,
    openrouter_chat,
)
from promptwire.errors import StreamError
from tests.answers import module


def called(*calls: tuple[str, str, str]) -> dict[str, Any]:
    rows = [
        {"id": i, "type": "function", "function": {"name": name, "arguments": text}}
        for i, name, text in calls
    ]
    message = {"role": "assistant", "content": None, "tool_calls": rows}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    return {"id": "c1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def stream_of(*deltas: dict[str, Any], finish: str) -> bytes:
    rows = [*[(delta, None) for delta in deltas], ({}, finish)]
    chunks = [
        {"id": "c1", "object": "chat.completion.chunk", "created": 1, "model": "m",
         "choices": [{"index": 0, "delta": delta, "finish_reason": end}]}
        for delta, end in rows
    ]  # fmt: skip
    return (
        b"".join([b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks]) + b"data: [DONE]\n\n"
    )


WRONG = {
    "no call": ([], "has none"),
    "no name": ([("a", "", "{}")], "no name"),
    "an empty id": ([("", "f", "{}")], "an empty id"),
    "one id twice": ([("a", "f", "{}"), ("a", "g", "{}")], "the id of another call"),
    "two objects": ([("a", "f", '{"a":1}{"b":2}')], "not a JSON object"),
    "cut": ([("a", "f", '{"a":')], "not a JSON object"),
}


@pytest.mark.parametrize("name", WRONG)
def test_calls_that_nobody_can_answer_are_named(name: str) -> None:
    calls, word = WRONG[name]
    answer = openai_chat.read_answer(called(*calls))
    assert any(word in note.why for note in answer.deviations)


def test_calls_without_fault_are_not_named() -> None:
    answer = openai_chat.read_answer(called(("a", "f", '{"a": 1}'), ("b", "g", "")))
    assert answer.deviations == ()


@pytest.mark.parametrize("arguments", ['{"a":1}{"b":2}', '{"a":'])
def test_arguments_that_are_no_object_are_an_event(arguments: str) -> None:
    stream = openai_chat.stream()
    piece = {"index": 0, "id": "a", "function": {"name": "f", "arguments": arguments}}
    kinds = [event.kind for event in stream.feed(stream_of({"tool_calls": [piece]}, finish="tool_calls"))]
    assert kinds.index("problem") < kinds.index("finish")


@pytest.mark.parametrize("wire", ["openrouter_chat", "compatible_chat"])
@pytest.mark.parametrize("beside", [False, True])
def test_details_of_thinking_are_thinking(wire: str, *, beside: bool) -> None:
    deltas = [
        {"reasoning_details": [{"type": "reasoning.text", "text": text, "index": 0}], **({"reasoning": text} if beside else {})}
        for text in ("Hm", "m.")
    ]  # fmt: skip
    stream = module(wire).stream()
    events = stream.feed(stream_of(*deltas, {"content": "Hi"}, finish="stop"))
    assert "".join([event.text for event in events if event.kind == "reasoning"]) == "Hmm."
    assert stream.close().reasoning == "Hmm."
    assert not [event for event in events if event.kind in ("problem", "replaced")]


@pytest.mark.parametrize("wire", ["openrouter_chat", "compatible_chat"])
@pytest.mark.parametrize("without", [{0}, {1}, {2}, {0, 1, 2}])
@pytest.mark.parametrize("empty", [{}, {"index": None}])
def test_details_of_thinking_without_an_index_continue_the_text(
    wire: str, without: set[int], empty: dict[str, Any]
) -> None:
    deltas = [
        {
            "reasoning": text,
            "reasoning_details": [
                {"type": "reasoning.text", "text": text, **(empty if number in without else {"index": 0})}
            ],
        }
        for number, text in enumerate(("Hm", "m", "."))
    ]
    stream = module(wire).stream()
    events = stream.feed(stream_of(*deltas, {"content": "Hi"}, finish="stop"))
    assert "".join([event.text for event in events if event.kind == "reasoning"]) == "Hmm."
    assert not [event for event in events if event.kind in ("problem", "replaced")]
    answer = stream.close()
    assert answer.reasoning == "Hmm."
    (detail,) = answer.raw["choices"][0]["message"]["reasoning_details"]
    assert detail["text"] == "Hmm."


@pytest.mark.parametrize("wire", ["openrouter_chat", "compatible_chat"])
def test_details_of_thinking_are_written_with_their_text(wire: str) -> None:
    detail = {"type": "reasoning.text", "text": "Hmm.", "format": "unknown", "index": 0}
    stream, again = module(wire).stream(), module(wire).stream()
    events = stream.feed(
        stream_of({"reasoning": "Hmm.", "reasoning_details": [detail]}, {"content": "Hi"}, finish="stop")
    )
    writer = module(wire).write_stream(id="a", model="m", created=1)
    told = again.feed(b"".join([*[writer.feed(event) for event in events], writer.close()]))
    assert "".join([event.text for event in told if event.kind == "reasoning"]) == "Hmm."
    assert again.close().raw["choices"][0]["message"]["reasoning_details"] == [detail]


def test_details_of_thinking_alone_are_an_answer_and_go_back() -> None:
    details = [{"type": "reasoning.text", "text": "Let me"}]
    message = {"role": "assistant", "content": "", "reasoning_details": details}
    body = {
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "stop", "message": message}],
    }
    answer = compatible_chat.read_answer(body)
    assert (answer.text, answer.reasoning, answer.unread) == ("", "Let me", ())
    assert compatible_chat.write_answer(answer) == body
    assert openrouter_chat.read_answer(body).reasoning == "Let me"


def test_an_answer_that_was_cut_while_thinking_has_an_empty_text() -> None:
    message = {"role": "assistant", "content": "", "reasoning": "Let me", "channel": "analysis"}
    body = {
        "object": "chat.completion",
        "choices": [{"index": 0, "finish_reason": "length", "message": message}],
    }
    answer = groq_chat.read_answer(body)
    assert (answer.text, answer.reasoning) == ("", "Let me")


@pytest.mark.parametrize("name", ["reasoning", "reasoning_content", "reasoning_summary"])
def test_servers_stream_thinking_under_other_names(name: str) -> None:
    item = {"type": "reasoning", "id": "rs_1", "summary": []}
    place = {"item_id": "rs_1", "output_index": 0, "content_index": 0, "summary_index": 0}
    body = {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "in_progress",
        "output": [],
    }
    rows: list[dict[str, Any]] = [
        {"type": "response.created", "response": body},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        *[{"type": f"response.{name}.delta", **place, "delta": text} for text in ("Hm", "m.")],
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": {**body, "status": "completed", "output": [item]}},
    ]
    stream = openai_responses.stream()
    events = stream.feed(b"".join([b"data: " + json.dumps(row).encode() + b"\n\n" for row in rows]))
    assert [event.text for event in events if event.kind == "reasoning"] == ["Hm", "m."]
    assert not [event for event in events if event.kind in ("problem", "replaced")]
    assert stream.close().reasoning == "Hmm."


def frame(**headers: str) -> bytes:
    """Return a message of an AWS event stream without a payload."""
    names = {f":{name.replace('_', '-')}": value.encode() for name, value in headers.items()}
    rows = [
        bytes([len(key)]) + key.encode() + b"\x07" + len(value).to_bytes(2, "big") + value
        for key, value in names.items()
    ]
    head = b"".join(rows)
    sizes = (16 + len(head)).to_bytes(4, "big") + len(head).to_bytes(4, "big")
    message = sizes + crc32(sizes).to_bytes(4, "big") + head
    return message + crc32(message).to_bytes(4, "big")


def test_an_error_of_bedrock_that_no_model_describes_keeps_its_message() -> None:
    stream = bedrock_converse.stream()
    stream.feed(frame(message_type="error", error_code="InternalFailure", error_message="It broke."))
    with pytest.raises(StreamError) as failed:
        stream.close()
    error = failed.value.error
    assert error is not None
    assert (error.type, error.message) == ("InternalFailure", "It broke.")


def test_the_data_of_an_answer_are_those_of_its_final_message() -> None:
    def said(text: str, phase: str) -> dict[str, Any]:
        content = [{"type": "output_text", "text": text, "annotations": []}]
        return {
            "type": "message",
            "id": phase,
            "role": "assistant",
            "status": "completed",
            "content": content,
            "phase": phase,
        }

    output = [said("Looking first.", "commentary"), said('{"answer":"final"}', "final_answer")]
    body = {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "model": "m",
        "status": "completed",
        "output": output,
    }
    answer = openai_responses.read_answer(body)
    assert answer.data == {"answer": "final"}
