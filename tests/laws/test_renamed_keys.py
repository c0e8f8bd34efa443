"""A host may spell one key otherwise: the answer says the same, or names the key that it did not understand.

It names it by an error, a problem, a deviation, or an event in a stream that tells of it. Every key of the examples is renamed, one
at a time, also those that hold what the model says; with --answers, those of recorded answers and streams too. In a stream,
the key is renamed in every event.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest

from promptwire import Answer, Event, PromptwireError
from tests.answers import answers, module, read_stream, stream_bytes, streams
from tests.internals.runtime import same
from tests.laws.test_tolerant_reading import said_by_answer, said_by_parts
from tests.test_corpus_answers import Row, rows

# what a caller or the API itself gives, and counts
OTHERS = {"arguments", "args", "input", "schema", "parameters", "usage", "metadata"}
# marks without which thinking is text, a call that Amazon runs is one for the caller, and two candidates are one
MARKS = ("thought",), ("toolUse", "type"), (0, "index")
# without it, a step of a search that xAI runs is a call for the caller, until the answer ends
MARK_IN_STREAMS = ("xai_responses", ("item", "type"))
ROWS_OF_A_WIRE = 8
TELLING = ("unknown", "error", "problem", "replaced")

Steps = tuple[str | int, ...]


def places(value: Any, above: Steps = ()) -> Iterator[Steps]:
    """Yield the path of each key with a value; all elements of a list have one path."""
    if isinstance(value, list):
        for inner in value:
            yield from places(inner, (*above, 0))
    elif isinstance(value, dict):
        for key, inner in value.items():
            here = (*above, key)
            if inner not in (None, "", [], {}) and not {here[-1:], here[-2:]} & {*MARKS}:
                yield here
            if key not in OTHERS:
                yield from places(inner, here)


def renamed(value: Any, path: Steps) -> Any:
    """A copy of a value in which the key at a path has another name, in each element of the lists on the way."""
    if not path:
        return value
    if isinstance(value, list):
        return [renamed(inner, path[1:]) for inner in value] if path[0] == 0 else value
    if not isinstance(value, dict):
        return value
    first, *rest = path
    if rest:
        return {key: renamed(inner, tuple(rest)) if key == first else inner for key, inner in value.items()}
    return {f"x_{key}" if key == first else key: inner for key, inner in value.items()}


def said_by_stream(events: list[Event], answer: Answer) -> tuple[Any, ...]:
    text = "".join([event.text for event in events if event.kind in ("text", "refusal")])
    names = [event.name for event in events if event.kind == "call"]
    return text, names, answer.text, answer.reasoning, said_by_parts(answer.calls)


def is_told(answer: Answer) -> bool:
    """Return whether an answer names what was not understood, or has it as an option of its API's."""
    options = [getattr(part, "vendor", None) for part in answer.parts]
    return bool(answer.unread or answer.deviations or "'x_" in str(options))


def of_answers(wire: str, bodies: Iterable[dict[str, Any]]) -> Iterator[str]:
    """Yield the changes of bodies that lose something without a word."""
    names = module(wire)
    for body in bodies:
        try:
            before = said_by_answer(names.read_answer(body))
        except PromptwireError:
            continue
        for path in dict.fromkeys(places(body)):
            changed = renamed(body, path)
            try:
                answer = names.read_answer(changed)
            except PromptwireError:
                continue
            assert same(names.write_answer(answer, policies="verbatim"), changed), (wire, path)
            if not is_told(answer) and said_by_answer(answer) != before:
                yield f"{wire}: {path}"


def of_stream(wire: str, framing: str, stream: list[Any]) -> Iterator[str]:
    """Yield the changes of a stream that lose something without a word."""
    before = said_by_stream(*read_stream(wire, [stream_bytes(framing, stream)], framing))
    for path in dict.fromkeys(path for _, data in stream for path in places(data)):
        if (wire, path) == MARK_IN_STREAMS:
            continue
        changed = [(name, renamed(data, path)) for name, data in stream]
        try:
            events, answer = read_stream(wire, [stream_bytes(framing, changed)], framing)
        except PromptwireError:
            continue
        is_unknown = any(event.kind in TELLING for event in events)
        if not is_unknown and not is_told(answer) and said_by_stream(events, answer) != before:
            yield f"{wire}: {path}"


def test_a_renamed_key_of_an_answer_is_told() -> None:
    assert [row for wire, _, body in answers() for row in of_answers(wire, [body])] == []


@pytest.mark.slow
def test_a_renamed_key_of_a_stream_is_told() -> None:
    assert [row for each in streams() for row in of_stream(each.wire, each.framing, each.events)] == []


def test_a_renamed_key_of_a_recorded_answer_is_told(recorded_answers: Path) -> None:
    chosen = some(rows(recorded_answers, streamed=False))
    found = [line for row in chosen for line in of_answers(row.wire, [row.recorded["response"]])]
    assert (len(chosen) > 100, found) == (True, [])


def test_a_renamed_key_of_a_recorded_stream_is_told(recorded_answers: Path) -> None:
    chosen = some(row for row in rows(recorded_answers, streamed=True) if "elided" not in row.recorded)
    found = [line for row in chosen for line in of_stream(row.wire, row.framing, row.events)]
    assert (len(chosen) > 60, found) == (True, [])


def some(recorded: Iterable[Row]) -> list[Row]:
    """Return the first rows of each wire."""
    seen = Counter[str]()
    chosen: list[Row] = []
    for row in recorded:
        seen[row.wire] += 1
        if seen[row.wire] <= ROWS_OF_A_WIRE:
            chosen.append(row)
    return chosen
