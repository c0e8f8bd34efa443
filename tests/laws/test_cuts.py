"""Streams, sound or broken, read the same however their bytes are cut."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from promptwire import PromptwireError
from tests.answers import module

TEXT = {"model": "m", "message": {"role": "assistant", "content": "Hé"}, "done": False}
LINES: dict[str, list[str]] = {
    "ollama_chat": [
        json.dumps(TEXT),
        json.dumps(TEXT, ensure_ascii=False),
        json.dumps({**TEXT, "message": {"role": "assistant", "content": ""}, "done": True, "done_reason": "stop"}),
        json.dumps({"error": "overloaded"}),
    ],
    "cohere_v1": [
        json.dumps({"is_finished": False, "event_type": "stream-start", "generation_id": "g"}),
        json.dumps({"is_finished": False, "event_type": "text-generation", "text": "Hé"}),
        json.dumps({"is_finished": True, "event_type": "stream-end", "finish_reason": "COMPLETE", "response": {"text": "Hé"}}),
        json.dumps({"message": "invalid api token"}),
    ],
    "openai_chat": [
        "data: " + json.dumps({"id": "c", "choices": [{"index": 0, "delta": {"content": "Hé"}}]}) + "\n",
        "data: " + json.dumps({"id": "c", "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}) + "\n",
        "data: [DONE]\n",
        ": comment\n",
        "event: error\ndata: overloaded\n",
    ],
}  # fmt: skip
BROKEN = ['{"a":', '{\n "model": "m"\n}', "<html>", "null", "", "5", '"x"', "data: {", "\r", "[]", "{}"]


def outcome(wire: str, chunks: list[bytes]) -> tuple[Any, ...]:
    """Read a stream; return its events, its answer and its errors."""
    stream = module(wire).stream()
    events: list[Any] = []
    try:
        for event in stream.feed_from(chunks):
            # events before an error count as well
            events += [event]
    except PromptwireError as error:
        broken = str(error)
    else:
        broken = ""
    try:
        answer: Any = stream.close()
    except PromptwireError as error:
        answer = str(error), getattr(error, "answer", None)
    told = [(event.kind, event.text, event.name, event.id, str(event.data)) for event in events]
    return told, broken, answer


@pytest.mark.parametrize("wire", LINES)
@given(data=st.data())
def test_cutting_changes_nothing(wire: str, data: st.DataObject) -> None:
    known = LINES[wire]
    lines = data.draw(st.lists(st.sampled_from(known) | st.sampled_from(known + BROKEN), max_size=5))
    end = data.draw(st.sampled_from(["\n", "\r\n"]))
    raw = end.join([line.replace("\n", end) for line in lines]).encode() + data.draw(
        st.sampled_from([b"", b"\n", b"\n\n"])
    )
    whole = outcome(wire, [raw])
    assert outcome(wire, [raw[place : place + 1] for place in range(len(raw))]) == whole
    places = sorted(data.draw(st.lists(st.integers(0, len(raw)), max_size=4)))
    pieces = [raw[start:stop] for start, stop in zip([0, *places], [*places, len(raw)], strict=True)]
    assert outcome(wire, pieces) == whole
