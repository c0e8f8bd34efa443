"""Where an SDK sees another answer than ours."""

from __future__ import annotations

from typing import Any

from promptwire import Answer, Audio, Image, Text, ToolCall
from promptwire.parts import HostedCall, HostedResult, Refusal
from tests.answers import module, read_stream
from tests.conformance.sdk_answers import (
    Seen,
    answer_problems,
    as_json,
    data_of,
    event_problems,
    numbers,
    seen,
    streamed,
)
from tests.internals.runtime import write_counts
from tests.written_streams import tables, written


def across(answer: Answer, wire: str) -> list[Any]:
    """Write a whole answer for a wire; give what its SDK refuses, or sees otherwise."""
    if wire == "gemini_generate" and any(
        isinstance(part, (HostedCall, HostedResult)) for part in answer.parts
    ):
        # calls that another API ran itself are written as Gemini's, whose SDK has a list of their types
        return []
    body = module(wire).write_answer(answer, policies="lenient")
    # media are written as in requests, where types of answers have others or none
    media = any(isinstance(part, (Image, Audio)) for part in answer.parts)
    refused = [] if media else answer_problems(wire, body)
    return [*refused, *between(answer, seen(wire, body), wire)]


def as_stream(events: list[Any], wire: str) -> list[Any]:
    """Write events for a wire; give what its SDK refuses, or accumulates otherwise than our own reading."""
    raw = written(events, wire)
    refused = [problem for event in data_of(raw) for problem in event_problems(wire, event)]
    return [*refused, *between(read_stream(wire, [raw])[1], streamed(wire, raw), wire)]


def text_of(answer: Answer) -> str:
    """Return the text, also of an answer of which nothing was understood."""
    return "".join(part.text for part in answer.parts if isinstance(part, Text))


def refusal_of(answer: Answer) -> str:
    """Return the words of a refusal."""
    return "".join(part.text for part in answer.parts if isinstance(part, Refusal))


def between(answer: Answer, other: Seen, wire: str) -> list[Any]:
    """Return where the two differ: texts, calls, arguments, finish and counts."""
    table, events = tables(wire)
    calls = [
        (call.id, call.name, as_json(call.arguments)) for call in answer.calls if isinstance(call, ToolCall)
    ]
    # an id is made where the API asks for one
    known = [
        (call[0] and other_call[0], *other_call[1:])
        for call, other_call in zip(calls, other.calls, strict=False)
    ]
    # an API without refusals has one as text
    has_refusals = "refusal" in module(wire).WIRE.capabilities["parts"]
    text = text_of(answer) if has_refusals else text_of(answer) + refusal_of(answer)
    rows: list[Any] = [] if other.text == text else [(text, other.text)]
    if len(calls) != len(other.calls) or known != [(call[0], *call[1:]) for call in calls]:
        rows.append((calls, other.calls))
    # hosted calls that wait for the caller have no place on another API
    finish = "stop" if answer.waiting and not calls else answer.finish or "stop"
    words = {table.word_for(finish, answer.finish_raw, ends) for ends in ((), events.ends)}
    # calls that end with `stop` are read as calls
    meant = {table.finish.get(word or "") for word in (*words, answer.finish_raw)}
    if other.finish is not None and table.finish.get(other.finish) not in meant:
        rows.append((answer.finish, other.finish))
    counts = {} if answer.usage is None else numbers(write_counts(answer.usage, table, own=False))
    return rows + [
        (key, count, other.counts) for key, count in counts.items() if other.counts.get(key) != count
    ]
