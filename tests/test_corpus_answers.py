"""Recorded answers: every one is written back exactly, and every stream is the same however its bytes are cut.

A line of the file is an object with `id`, `api` and `wire`, and either `response` or `framing` and `events`; lines of
other wires are passed over. Of streams with `elided`, events were taken out: their texts do not add up.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest

import promptwire
from promptwire import Answer, Event, Note, Reasoning, Text, ToolCall
from promptwire.errors import InvalidRequest
from promptwire.parts import CustomToolCall, Refusal
from promptwire.results import answer_coverage
from tests.answers import Events, cut, module, read_stream, stream_bytes
from tests.internals.runtime import Coverage, same, spec_word
from tests.recorded import answers_of
from tests.written_streams import (
    ACROSS,
    differences,
    options_of,
    parts_said,
    said as said_by,
    tables,
    wires_of,
    written,
    written_again,
)

# the vendors' own hosts; compatible hosts add keys of their own
UNDERSTOOD_APIS = (
    "openai_chat", "openai_responses", "anthropic", "gemini", "vertex_gemini", "mistral", "cohere", "ollama", "deepseek",
    "xai", "groq", "openrouter", "azure_chat", "azure_responses", "bedrock_converse", "huggingface",
)  # fmt: skip
LEAST_UNDERSTOOD = 0.99
FRAMINGS = {"aws_eventstream": "aws_event_stream"}
KINDS = ("text", "reasoning", "refusal")
SEALED = ("signature", "encrypted", "redacted", "logprobs")


@dataclass(frozen=True, slots=True)
class Row:
    """One recorded answer: `name` is its id, `wire` what reads it."""

    name: str
    api: str
    wire: str
    recorded: dict[str, Any]

    @property
    def framing(self) -> str:
        """The framing of the stream, by its name in specs."""
        framing: str = self.recorded["framing"]
        return FRAMINGS.get(framing, framing)

    def raw(self) -> bytes:
        """The bytes of a stream."""
        return stream_bytes(self.framing, self.events)

    @property
    def events(self) -> Events:
        """The events, as they stood in the stream; those inside of base64 have no name beside."""
        if self.framing == "ndjson":
            return [(None, event) for event in self.recorded["events"]]
        return [
            (None if event.get("unwrapped") else event.get("event"), event["data"])
            for event in self.recorded["events"]
        ]


@dataclass(frozen=True, slots=True)
class Read:
    """The result of reading one whole answer."""

    row: Row
    exact: bool
    coverage: Coverage


@dataclass(frozen=True, slots=True)
class Streamed:
    """The result of reading one stream."""

    row: Row
    events: list[Event]
    answer: Answer


def rows(path: Path, *, streamed: bool) -> Iterator[Row]:
    """Yield the rows of a file that a wire of ours reads."""
    for wire, recorded in answers_of(path):
        if recorded["streamed"] is streamed:
            yield Row(recorded["id"], recorded["api"], wire, recorded)


def read(row: Row) -> Read:
    """Read one whole answer, and write it again."""
    wire, body = module(row.wire), row.recorded["response"]
    answer = wire.read_answer(body)
    return Read(row, same(wire.write_answer(answer), body), answer_coverage(wire, answer))


@pytest.fixture(scope="module")
def whole(recorded_answers: Path) -> list[Read]:
    outcomes = [read(row) for row in rows(recorded_answers, streamed=False)]
    assert outcomes, f"{recorded_answers} holds no answer to {', '.join(promptwire.WIRES)}"
    return outcomes


@pytest.fixture(scope="module")
def streams(recorded_answers: Path) -> list[Streamed]:
    outcomes = [
        Streamed(row, *read_stream(row.wire, [row.raw()], row.framing))
        for row in rows(recorded_answers, streamed=True)
    ]
    assert outcomes, f"{recorded_answers} holds no stream of {', '.join(promptwire.WIRES)}"
    return outcomes


def test_every_answer_is_written_back_exactly(whole: list[Read]) -> None:
    assert [each.row.name for each in whole if not each.exact] == []


def test_every_leaf_of_an_answer_is_understood_or_kept(whole: list[Read]) -> None:
    counts = [each.coverage for each in whole]
    assert [count for count in counts if count.understood + count.kept != count.leaves] == []


@pytest.mark.parametrize("api", UNDERSTOOD_APIS)
def test_answers_are_understood(whole: list[Read], api: str) -> None:
    counts = [each.coverage for each in whole if each.row.api == api]
    leaves = sum(count.leaves for count in counts)
    assert leaves > 0, f"the recordings hold no answer of {api}"
    share = sum(count.understood for count in counts) / leaves
    unknown = {key for count in counts for key in count.unknown}
    assert share >= LEAST_UNDERSTOOD, f"{share:.2%} of {leaves} leaves: {unknown}"


def test_every_cut_of_a_stream_gives_the_same(streams: list[Streamed]) -> None:
    random = Random(1)  # noqa: S311  # no secret
    different = [
        each.row.name
        for each in streams
        if read_stream(each.row.wire, cut(each.row.raw(), random), each.row.framing)
        != (each.events, each.answer)
    ]
    assert different == []


def test_events_of_a_stream_are_its_answer(streams: list[Streamed]) -> None:
    alone = [
        each for each in streams if "elided" not in each.row.recorded and len(each.answer.candidates) == 1
    ]
    assert [each.row.name for each in alone if told(each.events) != said(each.answer)] == []


def told(events: list[Event]) -> dict[str, Any]:
    """Return what events say together."""
    texts = {kind: "".join([event.text for event in events if event.kind == kind]) for kind in KINDS}
    ends = [event.name for event in events if event.kind == "finish"]
    return {
        **texts,
        "calls": [(event.id, event.name) for event in events if event.kind == "call"],
        "finish": ends,
    }


def said(answer: Answer) -> dict[str, Any]:
    """Return what an answer says, in the same words."""
    texts = {kind: getattr(answer, kind) or "" for kind in KINDS}
    ends = [answer.finish] if answer.finish is not None else []
    return {**texts, "calls": [(call.id, call.name) for call in answer.calls], "finish": ends}


def test_the_answer_of_a_stream_is_that_of_its_body(streams: list[Streamed]) -> None:
    different = [
        each.row.name
        for each in streams
        if not same(module(each.row.wire).write_answer(each.answer), each.answer.raw)
    ]
    assert different == []


def test_every_event_of_a_stream_is_known(streams: list[Streamed]) -> None:
    unknown = [
        (each.row.wire, event.name, event.data)
        for each in streams
        for event in each.events
        if event.kind == "unknown"
    ]
    assert unknown == []


def test_every_stream_written_and_read_again_says_the_same(streams: list[Streamed]) -> None:
    pairs = [(each, wire) for each in streams for wire in wires_of(each.row.wire)]
    different = [(each.row.name, wire, rows) for each, wire in pairs if (rows := lost(each.events, wire))]
    assert different == []


def test_every_stream_written_on_its_own_wire_is_the_same_answer(streams: list[Streamed]) -> None:
    writing = [
        each for each in streams if hasattr(module(each.row.wire), "write_stream") and all_json(each.events)
    ]
    lost: dict[str, list[Note]] = {}
    for each in writing:
        notes: list[Note] = []
        again = read_stream(each.row.wire, [written(each.events, each.row.wire, notes)])[1]
        if at_once(again) != at_once(each.answer):
            lost[each.row.name] = [note for note in notes if note.action in ("dropped", "added")]
    assert len(writing) > len(streams) * 0.9
    # what no event of an API has a place for is named
    assert [name for name, notes in lost.items() if not notes] == []
    assert len(lost) < len(writing) * 0.01


def at_once(answer: Answer) -> list[list[str]]:
    """Return what an answer says, in any order: items that begin at once end one by one."""
    return [sorted(map(str, said)) for said in parts_said(answer)]


def test_what_another_api_cannot_say_is_named(streams: list[Streamed]) -> None:
    silent = [
        (each.row.name, wire, word)
        for each in streams
        if all_json(each.events) and len(each.answer.candidates) < 2
        for wire in ACROSS
        if wire != each.row.wire
        for word in missed(each, wire)
    ]
    assert silent == []


def missed(streamed: Streamed, wire: str) -> list[str]:
    """Return what is in no part of the answer that another wire's reader sees, and in no note."""
    notes: list[Note] = []
    again = read_stream(wire, [written(streamed.events, wire, notes)])[1]
    before, after = sealed(streamed.answer), sealed(again)
    named = {word for note in notes for word in note.field.split(".")}
    named |= {"citations"} if "annotations" in named else set()
    # a part that is dropped takes what is in it with it
    return [
        f"{kind}.{word}"
        for (kind, word), number in before.items()
        if after[kind, word] < number and named.isdisjoint((kind, word))
    ]


def sealed(answer: Answer) -> Counter[tuple[str, str]]:
    """Count what of the parts texts and calls do not tell: the word of the part, and of the field."""
    counts: Counter[tuple[str, str]] = Counter()
    for part in answer.parts:
        word = spec_word(part)
        if isinstance(part, (Text, Reasoning, Refusal, ToolCall, CustomToolCall)):
            counts.update((word, name) for name in SEALED if getattr(part, name, None))
            counts["text", "citations"] += len(getattr(part, "citations", None) or ())
            counts[word, "vendor"] += bool(options_of(part.vendor))
        else:
            counts[word, "value" if word == "opaque" else word] += 1
    # some APIs cite in the message that holds the texts
    options = [known for message in answer.messages for known in (message.vendor or {}).values()]
    counts["text", "citations"] += sum([len(known.get("annotations") or ()) for known in options])
    return counts


def lost(events: list[Event], wire: str) -> list[Any]:
    """Return what of the events a wire does not say again."""
    call = tables(wire)[1].kinds.get("call")
    if call is not None and call.json and not all_json(events):
        # arguments that are no JSON are replaced, and noted
        return []
    try:
        return differences(events, written_again(events, wire), wire)
    except InvalidRequest as error:
        # arguments that were cut off, or of which pieces were taken out, are no JSON
        return [error] if error.field != "arguments" or all_json(events) else []


def all_json(events: list[Event]) -> bool:
    """OnEvent whether the arguments of all calls are JSON objects."""
    parts = [part for parts in said_by(events).parts.values() for part in parts]
    return all(isinstance(part[3], dict) for part in parts if part[0] == "call")
