"""An event that differs from the last one in a piece of text only is read as the steps of its API read it."""

from __future__ import annotations

import json
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import given, strategies as st

from promptwire import PromptwireError
from tests.answers import module
from tests.internals.runtime import stream

TEXTS = st.sampled_from(("a", "b", " ", '"', "{", "}", "{}", '{"a":', "1}", '{"a":1}', ""))
NUMBERS = st.sampled_from((0, 0, 0, 1))
MAYBE = st.sampled_from((None, None, None, "x", "y"))


def kept(item: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in item.items() if value is not None}


def calls(number: Any, id: str | None, name: str | None, text: str) -> dict[str, Any]:  # noqa: A002
    function = kept({"name": name, "arguments": text})
    return {"tool_calls": [kept({"index": number, "id": id, "function": function})]}


DELTAS = st.one_of(
    st.builds(lambda text: {"content": text}, TEXTS),
    st.builds(lambda text, word: kept({"content": text, "role": word}), TEXTS, MAYBE),
    st.builds(lambda text, more: kept({"content": text, "refusal": more}), TEXTS, MAYBE),
    st.builds(lambda text: {"reasoning_content": text}, TEXTS),
    st.builds(lambda text: {"content": [{"type": "text", "text": text}]}, TEXTS),
    st.builds(calls, NUMBERS | st.none(), MAYBE, MAYBE, TEXTS),
)
CHUNKS = st.builds(
    lambda delta, number, more, created, logs: kept(
        {
            "id": "c",
            "created": created,
            "obfuscation": more,
            "choices": [kept({"index": number, "delta": delta, "logprobs": logs})],
        }
    ),
    DELTAS,
    NUMBERS,
    MAYBE,
    NUMBERS,
    st.sampled_from((None, None, {"content": [{"token": "a"}]})),
)
ITEMS = st.builds(
    lambda kind, at, id, text: {  # noqa: A006
        "type": f"response.output_item.{kind}",
        "output_index": at,
        "item": {
            "type": "message",
            "id": id,
            "role": "assistant",
            "content": [{"type": "output_text", "text": text}],
        },
    },
    st.sampled_from(("added", "done")),
    NUMBERS,
    MAYBE,
    TEXTS,
)
DELTAS_OF_ITEMS = st.builds(
    lambda kind, at, inner, id, number, text: kept(  # noqa: A006
        {
            "type": f"response.{kind}.delta",
            "sequence_number": number,
            "item_id": id,
            "output_index": at,
            "content_index": inner,
            "delta": text,
        }
    ),
    st.sampled_from(("output_text", "output_text", "refusal", "function_call_arguments")),
    NUMBERS,
    NUMBERS | st.none(),
    MAYBE,
    NUMBERS,
    TEXTS,
)
EVENTS = {"openai_chat": CHUNKS, "openai_responses": ITEMS | DELTAS_OF_ITEMS}


def read(wire: str, events: list[dict[str, Any]]) -> list[str]:
    reader = module(wire).stream()
    heard: list[str] = []
    try:
        for event in events:
            heard += map(repr, reader.feed(f"data: {json.dumps(event)}\n\n".encode()))
        heard += map(repr, reader.rest())
        heard += [repr(reader.answer), repr(reader.unread)]
    except PromptwireError as error:
        heard.append(str(error))
    return heard


@pytest.mark.parametrize("wire", EVENTS)
@given(data=st.data())
def test_a_piece_that_continues_a_text_is_read_as_the_steps_read_it(wire: str, data: st.DataObject) -> None:
    rows = st.lists(st.tuples(EVENTS[wire], st.integers(1, 3)), min_size=1, max_size=8)
    events = [event for event, count in data.draw(rows) for _ in range(count)]
    with patch.object(stream, "next_piece", return_value=None):
        by_steps = read(wire, events)
    assert read(wire, events) == by_steps
