"""What one model call gave: candidates with their messages, why the model stopped, counts of tokens."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ..errors import AnswerError
from ..model.options import Continuation
from ..model.parts import (
    CustomToolCall,
    HostedCall,
    HostedResult,
    Opaque,
    Part,
    Reasoning,
    Refusal,
    Text,
    ToolCall,
)
from ..model.request import Message
from ..model.wire_memory import Kept
from ..nodes.checks import check_field
from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import Record, shown
from ..reporting.notes import Note
from ..wire_json.kinds import class_of, is_mapping

DataT = TypeVar("DataT")
CALLS = (ToolCall, CustomToolCall)
FINISHES = ("stop", "length", "tool_calls", "refused", "filtered", "paused", "context", "error", "other")
"""Why a model stopped: it was done; the limit of tokens; calls that the caller answers; the model refused; a filter of
the API; the API waits to go on; the context is full; it failed; a word that is none of these."""


def is_options(value: Any) -> bool:
    """Return whether a value is options by their wire."""
    return is_mapping(value) and all(map(is_mapping, value.values()))


def _are_candidates(value: Any) -> bool:
    return class_of(value) is tuple and all(isinstance(choice, Candidate) for choice in value)


def _check(record: Record, **fits: type | Callable[[Any], bool]) -> None:
    """Refuse the first value that is neither None nor fits: is of a class, or passes a test. Raises InvalidRequest."""
    for name, wanted in fits.items():
        value = getattr(record, name)
        if value is not None and not (
            isinstance(value, wanted) if isinstance(wanted, type) else wanted(value)
        ):
            check_field(type(record), name, value)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Usage(Record):
    """Counts of tokens; None is what the API does not say.

    input        all that the model read, from a cache or not
    output       all that it wrote, thinking included
    cache_read   what of the input came from a cache
    cache_write  what of the input was put into a cache
    reasoning    what of the output is thinking
    total        what the API calls the total
    raw          the API's own object
    """

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    total: int | None = None
    raw: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse values that do not fit."""
        _check(self, raw=Mapping)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Candidate(Record):
    """One of the answers that a model gave to one request; most requests ask for one.

    message     what it said, to be put into the history as it is; None where there is no content at all
    finish      why it stopped, one of `FINISHES`; None where the API does not say, or the answer goes on
    finish_raw  the API's own word; where it says it in two places, both with a dot between them
    index       its number
    vendor      wire -> known keys of that one API
    """

    message: Message | None = None
    finish: str | None = None
    finish_raw: str | None = None
    index: int | None = None
    vendor: Mapping[str, Mapping[str, Any]] | None = None
    kept: Kept | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Refuse values that do not fit."""
        _check(self, message=Message, vendor=is_options, kept=Kept)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Answer(Record):
    """What one model call gave.

    candidates  the answers, as a rule one
    id          its id, in the API's words; what a continuation may name
    model       the model that answered, in the API's words
    usage       counts of tokens
    wire        the wire that it was read from
    continuation  what goes on with it, where the API's server keeps it: its id, and the calls that are open
    vendor      wire -> known keys of that one API
    raw         the body that it was read from; shared, not copied
    deviations  where the body differs from every documented shape, and what was assumed there
    problems    elements of the body that no shape takes: they are kept as they came
    """

    candidates: tuple[Candidate, ...] = ()
    id: str | None = None
    model: str | None = None
    usage: Usage | None = None
    wire: str | None = None
    continuation: Continuation | None = None
    vendor: Mapping[str, Mapping[str, Any]] | None = None
    kept: Kept | None = field(default=None, repr=False)
    raw: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)
    deviations: tuple[Note, ...] = field(default=(), repr=False, compare=False)
    problems: tuple[Note, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        """Refuse values that do not fit."""
        if not _are_candidates(self.candidates):
            check_field(Answer, "candidates", self.candidates)
        _check(self, usage=Usage, continuation=Continuation, vendor=is_options, kept=Kept, raw=Mapping)

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of all candidates."""
        return tuple([choice.message for choice in self.candidates if choice.message is not None])

    @property
    def message(self) -> Message | None:
        """The message of the first candidate."""
        return self.candidates[0].message if self.candidates else None

    @property
    def finish(self) -> str | None:
        """Why the first candidate ended, one of `FINISHES`."""
        return self.candidates[0].finish if self.candidates else None

    @property
    def finish_raw(self) -> str | None:
        """The API's own word for why the first candidate ended."""
        return self.candidates[0].finish_raw if self.candidates else None

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the first candidate."""
        return () if self.message is None else self.message.parts

    @property
    def text(self) -> str:
        """The text of the first candidate, without its thinking.

        Raises:
            AnswerError: the candidate has content, and none of it was understood.
        """
        if self.parts and all(isinstance(part, Opaque) for part in self.parts):
            raise AnswerError(f"nothing of the answer's content was understood: {self._not_understood()}")
        return "".join([part.text for part in self.parts if isinstance(part, Text)])

    @property
    def calls(self) -> tuple[ToolCall | CustomToolCall, ...]:
        """The tool calls of the first candidate that the caller answers, in order.

        Raises:
            AnswerError: the model stopped for tool calls, and a call was not understood.
        """
        calls = tuple([part for part in self.parts if isinstance(part, CALLS)])
        if self.finish == "tool_calls":
            unread = [part for part in self.parts if isinstance(part, Opaque)]
            if unread and (not calls or any(part.place == "tool_calls" for part in unread)):
                raise AnswerError(f"a tool call of the answer was not understood: {self._not_understood()}")
        return calls

    @property
    def hosted(self) -> tuple[HostedCall | HostedResult, ...]:
        """The calls of the first candidate that the API ran itself, and their results, in order."""
        return tuple([part for part in self.parts if isinstance(part, (HostedCall, HostedResult))])

    @property
    def reasoning(self) -> str:
        """The thinking of the first candidate, as far as the API shows it."""
        thoughts = [part for part in self.parts if isinstance(part, Reasoning)]
        texts = [part.text or "".join(part.texts or part.summary or ()) for part in thoughts]
        # some hosts say it twice: as a whole, and in pieces that are signed
        twice = len(texts) > 1 and texts[0] == "".join(texts[1:])
        return "".join(texts[1:] if twice else texts)

    @property
    def refusal(self) -> str | None:
        """What the first candidate says instead of an answer; None where it does not refuse."""
        texts = [part.text for part in self.parts if isinstance(part, Refusal)]
        return "".join(texts) if texts else None

    @property
    def data(self) -> Any:
        """The JSON of a structured answer. Raises AnswerError, which shows the text, when it is none."""
        from json import loads

        text = self.text
        try:
            return loads(text)
        except (ValueError, RecursionError) as error:
            raise self._no_data("no JSON", error) from None

    def data_as(self, kind: type[DataT]) -> DataT:
        """Give the JSON of a structured answer as what a class declares.

        Args:
            kind: a pydantic model, a TypedDict, a dataclass, or any annotation; what is not plain needs pydantic.

        Raises:
            AnswerError: the text is no JSON, or none of this class: the message names the place and shows the text.
        """
        from ..schemas.of_types import NotPlain, name_of
        from ..schemas.typed_data import data_as

        data = self.data
        try:
            made: DataT = data_as(data, kind)
        except NotPlain as odd:
            raise AnswerError(
                f"cannot convert to {odd} without pydantic, or pydantic does not know it; use data"
            ) from None
        except ValueError as error:
            raise self._no_data(f"no {name_of(kind)}", error) from None
        return made

    def _not_understood(self) -> str:
        """Return what was not understood, as an error shows it."""
        if self.problems:
            return "; ".join(map(str, self.problems))
        return ", ".join([shown(part.value)[:200] for part in self.parts if isinstance(part, Opaque)])

    def _no_data(self, what: str, error: Exception) -> AnswerError:
        text = self.text if len(self.text) <= 200 else f"{self.text[:200]}..."
        ended = "" if self.finish in (None, "stop") else f" (the answer ended by {self.finish_raw})"
        why = " ".join(str(error).split())
        return AnswerError(f"the answer is {what}{ended}: {why}: {text!r}")
