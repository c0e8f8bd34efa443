"""Bytes of streams to frames, however they are cut: server-sent events, JSON lines, one array, AWS messages."""

from __future__ import annotations

import json
from base64 import b64encode
from importlib import import_module
from typing import Any
from zlib import crc32

import pytest
from hypothesis import given, strategies as st

from promptwire.errors import AnswerError, InvalidRequest, StreamError
from tests.internals.runtime import FRAMED, FRAMINGS

Frames = list[tuple[str | None, Any]]


def frames(framing: str, chunks: list[bytes]) -> Frames:
    reader = FRAMINGS[framing]()
    return [tuple(frame) for chunk in chunks for frame in reader.feed(chunk)] + [
        tuple(frame) for frame in reader.close()
    ]


def outcome(framing: str, chunks: list[bytes]) -> tuple[Frames, str]:
    """Return the frames up to an error of ours, and the error."""
    reader = FRAMINGS[framing]()
    came: Frames = []
    try:
        for chunk in chunks:
            came += map(tuple, reader.feed(chunk))
        came += map(tuple, reader.close())
    except AnswerError as error:
        return came, str(error)
    return came, ""


def single(raw: bytes) -> list[bytes]:
    return [raw[place : place + 1] for place in range(len(raw))]


SSE: dict[str, tuple[bytes, Frames]] = {
    "LF": (b'data: {"a": 1}\n\n', [(None, {"a": 1})]),
    "CR": (b'data: {"a": 1}\r\rdata: 2\r\r', [(None, {"a": 1}), (None, 2)]),
    "CRLF": (b"event: x\r\ndata: 1\r\n\r\ndata: 2\r\n\r\n", [("x", 1), (None, 2)]),
    "all three": (b"event: x\rdata: 1\r\n\ndata: 2\n\r", [("x", 1), (None, 2)]),
    "byte order mark": (b"\xef\xbb\xbfdata: 1\n\n", [(None, 1)]),
    "a mark further on is text": (b"data: 1\n\n\xef\xbb\xbfdata: 2\n\n", [(None, 1)]),
    "comments": (b": ping\n\n:\n\ndata: 1\n: in between\n\n", [(None, 1)]),
    "several lines of data": (b'data: {"a":\ndata: 1}\n\n', [(None, {"a": 1})]),
    # rexxars/eventsource-parser/pull/31: GLM-4.7 and Kimi-K2.5 behind some hosts; ggml-org/llama.cpp/issues/14268
    "no blank lines": (
        b'data: {"a": 1}\ndata: {"a": 2}\ndata: [DONE]\n',
        [(None, {"a": 1}), (None, {"a": 2}), (None, "[DONE]")],
    ),
    "no blank lines between named events": (
        b'event: x\ndata: {"a": 1}\nevent: y\ndata: {"b": 1}\nid: 7\nevent: y\ndata: {"b": 2}\n\ndata: 1\n',
        [("x", {"a": 1}), ("y", {"b": 1}), ("y", {"b": 2}), (None, 1)],
    ),
    "a name behind the data": (b'data: {"a": 1}\nevent: x\n\n', [("x", {"a": 1})]),
    "an empty line of data behind an object": (b'data: {"a": 1}\ndata:\n\n', [(None, {"a": 1})]),
    "an object over three lines": (
        b'data: {"a": {}\ndata: ,"b": 1\ndata: }\n\n',
        [(None, {"a": {}, "b": 1})],
    ),
    "a field without colon": (b"data\n\nevent\ndata: 1\n\n", [(None, ""), ("", 1)]),
    "no blank behind the colon": (b"event:x\ndata:1\n\n", [("x", 1)]),
    "one blank goes, more stay": (b"data:  [DONE]\n\n", [(None, " [DONE]")]),
    "other fields": (b"id: 7\nretry: 10\nodd: 1\ndata: 1\n\n", [(None, 1)]),
    "a name without data": (b"event: x\n\ndata: 1\n\n", [(None, 1)]),
    "the last has no blank line": (b"data: 1\n\nevent: x\ndata: 2", [(None, 1), ("x", 2)]),
    "text": (b"data: [DONE]\n\n", [(None, "[DONE]")]),
    "other breaks are text": ("data: a\u2028b\x0bc\x85d\n\n".encode(), [(None, "a\u2028b\x0bc\x85d")]),
    "no UTF-8": (b'data: {"a": "\xff"}\n\n', [(None, {"a": "\ufffd"})]),
    "nothing": (b"", []),
}
LINES: dict[str, tuple[bytes, Frames]] = {
    "lines": (b'{"a": 1}\n{"b": "\xe2\x98\x83"}\n', [(None, {"a": 1}), (None, {"b": "☃"})]),
    "CRLF and blank lines": (b'{"a": 1}\r\n\r\n  \n{"b": 2}\r\n', [(None, {"a": 1}), (None, {"b": 2})]),
    "the last has no break": (b'{"a": 1}\n{"b": 2}', [(None, {"a": 1}), (None, {"b": 2})]),
    "byte order mark": (b"\xef\xbb\xbf{}\n", [(None, {})]),
}
ARRAYS: dict[str, tuple[bytes, Frames]] = {
    "elements": (b'[{"a": 1},\r\n{"b": [{}, []]}\n]\n', [(None, {"a": 1}), (None, {"b": [{}, []]})]),
    "texts with brackets": (
        rb'[{"a": "]}\"[{\\"}, {"b": "\\\\"}]',
        [(None, {"a": ']}"[{\\'}), (None, {"b": "\\\\"})],
    ),
    "characters of several bytes": ('[{"a": "☃☃"}]'.encode(), [(None, {"a": "☃☃"})]),
    "empty": (b" [ ] ", []),
    "nothing": (b"", []),
    "byte order mark": (b"\xef\xbb\xbf[{}]", [(None, {})]),
}
GOOD = [
    pytest.param(framing, raw, expected, id=f"{framing}-{name}")
    for framing, table in (("sse", SSE), ("ndjson", LINES), ("json_array", ARRAYS))
    for name, (raw, expected) in table.items()
]


@pytest.mark.parametrize(("framing", "raw", "expected"), GOOD)
def test_bytes_are_cut_into_frames(framing: str, raw: bytes, expected: Frames) -> None:
    assert frames(framing, [raw]) == expected
    assert frames(framing, single(raw)) == expected
    for place in range(len(raw)):
        assert frames(framing, [raw[:place], b"", raw[place:]]) == expected


def message(headers: bytes, payload: bytes) -> bytes:
    sizes = (16 + len(headers) + len(payload)).to_bytes(4, "big") + len(headers).to_bytes(4, "big")
    start = sizes + crc32(sizes).to_bytes(4, "big") + headers + payload
    return start + crc32(start).to_bytes(4, "big")


def header(name: str, value: bytes, kind: int = 7) -> bytes:
    size = len(value).to_bytes(2, "big") if kind in (6, 7) else b""
    return bytes([len(name)]) + name.encode() + bytes([kind]) + size + value


EVENT = header(":event-type", b"messageStop")
PLAIN = message(EVENT, b'{"stopReason": "end_turn"}')
ALL_KINDS = b"".join(
    [header(f"h{kind}", b"\0" * size, kind) for kind, size in {0: 0, 1: 0, 2: 1, 3: 2, 4: 4, 5: 8, 6: 3, 8: 8, 9: 16}.items()]
)  # fmt: skip
AWS: dict[str, tuple[bytes, Frames]] = {
    "an event": (PLAIN, [("messageStop", {"stopReason": "end_turn"})]),
    "two": (PLAIN * 2, [("messageStop", {"stopReason": "end_turn"})] * 2),
    "headers of every type": (message(ALL_KINDS + EVENT, b"{}"), [("messageStop", {})]),
    "no payload": (message(EVENT, b""), [("messageStop", {})]),
    "a header that is no UTF-8": (message(header(":event-type", b"a\xff"), b"{}"), [("a\ufffd", {})]),
    "a name of a header that is no UTF-8": (message(b"\x01\xff\x07\0\x01a" + EVENT, b"{}"), [("messageStop", {})]),
    "an exception": (
        message(
            header(":message-type", b"exception") + header(":exception-type", b"throttlingException"), b'{"message": "slow"}'
        ),
        [("error", {"type": "throttlingException", "message": "slow"})],
    ),
    "an error without payload": (
        message(header(":message-type", b"error") + header(":error-code", b"500"), b""), [("error", {"type": "500"})],
    ),
    "an event inside": (
        message(header(":event-type", b"chunk"), json.dumps({"bytes": b64encode(b'{"type": "ping"}').decode(), "p": "x"}).encode()),
        [(None, {"type": "ping"})],
    ),
}  # fmt: skip


@pytest.mark.parametrize(("raw", "expected"), AWS.values(), ids=AWS)
def test_aws_messages_are_taken_apart(raw: bytes, expected: Frames) -> None:
    assert frames("aws_event_stream", [raw]) == expected
    assert frames("aws_event_stream", single(raw)) == expected


def flipped(raw: bytes, place: int) -> bytes:
    return raw[:place] + bytes([raw[place] ^ 1]) + raw[place + 1 :]


BAD: dict[str, tuple[str, bytes, str]] = {
    "SSE that begins like JSON": ("sse", b'data: {"a": \n\n', "an event of the stream is no JSON"),
    "a line that is no JSON": ("ndjson", b"{}\nhello\n", "is no JSON: .*'hello'"),
    "a line that is cut": ("ndjson", b'{}\n{"a": ', "is no JSON"),
    "too deep": ("ndjson", b'{"a":' * 200 + b"1" + b"}" * 200, "nested deeper than 100 levels"),
    "much too deep": ("ndjson", b"[" * 100_000, "is no JSON"),
    "no array": ("json_array", b'{"error": {}}', "is no JSON array"),
    "a page": ("json_array", b"<html>{}</html>", "is no JSON array: '<html>'"),
    "an array of numbers": ("json_array", b"[1, 2]", "is not an object: '1, 2'"),
    "a number before an object": ("json_array", b"[1, {}]", "is not an object: '1,'"),
    "no comma": ("json_array", b"[{} {}]", "is not an object: ''"),
    "an array that is cut": ("json_array", b'[{}, {"a": ', "broke off inside its array"),
    "an array without end": ("json_array", b"[{}", "broke off inside its array"),
    "something behind": ("json_array", b"[{}] x", "something follows the array"),
    "two arrays": ("json_array", b"[{}][{}]", "is no JSON array"),
    "another bracket": ("json_array", b"[{}}", "is not an object"),
    "a wrong checksum of the prelude": ("aws_event_stream", flipped(PLAIN, 9), "a wrong checksum in its first bytes$"),
    "a wrong length": ("aws_event_stream", flipped(PLAIN, 3), "a wrong checksum in its first bytes$"),
    "a wrong checksum": ("aws_event_stream", flipped(PLAIN, len(PLAIN) - 1), "a wrong checksum$"),
    "a wrong byte": ("aws_event_stream", flipped(PLAIN, len(PLAIN) - 8), "a wrong checksum$"),
    "a message that is cut": ("aws_event_stream", PLAIN[:-1], "broke off inside a message"),
    "a prelude that is cut": ("aws_event_stream", PLAIN[:5], "broke off inside a message"),
    "a header of an unknown type": ("aws_event_stream", message(header("h", b"", 10), b"{}"), "unknown type: 10"),
    "a header that is cut": ("aws_event_stream", message(EVENT[:-1], b"{}"), "a header that is cut off"),
    "a header that ends at its name": ("aws_event_stream", message(b"\x05ab", b"{}"), "a header that is cut off"),
    "a payload that is no JSON": ("aws_event_stream", message(EVENT, b"hello"), "is no JSON"),
    "no base64": ("aws_event_stream", message(EVENT, b'{"bytes": "!"}'), "not base64"),
}  # fmt: skip


def too_short() -> bytes:
    sizes = (4).to_bytes(4, "big") + bytes(4)
    return sizes + crc32(sizes).to_bytes(4, "big")


def long_headers() -> bytes:
    sizes = (16).to_bytes(4, "big") + (9).to_bytes(4, "big")
    start = sizes + crc32(sizes).to_bytes(4, "big")
    return start + crc32(start).to_bytes(4, "big")


BAD |= {
    "an impossible length": ("aws_event_stream", too_short(), "an impossible length: 4 bytes"),
    "headers beyond the message": ("aws_event_stream", long_headers(), "headers that are longer than itself"),
}


@pytest.mark.parametrize(("framing", "raw", "why"), BAD.values(), ids=BAD)
def test_what_is_no_such_stream_is_refused(framing: str, raw: bytes, why: str) -> None:
    with pytest.raises(AnswerError, match=why):
        frames(framing, [raw])
    assert outcome(framing, single(raw))[1] != ""


@pytest.mark.parametrize("raw", [b"data: x", b"data: x\n" * 9, b"x"])
def test_what_never_ends_is_refused(raw: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("promptwire_runtime.answers.framing.LONGEST", 12)
    for framing in ("sse", "ndjson", "json_array"):
        with pytest.raises(AnswerError, match=r"longer than 64 MiB|is no JSON"):
            frames(framing, [raw] * 100)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=9,
)
OBJECTS = st.dictionaries(st.text(max_size=5), VALUES, max_size=4)
NAMES = st.none() | st.sampled_from(["messageStart", "content-delta"])


@given(st.sampled_from(sorted(FRAMED)), st.lists(st.tuples(NAMES, OBJECTS), max_size=5), st.data())
def test_frames_come_back_of_any_cut(framing: str, events: Frames, data: st.DataObject) -> None:
    writer = FRAMED[framing]()
    raw = b"".join([*[writer.frame(name, value) for name, value in events], writer.end()])
    places = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6)))
    chunks = [raw[a:b] for a, b in zip([0, *places], [*places, len(raw)], strict=True)]
    nameless = framing in ("ndjson", "json_array")
    # what is called `bytes` in an AWS message is an event of its own
    if framing == "aws_event_stream" and any(
        name and type(value.get("bytes")) is str for name, value in events
    ):
        return
    assert frames(framing, chunks) == [(None if nameless else name, value) for name, value in events]


PIECES = st.sampled_from(
    [b"data: ", b"event: x", b"\r", b"\n", b"\r\n", b"{", b"}", b"[", b"]", b'"', b"\\", b",", b"1", b":", b"\xe2\x98\x83", b"\xff",
     b"\xe2", b"\xef\xbb\xbf", b'{"a": "}"}', PLAIN, PLAIN[:9]]
)  # fmt: skip


@given(st.sampled_from(sorted(FRAMINGS)), st.lists(PIECES | st.binary(max_size=4), max_size=12), st.data())
def test_any_cut_of_any_bytes_gives_the_same(framing: str, pieces: list[bytes], data: st.DataObject) -> None:
    raw = b"".join(pieces)
    places = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=6)))
    chunks = [raw[a:b] for a, b in zip([0, *places], [*places, len(raw)], strict=True)]
    whole, cut, bytewise = (outcome(framing, each) for each in ([raw], chunks, single(raw)))
    assert whole[0] == cut[0] == bytewise[0]
    assert bool(whole[1]) == bool(cut[1]) == bool(bytewise[1])


MIB = "longer than 64 MiB"
NO_OBJECT = "an element of the stream's array is not an object: "
WORDS: list[tuple[str, bytes, str]] = [
    (
        "ndjson",
        b"hello\n",
        "an event of the stream is no JSON: Expecting value: line 1 column 1 (char 0): 'hello'",
    ),
    ("sse", b"data: x\n" * 9, f"an event of the stream is {MIB}"),
    ("sse", b"x" * 9 + b"y" * 9, f"a line of the stream is {MIB}"),
    ("json_array", b"[" + b" " * 20, f"an element of the stream is {MIB}"),
    ("json_array", b'[{"a": ', "the stream broke off inside its array: '{\"a\":'"),
    ("json_array", b"[", "the stream broke off inside its array: ''"),
    ("json_array", b"[{}]\xe2", "something follows the array of the stream: '\ufffd'"),
    ("json_array", b"[{}]\\", "something follows the array of the stream: '\\\\'"),
    ("json_array", b"[1]", NO_OBJECT + "'1'"),
    ("json_array", b"]", NO_OBJECT + "']'"),
    ("json_array", b"[}", NO_OBJECT + "'}'"),
]


@pytest.mark.parametrize(("framing", "raw", "why"), WORDS)
def test_what_is_wrong_with_a_stream_is_said_word_for_word(
    framing: str, raw: bytes, why: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("promptwire_runtime.answers.framing.LONGEST", 16)
    assert outcome(framing, single(raw))[1] == why


def test_aws_messages_are_written_with_their_headers() -> None:
    content = header(":content-type", b"application/json")
    event, failed = header(":message-type", b"event"), header(":message-type", b"exception")
    writer = FRAMED["aws_event_stream"]()
    inner = json.dumps({"bytes": b64encode(b'{"a":1}').decode()}, separators=(",", ":")).encode()
    assert [
        writer.frame("messageStop", {"a": 1}),
        writer.frame(None, {"a": 1}),
        writer.frame("error", {"type": "slow", "a": 1}),
        writer.end(),
    ] == [
        message(header(":event-type", b"messageStop") + content + event, b'{"a":1}'),
        message(header(":event-type", b"chunk") + content + event, inner),
        message(header(":exception-type", b"slow") + content + failed, b'{"a":1}'),
        b"",
    ]


@pytest.mark.parametrize("framing", FRAMED)
@pytest.mark.parametrize("data", [{"a": float("nan")}, {"a": "\ud800"}, "\ud800"])
def test_what_json_cannot_hold_is_not_written(framing: str, data: Any) -> None:
    with pytest.raises(InvalidRequest):
        FRAMED[framing]().frame(None, data)


def test_an_error_says_the_same_however_the_bytes_are_cut() -> None:
    raw = b'{"model": "m", "message": {"content": "hi"}}'
    said: set[str] = set()
    for cut in (1, 2, len(raw)):
        feed = FRAMINGS["json_array"]().feed
        pieces = [raw[start : start + cut] for start in range(0, len(raw), cut)]
        with pytest.raises(AnswerError) as refused:
            _ = [frame for piece in pieces for frame in feed(piece)]
        said.add(str(refused.value))
    assert said == {"the stream is no JSON array: '{'"}


@pytest.mark.parametrize("indent", [None, 2])
@pytest.mark.parametrize("size", [1, 7, 1000])
def test_a_bare_object_between_events_is_an_event(indent: int | None, size: int) -> None:
    """https://github.com/googleapis/js-genai/issues/1973."""
    failed = {"error": {"code": 503, "message": "Overloaded.", "status": "UNAVAILABLE"}}
    part = {"candidates": [{"content": {"parts": [{"text": "Hi"}], "role": "model"}, "index": 0}]}
    for between in ("\n\n", "\n"):
        raw = f"data: {json.dumps(part)}{between}{json.dumps(failed, indent=indent)}\n\n".encode()
        stream = import_module("promptwire.gemini_generate").stream()
        events = [event for at in range(0, len(raw), size) for event in stream.feed(raw[at : at + size])]
        assert [event.kind for event in (*events, *stream.rest())] == ["start", "text", "error"]
        with pytest.raises(StreamError, match="Overloaded") as broken:
            stream.close()
        assert broken.value.answer is not None
        assert broken.value.answer.text == "Hi"


def test_lines_that_only_begin_like_an_object_are_no_event() -> None:
    chunk = {"choices": [{"index": 0, "delta": {"content": "Hi"}, "finish_reason": "stop"}]}
    stream = import_module("promptwire.openai_chat").stream()
    raw = "\n".join(
        [": hello", "", "{ no object", "}", f"data: {json.dumps(chunk)}", "", "{" + "x" * 20_000, ""]
    )
    assert [event.text for event in stream.feed(raw.encode()) if event.kind == "text"] == ["Hi"]
    assert stream.close().text == "Hi"
