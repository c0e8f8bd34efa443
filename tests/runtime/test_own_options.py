"""Values of an API besides parts, in streams: read as an event, written where the API has a place for them."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Answer, Event, Note, gemini_generate, openai_chat, openai_responses
from promptwire.errors import InvalidRequest
from tests.answers import Events, module, read_stream, stream_bytes
from tests.written_streams import written

LOGPROBS = {"content": [{"token": "Hi", "logprob": -0.5}]}
CHAT = {"id": "c1", "object": "chat.completion.chunk", "created": 7, "model": "m", "service_tier": "flex"}
WHOLE = {"id": "r1", "object": "response", "created_at": 7, "model": "m", "output": []}
FEEDBACK = {"blockReason": "SAFETY"}
SOURCES = {"groundingChunks": [{"web": {"uri": "u"}}]}
STREAMS: dict[str, Events] = {
    "openai_chat": [
        (None, {**CHAT, "choices": [{"index": 0, "delta": {"content": "Hi"}, "logprobs": LOGPROBS}]}),
        (None, {**CHAT, "choices": [{"index": 1, "delta": {"content": "Yo"}, "logprobs": None}]}),
        (None, {**CHAT, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}),
        (None, {**CHAT, "choices": [{"index": 1, "delta": {}, "finish_reason": "stop"}]}),
        (None, {**CHAT, "choices": [], "system_fingerprint": "fp"}),
        (None, "[DONE]"),
    ],
    "gemini_generate": [
        (None, {"candidates": [{"content": {"parts": [{"text": "Hi"}]}, "index": 0}], "promptFeedback": FEEDBACK}),
        (None, {"candidates": [{"finishReason": "STOP", "index": 0, "groundingMetadata": SOURCES}]}),
    ],
    "openai_responses": [
        ("response.created", {"type": "response.created", "response": {**WHOLE, "status": "in_progress"}}),
        (
            "response.completed",
            {
                "type": "response.completed",
                "response": {**WHOLE, "status": "completed", "service_tier": "flex", "tool_choice": "none", "tools": []},
            },
        ),
    ],
    "anthropic_messages": [
        ("message_start", {"type": "message_start", "message": {"id": "a", "type": "message", "content": []}}),
        ("message_delta", {"type": "message_delta", "delta": {"stop_reason": "stop_sequence", "stop_sequence": "END"}}),
        ("message_stop", {"type": "message_stop"}),
    ],
}  # fmt: skip
EventPaths = list[tuple[tuple[int, ...], dict[str, Any]]]
TOLD: dict[str, EventPaths] = {
    "openai_chat": [
        ((), {"created": 7, "service_tier": "flex"}),
        ((0,), {"logprobs": LOGPROBS}),
        ((), {"created": 7, "service_tier": "flex", "system_fingerprint": "fp"}),
    ],
    "gemini_generate": [((), {"prompt_feedback": FEEDBACK}), ((0,), {"grounding_metadata": SOURCES})],
    "openai_responses": [((), {"created_at": 7, "service_tier": "flex", "tool_choice": "none", "tools": []})],
    "anthropic_messages": [((), {"stop_sequence": "END"})],
}


def read(wire: str) -> tuple[list[Event], Answer]:
    return read_stream(wire, [stream_bytes("sse", STREAMS[wire])])


def told(events: list[Event], wire: str) -> EventPaths:
    rows = [event for event in events if event.kind == "vendor"]
    assert [event.candidate for event in rows] == [sum(event.place) for event in rows]
    assert [set(event.data) for event in rows] == [{wire}] * len(rows)
    return [(event.place, event.data[wire]) for event in rows]


@pytest.mark.parametrize("wire", STREAMS)
def test_what_an_api_says_beside_parts_is_told_before_the_end(wire: str) -> None:
    events, _ = read(wire)
    assert sorted(told(events, wire), key=str) == sorted(TOLD[wire], key=str)
    kinds = [event.kind for event in events]
    assert kinds.index("vendor") < kinds.index("finish")


@pytest.mark.parametrize("wire", STREAMS)
@pytest.mark.parametrize("whole", [False, True])
def test_it_is_written_on_its_own_wire(wire: str, whole: bool) -> None:
    events, answer = read(wire)
    notes: list[Note] = []
    raw = (
        module(wire).write_stream(created=7, notes=notes).answer(answer)
        if whole
        else written(events, wire, notes)
    )
    again = read_stream(wire, [raw])[1]
    assert not [note for note in notes if "vendor" in note.field]
    # the time is what the caller of the writer says
    ours = {"created": 7 if whole else 0} if wire == "openai_chat" else {}
    ours = {"created_at": 7 if whole else 0} if wire == "openai_responses" else ours
    # what every stream of this API says by itself
    usual = {"parallel_tool_calls": True} if wire == "openai_responses" else {}
    assert answer.vendor is not None
    assert again.vendor == {wire: {**answer.vendor[wire], **usual, **ours}}
    assert [choice.vendor for choice in again.candidates] == [choice.vendor for choice in answer.candidates]


def test_of_another_wire_it_stays_there() -> None:
    events, _ = read("gemini_generate")
    notes: list[Note] = []
    answer = read_stream("openai_chat", [written(events, "openai_chat", notes)])[1]
    assert answer.vendor == {"openai_chat": {"created": 0}}
    assert [choice.vendor for choice in answer.candidates] == [None]


def test_what_no_event_has_a_place_for_is_noted() -> None:
    notes: list[Note] = []
    writer = openai_chat.write_stream(notes=notes)
    writer.feed(Event(kind="vendor", data={"openai_chat": {"metadata": {"a": "b"}, "unheard": 1}}))
    writer.feed(Event(kind="vendor", data={"openai_chat": {"x": 1}}, candidate=1, place=(1,)))
    writer.feed(Event(kind="finish", name="stop"))
    writer.close()
    why = "no event of OpenAI Chat Completions has a place for it"
    assert notes == [
        Note("dropped", "", "vendor.openai_chat.metadata", why),
        Note("dropped", "", "vendor.openai_chat.unheard", why),
        Note("dropped", "candidates[1]", "vendor.openai_chat.x", why),
    ]


def test_a_blocked_prompt_is_told_without_a_candidate() -> None:
    stream = gemini_generate.stream()
    events = stream.feed(stream_bytes("sse", [(None, {"promptFeedback": FEEDBACK})])) + stream.rest()
    assert told(events, "gemini_generate") == [((), {"prompt_feedback": FEEDBACK})]


@pytest.mark.parametrize("data", [None, "x", {"openai_chat": "x"}])
def test_options_stand_by_their_wire(data: Any) -> None:
    with pytest.raises(
        InvalidRequest, match="data of an event of the kind vendor is options by their wire, not"
    ):
        Event(kind="vendor", data=data)


def test_options_that_are_no_json_are_refused() -> None:
    writer = openai_responses.write_stream()
    writer.feed(Event(kind="vendor", data={"openai_responses": {"service_tier": {1}}}))
    with pytest.raises(InvalidRequest):
        writer.close()
