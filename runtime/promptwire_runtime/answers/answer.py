"""The answer to one model call: candidates with their messages, finish reasons and token usage."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from ..errors import AnswerError
from ..model.options import Continuation
from ..model.parts import (
    CALLS,
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
from ..nodes.checks import CheckedRecord, check_field
from ..nodes.record_fields import shown
from ..nodes.records import replace
from ..reporting.notes import Note
from ..wire_json.kinds import class_of, is_mapping

DataT = TypeVar("DataT")
FINISHES = ("stop", "length", "tool_calls", "refused", "filtered", "paused", "context", "error", "other")
"""The neutral finish reasons, in order: the model completed its answer; it reached the token limit; it called tools
that the caller runs; it refused; a filter of the API stopped it; the API paused the turn; the context window is full;
generation failed; any other reason."""
USAGE_COUNTS = ("input", "output", "cache_read", "cache_write", "reasoning", "total")


def is_options(value: Any) -> bool:
    """Return whether a value maps each wire name to a mapping of options."""
    return is_mapping(value) and all(map(is_mapping, value.values()))


def thoughts_in(parts: Sequence[Part]) -> list[Reasoning]:
    """Return the reasoning parts, without a first one that the others repeat in signed pieces, as some hosts do."""
    thoughts = [part for part in parts if isinstance(part, Reasoning)]
    texts = [*map(text_of_thought, thoughts)]
    is_repeated = len(texts) > 1 and texts[0] == "".join(texts[1:])
    return thoughts[1:] if is_repeated else thoughts


def text_of_thought(part: Reasoning) -> str:
    """Return the text of a reasoning part, or of its summary."""
    return part.text or "".join(part.texts or part.summary or ())


def _are_candidates(value: Any) -> bool:
    return class_of(value) is tuple and all(isinstance(choice, Candidate) for choice in value)


def _check(record: CheckedRecord, **fits: type | Callable[[Any], bool]) -> None:
    """Raise InvalidRequest for the first field that is neither None nor of its class (or accepted by its predicate)."""
    for name, wanted in fits.items():
        value = getattr(record, name)
        if value is not None and not (
            isinstance(value, wanted) if isinstance(wanted, type) else wanted(value)
        ):
            check_field(type(record), name, value)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Usage(CheckedRecord):
    """Token usage. A count that the API does not report is None.

    input        all input tokens, cached or not
    output       all output tokens, including reasoning
    cache_read   the input tokens read from a cache
    cache_write  the input tokens written to a cache
    reasoning    the output tokens spent on reasoning
    total        the total that the API reports
    raw          the API's own usage object
    """

    input: int | None = None
    output: int | None = None
    cache_read: int | None = None
    cache_write: int | None = None
    reasoning: int | None = None
    total: int | None = None
    raw: Mapping[str, Any] | None = field(default=None, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the types of the fields."""
        super().__post_init__()
        _check(self, raw=Mapping)

    @property
    def contradictions(self) -> tuple[str, ...]:
        """Why the counts do not add up, as the API reports them; empty if they do, as far as they are known."""
        parts, whole = (self.input, self.output), self.total
        found: list[str] = []
        if whole is not None and None not in parts and whole != sum(count or 0 for count in parts):
            found.append(f"total is {whole}, but input and output are {parts[0]} and {parts[1]}")
        cached = (self.cache_read or 0) + (self.cache_write or 0)
        if self.input is not None and cached > self.input:
            found.append(
                f"{cached} tokens were read from a cache or written to it, but input is {self.input}"
            )
        if self.output is not None and self.reasoning is not None and self.reasoning > self.output:
            found.append(f"reasoning is {self.reasoning}, but output is {self.output}")
        return tuple(found)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Candidate(CheckedRecord):
    """One candidate of an answer. Most requests ask for one.

    message     the assistant message, ready to be appended to the history; None if there is no content
    finish      the finish reason, one of `FINISHES`; None if the API gives none or the answer is unfinished
    finish_raw  the API's own finish reason; if the API uses two fields, both values joined by a dot
    index       the index of the candidate
    vendor      wire name -> known keys that only this API has
    turns       the messages that `message` was joined from, if the API answered with several; the next request has them
    waiting     the hosted calls that the caller runs or approves
    """

    message: Message | None = None
    finish: str | None = None
    finish_raw: str | None = None
    index: int | None = None
    vendor: Mapping[str, Mapping[str, Any]] | None = None
    kept: Kept | None = field(default=None, repr=False)
    turns: tuple[Message, ...] = field(default=(), repr=False, compare=False)
    waiting: tuple[HostedCall, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the types of the fields."""
        super().__post_init__()
        _check(self, message=Message, vendor=is_options, kept=Kept)


def in_one(candidates: tuple[Candidate, ...]) -> tuple[Candidate, ...]:
    """Return candidates, those that are pieces of one message as one.

    GitHub Copilot gives an answer of Claude as choices without an index: the text in one, the calls in others.
    """
    if len(candidates) < 2 or any(choice.index is not None for choice in candidates):
        return candidates
    messages = [choice.message for choice in candidates if choice.message is not None]
    calling = [choice for choice in candidates if choice.message and _calls(choice.message)]
    if len(messages) < len(candidates) or len(calling) != len(candidates) - 1:
        return candidates
    parts = tuple([part for message in messages for part in message.parts])
    # the end of a piece with calls is that of the whole
    return (replace(calling[0], message=replace(messages[0], parts=parts, kept=None), kept=None),)


def _calls(message: Message) -> bool:
    return any(isinstance(part, CALLS) for part in message.parts)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Answer(CheckedRecord):
    """The answer to one model call.

    candidates  the candidates, usually one
    id          the id that the API gave the answer; a continuation may refer to it
    model       the name of the model that answered, as the API reports it
    usage       the token usage
    wire        the name of the wire that the answer was read from
    continuation  continues an answer stored by the API's server: its id and the unanswered tool calls
    vendor      wire name -> known keys that only this API has
    raw         the body that the answer was read from; shared, not copied
    deviations  places where the body deviates from the documented shapes: what was assumed, and unknown keys that hold
                texts, lists or objects beside what was read
    unread    elements of the body that match no known shape; they are kept unchanged
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
    unread: tuple[Note, ...] = field(default=(), repr=False, compare=False)

    def __post_init__(self) -> None:
        """Check the types of the fields."""
        super().__post_init__()
        if not _are_candidates(self.candidates):
            check_field(Answer, "candidates", self.candidates)
        _check(self, usage=Usage, continuation=Continuation, vendor=is_options, kept=Kept, raw=Mapping)
        _check(self, unread=tuple, deviations=tuple)

    @property
    def problems(self) -> tuple[Note, ...]:
        """The earlier name of `unread`."""
        from ..moved_names import warn_deprecated

        warn_deprecated(f"{type(self).__name__}.problems is unread now")
        return self.unread

    @property
    def messages(self) -> tuple[Message, ...]:
        """The messages of all candidates."""
        return tuple([choice.message for choice in in_one(self.candidates) if choice.message is not None])

    @property
    def message(self) -> Message | None:
        """The message of the first candidate."""
        return in_one(self.candidates)[0].message if self.candidates else None

    @property
    def finish(self) -> str | None:
        """The finish reason of the first candidate, one of `FINISHES`."""
        return in_one(self.candidates)[0].finish if self.candidates else None

    @property
    def finish_raw(self) -> str | None:
        """The API's own finish reason for the first candidate."""
        return in_one(self.candidates)[0].finish_raw if self.candidates else None

    @property
    def parts(self) -> tuple[Part, ...]:
        """The parts of the first candidate."""
        return () if self.message is None else self.message.parts

    @property
    def text(self) -> str:
        """The text of the first candidate, without its reasoning.

        Raises:
            AnswerError: the candidate has content, but no part of it could be read. An answer that was cut while the
                model was thinking has an empty text.
        """
        text = "".join([part.text for part in self.parts if isinstance(part, Text)])
        is_unread = bool(self.unread) or any(isinstance(part, Opaque) for part in self.parts)
        was_thinking = self.finish == "length" and bool(self.reasoning)
        is_silent = not text and all(isinstance(part, (Text, Reasoning, Opaque)) for part in self.parts)
        if is_unread and is_silent and not was_thinking:
            raise AnswerError(f"nothing of the answer's content was understood: {self._not_understood()}")
        return text

    @property
    def calls(self) -> tuple[ToolCall | CustomToolCall, ...]:
        """The tool calls of the first candidate that the caller must answer, in order.

        Raises:
            AnswerError: the model stopped for tool calls, but a call could not be read.
        """
        calls = tuple([part for part in self.parts if isinstance(part, CALLS)])
        if self.finish == "tool_calls":
            unread = [part for part in self.parts if isinstance(part, Opaque)]
            in_calls = any(part.place == "tool_calls" for part in unread)
            if in_calls or (not calls and (unread or self.unread)):
                raise AnswerError(f"a tool call of the answer was not understood: {self._not_understood()}")
        return calls

    @property
    def waiting(self) -> tuple[HostedCall, ...]:
        """The hosted calls of the first candidate that the caller runs or approves; answer each with a HostedResult."""
        return self.candidates[0].waiting if self.candidates else ()

    @property
    def hosted(self) -> tuple[HostedCall | HostedResult, ...]:
        """The calls of the first candidate to tools of the API, those in `waiting` too, and their results, in order."""
        return tuple([part for part in self.parts if isinstance(part, (HostedCall, HostedResult))])

    @property
    def reasoning(self) -> str:
        """The reasoning text of the first candidate, as far as the API returns it."""
        return "".join(map(text_of_thought, thoughts_in(self.parts)))

    @property
    def refusal(self) -> str | None:
        """The refusal text of the first candidate; None if the model did not refuse, or with an empty text."""
        return "".join([part.text for part in self.parts if isinstance(part, Refusal)]) or None

    @property
    def data(self) -> Any:
        """The parsed JSON of a structured answer. Raises AnswerError, which shows the text, if it is not JSON."""
        from ..wire_json.characters import whole_value_of

        text = self._final_text
        try:
            return whole_value_of(text)
        except (ValueError, RecursionError) as error:
            raise self._no_data("no JSON", error) from None

    @property
    def _final_text(self) -> str:
        """The text of the final answer, without the commentary that some models give before it."""
        turns = self.candidates[0].turns if self.candidates else ()
        final = [turn for turn in turns if turn.phase != "commentary"]
        if len(final) == len(turns) or not final:
            return self.text
        return "".join([part.text for turn in final for part in turn.parts if isinstance(part, Text)])

    def data_as(self, kind: type[DataT]) -> DataT:
        """Convert the JSON of a structured answer to an instance of a class.

        Args:
            kind: a pydantic model, a TypedDict, a dataclass or any annotation; types beyond plain ones need pydantic.

        Raises:
            AnswerError: the text is not JSON, or does not fit the class; the message shows the place and the text.
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
        """Return a description of the unread content for an error message."""
        if self.unread:
            return "; ".join(map(str, self.unread))
        return ", ".join([shown(part.value)[:200] for part in self.parts if isinstance(part, Opaque)])

    def _no_data(self, what: str, error: Exception) -> AnswerError:
        text = self.text if len(self.text) <= 200 else f"{self.text[:200]}..."
        ended = "" if self.finish in (None, "stop") else f" (the answer ended by {self.finish_raw})"
        why = " ".join(str(error).split())
        return AnswerError(f"the answer is {what}{ended}: {why}: {text!r}")
