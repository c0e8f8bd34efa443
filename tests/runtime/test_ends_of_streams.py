"""When a stream is finished, and when it has ended: for a reader whose host keeps the connection open."""

from __future__ import annotations

from contextlib import suppress
from itertools import pairwise
from typing import Any

import pytest

from promptwire import anthropic_messages, bedrock_converse, openai_chat, wire
from promptwire.errors import StreamError
from tests.answers import Streamed, module, stream_bytes, streams


def pieces(stream: Streamed) -> list[bytes]:
    """Return what each event of a stream adds to its bytes."""
    grown = [stream_bytes(stream.framing, stream.events[:count]) for count in range(len(stream.events) + 1)]
    return [more[len(less) :] for less, more in pairwise(grown)]


CUTTABLE = [stream for stream in streams() if stream.framing != "json_array"]


@pytest.mark.parametrize("stream", CUTTABLE, ids=str)
def test_nothing_but_counts_follows_the_finish_and_nothing_follows_the_end(stream: Streamed) -> None:
    reader = module(stream.wire).stream()
    late: set[str] = set()
    for piece in pieces(stream):
        finished, ended = reader.finished, reader.ended
        events = [event.kind for event in reader.feed(piece)]
        late.update(events if finished else ())
        assert not (ended and events), f"{events} after the end"
    assert late <= {"usage", "vendor"}
    assert reader.finished is (reader.ended or reader.answer.finish is not None)


@pytest.mark.parametrize("stream", CUTTABLE, ids=str)
def test_a_stream_that_is_left_at_its_end_gives_the_whole_answer(stream: Streamed) -> None:
    whole, left = module(stream.wire).stream(), module(stream.wire).stream()
    for piece in pieces(stream):
        whole.feed(piece)
        if not left.ended:
            left.feed(piece)
    assert left.close() == whole.close()


def test_every_api_that_marks_its_end_shows_it_in_an_example() -> None:
    shown: set[str] = set()
    for stream in CUTTABLE:
        reader = module(stream.wire).stream()
        for piece in pieces(stream):
            reader.feed(piece)
        shown.update([stream.wire] if reader.ended else [])
    # streams without such a mark
    assert {stream.wire for stream in streams()} - shown == {
        "bedrock_meta",
        "bedrock_titan",
        "dashscope_generation",
        "gemini_generate",
        "watsonx_chat",
        "yandex_completion",
    }


def choice(index: int, finish: str | None, **delta: Any) -> bytes:
    row = {"choices": [{"index": index, "delta": delta, "finish_reason": finish}]}
    return stream_bytes("sse", [(None, row)])


def test_a_stream_is_finished_once_all_candidates_are() -> None:
    reader = openai_chat.stream()
    assert not reader.finished
    for piece, finished in [
        (choice(0, None, content="Yes."), False),
        (choice(1, None, content="No"), False),
        (choice(0, "stop"), False),
        (choice(1, None, content="."), False),
        (choice(1, "stop"), True),
    ]:
        reader.feed(piece)
        assert (reader.finished, reader.ended) == (finished, False)
    reader.feed(b"data: [DONE]\n\n")
    assert reader.ended


def test_a_prompt_that_is_blocked_is_finished() -> None:
    reader = wire("gemini_generate").stream()
    reader.feed(stream_bytes("sse", [(None, {"promptFeedback": {"blockReason": "SAFETY"}})]))
    assert (reader.finished, reader.ended) == (True, False)


def test_the_counts_of_converse_follow_its_finish() -> None:
    reader = bedrock_converse.stream()
    reader.feed(stream_bytes("aws_event_stream", [("messageStop", {"stopReason": "end_turn"})]))
    assert (reader.finished, reader.ended) == (True, False)
    reader.feed(stream_bytes("aws_event_stream", [("metadata", {"usage": {"totalTokens": 3}})]))
    assert reader.ended


@pytest.mark.parametrize("wire_name", ["openai_chat", "ollama_chat"])
def test_a_whole_object_in_place_of_a_stream_has_ended(wire_name: str) -> None:
    reader = wire(wire_name).stream()
    for piece, ended in [(b'{\n "error": {', False), (b'"message": "Busy."}', False), (b"\n}\n", True)]:
        assert reader.feed(piece) == []
        assert (reader.finished, reader.ended) == (ended, ended)
    with pytest.raises(StreamError, match="Busy"):
        reader.close()


@pytest.mark.parametrize(
    "sent",
    [
        b'event: error\ndata: {"type": "error", "error": {"type": "overloaded_error", "message": "Busy."}}\n\n',
        b'data: {"type": "message_start"}\n\ndata: {"no JSON\n\n',
    ],
)
def test_a_stream_that_failed_has_ended(sent: bytes) -> None:
    reader = anthropic_messages.stream()
    # bytes that are no stream
    with suppress(StreamError):
        reader.feed(sent)
    assert reader.ended
    with pytest.raises(StreamError):
        reader.close()
