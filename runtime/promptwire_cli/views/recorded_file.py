"""Read one recorded file: a request, an answer, a stream or an error, detected from its content."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from .generated import (
    CommandError,
    answer_coverage,
    answering_module,
    has_answers,
    own_errors,
    refusals,
    wire_module,
)
from .inputs import body_in, bytes_from, name_of
from .json_values import framing_of, looks_like

if TYPE_CHECKING:
    from promptwire_runtime import Api, Reading


@dataclass(frozen=True, slots=True)
class RecordedAnswer:
    """An answer that was read.

    Attributes:
        answer: The neutral answer.
        coverage: How many leaves of its body were understood.
        framing: The framing of its stream; None for a complete body.
        events: The neutral events of its stream, in order.
        trouble: What is wrong with the stream: it was cut off, or contained an error.
    """

    answer: Any
    coverage: Any
    framing: str | None = None
    events: Sequence[Any] = ()
    trouble: str | None = None

    @property
    def kinds(self) -> Mapping[str, int]:
        """The number of events of each kind, in order of first occurrence."""
        return Counter([event.kind for event in self.events])


@dataclass(frozen=True, slots=True)
class RecordedError:
    """An error response; `kind` is None if only the HTTP status, which is not in the body, decides it."""

    error: Any
    kind: str | None


def read_recorded(wire: str, file: str) -> Reading | RecordedAnswer | RecordedError:
    """Read the content of a file. Raises CommandError if the wire does not know it."""
    raw = bytes_from(file)
    framing = framing_of(raw) if has_answers(wire) else None
    if framing is not None:
        return _read_stream(wire, raw, framing)
    return _read_body(wire, *body_in(raw, name_of(file)))


def _read_stream(wire: str, raw: bytes, framing: str) -> RecordedAnswer:
    module = answering_module(wire)
    stream = module.stream(framing)
    events: list[Any] = []
    trouble: str | None = None
    ours, _ = refusals()
    try:
        events += stream.feed(raw)
        events += stream.rest()
        answer: Any = stream.close()
    except ours as error:
        trouble, answer = str(error), getattr(error, "answer", None)
        if answer is None:
            raise CommandError(trouble) from error
    if trouble is None and not events:
        raise CommandError(f"{wire}: the stream has no events")
    return RecordedAnswer(answer, _coverage(module, answer), framing, events, trouble)


def _coverage(module: Api, answer: Any) -> Any:
    """Count the leaves of an answer; None if there is none."""
    return None if answer.raw is None else answer_coverage(module, answer)


def _read_body(
    wire: str, body: Mapping[str, Any], url: str | None
) -> Reading | RecordedAnswer | RecordedError:
    """Read a body as the kind of which most is understood; one with a URL is a request."""
    answered = _as_answer(wire, body) if url is None else None
    try:
        with own_errors():
            reading = wire_module(wire).read(body, url)
    except CommandError as error:
        if answered is not None:
            return answered
        other = looks_like(body, wire)
        if not other:
            raise
        raise CommandError(f"{error} {other}") from error
    is_answer = isinstance(answered, RecordedAnswer) and _share(answered.coverage) > _share(reading)
    return answered if is_answer and answered is not None else reading


def _share(counts: Any) -> float:
    return float(counts.understood / max(counts.leaves, 1))


def _as_answer(wire: str, body: Mapping[str, Any]) -> RecordedAnswer | RecordedError | None:
    """Read a body as an answer, or as an error; None if it is neither, or the wire has no `answer` section."""
    if not has_answers(wire):
        return None
    module = answering_module(wire)
    ours, _ = refusals()
    try:
        answer = module.read_answer(body)
        return RecordedAnswer(answer, _coverage(module, answer))
    except ours:
        error = module.read_error(400, body)
    if error.message not in _texts(body):
        return None
    failed = module.read_error(500, body)
    return RecordedError(error, error.kind if error.kind == failed.kind else None)


def _texts(value: Any) -> set[str]:
    """Yield all texts in a JSON value."""
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
    wire: str, reading: RecordedAnswer, *, model: str | None, policies: str
) -> tuple[Any, list[Any]]:
    """Write an answer for another wire: its body, and notes on losses."""
    notes: list[Any] = []
    answer = reading.answer if model is None else replace(reading.answer, model=model)
    with own_errors():
        return answering_module(wire).write_answer(answer, policies=policies, notes=notes), notes
