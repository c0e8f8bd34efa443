"""Compiled model of an API's answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..spec.answer_sections import AnswerExample, ErrorExample
from ..spec.shapes import Object

# what stands in the body of an answer, and in each candidate, beside options of this one API
BODY_HOLES = ("id", "model", "usage", "candidates")
CANDIDATE_HOLES = ("message", "finish", "finish.detail", "index")
ERROR_HOLES = ("message", "type", "code", "field", "status")
COUNTS = ("input", "output", "cache_read", "cache_write", "reasoning", "total")


@dataclass(frozen=True, slots=True)
class AnswerModel:
    """The answers of one wire.

    body, candidate  the shapes; without a candidate the body is the only one
    message_keys     the keys of a message where they stand among those of the shape that holds it
    counts           the field of the neutral counts -> the keys that lead to it
    text_counts      counts that the API gives as text
    beside           counts that the API's input or output does not include
    count_aliases    the field of the neutral counts -> other paths at which it may stand
    added_counts     input or output -> paths of counts that belong to it
    created          the vendor option for the time of an answer -> its form
    thinking         how thinking of another API is told: field of reasoning -> a text with $text or $made
    blocked          the paths of the word for why the prompt was blocked, in each spelling
    finish           the API's word -> ours
    unfinished       the API's words for an answer that goes on
    in_list          whether the answer is a list that holds the object which `body` describes
    error            the shape of an error; error_kinds: the API's word -> ours
    list_key         the key of content that is a list, also where that of a request may be bare text
    scalar_key       the key of content that is bare text, also where that of a request may be a list
    always           what every message of an answer says besides
    key_aliases         key of the assistant's message -> how an answer spells it; None where it has none
    excluded_kinds           kinds of parts that no answer has
    role             the wire's word for the role of an answer
    examples         answers, and what they say; error_examples: the same of error responses
    """

    body: Object
    candidate: Object | None
    message_keys: tuple[str, ...]
    counts: Mapping[str, tuple[str, ...]]
    text_counts: tuple[str, ...]
    beside: Mapping[str, str]
    count_aliases: Mapping[str, tuple[tuple[str, ...], ...]]
    added_counts: Mapping[str, tuple[tuple[str, ...], ...]]
    created: Mapping[str, str]
    thinking: Mapping[str, str]
    blocked: tuple[tuple[str, ...], ...]
    finish: Mapping[str, str]
    unfinished: tuple[str, ...]
    in_list: bool
    error: Object | None
    error_kinds: Mapping[str, str]
    role: str
    list_key: str
    scalar_key: str
    always: Mapping[str, str | int | float | bool]
    key_aliases: Mapping[str, str | None]
    excluded_kinds: tuple[str, ...]
    examples: tuple[AnswerExample, ...]
    error_examples: tuple[ErrorExample, ...]

    @property
    def keys(self) -> frozenset[str]:
        """All keys of a body, in all spellings."""
        keys = {name for entry in self.body.fields for name in entry.spellings}
        for spread in self.body.spreads:
            keys |= set(self.message_keys) if spread.path == ("message",) else self.count_keys
        return frozenset(keys)

    @property
    def count_keys(self) -> set[str]:
        """The keys of the counts where they stand among those of the shape that holds them."""
        return {path[0] for path in self.counts.values()}
