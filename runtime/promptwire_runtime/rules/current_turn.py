"""The current turn, for rules about its answers: what stands behind the last words of the user."""

from __future__ import annotations

from ..model.parts import CustomToolCall, CustomToolResult, ToolCall, ToolResult
from ..reporting.spec_words import kind_of
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

    from ..model.parts import Part
    from ..model.request import Message, Request
    from ..predicates.conditions import FieldPath

_CALLS = (ToolCall, CustomToolCall)
_RESULTS = (ToolResult, CustomToolResult)


class _Answer:
    """One answer: its first message, its calls, and the results right behind it."""

    __slots__ = ("calls", "first", "results")

    def __init__(self, results: int) -> None:
        self.first: Message | None = None
        self.calls = 0
        self.results = results

    @property
    def parts(self) -> tuple[Part, ...]:
        """What the first message holds."""
        return self.first.parts if self.first is not None else ()

    @property
    def unmatched(self) -> int:
        """How many calls lack a result, though others have one, or how many results a call."""
        return abs(self.calls - self.results) if self.results else 0


def turn_rows(path: FieldPath, request: Request) -> list[tuple[object, Any]]:
    """Find the values of a path in the current turn, each with its node; a field that is not given is None.

    `turn.first` is the kind of the part that the first answer begins with; `turn.unmatched` a number for each answer;
    `turn.tool_call.signature` a field of the first part of a kind in each answer.
    """
    answers = _answers(request)
    if path.tail == "first":
        return [(part, kind_of(part)) for answer in answers[:1] for part in answer.parts[:1]]
    if path.tail == "unmatched":
        return [(answer.first, answer.unmatched) for answer in answers]
    kind, field = path.keys
    parts = [[part for part in answer.parts if kind_of(part) == kind] for answer in answers]
    return [(part, getattr(part, field, None)) for found in parts for part in found[:1]]


def _answers(request: Request) -> list[_Answer]:
    """List the answers of the current turn, in order; consecutive messages of the assistant are one."""
    answers: list[_Answer] = []
    results = 0
    is_answer = False
    for message in reversed(request.messages):
        if message.role == "assistant":
            if not is_answer:
                answers.append(_Answer(results))
            answers[-1].first = message
            answers[-1].calls += sum([isinstance(part, _CALLS) for part in message.parts])
            is_answer, results = True, 0
        elif all(isinstance(part, _RESULTS) for part in message.parts):
            results += len(message.parts)
            is_answer = False
        else:
            break
    answers.reverse()
    return answers
