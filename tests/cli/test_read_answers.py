"""`promptwire read` of answers, streams in every framing, and errors; it says which of them the file is."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from struct import pack
from typing import Any
from zlib import crc32

import pytest

from .conftest import Gen

CALL = {"id": "call_1", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}
ANSWER: dict[str, Any] = {
    "id": "a1",
    "object": "chat.completion",
    "created": 1790000000,
    "model": "gpt-5.4",
    "choices": [
        {
            "index": 0,
            "message": {"role": "assistant", "content": "One moment.", "tool_calls": [CALL]},
            "finish_reason": "stop",
        }
    ],
    "usage": {
        "prompt_tokens": 20,
        "completion_tokens": 9,
        "total_tokens": 29,
        "prompt_tokens_details": {"cached_tokens": 16},
    },
    "x_host": "north",
}
SHOWN = """\
id: a1
model: gpt-5.4
finish: tool_calls
finish_raw: stop
usage:
  input: 20
  output: 9
  cache_read: 16
  total: 29
message:
  assistant:
  - One moment.
  - tool_call:
      id: call_1
      name: weather
      arguments: '{"city":"Oslo"}'
options:
  openai_chat:
    created: 1790000000
# an answer: understood 16 of 17 leaves, 1 only kept
#   kept Answer.x_host
"""
CHUNKS: list[dict[str, Any]] = [
    {"id": "a2", "created": 1, "model": "m", "choices": [{"index": 0, "delta": {"role": "assistant", "content": "Fo"}}]},
    {"id": "a2", "created": 1, "model": "m", "choices": [{"index": 0, "delta": {"content": "ur."}, "finish_reason": "stop"}]},
]  # fmt: skip
STREAMED = """\
id: a2
model: m
finish: stop
message:
  assistant: Four.
options:
  openai_chat:
    created: 1
# a recorded stream ({framing}) of events: 1 start, 2 text, 1 vendor, 1 finish
# its answer: understood 7 of 7 leaves, 0 only kept
"""
ERROR = {"error": {"message": "Slow down", "type": "requests", "code": "rate", "param": None}}


def server_sent(chunks: list[dict[str, Any]]) -> bytes:
    """Events as most APIs send them, with a comment line before."""
    return b": ping\n\n" + b"".join(b"data: " + json.dumps(each).encode() + b"\n\n" for each in chunks)


def aws_message(name: str, data: dict[str, Any]) -> bytes:
    """One message of an AWS event stream."""
    payload = json.dumps(data).encode()
    headers = b"".join(
        bytes([len(key)]) + key + b"\x07" + pack(">H", len(value)) + value
        for key, value in ((b":event-type", name.encode()), (b":message-type", b"event"))
    )
    prelude = pack(">II", 16 + len(headers) + len(payload), len(headers))
    message = prelude + pack(">I", crc32(prelude)) + headers + payload
    return message + pack(">I", crc32(message))


STREAMS: list[tuple[str, Callable[[list[dict[str, Any]]], bytes]]] = [
    ("server-sent events", server_sent),
    ("JSON lines", lambda chunks: b"".join(json.dumps(each).encode() + b"\n" for each in chunks)),
    ("a JSON array", lambda chunks: json.dumps(chunks, indent=1).encode()),
    ("an AWS event stream", lambda chunks: b"".join(aws_message("chunk", each) for each in chunks)),
]


@pytest.fixture
def answer(tmp_path: Path) -> str:
    """A file with an answer."""
    file = tmp_path / "answer.json"
    file.write_text(json.dumps(ANSWER))
    return str(file)


def test_an_answer_is_shown_and_named(answer: str, cli: Gen) -> None:
    assert cli("read", "openai_chat", answer).stdout == SHOWN


def test_an_answer_as_json_has_everything(answer: str, cli: Gen) -> None:
    said = json.loads(cli("read", "openai_chat", answer, "--json").stdout)
    (candidate,) = said["answer"].pop("candidates")
    assert said == {
        "read_as": "answer",
        "answer": {
            "id": "a1",
            "model": "gpt-5.4",
            "usage": {"input": 20, "output": 9, "cache_read": 16, "total": 29},
            "vendor": {"openai_chat": {"created": 1790000000}},
        },
        "leaves": 17,
        "understood": 16,
        "kept": 1,
        "unknown": {"Answer.x_host": 1},
    }
    assert (candidate["finish"], candidate["finish_raw"], candidate["index"]) == ("tool_calls", "stop", 0)


def test_several_candidates_stand_in_a_list(cli: Gen) -> None:
    second = {"index": 1, "message": {"role": "assistant", "content": "Well,"}, "finish_reason": "length"}
    body = ANSWER | {"choices": [*ANSWER["choices"], second]}
    shown = cli("read", "openai_chat", "-", stdin=json.dumps(body)).stdout
    assert "\n- index: 1\n  finish: length\n  message:\n    assistant: Well,\n" in shown


@pytest.mark.parametrize(("framing", "encoded"), STREAMS)
def test_a_stream_is_known_by_its_bytes(
    tmp_path: Path, cli: Gen, framing: str, encoded: Callable[[list[dict[str, Any]]], bytes]
) -> None:
    file = tmp_path / "stream"
    file.write_bytes(encoded(CHUNKS))
    result = cli("read", "openai_chat", str(file))
    assert (result.exit_code, result.stdout) == (0, STREAMED.format(framing=framing))


def test_a_stream_as_json_has_its_events(cli: Gen) -> None:
    said = json.loads(cli("read", "openai_chat", "-", "--json", stdin=server_sent(CHUNKS)).stdout)
    assert (said["read_as"], said["framing"], said["trouble"]) == ("stream", "sse", None)
    assert said["events"] == [
        {"kind": "start"},
        {"kind": "text", "text": "Fo", "place": [0]},
        {"kind": "text", "text": "ur.", "place": [0]},
        {"kind": "vendor", "data": {"openai_chat": {"created": 1}}},
        {"kind": "finish", "text": "stop", "name": "stop", "place": [0]},
    ]


def test_what_came_of_a_broken_stream_is_shown_and_the_exit_code_tells(cli: Gen) -> None:
    result = cli("read", "openai_chat", "-", stdin=server_sent(CHUNKS[:1]))
    assert result.exit_code == 2
    assert "message:\n  assistant: Fo\n" in result.stdout
    assert (
        result.stderr == "promptwire: OpenAI Chat Completions: the stream broke off before the answer ended\n"
    )


def test_an_error_is_named(cli: Gen) -> None:
    assert cli("read", "openai_chat", "-", stdin=json.dumps(ERROR)).stdout == (
        "message: Slow down\ntype: requests\ncode: rate\n"
        "# an error; its kind depends on the HTTP status, which no body says\n"
    )
    known = {"error": ERROR["error"] | {"code": "context_length_exceeded"}}
    said = json.loads(cli("read", "openai_chat", "-", "--json", stdin=json.dumps(known)).stdout)
    assert said == {
        "read_as": "error",
        "error": {
            "error": "too_large",
            "message": "Slow down",
            "type": "requests",
            "code": "context_length_exceeded",
        },
    }


def test_an_answer_goes_to_another_wire_with_what_was_lost(answer: str, cli: Gen) -> None:
    arguments = ("read", "openai_chat", answer, "--to", "anthropic_messages", "--model", "claude-haiku-4-5")
    said = json.loads(cli(*arguments, "--json").stdout)
    assert said["body"] == {
        "id": "a1",
        "type": "message",
        "model": "claude-haiku-4-5",
        "stop_reason": "tool_use",
        "stop_sequence": None,
        "usage": {"input_tokens": 4, "output_tokens": 9, "cache_read_input_tokens": 16},
        "role": "assistant",
        "content": [
            {"type": "text", "text": "One moment."},
            {"type": "tool_use", "id": "call_1", "name": "weather", "input": {"city": "Oslo"}},
        ],
    }
    assert [(note["action"], note["field"]) for note in said["notes"]] == [
        ("dropped", "vendor.openai_chat.created"),
        ("dropped", "x_host"),
    ]
    assert cli(*arguments).stdout.endswith(
        "\nnotes:\n"
        "  dropped vendor.openai_chat.created: only openai_chat has this key\n"
        "  dropped x_host: only openai_chat has this key\n"
    )


def test_a_stream_goes_to_another_wire_as_a_whole_answer(cli: Gen) -> None:
    moved = cli("read", "openai_chat", "-", "--to", "ollama_chat", stdin=server_sent(CHUNKS))
    assert json.loads(moved.stdout.partition("\n\nnotes:")[0])["message"] == {
        "role": "assistant",
        "content": "Four.",
    }


@pytest.mark.parametrize(
    ("wire", "options", "stdin", "message"),
    [
        ("openai_chat", ("--to", "onnx_genai"), json.dumps(ANSWER), "onnx_genai: its spec does not say what"),
        ("openai_chat", ("--to", "ollama_chat"), json.dumps(ERROR), "the file holds an error"),
        ("openai_chat", ("--to", "ollama_chat", "--max-tokens", "9"), json.dumps(ANSWER), "--max-tokens is for requests"),
        ("openai_chat", (), '{"x": 1}', "promptwire: openai_chat: "),
        ("openai_chat", (), "data: {\n\n", "an event of the stream is no JSON"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_said(
    cli: Gen, wire: str, options: tuple[str, ...], stdin: str, message: str
) -> None:
    result = cli("read", wire, "-", *options, stdin=stdin)
    assert result.exit_code == 2
    assert message in result.stderr


def test_a_request_stays_a_request(cli: Gen) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    said = json.loads(cli("read", "openai_chat", "-", "--json", stdin=json.dumps(body)).stdout)
    assert said["read_as"] == "request"
