"""One file that somebody recorded: a request, an answer, a stream of one, or an error, told by its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .framings import framing_of
from .generated import (
    AnswerModule,
    Reading,
    ReplayError,
    answering_module,
    has_answers,
    own_errors,
    refusals,
    wire_module,
)
from .inputs import body_in, bytes_from, name_of
from .lookalikes import looks_like


@dataclass(frozen=True, slots=True)
class AnswerReading:
    """An answer that was read.

    answer    the neutral answer
    coverage  how many leaves of its body were understood
    framing   what cut its stream into events; None where it came whole
    events    the neutral events of its stream, in order
    trouble   what is wrong with the stream: it broke off, or told an error
    """

    answer: Any
    coverage: Any
    framing: str | None = None
    events: Sequence[Any] = ()
    trouble: str | None = None

    @property
    def kinds(self) -> Mapping[str, int]:
        """How many events of each kind there are, in the order in which they first came."""
        return Counter([event.kind for event in self.events])


@dataclass(frozen=True, slots=True)
class ErrorReading:
    """An error that an API answered with; `kind` is None where the HTTP status decides it, which no body says."""

    error: Any
    kind: str | None


def read_recorded(wire: str, file: str) -> Reading | AnswerReading | ErrorReading:
    """Read what a file holds. Raises ReplayError where it is nothing that the wire knows."""
    raw = bytes_from(file)
    framing = framing_of(raw) if has_answers(wire) else None
    if framing is not None:
        return _read_stream(wire, raw, framing)
    return _read_body(wire, *body_in(raw, name_of(file)))


def _read_stream(wire: str, raw: bytes, framing: str) -> AnswerReading:
    module = answering_module(wire)
    stream = module.stream(framing)
    events: list[Any] = []
    trouble: str | None = None
    ours, _ = refusals()
    try:
        events += stream.feed(raw)
        events += stream.rest()
        answer = stream.close()
    except ours as error:
        trouble, answer = str(error), getattr(error, "answer", None)
        if answer is None:
            raise ReplayError(trouble) from error
    if trouble is None and not events:
        raise ReplayError(f"{wire}: the stream has no events")
    return AnswerReading(answer, _coverage(module, answer), framing, events, trouble)


def _coverage(module: AnswerModule, answer: Any) -> Any:
    """Count the leaves of an answer; None where nothing has come of it."""
    return None if answer.raw is None else module.answer_coverage(answer)


def _read_body(wire: str, body: Mapping[str, Any], url: str | None) -> Reading | AnswerReading | ErrorReading:
    """Read a body as what it is understood best as; what has a URL was sent, and is a request."""
    answered = _as_answer(wire, body) if url is None else None
    try:
        with own_errors():
            reading = wire_module(wire).read(body, url)
    except ReplayError as error:
        if answered is not None:
            return answered
        other = looks_like(body, wire)
        if not other:
            raise
        raise ReplayError(f"{error} {other}") from error
    is_answer = isinstance(answered, AnswerReading) and _share(answered.coverage) > _share(reading)
    return answered if is_answer and answered is not None else reading


def _share(counts: Any) -> float:
    return float(counts.understood / max(counts.leaves, 1))


def _as_answer(wire: str, body: Mapping[str, Any]) -> AnswerReading | ErrorReading | None:
    """Read a body as an answer, or as an error; None where it is neither, and where no answers are known."""
    if not has_answers(wire):
        return None
    module = answering_module(wire)
    ours, _ = refusals()
    try:
        answer = module.read_answer(body)
        return AnswerReading(answer, _coverage(module, answer))
    except ours:
        error = module.read_error(400, body)
    if error.message not in _texts(body):
        return None
    failed = module.read_error(500, body)
    return ErrorReading(error, error.kind if error.kind == failed.kind else None)


def _texts(value: Any) -> set[str]:
    """All texts in a JSON value."""
    members: Any = value
    match value:
        case dict():
            return set[str]().union(*map(_texts, members.values()))
        case list():
            return set[str]().union(*map(_texts, members))
        case str():
            return {value}
        case _:
            return set()


def written_answer(
    wire: str, reading: AnswerReading, *, model: str | None, policies: str
) -> tuple[Any, list[Any]]:
    """Write an answer as another wire's: its body, and notes on what that wire cannot say."""
    notes: list[Any] = []
    answer = reading.answer if model is None else replace(reading.answer, model=model)
    with own_errors():
        return answering_module(wire).write_answer(answer, policies=policies, notes=notes), notes
