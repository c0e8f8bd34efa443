"""Why the candidates of an answer under way end, and which calls wait for the caller then."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from ..build.wire import Wire
from ..model.parts import CALLS, HostedCall, HostedResult, Part
from ..nodes.records import construct
from ..passes.pairing import waiting_calls
from .answer_shapes import as_word
from .buffers import EACH, at
from .event_log import EventLog
from .events import Event
from .part_state import Numbers
from .table import AnswerTable


@cache
def _tells_finish(answers: AnswerTable) -> bool:
    """Return whether the answers of an API say why they ended."""
    return "finish" in answers.paths.values()


class CandidateEnds:
    """The ends of the candidates of one streamed answer.

    finishing  the numbers of the candidates that end with the current event -> why, and the API's own words
    finished   the numbers of the candidates that ended
    calling    candidates with calls that the caller answers
    """

    def __init__(
        self, wire: Wire, answers: AnswerTable, part: tuple[str, ...], body: Mapping[str, Any], log: EventLog
    ) -> None:
        """Start with nothing; the body grows, with its parts at the path `part`."""
        self._wire = wire
        self._answers = answers
        self._log = log
        self._body = body
        # the list of candidates, where an answer may have several
        self._candidates = part[: part.index(EACH)] if log.many and EACH in part else None
        self._words: dict[Numbers, dict[str, str]] = {}
        # candidate -> its hosted calls and their results that are whole
        self._hosted: dict[Any, list[Part]] = {}
        self.finishing: dict[Numbers, tuple[str, str]] = {}
        self.finished: set[Numbers] = set()
        self.calling: set[int] = set()

    @property
    def all_finished(self) -> bool:
        """Whether the API said for each candidate that began why it ended."""
        if not self.finished or self._candidates is None:
            return bool(self.finished)
        return len(self.finished) >= len(at(self._body, self._candidates, ()) or ())

    def take_word(self, kind: str, value: Any, numbers: Numbers) -> None:
        """Take a word that says why a candidate ended; the words of one event make one report."""
        word, words = as_word(value), self._words.setdefault(numbers, {})
        if word is None or word in self._answers.unfinished or words.get(kind) == word:
            return
        words[kind] = word
        if "finish" not in words and kind != "blocked":
            return
        raw = ".".join([words[key] for key in ("finish", "detail", "blocked") if key in words])
        self.finishing[numbers] = "filtered" if kind == "blocked" else self._answers.meaning_of(raw), raw

    def take_parts(self, candidate: int, parts: Sequence[Part]) -> None:
        """Note which parts of a `part` event are calls that the caller, or the API itself, answers."""
        if any(isinstance(part, CALLS) for part in parts):
            self.calling.add(candidate)
        if isinstance(parts[0], (HostedCall, HostedResult)):
            self._hosted.setdefault(candidate, []).extend(parts)

    def end(self) -> dict[Numbers, tuple[str, str]]:
        """Return the candidates that end now, and why; they are finished then."""
        ending, self.finishing = self.finishing, {}
        self.finished.update(ending)
        return ending

    def report(self, numbers: Numbers, meaning: str, raw: str) -> Event:
        """Return the event that says why a candidate ended."""
        candidate = self._log.candidate_of(numbers)
        is_calling = candidate in self.calling or waiting_calls(self._hosted.get(candidate, ()), self._wire)
        if meaning == "stop" and is_calling:
            # calls that end with `stop` are calls all the same
            meaning = "tool_calls"
        elif meaning == "tool_calls" and not is_calling:
            self._log.problem("finish", "the answer ended for calls of tools, and has none", numbers)
        return construct(Event, kind="finish", text=raw, name=meaning, place=numbers, candidate=candidate)

    def check(self, *, is_whole: bool) -> None:
        """Report at the end of the stream that the API did not say why a candidate ended.

        is_whole  whether the API said that the answer ended
        """
        if _tells_finish(self._answers) and (is_whole or self.finished) and not self.all_finished:
            self._log.problem("finish", "the API did not say why the answer ended")
