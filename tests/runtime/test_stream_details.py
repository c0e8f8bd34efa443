"""Details of streams that hosts rarely send: errors without JSON, unusual frames, and values without a field."""

from __future__ import annotations

import asyncio
from base64 import b64encode
from collections.abc import AsyncIterator
from types import SimpleNamespace
from typing import Any

import pytest

from promptwire import Answer, Event, InvalidRequest, Message, Reasoning, StreamError, Text, ToolCall
from promptwire_runtime.answers.answer import Candidate
from promptwire_runtime.answers.buffers import TextBuffer
from promptwire_runtime.answers.call_pieces import _is_whole
from promptwire_runtime.answers.events import events_of
from promptwire_runtime.answers.part_json import field_of
from tests.answers import module, stream_bytes

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
    with pytest.raises(StreamError, match=f"the stream tells an error: server: .*{text}"):
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
    body = {"error": {"message": "Slow down.", "retry_after": seconds}}
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
