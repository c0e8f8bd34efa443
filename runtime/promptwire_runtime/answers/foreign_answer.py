"""Prepare an answer to be written for another API: calls with ids, numbered candidates, no empty texts."""

from __future__ import annotations

from ..model.calls import ToolCall
from ..model.parts import CALLS
from ..model.request import Message
from ..model.text import Refusal, Text
from ..nodes.records import replace
from .answer import Answer, Candidate, in_one
from .made_values import made_id

_NOTHING = (Text(""), Refusal(""))


def with_ids(answer: Answer) -> tuple[Answer, tuple[ToolCall, ...]]:
    """Return an answer whose tool calls all have ids, and the calls whose id was generated.

    The ids are deterministic: they depend only on the answer's id and on the position and name of the call.
    """
    made: list[ToolCall] = []
    candidates = [
        _candidate(candidate, answer.id, place, made) for place, candidate in enumerate(answer.candidates)
    ]
    return (replace(answer, candidates=tuple(candidates)), tuple(made)) if made else (answer, ())


def _candidate(candidate: Candidate, identity: str | None, number: int, made: list[ToolCall]) -> Candidate:
    message: Message | None = candidate.message
    if message is None:
        return candidate
    parts = list(message.parts)
    for place, part in enumerate(parts):
        if isinstance(part, ToolCall) and not part.id:
            named = replace(part, id=f"call_{made_id(identity, number, place, part.name)}")
            parts[place] = named
            made.append(named)
    return replace(candidate, message=replace(message, parts=tuple(parts)))


def numbered(answer: Answer) -> Answer:
    """Return the answer with indexed candidates and without empty texts and refusals, for writing to another API.

    Hosted calls that wait for the caller have no place there, so an answer with no other calls has stopped.
    """
    rows = [
        replace(
            candidate,
            index=place if candidate.index is None else candidate.index,
            message=_said(candidate),
            finish="stop" if _waits_only(candidate) else candidate.finish,
        )
        for place, candidate in enumerate(in_one(answer.candidates))
    ]
    return replace(answer, candidates=tuple(rows))


def _waits_only(candidate: Candidate) -> bool:
    """Return whether a candidate ended by hosted calls alone."""
    parts = () if candidate.message is None else candidate.message.parts
    called = any(isinstance(part, CALLS) for part in parts)
    return candidate.finish == "tool_calls" and bool(candidate.waiting) and not called


def _said(candidate: Candidate) -> Message | None:
    message = candidate.message
    if message is None:
        return None
    said = [part for part in message.parts if part not in _NOTHING]
    return message if len(said) == len(message.parts) else replace(message, parts=tuple(said))
