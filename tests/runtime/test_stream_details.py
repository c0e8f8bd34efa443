"""Details of streams that hosts rarely send: errors without JSON, unusual frames, and values without a field."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from promptwire import Answer, Event, Message, Reasoning, Text, ToolCall
from promptwire.errors import InvalidRequest, StreamError
from promptwire.parts import Compaction
from promptwire.results import Candidate
from tests.answers import module, stream_bytes
from tests.internals.runtime import TextBuffer, _is_whole, events_of, field_of

CHUNK = {
    "id": "c",
    "model": "m",
    "choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}],
}


@pytest.mark.parametrize("text", ["overloaded", "3"])
def test_an_error_event_whose_data_is_text_ends_the_stream(text: str) -> None:
    stream = module("anthropic_messages").stream()
    (told,) = stream.feed(f"event: error\ndata: {text}\n\n".encode())
    assert told.kind == "error"
    with pytest.raises(StreamError, match=f"the stream tells an error: (server|overloaded): .*{text}"):
        stream.close()


def test_a_long_message_of_an_error_is_cut_in_what_is_raised_and_whole_in_the_error() -> None:
    stream = module("openai_chat").stream()
    stream.feed({"error": {"message": "x" * 501, "type": "server_error"}})
    with pytest.raises(StreamError) as raised:
        stream.close()
    assert str(raised.value).count("x" * 500) == 1
    assert "x" * 501 not in str(raised.value)
    assert raised.value.error.message == "x" * 501


def test_an_exception_of_aws_without_a_message_ends_the_stream() -> None:
    stream = module("bedrock_converse").stream()
    stream.feed({"throttlingException": {}})
    with pytest.raises(StreamError) as raised:
        stream.close()
    assert (raised.value.error.kind, raised.value.error.type) == ("rate_limit", "throttlingException")


def test_the_chunk_inside_of_an_event_of_a_client_is_taken() -> None:
    inner = SimpleNamespace(model_dump=lambda **_: CHUNK)
    stream = module("openai_chat").stream()
    assert [event.text for event in stream.feed(SimpleNamespace(chunk=inner)) if event.kind == "text"] == [
        "Hi"
    ]
    assert stream.close().text == "Hi"


def test_bytes_of_a_chunk_that_are_no_utf_8_are_replaced() -> None:
    inner = b'{"outputText": "H\xff", "index": 0, "completionReason": "FINISH"}'
    raw = stream_bytes("aws_event_stream", [("chunk", {"bytes": b64encode(inner).decode()})])
    stream = module("bedrock_titan").stream()
    stream.feed(raw)
    assert stream.close().text == "H\ufffd"


@pytest.mark.parametrize(
    ("seconds", "wait"),
    [("20", 20.0), ("20s", 20.0), ("1m20s", 80.0), ("250ms", 0.25), (7, 7.0), ("soon", None)],
)
def test_how_long_to_wait(seconds: Any, wait: float | None) -> None:
    # OpenAI's backend of Codex says the latter: github.com/openai/codex
    for key in ("retry_after", "resets_in_seconds"):
        body = {"error": {"message": "Slow down.", key: seconds}}
        assert module("openai_chat").read_error(429, body).wait == wait


@pytest.mark.parametrize(
    ("arguments", "whole"),
    [("[1]", True), ('{"a": 1} ', True), ('"x"', True), ("[1", False), ("1", False), ("[1}", False)],
)
def test_arguments_that_are_complete(arguments: str, whole: bool) -> None:
    assert _is_whole(arguments) is whole
    assert _is_whole(TextBuffer([arguments])) is _is_whole(TextBuffer([*arguments, " "])) is whole


def test_arguments_that_are_no_json_say_so() -> None:
    message = Message("assistant", (ToolCall("c", "f", {"x": {1}}),))
    answer = Answer(candidates=(Candidate(message=message, finish="tool_calls"),))
    with pytest.raises(InvalidRequest, match=r"^arguments are no JSON: x: set is not JSON$"):
        list(events_of(answer))


def test_thinking_that_is_told_once_says_so() -> None:
    message = Message("assistant", (Reasoning(texts=("T",), summary=("S",)), Text("Hi")))
    answer = Answer(candidates=(Candidate(message=message, finish="stop"),))
    notes: list[Any] = []
    module("deepseek_chat").write_answer(answer, policies="lenient", notes=notes)
    assert "dropped messages[0].parts[0].summary: DeepSeek Chat Completions tells thinking once" in map(
        str, notes
    )


def test_the_neutral_name_of_a_value_or_its_path() -> None:
    part = Reasoning(text="T", signature="s")
    assert field_of(part, ("a", "b"), "s") == "signature"
    assert field_of(part, ("a", "b"), "other") == field_of(None, ("a", "b"), "s") == "a.b"


def test_events_of_an_asynchronous_iterator_are_those_of_the_same_chunks() -> None:
    raw = [stream_bytes("sse", [(None, CHUNK)]), b"data: [DONE]"]

    async def chunks() -> AsyncIterator[bytes]:
        for chunk in raw:
            yield chunk

    async def told() -> list[Event]:
        return [event async for event in module("openai_chat").stream().feed_from(chunks())]

    assert asyncio.run(told()) == [*module("openai_chat").stream().feed_from(raw)] != []


def heard(wire: str, *rows: Any) -> tuple[list[Event], Answer]:
    """Return the events of a stream and its answer."""
    stream = module(wire).stream()
    events = [event for row in rows for event in stream.feed(row)]
    return events, stream.close()


@pytest.mark.parametrize(
    ("wire", "rows", "body"),
    [
        (
            "gemini_generate",
            [
                {"candidates": [{"content": {"role": "model", "parts": [{"text": "Hi"}], "odd": [1]}}]},
                {"candidates": [{"content": {"mood": "glad", "odd": [2]}}]},
                {"candidates": [{"content": {"mood": "sad"}}]},
                {"candidates": [{"content": None, "finishReason": "STOP"}]},
                {"candidates": [{"content": "parts"}]},
                {"candidates": [{"content": [{"parts": [{"text": "!"}]}]}]},
            ],
            {
                "candidates": [
                    {
                        "content": {"role": "model", "parts": [{"text": "Hi"}], "odd": [1, 2], "mood": "sad"},
                        "finishReason": "STOP",
                    }
                ]
            },
        ),
        (
            "ollama_chat",
            [
                {"model": "q", "message": {"role": "assistant", "content": "Hi", "tone": {"a": 1}}, "done": False},
                {"model": "q", "message": None, "done": False},
                {"model": "q", "message": {"tone": {"b": 2}}, "done": True, "done_reason": "stop"},
            ],
            {
                "model": "q",
                "message": {"role": "assistant", "content": "Hi", "tone": {"a": 1, "b": 2}},
                "done": True,
                "done_reason": "stop",
            },
        ),
    ],
)  # fmt: skip
def test_unknown_keys_of_a_message_are_kept_and_what_is_no_message_is_left_out(
    wire: str, rows: list[Any], body: dict[str, Any]
) -> None:
    events, answer = heard(wire, *rows)
    assert [(event.kind, event.text) for event in events if event.kind == "text"] == [("text", "Hi")]
    assert (answer.text, answer.finish, answer.raw) == ("Hi", "stop", body)
    assert module(wire).write_answer(answer) == body


def test_pieces_of_blocks_that_came_with_the_message_grow_them() -> None:
    """The blocks stand in `message_start` already; a piece that names no block belongs to the last one."""
    blocks = [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]
    pieces: list[tuple[dict[str, int], str]] = [({"index": 0}, "c"), ({"index": 1}, "d"), ({}, "e")]
    events, answer = heard(
        "anthropic_messages",
        {"type": "message_start", "message": {"id": "m", "role": "assistant", "content": blocks}},
        *[
            {"type": "content_block_delta", **number, "delta": {"type": "text_delta", "text": text}}
            for number, text in pieces
        ],
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}},
        {"type": "message_stop"},
    )
    told = [(event.text, event.place, event.part) for event in events if event.kind == "text"]
    assert told == [("a", (0,), 0), ("b", (1,), 1), ("c", (0,), 0), ("d", (1,), 1), ("e", (1,), 1)]
    assert answer.parts == (Text("ac"), Text("bde"))


def piece(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": 0, "delta": delta, "finish_reason": finish}]}


def test_elements_that_continue_the_last_one_are_told_at_its_place() -> None:
    def thinking(text: str) -> dict[str, Any]:
        return {"type": "thinking", "thinking": [{"type": "text", "text": text}]}

    contents = [
        [{"type": "text", "text": "x"}, thinking("a")],
        [thinking("b")],
        [{"type": "text", "text": "c"}],
        [{"type": "text", "text": "d"}],
    ]
    events, answer = heard(
        "mistral_chat", *[piece({"content": content}) for content in contents], piece({}, "stop")
    )
    told = [(event.kind, event.text, event.place) for event in events if event.kind in ("text", "reasoning")]
    assert told == [
        ("text", "x", (0, 0)),
        ("reasoning", "a", (0, 1, 0)),
        ("reasoning", "b", (0, 1, 0)),
        ("text", "c", (0, 2)),
        ("text", "d", (0, 2)),
    ]
    assert answer.parts == (Text("x"), Reasoning(text="ab"), Text("cd"))


def test_a_text_that_begins_anew_is_told_as_a_whole() -> None:
    rows: list[dict[str, Any]] = [
        {"result": {"alternatives": [{"message": {"role": "assistant", "text": text}, "status": status}]}}
        for text, status in (("Helo", "PARTIAL"), ("Hello", "PARTIAL"), ("Hello!", "FINAL"))
    ]
    events, answer = heard("yandex_completion", *rows)
    assert [event.text for event in events if event.kind == "text"] == ["Helo", "Hello", "!"]
    assert answer.text == "Hello!"


def test_elements_of_one_number_stay_apart_by_their_type() -> None:
    _, answer = heard(
        "openrouter_chat",
        piece({"content": "Hi", "reasoning_details": [{"index": 0, "type": "reasoning.text", "text": "a"}]}),
        piece(
            {
                "reasoning_details": [
                    {"index": 0, "type": "reasoning.text", "text": "b"},
                    {"index": 0, "type": "reasoning.encrypted", "data": "x"},
                ]
            }
        ),
        piece(
            {"reasoning_details": [{"index": 0, "data": "y"}, {"type": "reasoning.text", "text": "c"}]},
            "stop",
        ),
    )
    assert answer.raw is not None
    assert answer.raw["choices"][0]["message"]["reasoning_details"] == [
        {"index": 0, "type": "reasoning.text", "text": "ab"},
        {"index": 0, "type": "reasoning.encrypted", "data": "xy"},
        {"type": "reasoning.text", "text": "c"},
    ]


def test_what_is_sealed_in_a_compaction_and_what_became_of_the_input_are_read() -> None:
    # the accumulator of anthropic 2.14.0 takes both from these events
    compaction = {"type": "compaction", "content": None, "encrypted_content": None}
    delta = {"type": "compaction_delta", "content": "They met in Oslo.", "encrypted_content": "EqQBCg=="}
    dropped = [{"type": "thinking_dropped"}]
    began = {"type": "message", "id": "m", "role": "assistant", "model": "claude-opus-5-5", "content": []}
    stream = module("anthropic_messages").stream()
    for event in (
        {"type": "message_start", "message": began | {"input_transformations": []}},
        {"type": "content_block_start", "index": 0, "content_block": compaction},
        {"type": "content_block_delta", "index": 0, "delta": delta},
        {"type": "content_block_stop", "index": 0},
        {
            "type": "message_delta",
            "delta": {"stop_reason": "compaction"},
            "input_transformations": dropped,
            "usage": {"output_tokens": 8},
        },
        {"type": "message_stop"},
    ):
        stream.feed(event)
    answer = stream.close()
    assert answer.message.parts == (Compaction(text="They met in Oslo.", encrypted="EqQBCg=="),)
    assert answer.vendor["anthropic_messages"]["input_transformations"] == dropped


# what bifrost (pull request 6942), pi (issue 8752) and AWS's page about caching say of the counts of Converse
_GROSS = (4995, 0, 4993)
_NET = (2, 0, 4993)


@pytest.mark.parametrize(
    ("model", "counts", "read"),
    [
        ("us.openai.gpt-5.6-sol", _GROSS, 4995),
        ("us.openai.gpt-5.6-sol", (12401, 8367, 4032), 12401),
        ("us.openai.gpt-5.6-sol", (12399, 8367, 4032), 12399),
        # fewer than were cached: these counts are apart, as AWS's page has it
        ("us.openai.gpt-5.6-sol", _NET, 4995),
        ("us.openai.gpt-5.6-sol", (12398, 8367, 4032), 24797),
        ("us.anthropic.claude-opus-5", _GROSS, 9988),
        ("us.anthropic.claude-opus-5", (2, 13923, 7262), 21187),
        # nobody said which model it is
        ("", _GROSS, 9988),
    ],
)
def test_streams_of_some_models_count_cached_tokens_in_the_input(
    model: str, counts: tuple[int, int, int], read: int
) -> None:
    given = dict(
        zip(("inputTokens", "cacheReadInputTokens", "cacheWriteInputTokens"), counts, strict=True),
        outputTokens=19,
        totalTokens=sum(counts) + 19,
    )
    stream = module("bedrock_converse").stream(model=model)
    events = [
        *stream.feed({"messageStop": {"stopReason": "end_turn"}}),
        *stream.feed({"metadata": {"usage": given}}),
    ]
    (told,) = [event.data for event in events if event.kind == "usage"]
    usage = stream.close().usage
    assert told == usage
    assert (usage.input, usage.cache_read, usage.cache_write, usage.output) == (read, *counts[1:], 19)
    assert bool(usage.contradictions) == (usage.total != read + 19)
