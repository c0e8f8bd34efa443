"""A stream that is written: the events of each API in its own order, and what is read of them again."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest
from hypothesis import given, strategies as st

from promptwire import (
    Event,
    Note,
    anthropic_messages,
    bedrock_converse,
    gemini_generate,
    ollama_chat,
    ollama_generate,
    openai_chat,
    openai_responses,
)
from promptwire.errors import AnswerError, InvalidRequest, NoPlace, StreamError
from promptwire.results import Usage
from tests.answers import Streamed, answers, module, read_stream, streams
from tests.internals.runtime import FRAMINGS, Frame, StreamWriter
from tests.notes import changes, refused
from tests.searching import TESTED_WIRES
from tests.written_streams import differences, parts_said, said, tables, wires_of, written_again

WIRES = tuple(wire for wire in TESTED_WIRES if hasattr(module(wire), "write_stream"))
CALL = (1,)
COUNTS = ("input", "output", "cache_read", "cache_write", "reasoning", "total")
EVENTS = (
    Event(kind="start"),
    Event(kind="usage", data=Usage(input=9)),
    Event(kind="text", text="One "),
    Event(kind="text", text="moment."),
    Event(kind="call", id="c1", name="weather", place=CALL),
    Event(kind="arguments", text='{"city":', place=CALL),
    Event(kind="arguments", text='"Oslo"}', place=CALL),
    Event(kind="finish", name="tool_calls", text="TOOLS"),
    Event(kind="usage", data=Usage(input=9, output=5)),
)


def chunk(delta: dict[str, Any], finish: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {"id": "a1", "object": "chat.completion.chunk", "created": 7, "model": "m-1", "choices": [choice]}


def asked(**call: Any) -> dict[str, Any]:
    return chunk({"tool_calls": [{"index": 0, **call}]})


def gemini(*parts: Any, **more: Any) -> dict[str, Any]:
    candidate = {"content": {"parts": list(parts), "role": "model"}, **more.pop("candidate", {}), "index": 0}
    return {"modelVersion": "m-1", "responseId": "a1", "candidates": [candidate], **more}


ANTHROPIC_START: dict[str, Any] = {
    "id": "a1", "type": "message", "role": "assistant", "model": "m-1", "content": [], "stop_reason": None,
    "stop_sequence": None, "usage": {"input_tokens": 9, "output_tokens": 0},
}  # fmt: skip
WRITTEN: dict[str, list[tuple[str | None, Any]]] = {
    "openai_chat": [
        (None, chunk({"role": "assistant", "content": None})),
        (None, chunk({"content": "One "})),
        (None, chunk({"content": "moment."})),
        (None, asked(id="c1", type="function", function={"name": "weather", "arguments": ""})),
        (None, asked(function={"arguments": '{"city":'})),
        (None, asked(function={"arguments": '"Oslo"}'})),
        (None, chunk({}, "tool_calls")),
        (None, {**chunk({}), "choices": [], "usage": {"prompt_tokens": 9, "completion_tokens": 5, "total_tokens": 14}}),
        (None, "[DONE]"),
    ],
    "anthropic_messages": [
        ("message_start", {"type": "message_start", "message": ANTHROPIC_START}),
        ("content_block_start", {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}),
        ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "One "}}),
        ("content_block_delta", {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "moment."}}),
        ("content_block_stop", {"type": "content_block_stop", "index": 0}),
        (
            "content_block_start",
            {"type": "content_block_start", "index": 1, "content_block": {"type": "tool_use", "id": "c1", "name": "weather", "input": {}}},
        ),
        ("content_block_delta", {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '{"city":'}}),
        ("content_block_delta", {"type": "content_block_delta", "index": 1, "delta": {"type": "input_json_delta", "partial_json": '"Oslo"}'}}),
        ("content_block_stop", {"type": "content_block_stop", "index": 1}),
        (
            "message_delta",
            {"type": "message_delta", "delta": {"stop_reason": "tool_use", "stop_sequence": None}, "usage": {"input_tokens": 9, "output_tokens": 5}},
        ),
        ("message_stop", {"type": "message_stop"}),
    ],
    "gemini_generate": [
        (None, gemini({"text": "One "})),
        (None, gemini({"text": "moment."})),
        (None, gemini({"functionCall": {"id": "c1", "name": "weather", "args": {"city": "Oslo"}}})),
        (
            None,
            gemini(
                candidate={"finishReason": "STOP"},
                usageMetadata={"promptTokenCount": 9, "candidatesTokenCount": 5, "totalTokenCount": 14},
            ),
        ),
    ],
    "bedrock_converse": [
        ("messageStart", {"role": "assistant"}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "One "}}),
        ("contentBlockDelta", {"contentBlockIndex": 0, "delta": {"text": "moment."}}),
        ("contentBlockStop", {"contentBlockIndex": 0}),
        ("contentBlockStart", {"contentBlockIndex": 1, "start": {"toolUse": {"toolUseId": "c1", "name": "weather"}}}),
        ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '{"city":'}}}),
        ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"toolUse": {"input": '"Oslo"}'}}}),
        ("contentBlockStop", {"contentBlockIndex": 1}),
        ("messageStop", {"stopReason": "tool_use"}),
        ("metadata", {"usage": {"inputTokens": 9, "outputTokens": 5, "totalTokens": 14}}),
    ],
}  # fmt: skip


def frames(wire: str, raw: bytes) -> list[Frame]:
    framing = FRAMINGS[module(wire).write_stream().framing]()
    return [*framing.feed(raw), *framing.close()]


def write(writer: StreamWriter, events: Sequence[Event]) -> bytes:
    return b"".join([*[writer.feed(event) for event in events], writer.close()])


@pytest.mark.parametrize("wire", WRITTEN)
def test_events_are_written_in_the_order_of_the_api(wire: str) -> None:
    notes: list[Note] = []
    raw = write(module(wire).write_stream(id="a1", model="m-1", created=7, notes=notes, usage=True), EVENTS)
    assert [tuple(frame) for frame in frames(wire, raw)] == WRITTEN[wire]
    assert notes == []


def test_responses_tell_each_part_three_times_and_number_their_events() -> None:
    raw = write(openai_responses.write_stream(id="a1", model="m-1", created=7, usage=True), EVENTS)
    data = [frame.data for frame in frames("openai_responses", raw)]
    assert [frame.name for frame in frames("openai_responses", raw)] == [event["type"] for event in data]
    assert [event["sequence_number"] for event in data] == list(range(len(data)))
    assert [event["type"].removeprefix("response.") for event in data] == [
        "created", "output_item.added", "content_part.added", "output_text.delta", "output_text.delta", "output_text.done",
        "content_part.done", "output_item.done", "output_item.added", "function_call_arguments.delta",
        "function_call_arguments.delta", "function_call_arguments.done", "output_item.done", "completed",
    ]  # fmt: skip
    last = data[-1]["response"]
    assert last["output"] == [event["item"] for event in data if event["type"] == "response.output_item.done"]
    assert last["usage"] == {
        "input_tokens": 9,
        "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
        "output_tokens": 5,
        "output_tokens_details": {"reasoning_tokens": 0},
        "total_tokens": 14,
    }
    answer = openai_responses.read_answer(last)
    assert (answer.text, answer.finish, answer.id) == ("One moment.", "tool_calls", "a1")
    assert [(call["call_id"], call["name"], call["arguments"]) for call in last["output"][1:]] == [
        ("c1", "weather", '{"city":"Oslo"}')
    ]


def test_a_limit_is_told_with_its_reason() -> None:
    raw = write(openai_responses.write_stream(), [Event(kind="finish", name="length", text="max_tokens")])
    last = frames("openai_responses", raw)[-1].data
    assert (last["type"], last["response"]["incomplete_details"]) == (
        "response.incomplete",
        {"reason": "max_output_tokens"},
    )


@pytest.mark.parametrize("wire", WIRES)
def test_pieces_are_written_as_they_come(wire: str) -> None:
    writer, stream = module(wire).write_stream(), module(wire).stream()
    for event in EVENTS[2:4]:
        assert event.text in [read.text for read in stream.feed(writer.feed(event))]


@pytest.mark.parametrize("example", streams(), ids=str)
def test_examples_written_are_read_as_the_same(example: Streamed) -> None:
    events, answer = read_stream(example.wire, [example.bytes()])
    for wire in wires_of(example.wire):
        assert differences(events, written_again(events, wire), wire) == [], wire
    if example.wire not in WIRES:
        return
    again = written_again(events, example.wire)
    if example.wire == "gemini_generate":
        # it has a form for arguments in pieces, which is not written
        again, events = with_whole_arguments(again), with_whole_arguments(events)
    assert [told(event) for event in again if content(event)] == [
        told(event) for event in events if content(event)
    ]
    assert counted(said(again).usage) == counted(answer.usage)


@pytest.mark.parametrize("example", [row for row in streams() if row.wire in WIRES], ids=str)
def test_examples_written_on_their_own_wire_are_the_same_answer(example: Streamed) -> None:
    events, answer = read_stream(example.wire, [example.bytes()])
    again = read_stream(example.wire, [write(module(example.wire).write_stream(), events)])[1]
    assert parts_said(again) == parts_said(answer)


def with_whole_arguments(events: list[Event]) -> list[Event]:
    """Join the pieces of arguments, spelled as JSON is here."""
    joined: list[Event] = []
    for event in events:
        if joined and (event.kind, joined[-1].kind, event.place) == (
            "arguments",
            "arguments",
            joined[-1].place,
        ):
            joined[-1] = joined[-1].again(joined[-1].text + event.text)
        else:
            joined.append(event)
    return [
        event.again(json.dumps(json.loads(event.text))) if event.kind == "arguments" else event
        for event in joined
    ]


def counted(usage: Usage | None) -> dict[str, int] | None:
    """Return the counts, without those that are not known and stand as zero where an API always gives them."""
    return None if usage is None else {name: count for name in COUNTS if (count := getattr(usage, name))}


def content(event: Event) -> bool:
    return event.kind in ("text", "reasoning", "refusal", "call") or (
        event.kind == "arguments" and event.text != "{}"
    )


def told(event: Event) -> tuple[Any, ...]:
    return event.kind, event.text, event.id, event.name, event.candidate


@pytest.mark.parametrize(
    "row", [row for row in answers() if row[0] in WIRES], ids=lambda row: f"{row[0]}: {row[1]}"
)
def test_whole_answers_are_written_as_streams(row: tuple[str, str, dict[str, Any]]) -> None:
    answer = module(row[0]).read_answer(row[2])
    notes: list[Note] = []
    raw = (
        module(row[0])
        .write_stream(id="a1", model="m", usage=True, policies="lenient", notes=notes)
        .answer(answer)
    )
    again = read_stream(row[0], [raw])[1]
    if not notes:
        assert (again.text, again.refusal, again.finish) == (answer.text, answer.refusal, answer.finish)
        assert [(call.id, call.name) for call in again.calls] == [
            (call.id, call.name) for call in answer.calls
        ]
        assert counted(again.usage) == counted(answer.usage)


PIECES = st.lists(
    st.text(min_size=1, max_size=6).filter(lambda text: not text.isspace()), min_size=1, max_size=3
)
JSON = st.dictionaries(st.text(max_size=4), st.text(max_size=4) | st.integers() | st.none(), max_size=2)
PARTS = st.lists(
    st.tuples(st.sampled_from(["text", "reasoning", "refusal"]), PIECES) | st.tuples(st.just("call"), JSON),
    max_size=6,
)


def events_of(parts: list[tuple[str, Any]], candidate: int) -> list[list[Event]]:
    """Return the events of each part."""
    rows: list[list[Event]] = []
    for number, (kind, inside) in enumerate(parts):
        place = (candidate, number)
        if kind != "call":
            rows.append([Event(kind=kind, text=text, place=place, candidate=candidate) for text in inside])
            continue
        text = json.dumps(inside)
        half = len(text) // 2
        call = Event(
            kind="call", id=f"c{candidate}{number}", name=f"f{number}", place=place, candidate=candidate
        )
        pieces = [text[:half], text[half:]] if inside else []
        rows.append(
            [call, *[Event(kind="arguments", text=text, place=place, candidate=candidate) for text in pieces]]
        )
    return rows


@given(st.sampled_from(WIRES), PARTS, PARTS, st.sampled_from(["stop", "length", "tool_calls"]), st.data())
def test_events_written_and_read_again_say_the_same(
    wire: str, first: list[tuple[str, Any]], second: list[tuple[str, Any]], finish: str, data: st.DataObject
) -> None:
    rows = [*events_of(first, 0), *(events_of(second, 1) if tables(wire)[0].candidate is not None else [])]
    mixed = data.draw(st.permutations(range(len(rows)))) if data.draw(st.booleans()) else range(len(rows))
    # the arguments of calls may come when other parts have begun
    late = [event for number in mixed for event in rows[number] if event.kind == "arguments"]
    early = [event for number in mixed for event in rows[number] if event.kind != "arguments"]
    inline = [event for number in mixed for event in rows[number]]
    content = early + late if data.draw(st.booleans()) else inline
    numbers = {event.candidate for event in content} or {0}
    ends = [Event(kind="finish", name=finish, text="?", candidate=number) for number in sorted(numbers)]
    usage = Event(kind="usage", data=Usage(input=7, output=5, total=12))
    events = [Event(kind="start"), *content, *ends, usage]
    assert differences(events, written_again(events, wire), wire) == []


def test_arguments_of_several_calls_at_once_wait_for_their_turn() -> None:
    writer = anthropic_messages.write_stream()
    first, second = (
        Event(kind="call", id=name, name=name, place=(number,)) for number, name in enumerate("ab")
    )
    assert b'"id":"a"' in writer.feed(first)
    assert writer.feed(second) == b""
    assert writer.feed(Event(kind="arguments", text='{"x":', place=(1,))) == b""
    ready = writer.feed(Event(kind="arguments", text="{}", place=(0,)))
    pieces = [b'"partial_json":"{}"', b"content_block_stop", b'"id":"b"', rb'"partial_json":"{\"x\":"']
    assert [ready.index(piece) for piece in pieces] == sorted(map(ready.index, pieces))
    assert rb'"partial_json":"1}"' in writer.feed(Event(kind="arguments", text="1}", place=(1,)))
    assert writer.close().count(b"content_block_stop") == 2  # name and data
    with pytest.raises(AnswerError, match="the stream is closed"):
        writer.feed(first)
    assert writer.close() == b""


def test_arguments_after_the_end_of_a_call_are_an_error() -> None:
    writer = anthropic_messages.write_stream()
    writer.feed(Event(kind="call", id="a", name="f"))
    writer.feed(Event(kind="arguments", text="{}"))
    writer.feed(Event(kind="text", text="Hi", place=(1,)))
    with pytest.raises(AnswerError, match="arguments of the call f came after it had ended: 'x'"):
        writer.feed(Event(kind="arguments", text="x"))


def test_what_has_no_place_is_an_error_or_a_note() -> None:
    thought = Event(kind="reasoning", text="Hm")
    with refused(NoPlace, "messages[0].reasoning"):
        openai_chat.write_stream().feed(thought)
    notes: list[Note] = []
    writer = openai_chat.write_stream(policies="lenient", notes=notes)
    assert writer.feed(thought) + writer.feed(thought) == b""
    other = Event(kind="unknown", name="ping", data={})
    assert writer.feed(other) == writer.feed(Event(kind="arguments", text="{}", place=(9,))) == b""
    assert changes(notes) == [
        "dropped messages[0].reasoning",
        "dropped messages[0].ping",
        "dropped messages[0].arguments",
    ]
    with refused(NoPlace, "messages[1].candidate"):
        anthropic_messages.write_stream().feed(Event(kind="text", text="Hi", candidate=1))


def test_a_kind_that_a_dialect_takes_from_its_parent_has_no_place() -> None:
    call = Event(kind="call", id="c1", name="weather", place=CALL)
    with refused(NoPlace, "messages[0].call"):
        ollama_generate.write_stream().feed(call)
    notes: list[Note] = []
    assert ollama_generate.write_stream(policies="lenient", notes=notes).feed(call) == b""
    assert changes(notes) == ["dropped messages[0].call"]


def test_an_id_that_is_missing_is_made() -> None:
    notes: list[Note] = []
    writer = openai_chat.write_stream(id="a1", notes=notes)
    call = Event(kind="call", name="now")
    assert b'"id":"call_' in writer.feed(call)
    assert changes(notes) == ["added messages[0].id"]
    assert b'"id"' not in ollama_chat.write_stream(id="a1").answer(
        ollama_chat.read_answer({"message": {"content": "Hi"}})
    )


def test_arguments_that_are_no_object_are_refused_where_an_api_takes_no_other() -> None:
    events = [Event(kind="call", name="f"), Event(kind="arguments", text='{"a": ')]
    assert differences(events, written_again(events, "openai_chat"), "openai_chat") == []
    with pytest.raises(InvalidRequest, match="Gemini generateContent takes arguments that are a JSON object"):
        write(gemini_generate.write_stream(), events)


ERRORS = ({"error": {"message": "slow down"}}, {"message": "slow down"}, {"error": "slow down"}, "slow down")


@pytest.mark.parametrize("wire", WIRES)
@pytest.mark.parametrize("error", ERRORS, ids=str)
def test_an_error_ends_a_stream(wire: str, error: Any) -> None:
    raw = write(
        module(wire).write_stream(),
        [Event(kind="text", text="Hi"), Event(kind="error", data=error), EVENTS[3]],
    )
    stream = module(wire).stream()
    stream.feed(raw)
    with pytest.raises(StreamError, match="slow down"):
        stream.close()


def test_counts_that_nobody_told_are_noted() -> None:
    notes: list[Note] = []
    write(anthropic_messages.write_stream(notes=notes), [Event(kind="text", text="Hi")])
    assert changes(notes) == ["missing usage", "missing finish"]


def test_the_framing_may_be_another() -> None:
    raw = write(gemini_generate.write_stream(framing="json_array"), EVENTS)
    assert [event["modelVersion"] for event in json.loads(raw)] == [""] * 4
    assert write(bedrock_converse.write_stream(), EVENTS)[:4] != b"data"
    with pytest.raises(AnswerError, match="unknown framing 'xml'"):
        openai_chat.write_stream(framing="xml")


# openrouter.ai/docs/use-cases/reasoning-tokens: `reasoning` is the text of `reasoning_details`
@pytest.mark.parametrize(
    "wire", ["openrouter_chat", "gemini_generate", "ollama_chat", "deepseek_chat", "anthropic_messages"]
)
def test_thinking_that_an_answer_says_twice_is_written_once(wire: str) -> None:
    details = [{"type": "reasoning.text", "text": "Hm", "signature": "s", "index": 0}]
    message = {"role": "assistant", "content": "Hi", "reasoning": "Hm", "reasoning_details": details}
    answer = module("openrouter_chat").read_answer(
        {"choices": [{"message": message, "finish_reason": "stop"}]}
    )
    stream = module(wire).stream()
    writer = module(wire).write_stream(id="a", model="m", created=1, policies="lenient")
    events = stream.feed(writer.answer(answer))
    assert "".join(event.text for event in events if event.kind == "reasoning") == "Hm"
    assert stream.close().reasoning == answer.reasoning == "Hm"


@pytest.mark.parametrize("name", ["summary", "texts"])
def test_each_text_of_thinking_is_one_of_the_item_that_ends_it(name: str) -> None:
    texts = ["One.", "Two."]
    writer = module("openai_responses").write_stream(id="a", model="m", created=1)
    told = [
        Event(kind="reasoning", text=text, name=name, place=(0, number), part=0)
        for number, text in enumerate(texts)
    ]
    raw = b"".join([*map(writer.feed, told), writer.close()])
    stream = module("openai_responses").stream()
    events = stream.feed(raw)
    assert [event.text for event in events if event.kind == "reasoning"] == texts
    assert not [event for event in events if event.kind in ("problem", "replaced")]
    (item,) = stream.close().raw["output"]
    assert [text["text"] for text in item["summary" if name == "summary" else "content"]] == texts
