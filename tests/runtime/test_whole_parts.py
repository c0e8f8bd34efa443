"""Parts that come whole, not in deltas: as events of a stream that is read, and in one that is written."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import (
    Event,
    Image,
    Message,
    Note,
    Reasoning,
    Request,
    Text,
    ToolCall,
    anthropic_messages,
    bedrock_converse,
    gemini_generate,
    openai_chat,
    openai_responses,
    user,
)
from promptwire.errors import InvalidRequest, NoPlace
from promptwire.parts import CustomToolCall, HostedCall
from promptwire.plugins import Provenance
from tests.answers import Streamed, module, read_stream, stream_bytes, streams
from tests.internals.runtime import EACH, at
from tests.notes import refused

THINKING = "thinking, a text and a call, with a cache"
SEARCH = "hidden thinking, a search, and a text that cites it"
PICTURE = "encrypted thinking, a search, a picture, and a text that cites"


def example(wire: str, name: str) -> Streamed:
    return next(row for row in streams() if (row.wire, row.name) == (wire, name))


def events_of(wire: str, name: str) -> list[Event]:
    return read_stream(wire, [example(wire, name).bytes()])[0]


def told(events: list[Event]) -> list[Any]:
    """Return kinds of events, and what parts are."""
    return [
        [type(part) for part in event.data.parts] if event.kind == "part" else event.kind
        for event in events
        if event.kind not in ("usage", "start")
    ]


def rows(wire: str, events: list[Event], **known: Any) -> list[Any]:
    """Return the data of the events that are written."""
    sent = b"".join(
        [*map((writer := module(wire).write_stream(usage=True, **known)).feed, events), writer.close()]
    )
    framing = module(wire).stream()._framing
    return [frame.data for frame in [*framing.feed(sent), *framing.close()]]


def test_a_part_comes_before_anything_of_the_next() -> None:
    events = events_of("anthropic_messages", THINKING)
    assert told(events) == [
        "reasoning", "reasoning", [Reasoning], "text", "text", "call", "arguments", "arguments", "finish",
    ]  # fmt: skip
    (whole,) = [event for event in events if event.kind == "part"]
    assert whole.data.parts == (Reasoning(text="Oslo first.", signature="EoADCg=="),)
    assert whole.data.provenance == Provenance("anthropic_messages", "claude-sonnet-5", "anthropic_messages")
    assert [event.part for event in events if event.kind in ("reasoning", "part")] == [0, 0, 0]
    assert whole.place == (0,)


@pytest.mark.parametrize("number", [-1, -7, 5])
def test_a_part_at_a_place_that_no_list_has_is_none(number: int) -> None:
    assert at({"output": [{"type": "message"}]}, ("output", EACH), (number,)) is None


def test_what_no_delta_tells_is_a_part() -> None:
    events = events_of("anthropic_messages", SEARCH)
    redacted, call, result, cited, warm = [event.data.parts[0] for event in events if event.kind == "part"]
    assert (redacted.redacted, call.name, call.arguments) == ("EmwKAhgB", "web_search", {"query": "Oslo"})
    assert result.call_id == call.id
    assert cited.citations[0]["cited_text"] == "It is cold."
    assert warm.vendor == {"anthropic_messages": {"caller": {"type": "direct"}}}
    # who called is known before the arguments are
    (began,) = [event.data for event in events if event.kind == "call"]
    assert began.parts == (ToolCall("toolu_1", "warm", vendor=warm.vendor),)


def test_items_keep_what_they_began_with() -> None:
    events = events_of("openai_responses", PICTURE)
    assert told(events) == [[Reasoning], [HostedCall], [HostedCall], "text", [Text], "vendor", "finish"]
    (text,) = [event for event in events if event.kind == "text"]
    assert (text.data.id, text.data.phase, text.part) == ("msg_1", "final_answer", 3)
    written = rows("openai_responses", events)
    added = [row["item"] for row in written if row["type"] == "response.output_item.added"]
    assert added[-1] == {
        "type": "message", "id": "msg_1", "role": "assistant", "status": "in_progress", "content": [],
        "phase": "final_answer",
    }  # fmt: skip
    assert {row["item_id"] for row in written if "item_id" in row} == {"msg_1"}
    given = example("openai_responses", PICTURE).events[-1][1]["response"]["output"]
    assert written[-1]["response"]["output"] == given


def test_texts_of_one_item_stay_in_it() -> None:
    same: dict[str, Any] = {"kind": "reasoning", "part": 0}
    events = [Event(text=text, place=(0, number), **same) for number, text in enumerate("ab")]
    written = rows("openai_responses", [*events, Event(kind="text", text="Hi", place=(1, 0), part=1)])
    kinds = [row["type"].removeprefix("response.") for row in written]
    summary = ["reasoning_summary_part.added", "reasoning_summary_text.delta", "reasoning_summary_text.done"]
    assert [kind for kind in kinds if kind in summary] == summary * 2
    assert [row["summary_index"] for row in written if row["type"].endswith("summary_text.done")] == [0, 1]
    assert kinds.count("output_item.added") == 2


def test_a_signature_is_written_before_its_block_ends() -> None:
    written = rows("anthropic_messages", events_of("anthropic_messages", THINKING))
    assert [row["type"] for row in written][1:6] == [
        "content_block_start", *["content_block_delta"] * 3, "content_block_stop",
    ]  # fmt: skip
    assert written[4]["delta"] == {"type": "signature_delta", "signature": "EoADCg=="}


def test_a_part_that_is_whole_is_shut_at_once() -> None:
    writer = anthropic_messages.write_stream()
    events = events_of("anthropic_messages", THINKING)
    for event in events[: [event.kind for event in events].index("part")]:
        writer.feed(event)
    whole = next(event for event in events if event.kind == "part")
    assert b"content_block_stop" in writer.feed(whole)


CITATION = {"title": "Oslo", "location": {"documentChar": {"documentIndex": 0, "start": 0, "end": 4}}}


@pytest.mark.parametrize(
    "deltas",
    [
        [{"text": "Co"}, {"text": "ld."}, {"citation": CITATION}],
        [{"text": "Co"}, {"citation": CITATION}, {"text": "ld."}],
        [{"text": ""}, {"citation": CITATION}, {"text": "Cold."}],
        [{"citation": CITATION}, {"text": "Cold."}],
    ],
    ids=["behind", "within", "behind an empty text", "before"],
)
def test_a_text_stands_beside_its_citations_wherever_they_come(deltas: list[Any]) -> None:
    blocks: list[tuple[str | None, Any]] = [
        *[("contentBlockDelta", {"contentBlockIndex": 0, "delta": delta}) for delta in deltas],
        ("contentBlockStop", {"contentBlockIndex": 0}),
        ("contentBlockDelta", {"contentBlockIndex": 1, "delta": {"text": "Wet."}}),
        ("contentBlockStop", {"contentBlockIndex": 1}),
    ]
    sent = [("messageStart", {"role": "assistant"}), *blocks, ("messageStop", {"stopReason": "end_turn"})]
    events, answer = read_stream("bedrock_converse", [stream_bytes("aws_event_stream", sent)])
    message = {
        "role": "assistant",
        "content": [
            {"citationsContent": {"content": [{"text": "Cold."}], "citations": [CITATION]}},
            {"text": "Wet."},
        ],
    }
    assert answer.raw == {"output": {"message": message}, "stopReason": "end_turn"}
    assert answer.message is not None
    assert answer.message.parts == (Text("Cold.", citations=[CITATION]), Text("Wet."))
    # what events told is what the answer has, and all of it is written again
    assert [event.text for event in events if event.kind == "text"] == [
        *[delta["text"] for delta in deltas if delta.get("text")], "Wet."
    ]  # fmt: skip
    assert [event.data.parts for event in events if event.kind == "part"] == [answer.message.parts[:1]]
    writer = bedrock_converse.write_stream()
    again = b"".join([*map(writer.feed, events), writer.close()])
    for written in (again, bedrock_converse.write_stream().answer(answer)):
        raw = read_stream("bedrock_converse", [written])[1].raw
        assert raw is not None
        assert raw["output"] == {"message": message}
    request = Request(
        "anthropic.claude-opus-4-5-v1:0", [user("Weather?"), answer.message, user("And Bergen?")]
    )
    assert bedrock_converse.build(request).body["messages"][1] == message


def test_a_picture_is_written_where_it_has_a_place() -> None:
    message = Message("assistant", [Image(data="aGk=", media_type="image/png")])
    part = Event(kind="part", data=message)
    inline = {"inlineData": {"mimeType": "image/png", "data": "aGk="}}
    assert rows("gemini_generate", [part])[0]["candidates"][0]["content"]["parts"] == [inline]


@pytest.mark.parametrize("wire", [openai_chat, openai_responses, gemini_generate])
def test_what_another_api_made_is_an_error_or_a_note(wire: Any) -> None:
    events = events_of("anthropic_messages", SEARCH)
    writer = wire.write_stream()
    with refused(NoPlace, "messages[0].parts[0].reasoning"):
        b"".join(map(writer.feed, events))
    notes: list[Note] = []
    writer = wire.write_stream(policies="lenient", notes=notes)
    sent = b"".join([*map(writer.feed, events), writer.close()])
    named = [note.field for note in notes if note.action == "dropped"]
    # citations of pages cross where the API has a form for them
    lost = ["citations"] if wire is gemini_generate else []
    assert named == ["reasoning", "hosted_call", "hosted_result", *lost, "vendor.anthropic_messages.caller"]
    assert wire.stream().feed(sent)


def test_a_signature_of_another_api_is_named_though_its_text_is_told() -> None:
    events = events_of("anthropic_messages", THINKING)
    notes: list[Note] = []
    writer = openai_responses.write_stream(policies="lenient", notes=notes)
    sent = b"".join([*map(writer.feed, events), writer.close()])
    assert [note.field for note in notes] == ["signature"]
    assert read_stream("openai_responses", [sent])[1].reasoning == "Oslo first."


def test_what_has_no_place_leaves_nothing_empty_behind() -> None:
    searched = rows("openai_responses", events_of("anthropic_messages", SEARCH), policies="lenient")
    assert [item["type"] for item in searched[-1]["response"]["output"]] == ["message", "function_call"]
    assert [row["output_index"] for row in searched if row["type"].endswith("item.added")] == [0, 1]
    drawn = events_of("gemini_generate", "code that the API runs, a picture, and a signed text")
    chunks = rows("mistral_chat", drawn, policies="lenient")
    picture = {"type": "image_url", "image_url": {"url": "data:image/png;base64,aGk="}}
    contents = [row["choices"][0]["delta"].get("content") for row in chunks if row != "[DONE]"]
    assert [content for content in contents if isinstance(content, list)] == [[picture]]


def test_what_another_api_encrypted_is_named_though_its_summary_is_told() -> None:
    events = [
        Event(kind="reasoning", text="Hm", part=0),
        Event(kind="part", data=Message("assistant", [Reasoning(summary="Hm", encrypted="x")]), part=0),
    ]
    with refused(NoPlace, "messages[0].encrypted"):
        rows("deepseek_chat", events)
    notes: list[Note] = []
    rows("deepseek_chat", events, policies="lenient", notes=notes)
    assert "encrypted" in [note.field for note in notes]


def test_what_comes_after_its_block_has_ended_is_named() -> None:
    thought = {"role": "assistant", "reasoning": "Hm", "content": ""}
    details = [{"type": "reasoning.text", "text": "Hm", "signature": "s1", "index": 0, "format": "unknown"}]
    choices = [
        {"index": 0, "delta": thought, "finish_reason": None},
        {"index": 0, "delta": {"content": "Hi", "reasoning_details": details}, "finish_reason": "stop"},
    ]
    raw = stream_bytes("sse", [(None, {"id": "g", "model": "m", "choices": [row]}) for row in choices])
    events = read_stream("openrouter_chat", [raw])[0]
    notes: list[Note] = []
    writer = anthropic_messages.write_stream(policies="lenient", notes=notes)
    b"".join([*map(writer.feed, events), writer.close()])
    assert "signature" in [note.field for note in notes]
    again = b"".join([*map((own := module("openrouter_chat").write_stream()).feed, events), own.close()])
    assert read_stream("openrouter_chat", [again])[1].parts == read_stream("openrouter_chat", [raw])[1].parts


def test_calls_of_custom_tools_stay_such_calls() -> None:
    call = CustomToolCall("c1", "sh", "ls -l")
    origin = Provenance("openai_responses", "m", "openai_responses")
    events = [
        Event(kind="call", id="c1", name="sh", data=Message("assistant", [call], provenance=origin)),
        Event(kind="arguments", text="ls -l"),
    ]
    written = rows("openai_responses", events)
    assert [row for row in written if row["type"] == "response.custom_tool_call_input.delta"]
    (item,) = written[-1]["response"]["output"]
    assert (item["type"], item["call_id"], item["input"]) == ("custom_tool_call", "c1", "ls -l")
    notes: list[Note] = []
    rows("openai_chat", events, policies="lenient", notes=notes)
    why = "OpenAI Chat Completions has no such calls: it becomes the call of a function"
    assert Note("replaced", "messages[0]", "custom_tool_call", why) in notes


@pytest.mark.parametrize("kind", ["part", "text", "call"])
def test_the_data_of_a_part_is_a_message(kind: str) -> None:
    with pytest.raises(InvalidRequest, match=f"data of an event of the kind {kind} is a str, not Message"):
        Event(kind=kind, data="x")
    with pytest.raises(InvalidRequest, match=r"Event: part is a str, not int or None"):
        Event(kind="text", part="1")  # type: ignore[arg-type]
