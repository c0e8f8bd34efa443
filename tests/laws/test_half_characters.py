"""Halves of characters in answers, streams and errors: joined, or replaced with a note, so that all of it can be encoded."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from promptwire import Event, PromptwireError, Request, anthropic_messages, openai_chat, tool_result, user
from promptwire.errors import StreamError
from tests.answers import answers, module, streams

HIGH, LOW = "\ud83d", "\ude00"
EMOJI = "\U0001f600"
# the checksums of AWS's event streams would not fit
WIRES = sorted(
    {
        streamed.wire
        for streamed in streams()
        if hasattr(module(streamed.wire), "write_stream") and streamed.framing != "aws_event_stream"
    }
)
BY_WIRE = sorted({wire for wire, _, _ in answers()})


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """Yield the path of every text."""
    if isinstance(value, str):
        yield path
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from places(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from places(inner, (*path, number))


def with_half(body: Any, path: tuple[Any, ...]) -> Any:
    copy = json.loads(json.dumps(body))
    above = copy
    for key in path[:-1]:
        above = above[key]
    above[path[-1]] += HIGH
    return copy


def written(path: tuple[Any, ...]) -> str:
    text = "".join(f"[{key}]" if isinstance(key, int) else f".{key}" for key in path)
    return text.removeprefix("[0]").removeprefix(".")


@pytest.mark.parametrize("wire", BY_WIRE)
def test_an_answer_with_half_a_character_anywhere_is_read_written_and_continued(wire: str) -> None:
    api, read = module(wire), 0
    for _, _, body in [row for row in answers() if row[0] == wire]:
        for path in places(body):
            try:
                answer = api.read_answer(with_half(body, path))
            except PromptwireError as error:
                str(error).encode()
                continue
            read += 1
            replaced = [
                f"{note.path}.{note.field}".strip(".")
                for note in answer.deviations
                if note.action == "replaced"
            ]
            assert written(path) in replaced
            json.dumps(api.write_answer(answer), ensure_ascii=False).encode()
            if answer.unread:  # the half stands in a word that names a type
                continue
            results = [tool_result(call, "done") for call in answer.calls]
            asked = Request("m", [user("Hello")]).after(answer, *results, user("Go on"))
            anthropic_messages.build(asked, policies="lenient").json()
    assert read


def stream_of(wire: str, kind: str, pieces: Sequence[str]) -> bytes:
    """Return a stream whose events hold these pieces."""
    writer = module(wire).write_stream(id="i", model="m", created=1, policies="lenient")
    events = [Event(kind=kind, text=text, place=(0, 0)) for text in pieces]
    finish = "stop"
    if kind == "arguments":
        events.insert(0, Event(kind="call", id="call_1", name="f", place=(0, 0)))
        finish = "tool_calls"
    events.append(Event(kind="finish", name=finish, place=(0,)))
    raw: bytes = b"".join(map(writer.feed, events)) + writer.close()
    return raw


AROUND = {
    "text": ("Hello ", " world"),
    "reasoning": ("Hello ", " world"),
    "arguments": ('{"a": "Hello ', ' world"}'),
}
IN_PIECES = [
    (wire, kind)
    for wire in WIRES
    for kind, around in AROUND.items()
    if b'"QHQ' in stream_of(wire, kind, (around[0], "QHQ", around[1]))
]


@pytest.mark.parametrize(("wire", "kind"), IN_PIECES)
@pytest.mark.parametrize(
    ("marks", "wanted"),
    [
        (("QHQ", "QLQ"), EMOJI),
        (("QHQ", " and"), "\ufffd and"),
        ((" and", "QHQ"), " and\ufffd"),
        (("QLQ", "QHQ"), "\ufffd\ufffd"),
    ],
)
def test_halves_in_the_pieces_of_a_stream_are_joined_or_replaced(
    wire: str, kind: str, marks: tuple[str, str], wanted: str
) -> None:
    raw = stream_of(wire, kind, (AROUND[kind][0], *marks, AROUND[kind][1]))
    halves = raw.replace(b"QHQ", b"\\ud83d").replace(b"QLQ", b"\\ude00")
    stream = module(wire).stream()
    events = [event for byte in range(len(halves)) for event in stream.feed(halves[byte : byte + 1])]
    events += stream.rest()
    answer = stream.close()
    for event in events:
        (event.text + repr(event.data)).encode()
    heard = "".join([event.text for event in events if event.kind == kind])
    if kind == "arguments":
        (call,) = answer.calls
        assert json.loads(heard) == call.parsed_arguments == {"a": f"Hello {wanted} world"}
    else:
        assert heard == f"Hello {wanted} world" == (answer.text if kind == "text" else answer.reasoning)
    assert bool([note for note in answer.deviations if note.action == "replaced"]) == ("\ufffd" in wanted)


def chunk(number: int, **delta: Any) -> dict[str, Any]:
    return {"id": "c", "choices": [{"index": number, "delta": delta, "finish_reason": None}]}


def test_halves_of_two_candidates_that_alternate_are_joined() -> None:
    stream = openai_chat.stream()
    rows = [chunk(0, content=f"a{HIGH}"), chunk(1, content=f"b{HIGH}"), {"id": "c", "choices": []}]
    events = [
        event for row in [*rows, chunk(0, content=LOW), chunk(1, content=LOW)] for event in stream.feed(row)
    ]
    assert [(event.candidate, event.text) for event in events if event.kind == "text"] == [
        (0, "a"), (1, "b"), (0, EMOJI), (1, EMOJI)
    ]  # fmt: skip


def test_a_half_is_told_before_the_part_that_follows_and_before_the_error() -> None:
    stream = openai_chat.stream()
    rows = [
        chunk(0, reasoning_content=HIGH),
        chunk(0, content=f"a{HIGH}"),
        {"error": {"message": f"gone {HIGH}"}},
    ]
    events = [event for row in rows for event in stream.feed(row)]
    assert [(event.kind, event.text) for event in events] == [
        ("start", ""), ("reasoning", "\ufffd"), ("text", "a"), ("text", "\ufffd"), ("error", "")
    ]  # fmt: skip
    json.dumps(events[-1].data, ensure_ascii=False).encode()
    with pytest.raises(StreamError, match="gone \ufffd"):
        stream.close()


def test_escaped_halves_in_the_text_of_arguments_do_not_stop_the_conversation() -> None:
    call = {
        "id": "c1",
        "type": "function",
        "function": {"name": "f", "arguments": '{"city": "Oslo \\ud83d"}'},
    }
    message = {"role": "assistant", "content": None, "tool_calls": [call]}
    answer = openai_chat.read_answer(
        {"choices": [{"index": 0, "message": message, "finish_reason": "tool_calls"}]}
    )
    assert answer.calls[0].parsed_arguments == {"city": "Oslo \ufffd"}
    asked = Request("m", [user("Hello")]).after(answer, tool_result(answer.calls[0], "cold"))
    built = anthropic_messages.build(asked, policies="lenient")
    assert b"Oslo \xef\xbf\xbd" in built.json()


@pytest.mark.parametrize("wire", BY_WIRE)
def test_errors_and_lines_of_batches_hold_no_half(wire: str) -> None:
    error = module(wire).read_error(500, {"error": {"message": f"no {HIGH}", "type": f"t{HIGH}"}})
    repr((error.message, error.type, error.code)).encode()
    json.dumps(module(wire).write_error(error), ensure_ascii=False).encode()
    assert "no \ufffd" in error.message
