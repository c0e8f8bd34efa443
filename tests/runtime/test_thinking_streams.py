"""Streams that tell thinking from its summary: both are read and written as what they are."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

import pytest

from promptwire import (
    Answer,
    Event,
    Message,
    Note,
    Reasoning,
    Text,
    anthropic_messages,
    bedrock_converse,
    deepseek_chat,
    gemini_generate,
    gemini_interactions,
    openai_responses,
)
from promptwire.errors import NoPlace
from promptwire.plugins import Provenance
from promptwire.results import Candidate
from tests.answers import module, read_stream
from tests.notes import refused
from tests.searching import TESTED_WIRES

RESPONSE: dict[str, Any] = {"id": "r1", "object": "response", "created_at": 1, "model": "m", "output": []}
Pieces = list[tuple[str | None, str]]


def item(texts: list[str], summary: list[str]) -> dict[str, Any]:
    return {
        "type": "reasoning",
        "id": "rs_1",
        "summary": [{"type": "summary_text", "text": text} for text in summary],
        "content": [{"type": "reasoning_text", "text": text} for text in texts],
    }


def events_of_item(texts: list[str], summary: list[str]) -> list[dict[str, Any]]:
    """Return the events of one reasoning item, its texts in two pieces each."""
    rows = [("content", "reasoning_text", "content_part", texts)]
    rows += [("summary", "reasoning_summary_text", "reasoning_summary_part", summary)]
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**RESPONSE, "status": "in_progress"}},
        {"type": "response.output_item.added", "output_index": 0, "item": item([], [])},
    ]
    for place, kind, part, given in rows:
        for number, text in enumerate(given):
            about = {"output_index": 0, "item_id": "rs_1", f"{place}_index": number}
            added = {"type": kind.replace("reasoning_summary", "summary"), "text": ""}
            events.append({"type": f"response.{part}.added", **about, "part": added})
            events += [
                {"type": f"response.{kind}.delta", **about, "delta": piece} for piece in (text[:1], text[1:])
            ]
    whole = item(texts, summary)
    done = {"type": "response.output_item.done", "output_index": 0, "item": whole}
    completed = {**RESPONSE, "status": "completed", "output": [whole]}
    return [*events, done, {"type": "response.completed", "response": completed}]


def sse(events: Iterable[Any]) -> bytes:
    return "".join([f"data: {json.dumps(event)}\n\n" for event in events]).encode()


def thinking(events: list[Event]) -> Pieces:
    """Return the texts of thinking, joined by their field and place."""
    pieces: dict[tuple[str | None, tuple[int, ...]], str] = {}
    for event in events:
        if event.kind == "reasoning":
            key = (event.name, event.place)
            pieces[key] = pieces.get(key, "") + event.text
    return [(field, text) for (field, _), text in pieces.items()]


def written(wire: Any, events: list[Event], notes: list[Note] | None = None) -> bytes:
    writer = wire.write_stream(model="m", policies="lenient", notes=notes)
    return b"".join([*[writer.feed(event) for event in events], writer.close()])


def has_thinking(wire: str) -> bool:
    """Return whether streams of a wire are written with thinking."""
    if not hasattr(module(wire), "write_stream"):
        return False
    notes: list[Note] = []
    written(module(wire), [Event(kind="reasoning", text="Hm.")], notes)
    return not any(note.field == "reasoning" for note in notes)


CASES: list[tuple[list[str], list[str], Pieces]] = [
    (["Two and two."], [], [("texts", "Two and two.")]),
    ([], ["Adds."], [("summary", "Adds.")]),
    (["One.", "Two."], ["A.", "B."], [("texts", "One."), ("texts", "Two."), ("summary", "A."), ("summary", "B.")]),
]  # fmt: skip


@pytest.mark.parametrize(("texts", "summary", "said"), CASES)
def test_thinking_and_its_summary_are_told_apart(texts: list[str], summary: list[str], said: Pieces) -> None:
    events, answer = read_stream("openai_responses", [sse(events_of_item(texts, summary))])
    assert thinking(events) == said
    (part,) = answer.parts
    assert isinstance(part, Reasoning)
    assert (part.texts, part.summary) == (tuple(texts), tuple(summary))
    # an answer that came as a whole tells the same
    whole = openai_responses.read_answer(answer.raw)
    raw = openai_responses.write_stream(model="m").answer(whole)
    assert thinking(read_stream("openai_responses", [raw])[0]) == said


@pytest.mark.parametrize(("texts", "summary", "said"), CASES)
def test_each_is_written_by_its_own_events(texts: list[str], summary: list[str], said: Pieces) -> None:
    events, answer = read_stream("openai_responses", [sse(events_of_item(texts, summary))])
    raw = written(openai_responses, events)
    kinds = [json.loads(line[6:]) for line in raw.decode().splitlines() if line.startswith("data: {")]
    deltas = [(each["type"], each["delta"]) for each in kinds if each["type"].endswith(".delta")]
    words = {"texts": "response.reasoning_text.delta", "summary": "response.reasoning_summary_text.delta"}
    assert deltas == [(words[str(field)], piece) for field, text in said for piece in (text[:1], text[1:])]
    again, same = read_stream("openai_responses", [raw])
    assert thinking(again) == said
    assert same.parts == answer.parts


def test_an_item_of_both_that_no_event_repeats_holds_both() -> None:
    events = [
        Event(kind="reasoning", name="texts", text="One.", part=0, place=(0, 0)),
        Event(kind="reasoning", name="texts", text="Two.", part=0, place=(0, 1)),
        Event(kind="reasoning", name="summary", text="A.", part=0, place=(0, 0)),
        Event(kind="finish", name="stop"),
    ]
    raw = written(openai_responses, events)
    done = next(json.loads(line[6:]) for line in raw.decode().splitlines() if '"response.output_item.done"' in line and line.startswith("data"))  # fmt: skip
    assert done["item"] == {
        "type": "reasoning",
        "id": done["item"]["id"],
        "summary": [{"type": "summary_text", "text": "A."}],
        # as the deltas say, which have an index of each
        "content": [{"type": "reasoning_text", "text": text} for text in ("One.", "Two.")],
    }


@pytest.mark.parametrize("wire", [anthropic_messages, deepseek_chat, gemini_generate])
def test_an_api_with_one_place_gets_the_thinking_and_a_note(wire: Any) -> None:
    events, _ = read_stream("openai_responses", [sse(events_of_item(["Two and two."], ["Adds."]))])
    notes: list[Note] = []
    again = read_stream(wire.WIRE.name, [written(wire, events, notes)])[0]
    assert [text for _, text in thinking(again)] == ["Two and two."]
    assert "reasoning.summary" in [note.field for note in notes]


def test_thinking_of_other_apis_is_written_as_a_summary() -> None:
    message = Message("assistant", (Reasoning(text="Hm."),))
    answer = Answer(candidates=(Candidate(message=message, finish="stop", index=0),))
    raw = openai_responses.write_stream(model="m").answer(answer)
    assert thinking(read_stream("openai_responses", [raw])[0]) == [("summary", "Hm.")]


def test_thoughts_of_an_interaction_are_summaries() -> None:
    message = Message("assistant", (Reasoning(summary=("Hm.",)),))
    answer = Answer(candidates=(Candidate(message=message, finish="stop", index=0),))
    raw = gemini_interactions.write_stream(model="m").answer(answer)
    assert thinking(read_stream("gemini_interactions", [raw])[0]) == [("summary", "Hm.")]


@pytest.mark.parametrize("field", ["text", "summary", "texts"])
@pytest.mark.parametrize("wire", [wire for wire in TESTED_WIRES if has_thinking(wire)])
def test_thinking_of_another_api_stays_in_a_whole_answer(wire: str, field: str) -> None:
    given: dict[str, Any] = {field: "Hm." if field == "text" else ("Hm.",)}
    part = Reasoning(**given)
    message = Message("assistant", (part, Text("Hi")), provenance=Provenance("acme", "m", "acme"))
    answer = Answer(candidates=(Candidate(message=message, finish="stop", index=0),))
    body = module(wire).write_answer(answer, policies="lenient", notes=[])
    assert module(wire).read_answer(body).reasoning == "Hm."


@pytest.mark.parametrize(
    ("wire", "part", "field"),
    [
        (anthropic_messages, Reasoning(text="Hm.", redacted="c2ln"), "redacted"),
        (bedrock_converse, Reasoning(text="Hm.", redacted="c2ln"), "redacted"),
    ],
)
def test_a_value_that_no_event_holds_has_its_neutral_name(wire: Any, part: Reasoning, field: str) -> None:
    name, api = wire.WIRE.name, wire.WIRE.api
    message = Message("assistant", (part,), provenance=Provenance(name, "m", api))
    answer = Answer(candidates=(Candidate(message=message, finish="stop", index=0),))
    notes: list[Note] = []
    wire.write_stream(policies="lenient", notes=notes).answer(answer)
    assert [note.field for note in notes if note.why.startswith("no event of")] == [field]
    with refused(NoPlace, "messages[0].redacted"):
        wire.write_stream().answer(answer)


@pytest.mark.parametrize(
    "wire", ["anthropic_messages", "bedrock_converse", "deepseek_chat", "openrouter_chat"]
)
def test_two_summaries_are_two_paragraphs_where_thinking_is_one_text(wire: str) -> None:
    thinking = {**item([], ["First.", "Second."]), "status": "completed"}
    body = {**RESPONSE, "status": "completed", "output": [thinking]}
    answer = openai_responses.read_answer(body)
    notes: list[Note] = []
    raw = module(wire).write_stream(id="a", model="m", policies="lenient", notes=notes).answer(answer)
    _, again = read_stream(wire, [raw])
    whole = module(wire).read_answer(module(wire).write_answer(answer, policies="lenient"))
    assert again.reasoning == whole.reasoning == "First.\n\nSecond."
