"""The current turn: all messages after the last user message that holds more than tool results. For rules about it."""

from __future__ import annotations

from typing import Any

from ..model.parts import CALLS, RESULTS, Part
from ..model.request import Message, Request
from ..nodes.plain import RESULT_FORMS
from ..predicates.conditions import FieldPath
from ..reporting.spec_words import kind_of


class _Answer:
    """One answer: its messages, the last one first, and the number of results right behind it."""

    __slots__ = ("messages", "results")

    def __init__(self, results: int) -> None:
        self.messages: list[Message] = []
        self.results = results

    @property
    def first(self) -> Message:
        return self.messages[-1]

    @property
    def parts(self) -> list[Part]:
        return [part for message in reversed(self.messages) for part in message.parts]

    @property
    def unmatched(self) -> int:
        """The number of calls without a result where others have one, or of results without a call."""
        if not self.results:
            return 0
        calls = [part for message in self.messages for part in message.parts if type(part) in CALLS]
        return abs(len(calls) - self.results)


def turn_rows(path: FieldPath, request: Request) -> list[tuple[object, Any]]:
    """Return the values of a path in the current turn, each with its node; None stands for a field that is not set.

    `turn.first` is the kind of the part that the first answer begins with; `turn.unmatched` a number above 0 for each
    answer that has one; `turn.tool_call.signature` a field of the first part of a kind in each answer.
    """
    answers = _answers(request)
    if path.tail == "first":
        return [(part, kind_of(part)) for answer in answers[:1] for part in answer.parts[:1]]
    if path.tail == "unmatched":
        return [(answer.first, unmatched) for answer in answers if (unmatched := answer.unmatched)]
    kind, field = path.keys
    parts = [[part for part in answer.parts if kind_of(part) == kind] for answer in answers]
    return [(part, getattr(part, field, None)) for found in parts for part in found[:1]]


def _answers(request: Request) -> list[_Answer]:
    """Return the answers of the current turn, in order; consecutive messages of the assistant are one."""
    answers: list[_Answer] = []
    results = 0
    is_answer = False
    for message in reversed(request.messages):
        if message.role == "assistant":
            if not is_answer:
                answers.append(_Answer(results))
            answers[-1].messages.append(message)
            is_answer, results = True, 0
        elif message.fast_path in RESULT_FORMS or all(isinstance(part, RESULTS) for part in message.parts):
            results += len(message.parts)
            is_answer = False
        else:
            break
    answers.reverse()
    return answers
