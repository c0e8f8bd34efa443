"""A stream that is read: its events, its answer, and what is said when it breaks off or tells an error."""

from __future__ import annotations

import json
from typing import Any
from zlib import crc32

import pytest

from promptwire import (
    anthropic_bedrock,
    anthropic_messages,
    bedrock_converse,
    gemini_generate,
    gemini_interactions,
    ollama_chat,
    openai_chat,
    openai_responses,
)
from promptwire.errors import AnswerError, StreamError
from tests.answers import Streamed, read_stream, stream_bytes, streams


def chunk(content: str | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    delta = {} if content is None else {"role": "assistant", "content": content}
    return {
        "id": "c1",
        "model": "m",
        "choices": [{"index": 0, "delta": delta, "finish_reason": finish}],
        **more,
    }


def sse(*events: Any) -> bytes:
    return stream_bytes("sse", [(None, event) for event in events])


def test_what_came_is_known_at_any_time() -> None:
    stream = openai_chat.stream()
    assert stream.answer == type(stream.answer)()
    stream.feed(sse(chunk("Fo")))
    assert stream.answer.text == "Fo"
    stream.feed(sse(chunk("ur."), chunk(finish="stop"), "[DONE]"))
    assert (stream.answer.text, stream.close().finish) == ("Four.", "stop")


def test_a_stream_that_breaks_off_gives_what_came() -> None:
    stream = openai_chat.stream()
    stream.feed(sse(chunk("Fo")))
    with pytest.raises(
        StreamError, match="OpenAI Chat Completions: the stream broke off before the answer ended"
    ) as broken:
        stream.close()
    assert getattr(broken.value.answer, "text", None) == "Fo"


def test_an_empty_finish_is_no_end() -> None:
    stream = openai_chat.stream()
    stream.feed(sse(chunk("Fo", "")))
    with pytest.raises(StreamError, match="broke off before the answer ended"):
        stream.close()


def test_counts_that_are_text_are_none() -> None:
    stream = openai_chat.stream()
    told = stream.feed(sse({"id": "c1", "model": "m", "usage": "many"}, chunk("Four."), chunk(finish="stop")))
    assert [event.kind for event in told] == ["start", "text", "finish"]
    assert stream.close().text == "Four."


def test_candidates_are_told_apart() -> None:
    choices = [{"index": place, "delta": {"content": "ab"[place]}} for place in (0, 1)]
    told = openai_chat.stream().feed(sse({"id": "c1", "model": "m", "choices": choices}))
    assert [(event.text, event.candidate) for event in told] == [("", 0), ("a", 0), ("b", 1)]


def test_nothing_at_all_broke_off() -> None:
    with pytest.raises(StreamError, match="broke off"):
        openai_chat.stream().close()


def test_an_answer_that_ended_needs_no_last_word() -> None:
    stream = openai_chat.stream()
    stream.feed(sse(chunk("Four."), chunk(finish="stop")))
    assert stream.close().text == "Four."


def test_the_end_completes_events() -> None:
    raw = stream_bytes(
        "ndjson",
        [
            (
                None,
                {
                    "model": "m",
                    "message": {"role": "assistant", "content": "Hi"},
                    "done": True,
                    "done_reason": "stop",
                },
            )
        ],
    )
    stream = ollama_chat.stream()
    assert stream.feed(raw.rstrip(b"\n")) == []
    assert [(event.kind, event.text) for event in stream.rest()] == [
        ("start", ""),
        ("text", "Hi"),
        ("finish", "stop"),
    ]
    assert (stream.rest(), stream.close().text) == ([], "Hi")


def test_closing_again_gives_the_same() -> None:
    stream = openai_chat.stream()
    stream.feed(sse(chunk("Four."), chunk(finish="stop")) + b"data: " + json.dumps(chunk("!")).encode())
    first = stream.close()
    assert (first.text, stream.close()) == ("Four.!", first)


def test_nothing_is_fed_to_a_closed_stream() -> None:
    stream = openai_chat.stream()
    stream.feed(sse(chunk("Four.", "stop")))
    stream.close()
    with pytest.raises(AnswerError, match="the stream is closed"):
        stream.feed(sse(chunk("!")))


def test_what_follows_the_end_still_counts() -> None:
    stream = bedrock_converse.stream()
    events: list[tuple[str | None, Any]] = [
        ("messageStart", {"role": "assistant"}), ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "Hi"}}),
        ("messageStop", {"stopReason": "end_turn"}), ("metadata", {"usage": {"inputTokens": 1, "outputTokens": 2, "totalTokens": 3}}),
    ]  # fmt: skip
    stream.feed(stream_bytes("aws_event_stream", events))
    usage = stream.close().usage
    assert usage is not None and (usage.input, usage.output, usage.total) == (1, 2, 3)


ERRORS: dict[str, tuple[Any, bytes]] = {
    "an event": (anthropic_messages, stream_bytes("sse", [("error", {"type": "error", "error": {"type": "overloaded_error", "message": "slow"}})])),
    "an event that names itself": (anthropic_messages, sse({"type": "error", "error": {"type": "overloaded_error", "message": "slow"}})),
    "an event of Responses": (openai_responses, sse({"type": "error", "code": "server_error", "message": "slow"})),
    "an object": (openai_chat, sse({"error": {"message": "slow"}})),
    "one of an array": (gemini_generate, sse({"error": {"code": 503, "message": "slow"}})),
    "a line": (ollama_chat, stream_bytes("ndjson", [(None, {"error": "slow"})])),
}  # fmt: skip


@pytest.mark.parametrize(("wire", "raw"), ERRORS.values(), ids=ERRORS)
def test_a_stream_that_tells_an_error(wire: Any, raw: bytes) -> None:
    stream = wire.stream()
    assert [event.kind for event in stream.feed(raw)] == ["error"]
    with pytest.raises(StreamError, match=r"the stream tells an error: .*slow"):
        stream.close()


def exception(payload: bytes) -> bytes:
    headers = b"".join(
        bytes([len(name)]) + name + b"\x07" + len(text).to_bytes(2, "big") + text
        for name, text in ((b":message-type", b"exception"), (b":exception-type", b"throttlingException"))
    )
    sizes = (16 + len(headers) + len(payload)).to_bytes(4, "big") + len(headers).to_bytes(4, "big")
    start = sizes + crc32(sizes).to_bytes(4, "big") + headers + payload
    return start + crc32(start).to_bytes(4, "big")


@pytest.mark.parametrize("wire", [bedrock_converse, anthropic_bedrock], ids=lambda wire: str(wire.__name__))
def test_an_exception_of_aws_is_an_error(wire: Any) -> None:
    stream = wire.stream()
    assert [event.kind for event in stream.feed(exception(b'{"message": "slow"}'))] == ["error"]
    with pytest.raises(StreamError, match=r"throttlingException.*slow"):
        stream.close()


def test_events_before_broken_bytes_are_given_first() -> None:
    stream = openai_chat.stream()
    assert [event.kind for event in stream.feed(sse(chunk("Fo")) + b'data: {"a\n\n')] == ["start", "text"]
    with pytest.raises(StreamError, match="no JSON") as broken:
        stream.feed(b"")
    assert getattr(broken.value.answer, "text", None) == "Fo"
    with pytest.raises(StreamError, match="no JSON"):
        stream.close()


def test_broken_bytes_are_refused_at_once() -> None:
    with pytest.raises(StreamError, match="OpenAI Chat Completions: an event of the stream is no JSON"):
        openai_chat.stream().feed(b'data: {"a\n\n')


def test_what_is_not_known_is_told() -> None:
    stream = anthropic_messages.stream()
    events = stream.feed(sse({"type": "odd", "x": 1}, "hello", [1], ""))
    assert [(event.kind, event.name, event.data) for event in events] == [
        ("unknown", "odd", {"type": "odd", "x": 1}), ("unknown", None, "hello"), ("unknown", None, [1]),
    ]  # fmt: skip


def test_a_framing_that_is_none() -> None:
    with pytest.raises(
        AnswerError, match="unknown framing 'xml'; use one of sse, ndjson, json_array, aws_event_stream"
    ):
        openai_chat.stream("xml")


def test_a_wire_speaks_another_framing() -> None:
    stream = gemini_generate.stream("json_array")
    parts = [
        {"candidates": [{"content": {"role": "model", "parts": [{"text": text}]}}]} for text in ("Fo", "ur.")
    ]
    stream.feed(stream_bytes("json_array", [(None, part) for part in parts]))
    assert stream.answer.text == "Four."


def test_counts_that_were_told_do_not_change() -> None:
    stream = anthropic_messages.stream()
    start = {
        "type": "message_start",
        "message": {
            "id": "m",
            "role": "assistant",
            "content": [],
            "usage": {"input_tokens": 1, "output_tokens": 1, "d": {"a": 1}},
        },
    }
    (usage,) = [event.data for event in stream.feed(sse(start)) if event.kind == "usage"]
    stream.feed(
        sse(
            {
                "type": "message_delta",
                "delta": {"stop_reason": "end_turn"},
                "usage": {"output_tokens": 9, "d": {"a": 2}},
            }
        )
    )
    assert (usage.output, usage.raw) == (1, {"input_tokens": 1, "output_tokens": 1, "d": {"a": 1}})
    after = stream.close().usage
    assert after is not None and after.output == 9


def test_a_call_whose_arguments_are_cut_off_keeps_their_text() -> None:
    stream = anthropic_messages.stream()
    stream.feed(
        sse(
            {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": []}},
            {
                "type": "content_block_start",
                "index": 0,
                "content_block": {"type": "tool_use", "id": "t", "name": "f", "input": {}},
            },
            {
                "type": "content_block_delta",
                "index": 0,
                "delta": {"type": "input_json_delta", "partial_json": '{"a": '},
            },
        )
    )
    with pytest.raises(StreamError) as broken:
        stream.close()
    answer: Any = broken.value.answer
    assert anthropic_messages.write_answer(answer)["content"][0]["input"] == '{"a": '


CREATED = {
    "id": "r1",
    "object": "response",
    "created_at": 1,
    "status": "in_progress",
    "model": "m",
    "output": [],
}


def test_a_status_that_goes_on_is_no_end() -> None:
    stream = openai_responses.stream()
    events = stream.feed(
        sse(
            {"type": "response.created", "response": CREATED},
            {"type": "response.in_progress", "response": CREATED},
        )
    )
    assert [event.kind for event in events] == ["start"]
    with pytest.raises(StreamError, match="broke off before the answer ended"):
        stream.close()


@pytest.mark.parametrize("details_first", [True, False])
def test_two_words_of_one_event_say_once_why_the_answer_ended(details_first: bool) -> None:
    words: dict[str, Any] = {"status": "incomplete", "incomplete_details": {"reason": "content_filter"}}
    response = {**(dict(reversed(words.items())) if details_first else words), **CREATED, **words}
    stream = openai_responses.stream()
    events = stream.feed(sse({"type": "response.incomplete", "response": response}))
    ends = [(event.name, event.text) for event in events if event.kind == "finish"]
    assert ends == [("filtered", "incomplete.content_filter")]
    assert stream.close().finish == "filtered"


def test_an_interaction_that_goes_on_has_not_ended() -> None:
    interaction = {"id": "v1", "object": "interaction", "status": "in_progress", "model": "m"}
    stream = gemini_interactions.stream()
    created = {"event_type": "interaction.created", "interaction": interaction}
    assert [event.kind for event in stream.feed(sse(created))] == ["start"]
    with pytest.raises(StreamError, match="broke off before the answer ended"):
        stream.close()


@pytest.mark.parametrize("streamed", streams(), ids=str)
def test_each_candidate_of_an_example_ends_once(streamed: Streamed) -> None:
    events, answer = read_stream(streamed.wire, [streamed.bytes()], streamed.framing)
    ended = [(event.candidate, event.name) for event in events if event.kind == "finish"]
    candidates = enumerate(answer.candidates)
    assert sorted(ended) == [(n, one.finish) for n, one in candidates if one.finish is not None]


@pytest.mark.parametrize("size", [1, 60, 10_000])
def test_a_line_that_is_no_json_is_told_alike_however_bytes_are_cut(size: int) -> None:
    lines = b'{"model":"m","message":{"role":"assistant","content":"Hi"},"done":false}\n{"model":]\n'
    stream = ollama_chat.stream()
    told: list[str] = []

    def feed() -> None:
        for place in range(0, len(lines), size):
            told.extend([event.kind for event in stream.feed(lines[place : place + size])])
        stream.close()

    with pytest.raises(StreamError, match="is no JSON"):
        feed()
    assert told == ["start", "text"]
