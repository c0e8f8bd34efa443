"""Compiled model of an API's answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ..spec.answer_sections import AnswerSection
from ..spec.shapes import Object

# the holes of the body of an answer, and of each candidate, beside options of this one API
BODY_HOLES = ("id", "model", "usage", "candidates")
CANDIDATE_HOLES = ("message", "finish", "finish.detail", "index")
ERROR_HOLES = ("message", "type", "code", "field", "status")
COUNTS = ("input", "output", "cache_read", "cache_write", "reasoning", "total")


@dataclass(frozen=True, slots=True)
class AnswerModel:
    """The answers of one wire.

    section          the section of the spec, for values that need no model
    body, candidate  the shapes; the candidate is None if the body is the only candidate
    error            the shape of an error
    other_errors     the shapes of errors that are only read
    message_keys     the keys of a message that is spread into the shape around it (`...: $message`)
    counts           the field of the neutral counts -> the keys that lead to it
    text_counts      counts that the API gives as text
    count_aliases    the field of the neutral counts -> other paths at which it may stand
    added_counts     input or output -> paths of counts that belong to it
    blocked          the paths of the word for why the prompt was blocked, in each spelling
    list_key         the key of content as a list; in a request, the same key may hold text
    scalar_key       the key of content as text; in a request, the same key may hold a list
    key_aliases      key of the assistant's message -> its name in an answer; None if an answer lacks it
    role             the wire's word for the role of an answer
    """

    section: AnswerSection
    body: Object
    candidate: Object | None
    error: Object | None
    other_errors: tuple[Object, ...]
    message_keys: tuple[str, ...]
    counts: Mapping[str, tuple[str, ...]]
    text_counts: tuple[str, ...]
    count_aliases: Mapping[str, tuple[tuple[str, ...], ...]]
    added_counts: Mapping[str, tuple[tuple[str, ...], ...]]
    blocked: tuple[tuple[str, ...], ...]
    list_key: str
    scalar_key: str
    key_aliases: Mapping[str, str | None]
    role: str

    @property
    def keys(self) -> frozenset[str]:
        """All keys of a body, in all spellings."""
        keys = {name for entry in self.body.fields for name in entry.spellings}
        for spread in self.body.spreads:
            keys |= set(self.message_keys) if spread.path == ("message",) else self.count_keys
        return frozenset(keys)

    @property
    def count_keys(self) -> set[str]:
        """The keys of the counts if they are spread into the shape around them."""
        return {path[0] for path in self.counts.values()}
