"""Edges of streams that are written: which bytes come with which event, whole events, and notes word for word."""

from __future__ import annotations

import json
from collections.abc import Sequence
from types import MappingProxyType
from typing import Any

import pytest

from promptwire import Answer, Event, Message, Note, Reasoning, Text, ToolCall
from promptwire.errors import AnswerError, InvalidRequest, NoPlace
from promptwire.parts import CustomToolCall, HostedCall, Refusal
from promptwire.results import Candidate, Usage
from tests.answers import module
from tests.internals.runtime import FRAMINGS, events_of
from tests.searching import TESTED_WIRES

NO_COUNTS = "missing usage: Anthropic Messages always gives it, and nothing is known"
NO_FINISH = "missing finish: nothing says why the answer ended"


def written(wire: str, events: Sequence[Event], **keys: Any) -> tuple[list[list[Any]], list[str]]:
    """Return what each event completes, and at last what the end does, as the data of events; and the notes."""
    notes: list[Note] = []
    known = {"id": "a1", "model": "m", "created": 5, "usage": True, "policies": "lenient"}
    writer = module(wire).write_stream(**{**known, **keys}, notes=notes)
    framing = FRAMINGS[writer.framing]()
    came = [[frame.data for frame in framing.feed(writer.feed(event))] for event in events]
    return [*came, [frame.data for frame in framing.feed(writer.close())]], [*map(str, notes)]


def chunk(delta: dict[str, Any], finish: str | None = None, index: int = 0) -> dict[str, Any]:
    choice = {"index": index, "delta": delta, "finish_reason": finish}
    return {"id": "a1", "object": "chat.completion.chunk", "created": 5, "model": "m", "choices": [choice]}


BEGIN = chunk({"role": "assistant", "content": None})


def asked(number: int, **call: Any) -> dict[str, Any]:
    return chunk({"tool_calls": [{"index": number, **call}]})


def begun(number: int, identity: str, name: str = "f") -> dict[str, Any]:
    return asked(number, id=identity, type="function", function={"name": name, "arguments": ""})


def blocks(came: list[list[Any]]) -> list[list[str]]:
    """Return the events of an Anthropic stream in short: `0+` begins a block, `0-` ends it, and pieces stand between."""
    short: list[list[str]] = []
    for rows in came:
        short.append([])
        for row in rows:
            kind = row["type"].removeprefix("content_block_")
            if kind == "start":
                inner = row["content_block"]
                short[-1].append(f"{row['index']}+ {inner['type']} {inner.get('id', '')}".strip())
            elif kind == "delta":
                *_, piece = row["delta"].values()
                short[-1].append(f"{row['index']}  {piece}")
            elif kind == "stop":
                short[-1].append(f"{row['index']}-")
    return short


def said(*parts: Any, **keys: Any) -> Message:
    return Message("assistant", parts, **keys)


def call(identity: str, number: int, name: str = "f") -> Event:
    return Event(kind="call", id=identity, name=name, place=(number,))


def test_a_stream_of_nothing_has_one_candidate() -> None:
    assert written("openai_chat", []) == ([[BEGIN, chunk({}, "stop"), "[DONE]"]], [NO_FINISH])


def test_an_envelope_holds_all_events_but_an_error() -> None:
    text = Event(kind="text", text="Hi")
    begin = [
        {"messageStart": {"role": "assistant"}},
        {"contentBlockDelta": {"contentBlockIndex": 0, "delta": {"text": "Hi"}}},
    ]
    end = [{"contentBlockStop": {"contentBlockIndex": 0}}, {"messageStop": {"stopReason": "end_turn"}}]
    counts = "missing usage: Amazon Nova on Bedrock InvokeModel always gives it, and nothing is known"
    finish = Event(kind="finish", name="stop")
    assert written("bedrock_nova", [text, finish]) == ([begin, [], end], [counts])
    error = {"type": "internalServerException", "message": "no"}
    assert written("bedrock_nova", [text, Event(kind="error", data="no")]) == ([begin, [error], []], [])  # fmt: skip


def test_keys_that_a_part_began_with_stand_in_its_first_piece_alone() -> None:
    body = {
        "candidates": [{"content": {"role": "model", "parts": [{"text": "ab", "partMetadata": {"k": 1}}]}}]
    }
    began = module("gemini_generate").read_answer(body).message
    same: dict[str, Any] = {"kind": "text", "part": 0, "place": (0, 0)}
    came, notes = written("gemini_generate", [Event(text="a", data=began, **same), Event(text="b", **same)])
    parts = [row["candidates"][0]["content"]["parts"] for rows in came for row in rows]
    assert parts == [[{"text": "a", "partMetadata": {"k": 1}}], [{"text": "b"}], []]
    assert notes == [NO_FINISH]


def test_a_part_is_written_with_all_keys_that_say_something() -> None:
    """What is empty is left out, and any text that is not empty stays."""
    parts = [
        {"text": "a", "thoughtSignature": "~"},
        {"text": "b", "thoughtSignature": ""},
        {"functionCall": {"name": "f", "args": {}}, "thoughtSignature": "~"},
    ]
    body = {"candidates": [{"content": {"role": "model", "parts": parts}, "finishReason": "STOP"}]}
    came, notes = written("gemini_generate", [*events_of(module("gemini_generate").read_answer(body))])
    rows = [row["candidates"][0]["content"]["parts"] for rows in came for row in rows]
    assert rows == [[parts[0]], [{"text": "b"}], [parts[2]], []]
    assert notes == []


def test_ids_that_no_api_gave_follow_from_the_answer_the_place_and_the_name() -> None:
    made = "call_cf02a20cf39ddde483bec759", "call_54dc3fb102a0279cbd40f7fe"
    events = [
        Event(kind="text", text="Hi"),
        Event(kind="call", name="f"),
        Event(kind="call", name="g", place=(1,)),
    ]
    came, notes = written("openai_chat", events)
    calls = [
        row["choices"][0]["delta"]["tool_calls"][0]
        for rows in came
        for row in rows
        if row != "[DONE]" and "tool_calls" in row["choices"][0]["delta"]
    ]
    assert [row["id"] for row in calls if "id" in row] == [*made]
    assert notes == ["added messages[0].id: OpenAI Chat Completions asks for one of each call", NO_FINISH]  # fmt: skip


def test_a_call_is_whole_with_its_last_brace_though_texts_inside_hold_more() -> None:
    """The quote that a piece hides may come with the next piece."""
    pieces = ['{"a":"}x\\', '"', '"}']
    events = [
        call("c1", 1),
        *[Event(kind="arguments", text=text, place=(1,)) for text in pieces],
        call("c2", 2),
    ]
    came, _ = written("anthropic_messages", [*events, Event(kind="finish", name="tool_calls")])
    assert blocks(came) == [
        ["0+ tool_use c1"],
        *[[f"0  {piece}"] for piece in pieces],
        ["0-", "1+ tool_use c2"],
        [],
        ["1-"],
    ]


def test_text_that_follows_a_whole_text_is_another_part_though_both_wait() -> None:
    whole = Event(kind="part", data=said(Text("a")))
    texts = [Event(kind="text", text="a"), whole, Event(kind="text", text="b")]
    came, notes = written(
        "anthropic_messages", [call("c1", 1), *texts, Event(kind="finish", name="tool_calls")]
    )
    end = ["0-", "1+ text", "1  a", "1-", "2+ text", "2  b", "2-"]
    assert blocks(came) == [["0+ tool_use c1"], [], [], [], [], end]
    assert notes == [NO_COUNTS]


def test_pieces_of_a_text_that_waits_are_one_text() -> None:
    pieces = [Event(kind="text", text=text, place=(0, 1)) for text in "ab"]
    came, _ = written("anthropic_messages", [call("c1", 1), *pieces, Event(kind="finish", name="tool_calls")])
    assert blocks(came)[-1] == ["0-", "1+ text", "1  a", "1  b", "1-"]


def cached(identity: str) -> ToolCall:
    return ToolCall(identity, "f", {}, vendor={"anthropic_messages": {"caller": {"type": "direct"}}})


@pytest.mark.parametrize(
    ("whole", "first", "second"),
    [
        (("c1", "c2"), ["0-", "1+ tool_use c2", "1-"], []),
        (("c2",), [], ["0-", "1+ tool_use c2", "1-"]),
        (("c1",), ["0-", "1+ tool_use c2"], ["1-"]),
    ],
)
def test_a_whole_call_completes_the_call_with_its_id(
    whole: tuple[str, ...], first: list[str], second: list[str]
) -> None:
    part = Event(kind="part", data=said(*map(cached, whole)))
    came, notes = written("anthropic_messages", [call("c1", 1), call("c2", 2), part])
    assert blocks(came) == [["0+ tool_use c1"], [], first, second]
    lost = "dropped messages[0].caller: no event of Anthropic Messages has a place for it"
    assert notes == [lost, NO_COUNTS, NO_FINISH]


def test_a_whole_part_completes_the_text_of_its_own_kind() -> None:
    events = [Event(kind="text", text="x", place=(0,)), Event(kind="reasoning", text="x", place=(1,))]
    part = Event(kind="part", data=said(Reasoning(text="x", signature="s")))
    came, notes = written("anthropic_messages", [*events, part])
    assert blocks(came) == [["0+ text", "0  x"], ["0-", "1+ thinking", "1  x"], ["1  s", "1-"], []]
    assert notes == [NO_COUNTS, NO_FINISH]


@pytest.mark.parametrize("name", ["anthropic_messages", "openai_chat", "openai_responses"])
@pytest.mark.parametrize("part", [Text("hi"), ToolCall("c1", "f", {"a": 1})])
def test_a_whole_part_that_comes_twice_is_written_once(name: str, part: Text | ToolCall) -> None:
    event = Event(kind="part", data=Message("assistant", (part,)), part=3)
    once, twice = (written(name, events) for events in ([event], [event, event]))
    assert [*filter(None, twice[0])] == [*filter(None, once[0])]
    assert twice[1] == once[1]


def test_what_comes_when_its_block_has_ended_has_no_place_any_more() -> None:
    body = {"content": [{"type": "thinking", "thinking": "a", "signature": "s", "odd": 1}]}
    message = module("anthropic_messages").read_answer(body).message
    events = [
        Event(kind="reasoning", text="a", part=0, place=(0,)),
        Event(kind="text", text="c", part=1, place=(1,)),
        Event(kind="part", part=0, place=(0,), data=message),
    ]
    came, notes = written("anthropic_messages", events)
    assert blocks(came) == [["0+ thinking", "0  a"], ["0-", "1+ text", "1  c"], [], ["1-"]]
    why = "no event of Anthropic Messages has a place for it"
    lost = [f"dropped messages[0].{name}: {why}" for name in ("signature", "odd")]
    assert notes == [*lost, NO_COUNTS, NO_FINISH]
    with pytest.raises(NoPlace) as refused:
        written("anthropic_messages", events, policies="strict")
    assert (refused.value.path, refused.value.field) == ("messages[0]", "signature")


def test_a_value_that_differs_from_the_one_that_was_written_is_named() -> None:
    same: dict[str, Any] = {"part": 0, "place": (0,)}
    read = module("anthropic_messages").read_answer
    began, whole = (
        read(
            {"content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}, "caller": {"type": word}}]}
        ).message
        for word in ("direct", "code")
    )
    events = [
        Event(kind="call", id="c", name="f", data=began, **same),
        Event(kind="part", data=whole, **same),
    ]
    came, notes = written("anthropic_messages", events)
    start = {"type": "tool_use", "id": "c", "name": "f", "input": {}, "caller": {"type": "direct"}}
    assert came[0][1]["content_block"] == start
    why = "no event of Anthropic Messages has a place for it"
    assert notes == [f"dropped messages[0].caller: {why}", NO_COUNTS, NO_FINISH]


@pytest.mark.parametrize(
    ("finish", "word"), [("length", "length"), ("filtered", "content_filter"), ("tool_calls", "stop")]
)
def test_a_hosted_call_without_a_place_is_no_call_and_changes_no_other_end(finish: str, word: str) -> None:
    hosted = HostedCall(type="web_search", id="h1", name="web_search", arguments={"q": "x"})
    events = [Event(kind="part", data=said(hosted)), Event(kind="finish", name=finish)]
    came, notes = written("openai_chat", events)
    assert came == [[BEGIN], [], [chunk({}, word), "[DONE]"]]
    why = "this API does not support this kind of part in an assistant message"
    assert notes == [f"dropped messages[0].hosted_call: {why}"]


@pytest.mark.parametrize(("wire", "title"), [("anthropic_messages", "Anthropic Messages"), ("vllm_chat", "vLLM server, chat completions")])  # fmt: skip
def test_a_whole_refusal_completes_the_text_that_stands_for_it(wire: str, title: str) -> None:
    texts = [Event(kind="refusal", text="No"), Event(kind="part", data=said(Refusal("No")))]
    came, notes = written(wire, [*texts, Event(kind="text", text="b"), Event(kind="finish", name="refused")])
    if wire == "anthropic_messages":
        assert blocks(came) == [["0+ text", "0  No"], ["0-"], ["1+ text", "1  b"], [], ["1-"]]
    else:
        assert came[:3] == [[BEGIN, chunk({"content": "No"})], [], [chunk({"content": "b"})]]
    assert notes[0] == f"replaced messages[0].refusal: no answer of {title} has a refusal: it becomes text"
    assert not [note for note in notes if note.startswith("dropped")]


def test_a_count_without_a_place_is_noted_and_others_are_written() -> None:
    counts = Usage(input=1, output=2, cache_read=3, reasoning=1)
    finish = Event(kind="finish", name="stop")
    came, notes = written("ollama_chat", [Event(kind="usage", data=counts), finish])
    end = {
        "model": "m",
        "created_at": "1970-01-01T00:00:05Z",
        "message": {"role": "assistant", "content": ""},
    }
    words = {"done": True, "done_reason": "stop", "prompt_eval_count": 1, "prompt_eval_cached_count": 3}
    assert came == [[], [], [{**end, **words, "eval_count": 2}]]
    assert notes == ["dropped usage.reasoning: Ollama chat does not count it"]


def test_an_option_of_a_candidate_that_never_came_has_no_place() -> None:
    """The chunk of the counts has a list of choices, which is empty."""
    events = [
        Event(kind="text", text="x", candidate=1, place=(1,)),
        Event(kind="vendor", data={"openai_chat": {"logprobs": {"k": 1}}}, place=(0,)),
        Event(kind="vendor", data={"openai_chat": {"service_tier": "flex"}}),
        Event(kind="finish", name="stop", candidate=1, place=(1,)),
        Event(kind="usage", data=Usage(input=1, output=2)),
    ]
    came, notes = written("openai_chat", events)
    counts = {"prompt_tokens": 1, "completion_tokens": 2, "total_tokens": 3}
    assert came[0] == [
        chunk({"role": "assistant", "content": None}, index=1),
        chunk({"content": "x"}, index=1),
    ]
    assert came[1:] == [
        [],
        [],
        [],
        [],
        [
            {**chunk({}, "stop", index=1), "service_tier": "flex"},
            {**chunk({}), "choices": [], "usage": counts},
            "[DONE]",
        ],
    ]
    why = "no event of OpenAI Chat Completions has a place for it"
    assert notes == [f"dropped candidates[0].vendor.openai_chat.logprobs: {why}"]


def test_an_option_stands_in_the_delta_of_the_last_chunk() -> None:
    """Readers look for it in a whole message as well."""
    tools = [{"type": "search", "index": 0}]
    events = [
        Event(kind="vendor", data={"groq_chat": {"executed_tools": tools}}, place=(0,)),
        Event(kind="finish", name="stop", place=(0,)),
    ]
    came, notes = written("groq_chat", events)
    assert came == [[], [], [BEGIN, chunk({"executed_tools": tools}, "stop"), "[DONE]"]]
    assert notes == []


def deep(levels: int) -> dict[str, Any]:
    return {"a": deep(levels - 1)} if levels else {}


def test_what_a_writer_refuses_is_named_with_its_field() -> None:
    vendor = Event(kind="vendor", data={"openai_chat": {"logprobs": deep(200)}})
    for event, field, why in (
        (
            vendor,
            "vendor.logprobs",
            "openai_chat: logprobs cannot be written: it is nested deeper than 100 levels, or holds itself",
        ),
        ({"kind": "text"}, "event", "event is a dict, not Event"),
    ):
        with pytest.raises(InvalidRequest) as refused:
            module("openai_chat").write_stream().feed(event)
        assert (str(refused.value), refused.value.field) == (why, field)
    writer = module("openai_chat").write_stream()
    writer.close()
    with pytest.raises(
        AnswerError, match=r"^OpenAI Chat Completions: the stream is closed: nothing follows$"
    ):
        writer.feed(Event(kind="start"))


def test_the_events_of_an_answer_are_told_in_the_order_of_its_parts() -> None:
    thinking = Reasoning(texts=("T", ""), summary=("", "S", "s"))
    message = said(
        thinking, Text("Hi"), ToolCall("c", "f", {"a": "ø"}), CustomToolCall("d", "g", "x"), id="m1"
    )
    answer = Answer(
        candidates=(
            Candidate(
                message=message, finish="tool_calls", finish_raw="TOOLS", vendor={"openai_chat": {"k": 1}}
            ),
            Candidate(finish="length"),
        ),
        usage=Usage(input=1),
        vendor={"openai_chat": {"n": 2}},
    )
    rest = [said(part, id="m1" if isinstance(part, Text) else None) for part in message.parts]

    def event(number: int, kind: str, *inner: int, **keys: Any) -> Event:
        return Event(kind=kind, place=(0, number, *inner), part=number, **keys)

    assert [*events_of(answer)] == [
        Event(kind="start"),
        event(0, "reasoning", 0, name="texts", text="T", data=rest[0]),
        event(0, "reasoning", 0, name="summary", text="S"),
        event(0, "reasoning", 1, name="summary", text="s"),
        event(0, "part", data=rest[0]),
        event(1, "text", 0, text="Hi", data=rest[1]),
        event(1, "part", data=rest[1]),
        event(2, "call", id="c", name="f", data=rest[2]),
        event(2, "arguments", text='{"a": "ø"}'),
        event(2, "part", data=rest[2]),
        event(3, "call", id="d", name="g", data=rest[3]),
        event(3, "arguments", text="x"),
        event(3, "part", data=rest[3]),
        Event(kind="vendor", data={"openai_chat": {"k": 1}}, place=(0,)),
        Event(kind="finish", name="tool_calls", text="TOOLS", place=(0,)),
        Event(kind="finish", name="length", candidate=1, place=(1,)),
        Event(kind="vendor", data={"openai_chat": {"n": 2}}),
        Event(kind="usage", data=Usage(input=1)),
    ]


def test_parts_of_an_answer_that_was_read_do_not_remember_the_whole_message() -> None:
    message = {"role": "assistant", "content": "Hi", "odd": {"k": 1}}
    body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    answer = module("openai_chat").read_answer(body)
    assert answer.message.kept is not None
    told = [event.data for event in events_of(answer) if event.kind in ("text", "part")]
    assert [message.kept for message in told] == [None, None]


@pytest.mark.parametrize(
    ("arguments", "why"),
    [
        ({"x": 10**5000}, "x: the number has more digits than Python agrees to write"),
        ({"x": [1, {1}]}, "x[1]: set is not JSON"),
        ({"x": float("nan")}, "x: nan is not a JSON number"),
    ],
)
def test_arguments_that_no_json_can_hold_are_named_with_their_place(arguments: Any, why: str) -> None:
    answer = Answer(candidates=(Candidate(message=said(ToolCall("c", "f", arguments)), finish="stop"),))
    with pytest.raises(InvalidRequest) as refused:
        list(events_of(answer))
    assert (str(refused.value), refused.value.field) == (f"arguments are no JSON: {why}", "arguments")


def test_arguments_may_be_any_mapping() -> None:
    given: Any = MappingProxyType({"a": MappingProxyType({"b": 1})})
    answer = Answer(candidates=(Candidate(message=said(ToolCall("c", "f", given)), finish="tool_calls"),))
    assert [event.text for event in events_of(answer) if event.kind == "arguments"] == ['{"a": {"b": 1}}']


SAID: dict[str, tuple[Any, ...]] = {
    "a text": (Text("Hello."),),
    "two texts": (Text("Hello."), Text("Again.")),
    "a refusal": (Refusal("No."),),
    "thinking and a text": (Reasoning(text="Hm."), Text("Hello.")),
    "a summary": (Reasoning(summary=("One.", "Two.")), Text("Hello.")),
    "calls": (Text("Let me see."), ToolCall("c1", "weather", {"city": "Oslo"}), ToolCall("c2", "time", {})),
    "free text": (CustomToolCall("c1", "sql", "select 1"),),
}


@pytest.mark.parametrize("name", SAID)
def test_whole_parts_alone_say_what_their_texts_and_calls_say(name: str) -> None:
    answer = Answer(candidates=(Candidate(message=Message("assistant", SAID[name]), finish="stop"),))
    events = list(events_of(answer))
    whole = [event for event in events if event.kind in ("start", "part", "finish")]
    assert len(whole) < len(events)
    for wire in [wire for wire in TESTED_WIRES if hasattr(module(wire), "write_stream")]:
        assert _joined(wire, whole) == _joined(wire, events)


def _joined(wire: str, events: Sequence[Event]) -> tuple[bytes, list[Note]]:
    notes: list[Note] = []
    writer = module(wire).write_stream(id="a1", model="m", created=5, policies="lenient", notes=notes)
    return b"".join([*map(writer.feed, events), writer.close()]), notes


ITEM = {"type": "message", "id": "msg_1", "status": "completed", "role": "assistant"}
TEXT = {"type": "output_text", "annotations": [], "logprobs": []}
SUMMARY = [{"type": "summary_text", "text": "Hm."}]


def response(*output: Any) -> dict[str, Any]:
    body = {
        "id": "r",
        "object": "response",
        "created_at": 5,
        "status": "completed",
        "model": "m",
        "output": [*output],
    }
    return {**body, "parallel_tool_calls": True, "tool_choice": "auto", "tools": []}


def items_done(came: list[list[Any]]) -> list[Any]:
    done = [row["item"] for rows in came for row in rows if row["type"] == "response.output_item.done"]
    assert came[-1][-1]["response"]["output"] == done
    return done


def test_the_items_of_an_answer_of_this_api_have_their_type() -> None:
    item = {**ITEM, "content": [{**TEXT, "text": "Hello."}]}
    answer = module("openai_responses").read_answer(response(item))
    assert items_done(written("openai_responses", [*events_of(answer)])[0]) == [item]


def test_a_text_of_this_api_that_another_part_interrupts_is_two_whole_items() -> None:
    thought = {"type": "reasoning", "id": "rs_1", "summary": SUMMARY}
    whole = {**ITEM, "phase": "final_answer", "content": [{**TEXT, "text": "Hello."}]}
    place = {"output_index": 0, "content_index": 0, "item_id": "msg_1"}
    rows = [
        {"type": "response.created", "response": response()},
        {"type": "response.output_item.added", "output_index": 0, "item": {**ITEM, "content": []}},
        {"type": "response.output_text.delta", **place, "delta": "Hel"},
        {"type": "response.output_item.added", "output_index": 1, "item": {**thought, "summary": []}},
        {
            "type": "response.reasoning_summary_text.delta",
            "output_index": 1,
            "summary_index": 0,
            "delta": "Hm.",
        },
        {"type": "response.output_text.delta", **place, "delta": "lo."},
        {"type": "response.output_item.done", "output_index": 0, "item": whole},
        {"type": "response.completed", "response": response(whole, thought)},
    ]
    stream = module("openai_responses").stream()
    events = stream.feed(b"".join([f"data: {json.dumps(row)}\n\n".encode() for row in rows]))
    came, _ = written("openai_responses", events)
    first, second, third = items_done(came)
    assert (first["content"], second["summary"]) == ([{**TEXT, "text": "Hel"}], SUMMARY)
    assert (third["type"], third["content"]) == ("message", [{**TEXT, "text": "lo."}])
    # an id stands for one item
    begun = [
        row["item"]["id"] for rows in came for row in rows if row["type"] == "response.output_item.added"
    ]
    assert begun == ["msg_1", "rs_1", third["id"]]
    assert third["id"] != "msg_1"
