"""Ids for tool calls of an API that gives none, where another API's answer must have them."""

from __future__ import annotations

from hashlib import sha256

from ..model.calls import ToolCall
from ..model.request import Message
from ..nodes.records import replace
from .answer import Answer, Candidate


def with_ids(answer: Answer) -> tuple[Answer, tuple[ToolCall, ...]]:
    """Give an answer whose tool calls all have ids, and the calls whose id was made.

    An id depends on the answer's own and on the place of the call alone: writing the answer again gives it again.
    """
    made: list[ToolCall] = []
    candidates = [
        _candidate(candidate, f"{answer.id}:{place}", made)
        for place, candidate in enumerate(answer.candidates)
    ]
    return (replace(answer, candidates=tuple(candidates)), tuple(made)) if made else (answer, ())


def _candidate(candidate: Candidate, seed: str, made: list[ToolCall]) -> Candidate:
    message: Message | None = candidate.message
    if message is None:
        return candidate
    parts = list(message.parts)
    for place, part in enumerate(parts):
        if isinstance(part, ToolCall) and not part.id:
            digest = sha256(f"{seed}:{place}:{part.name}".encode("utf-8", "surrogatepass")).hexdigest()
            named = replace(part, id=f"call_{digest[:24]}")
            parts[place] = named
            made.append(named)
    return replace(candidate, message=replace(message, parts=tuple(parts)))
