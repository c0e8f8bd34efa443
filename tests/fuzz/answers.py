"""Answers and streams: damaged ones of the examples, whole bodies, events and bytes."""

from __future__ import annotations

import marshal
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

from promptwire import PromptwireError
from promptwire.results import answer_coverage
from tests.answers import Events, answers, cut, module, streams
from tests.internals.runtime import FRAMED, same, whole_json
from tests.recorded import answers_of

from .json_damage import PLAIN, any_value, damaged, twin
from .target import Target, Turn, WrongOutcome

_ELSEWHERE = 0.1


@dataclass(frozen=True, slots=True)
class Answered:
    """The body of an answer that is read as one wire's, and the wire that it is written for as well."""

    wire: str
    body: Any
    to: str | None


@dataclass(frozen=True, slots=True)
class Chunks:
    """The bytes of a stream in two cuts, and the wire that its events are written for."""

    wire: str
    framing: str
    to: str
    one: tuple[bytes, ...]
    other: tuple[bytes, ...]


def answers_target(corpus: Path | None) -> Target:
    """Make the target of whole answers; `corpus` holds recorded ones among its rows, or none."""
    return Target("answers", lambda turn, random: _draw_answer(turn, random, corpus), _check_answer, share=2)


def streams_target() -> Target:
    """Make the target of streams."""
    return Target("streams", _draw_stream, _check_stream, share=2)


@cache
def _bodies(corpus: Path | None) -> tuple[tuple[str, bytes], ...]:
    rows = [(wire, body) for wire, _, body in answers()]
    if corpus is not None:
        rows += [(wire, row["response"]) for wire, row in answers_of(corpus) if "response" in row]
    return tuple([(wire, marshal.dumps(body)) for wire, body in rows])


def _draw_answer(turn: Turn, random: Random, corpus: Path | None) -> Answered:
    wire, body = random.choice(_bodies(corpus))
    given = damaged(random, marshal.loads(body))  # noqa: S302  # our own bytes
    if random.random() < 0.02:
        given = any_value(random) if random.random() < 0.5 else random.choice(PLAIN)
    wire = random.choice([each for each, _ in _bodies(None)]) if random.random() < 0.03 else wire
    to = random.choice([each for each, _ in _bodies(None)]) if random.random() < _ELSEWHERE else None
    return Answered(wire, given, to)


def _check_answer(given: Answered) -> bool:
    wire = module(given.wire)
    try:
        answer = wire.read_answer(given.body)
    except PromptwireError:
        return False
    # an error of ours would be one too many: whatever was read can be written, with U+FFFD for half a character
    if not same(wire.write_answer(answer), whole_json(given.body)[0]):
        raise WrongOutcome(f"{given.wire}: an answer does not come back")
    coverage = answer_coverage(wire, answer)
    if coverage.understood + coverage.kept != coverage.leaves:
        raise WrongOutcome("the counts of an answer do not add up", given.wire)
    with suppress(PromptwireError):
        _ = answer.data
    if given.to is not None:
        for policies in ("strict", "lenient"):
            with suppress(PromptwireError):
                module(given.to).write_answer(answer, policies=policies)
    return True


@cache
def _seeds() -> tuple[tuple[str, str, bytes], ...]:
    return tuple([(each.wire, each.framing, marshal.dumps(each.events)) for each in streams()])


@cache
def _streaming() -> tuple[str, ...]:
    """Return the wires of the recorded streams that write streams as well."""
    return tuple([wire for wire, _, _ in _seeds() if hasattr(module(wire), "write_stream")])


def _draw_stream(turn: Turn, random: Random) -> Chunks:
    wire, framing, given = random.choice(_seeds())
    events: Events = marshal.loads(given)  # noqa: S302  # our own bytes
    for _ in range(random.randint(0, 3)):
        _disturb(random, events)
    framed = FRAMED[framing]()
    frames = [framed.frame(name, data) for name, data in events if _is_sent(data, framing)]
    raw = bytearray(b"".join([*frames, framed.end()]))
    if random.random() < 0.2:
        for _ in range(random.randint(1, 3)):
            place = random.randrange(len(raw) + 1)
            raw[place : place + random.randint(0, 2)] = random.randbytes(random.randint(0, 2))
    if random.random() < 0.05:
        del raw[random.randrange(len(raw) + 1) :]
    if random.random() < 0.02:
        framing = random.choice(list(FRAMED))
    to = random.choice(_streaming())
    return Chunks(wire, framing, to, tuple(cut(bytes(raw), random)), tuple(cut(bytes(raw), random)))


def _disturb(random: Random, events: Events) -> None:
    """Drop an event, repeat one, exchange two, or damage the data of one."""
    place, other = (random.randrange(len(events)) for _ in "ab") if events else (0, 0)
    way = random.random() if events else 1.0
    if way < 0.2:
        del events[place]
    elif way < 0.4:
        events.insert(other, events[place])
    elif way < 0.5:
        events[place], events[other] = events[other], events[place]
    elif way < 1.0:
        name, data = events[place]
        # an event that was damaged before may be too deep for a copy
        events[place] = (name, damaged(random, twin(data)))


def _is_sent(data: Any, framing: str) -> bool:
    """Whether an event can stand in a stream at all: as JSON of a usual size, or as text among events with lines."""
    try:
        return len(FRAMED[framing]().frame(None, data)) < 100_000
    except PromptwireError:
        return False


def _check_stream(given: Chunks) -> bool:
    one, other = _outcome(given, given.one), _outcome(given, given.other)
    if one != other:
        raise WrongOutcome(f"{given.wire}: another cut gives another outcome", f"{one}\n{other}"[:4000])
    writer = module(given.to).write_stream(policies="lenient")
    with suppress(PromptwireError):
        for event in one[0]:
            writer.feed(event)
        writer.close()
    return one[1] is not None


def _outcome(given: Chunks, chunks: tuple[bytes, ...]) -> tuple[list[Any], Any, str]:
    """Return what a cut gives: its events, the answer, and the error."""
    stream = module(given.wire).stream(given.framing)
    events: list[Any] = []
    try:
        for chunk in chunks:
            events += stream.feed(chunk)
        events += stream.rest()
        return events, stream.close(), ""
    except PromptwireError as error:
        return events, None, str(error)
