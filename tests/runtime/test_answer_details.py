"""Details of answers and streams, each compared whole: what events hold, ids that are made, counts of what is unknown."""

from __future__ import annotations

import json
from typing import Any

import pytest

from promptwire import (
    Message,
    Text,
    ToolCall,
    anthropic_messages,
    gemini_generate,
    openai_chat,
)
from promptwire_runtime import Answer, Candidate, InvalidRequest, StreamError, Usage
from promptwire_runtime.answers.buffers import IndexedList
from promptwire_runtime.answers.events import Event
from promptwire_runtime.answers.frame_bytes import FRAMED
from promptwire_runtime.answers.framing import FRAMINGS


def sse(*rows: Any) -> bytes:
    return "".join([f"data: {json.dumps(row)}\n\n" for row in rows]).encode()


def test_elements_without_a_number_come_behind_those_with_one() -> None:
    slots = IndexedList({(3, "text"): "a"})
    assert (slots.next, slots.kind_of(3), slots.kind_of(4)) == (4, "text", "")
    slots[3, "call"] = "b"
    slots[-1, ""] = "c"
    assert (slots.next, slots.kind_of(3), slots.kind_of(-1)) == (4, "call", "")
    assert IndexedList().next == 0


def test_an_error_of_a_stream_holds_what_the_api_said() -> None:
    said = {"error": {"message": "no", "type": "server_error"}}
    stream = openai_chat.stream()
    assert stream.feed(sse(said)) == [Event(kind="error", data=said)]
    with pytest.raises(StreamError, match="the stream tells an error: server_error: no"):
        stream.close()
    named = {"type": "error", "error": {"type": "overloaded_error", "message": "busy"}}
    raw = b"event: error\n" + sse(named)
    assert anthropic_messages.stream().feed(raw) == [Event(kind="error", data=named)]


def test_a_long_error_of_a_stream_is_cut() -> None:
    stream = openai_chat.stream()
    stream.feed(sse({"error": {"message": "x" * 100_000}}))
    with pytest.raises(StreamError) as broken:
        stream.close()
    assert len(str(broken.value)) < 700


def test_an_event_that_is_not_known_has_its_name_and_data() -> None:
    odd = {"type": "odd", "a": 1}
    assert anthropic_messages.stream().feed(sse(odd)) == [Event(kind="unknown", name="odd", data=odd)]
    raw = b'event: odd\ndata: "text"\n\n'
    assert anthropic_messages.stream().feed(raw) == [Event(kind="unknown", name="odd", data="text")]


def test_an_error_without_a_message_is_written_as_it_is() -> None:
    written = openai_chat.write_stream().feed(Event(kind="error", data={"reason": "é"}))
    assert json.loads(written.partition(b"data: ")[2])["error"]["message"] == '{"reason": "é"}'


def test_an_aws_event_without_a_name_stands_inside_a_chunk() -> None:
    framed = FRAMED["aws_event_stream"]()
    raw = framed.frame(None, {"a": "é"}) + framed.frame("odd", {"b": 1})
    assert b":event-type\x07\x00\x05chunk" in raw
    frames = [tuple(frame) for frame in FRAMINGS["aws_event_stream"]().feed(raw)]
    assert frames == [(None, {"a": "é"}), ("odd", {"b": 1})]


def test_the_id_of_a_call_follows_from_its_place() -> None:
    message = Message("assistant", (Text("hi"), ToolCall(None, "f"), ToolCall(None, "f")))
    answer = Answer(id="a1", candidates=(Candidate(message=message), Candidate(message=message)))
    first, second = (openai_chat.write_answer(answer)["choices"][place]["message"] for place in (0, 1))
    ids = [call["id"] for choice in (first, second) for call in choice["tool_calls"]]
    assert len(set(ids)) == 4
    # as they were made of the same answer before
    assert ids[0] == "call_cf02a20cf39ddde483bec759"
    again = openai_chat.write_answer(answer)["choices"][0]["message"]["tool_calls"]
    assert [call["id"] for call in again] == ids[:2]


def test_what_is_unknown_of_an_answer_is_named() -> None:
    body = {
        "id": "a", "odd": 1,
        "choices": [{"index": 0, "more": 2, "finish_reason": "stop", "message": {"role": "assistant", "content": "hi", "new": 3}},
                    {"index": 1, "finish_reason": "length"}],
    }  # fmt: skip
    coverage = openai_chat.answer_coverage(openai_chat.read_answer(body))
    assert (coverage.leaves, coverage.understood, coverage.kept) == (10, 7, 3)
    assert coverage.unknown == ("Answer.odd", "Candidate.more", "Message.new")


@pytest.mark.parametrize(
    ("after", "wait"), [("86400", 86400.0), ("86401", None), ("0", 0.0), ("-1", None), ("nan", None)]
)
def test_a_wait_lasts_a_day_at_most(after: str, wait: float | None) -> None:
    assert openai_chat.read_error(429, None, {"Retry-After": after}).wait == wait


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: Usage(raw=[1]), "Usage: raw is a list, not a mapping or None"),  # type: ignore[arg-type]
        (lambda: Answer(continuation="c"), "Answer: continuation is a str, not Continuation or None"),  # type: ignore[arg-type]
        (lambda: openai_chat.write_stream().answer({}), "answer is a dict, not Answer"),  # type: ignore[arg-type]
        (lambda: openai_chat.write_stream(created="now"), "created is a str, not int"),  # type: ignore[arg-type]
    ],
)
def test_what_does_not_fit_is_named(make: Any, said: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        make()
    assert str(refused.value) == said


def test_arguments_that_are_no_object_are_named_with_their_field() -> None:
    message = Message("assistant", (ToolCall("c", "f", "[1]"),))
    with pytest.raises(InvalidRequest) as refused:
        gemini_generate.write_stream().answer(Answer(candidates=(Candidate(message=message),)))
    assert refused.value.field == "arguments"


def test_the_word_of_the_end_goes_with_a_stream_of_the_same_api() -> None:
    answer = openai_chat.read_answer(
        {"choices": [{"message": {"role": "assistant", "content": "hi"}, "finish_reason": "content_filter"}]}
    )
    written = openai_chat.write_stream(policies="lenient").answer(answer)
    assert b'"finish_reason":"content_filter"' in written
