"""Time of reading an answer beside decoding its JSON, in one run."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.answers import Events, Streamed, answers, module, stream_bytes, streams
from tests.test_corpus_answers import rows

from .measuring import rounds_until, side_by_side

MOST_OF_ANSWER = 10.5
# what is done once an answer weighs more where it is a few hundred letters long
MOST_OF_SHORT = 20.0
MOST_OF_STREAM = 6.0
PIECES = 400
RECORDED = 100
ROOTS = (
    "openai_chat",
    "openai_responses",
    "anthropic_messages",
    "gemini_generate",
    "bedrock_converse",
    "ollama_chat",
)


def answer_of(wire: str) -> dict[str, Any]:
    """Return the longest example of a wire; recorded answers are longer still."""
    return max([body for name, _, body in answers() if name == wire], key=lambda body: len(json.dumps(body)))


def stream_of(wire: str) -> Streamed:
    """Return the first example of a wire, whose piece of text comes again and again, as in a long answer."""
    example = next(each for each in streams() if each.wire == wire)
    told = [
        any(
            event.kind == "text"
            for event in module(wire).stream().feed(stream_bytes(example.framing, [event]))
        )
        for event in example.events
    ]
    place = (
        told.index(True)
        if True in told
        else next(
            number
            for number, (_, data) in enumerate(example.events)
            if "moment" in json.dumps(data) or "One" in json.dumps(data)
        )
    )
    events: Events = [
        *example.events[:place],
        *[example.events[place]] * PIECES,
        *example.events[place + 1 :],
    ]
    return Streamed(wire, example.name, example.framing, events)


def ratio(ours: Any, other: Any, most: float) -> float:
    """Return what ours costs in units of the other, in the best of some measurements."""

    def fine(ratios: list[float]) -> bool:
        return min(ratios) < most

    return min(
        rounds_until(
            fine,
            lambda: side_by_side(ours, other, None, rounds=9, spend=0.005, collecting=False).ratio,
            least=2,
        )
    )


@pytest.mark.parametrize("wire", ROOTS)
def test_reading_a_short_answer_costs_little_more_than_its_json(wire: str) -> None:
    body = answer_of(wire)
    text = json.dumps(body)
    read = module(wire).read_answer
    cost = ratio(lambda _: read(body), lambda _: json.loads(text), MOST_OF_SHORT)
    print(f"{wire}: an answer of {len(text)} letters costs {cost:.1f} times its JSON")
    assert cost < MOST_OF_SHORT


@pytest.mark.parametrize("wire", ROOTS)
def test_reading_recorded_answers_costs_little_more_than_their_json(
    wire: str, recorded_answers: Path
) -> None:
    bodies = [row.recorded["response"] for row in rows(recorded_answers, streamed=False) if row.wire == wire]
    texts = [json.dumps(body) for body in bodies[:RECORDED]]
    read = module(wire).read_answer
    cost = ratio(
        lambda _: [read(body) for body in bodies[:RECORDED]],
        lambda _: [json.loads(text) for text in texts],
        MOST_OF_ANSWER,
    )
    print(f"{wire}: {len(texts)} recorded answers cost {cost:.1f} times their JSON")
    assert cost < MOST_OF_ANSWER


@pytest.mark.parametrize("wire", ROOTS)
def test_reading_a_stream_costs_little_more_than_its_json(wire: str) -> None:
    example = stream_of(wire)
    raw = example.bytes()
    chunks = [raw[place : place + 4096] for place in range(0, len(raw), 4096)]
    texts = [json.dumps(data) for _, data in example.events]

    def read(_: Any) -> Any:
        stream = module(wire).stream()
        for chunk in chunks:
            stream.feed(chunk)
        return stream.close()

    cost = ratio(read, lambda _: [json.loads(text) for text in texts], MOST_OF_STREAM)
    print(f"{wire}: a stream of {len(texts)} events costs {cost:.1f} times their JSON")
    assert cost < MOST_OF_STREAM
