"""Recorded answers and streams, written for other APIs and read by the SDKs of these."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from promptwire import Answer, ToolCall
from promptwire.errors import InvalidRequest
from tests.answers import module, read_stream
from tests.conformance.sdk_answers import streamed
from tests.sdk_differences import across, as_stream, between
from tests.searching import some_of
from tests.test_corpus_answers import Row, rows
from tests.written_streams import ACROSS

pytestmark = pytest.mark.filterwarnings("ignore")


# APIs whose calls hold an object
OF_OBJECTS = ("anthropic_messages", "gemini_generate")


def has_cut_arguments(answer: Answer) -> bool:
    """Return whether a call was cut off. An API that takes JSON gets an empty object with a note instead."""
    texts = [
        part.arguments
        for part in answer.parts
        if isinstance(part, ToolCall) and isinstance(part.arguments, str)
    ]
    try:
        return not all(isinstance(json.loads(text), dict) for text in texts if text)
    except ValueError:
        return True


@pytest.mark.parametrize("wire", ACROSS)
def test_every_answer_is_what_an_sdk_sees_of_it_on_another_api(recorded_answers: Path, wire: str) -> None:
    different: list[Any] = []
    for row in rows(recorded_answers, streamed=False):
        answer = module(row.wire).read_answer(row.recorded["response"])
        if row.wire == wire or answer.message is None or (wire in OF_OBJECTS and has_cut_arguments(answer)):
            continue
        try:
            found = across(answer, wire)
        except InvalidRequest as error:
            found = [error]
        different += [(row.name, row.wire, each) for each in found]
    assert different == []


@pytest.mark.parametrize("wire", ACROSS)
def test_every_stream_is_what_an_sdk_accumulates_of_it_on_another_api(
    recorded_answers: Path, wire: str
) -> None:
    different: list[Any] = []
    for row in some_of(rows(recorded_answers, streamed=True), ACROSS.index(wire)):
        events, answer = read_stream(row.wire, [row.raw()], row.framing)
        # of calls that were cut off, each SDK makes something else
        if whole(row) and row.wire != wire and len(answer.candidates) == 1 and answer.finish != "length":
            different += [(row.name, row.wire, each) for each in as_stream(events, wire)]
    assert different == []


@pytest.mark.parametrize("wire", ["openai_chat", "openai_responses", "anthropic_messages"])
def test_an_sdk_and_we_accumulate_the_same(recorded_answers: Path, wire: str) -> None:
    different: list[Any] = []
    for row in rows(recorded_answers, streamed=True):
        # a host whose last event holds nothing: OpenAI's SDK believes it
        if row.wire != wire or row.framing != "sse" or not whole(row) or row.api == "other:chatgpt_codex":
            continue
        raw = row.raw()
        theirs = streamed(wire, raw)
        found = between(read_stream(wire, [raw])[1], theirs, wire)
        # OpenAI's SDK forgets counts that do not stand in the last event
        different += [(row.name, each) for each in found if theirs.counts or theirs.counts not in each]
    assert different == []


def whole(row: Row) -> bool:
    """Return whether all events were recorded."""
    return "elided" not in row.recorded and "cut" not in row.recorded
