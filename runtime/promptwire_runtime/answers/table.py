"""The answers of one wire as data: the shapes of body, candidate, usage and error, and the API's words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Self

from ..model.tables import HOST_ERRORS
from ..nodes.records import construct
from ..read.form_memory import MemoryWords
from ..wire_json.copies import own_json
from ..wire_json.kinds import is_list, is_object
from ..wire_json.values import patched
from .answer import USAGE_COUNTS, Usage
from .answer_shapes import (
    CANDIDATES,
    COUNTS,
    FINISH,
    FINISH_DETAIL,
    ITEMS,
    AnswerShape,
    Constant,
    Field,
    Value,
    Vendor,
)
from .buffers import number_of, value_at
from .error_forms import Form, key_of

# the finish reasons to try, in order, if an API has no word for one
_NEXT_BEST = {
    "tool_calls": ("stop",),
    # never a good end, unless the API has no other word: the client would take what was said as a whole answer
    "refused": ("filtered", "other", "error", "stop"),
    "filtered": ("refused", "other", "error", "stop"),
    "context": ("length",),
    "paused": ("stop",),
    "other": ("stop",),
    "error": ("stop",),
}


@dataclass(frozen=True, kw_only=True, eq=False)
class WireTable:
    """Base of the tables that generated modules declare; each equals only itself."""

    def changed(self, **changes: Any) -> Self:
        """Return the same table after a merge patch of its fields."""
        return replace(
            self, **{field: patched(getattr(self, field), patch) for field, patch in changes.items()}
        )


@dataclass(frozen=True, kw_only=True, eq=False)
class AnswerTable(WireTable):
    """The answers of one wire.

    body       the shape of the whole body
    candidate  the shape of one candidate; None if the body holds the only one
    counts     field of `Usage` -> path of its count in the usage object
    beside     field of `Usage` -> `input` or `output`: a count that the API leaves out of these and `Usage` includes
    count_aliases  field of `Usage` -> other paths of its count
    added_counts   `input` or `output` -> paths of counts that belong to it and have no field of their own
    created    vendor option that holds the creation time -> its format: `seconds` since 1970, or `text` (ISO 8601)
    defaults   key of the body -> its value in an answer of another API that has none; `key?` only completes a value
    thinking   field of `Reasoning` -> a text with `$text` or `$made`, which writes the reasoning of another API
    blocked    paths of the reason for a blocked prompt, in each spelling; such a body has no candidates
    finish     the API's finish reason -> one of `FINISHES`; a reason with a detail is written `reason.detail`
    unfinished  finish reasons of an answer that is still in progress
    error      the form of an error body, as `error_forms` reads and writes it
    other_errors  the forms of other bodies that are errors
    kinds      the API's error types and codes -> one of `ERROR_KINDS`
    always     constant keys of every message of an answer
    list_key   the content key, if answers always have a list there (requests may have bare text)
    scalar_key the content key, if answers always have bare text there (requests may have a list)
    text_counts  counts that the API writes as text
    is_inclusive  whether the input and output include the counts that are `beside` them for other models
    in_list    whether the body is a list that holds the one object which `body` describes
    excluded_kinds  kinds of parts that messages of requests may have and answers never have
    key_aliases     key of a message in a request -> its name in an answer; None if answers do not have it
    role       the role of a message that does not state one
    message_keys  all keys of a message
    """

    body: AnswerShape
    finish: Mapping[str, str]
    role: str
    candidate: AnswerShape | None = None
    counts: Mapping[str, tuple[str, ...]] = field(default_factory=dict[str, tuple[str, ...]])
    beside: Mapping[str, str] = field(default_factory=dict[str, str])
    error: Form = field(default_factory=dict[str, Any])
    other_errors: Sequence[Form] = ()
    kinds: Mapping[str, str] = field(default_factory=dict[str, str])
    list_key: str = ""
    scalar_key: str = ""
    always: Mapping[str, Any] = field(default_factory=dict[str, Any])
    excluded_kinds: frozenset[str] = frozenset()
    message_keys: frozenset[str] = frozenset()
    key_aliases: Mapping[str, str | None] = field(default_factory=dict[str, str | None])
    unfinished: frozenset[str] = frozenset()
    count_aliases: Mapping[str, Sequence[Sequence[str]]] = field(
        default_factory=dict[str, Sequence[Sequence[str]]]
    )
    added_counts: Mapping[str, Sequence[Sequence[str]]] = field(
        default_factory=dict[str, Sequence[Sequence[str]]]
    )
    blocked: Sequence[Sequence[str]] = ()
    created: Mapping[str, str] = field(default_factory=dict[str, str])
    text_counts: frozenset[str] = frozenset()
    thinking: Mapping[str, str] = field(default_factory=dict[str, str])
    in_list: bool = False
    is_inclusive: bool = False
    defaults: Mapping[str, Any] = field(default_factory=dict[str, Any])

    @cached_property
    def words(self) -> MemoryWords:
        """The keys, the constants and the key aliases of all shapes."""
        return _words(self.body, self.candidate)

    def model_of(self, body: Mapping[str, Any]) -> Any:
        """Return the model name that the body states; None if it states none."""
        for key in self.body.keys:
            if isinstance(key.value, Field) and key.value.name == "model":
                return key.of(body)
        return None

    def as_message(self, item: dict[str, Any]) -> dict[str, Any]:
        """Rename the keys of an answer's message to those of a request. A key that answers lack gets the role."""
        if not self.key_aliases:
            return item
        keys = {spelled: key for key, spelled in self.key_aliases.items()}
        silent = {key: self.role for key, spelled in self.key_aliases.items() if spelled is None}
        return {**silent, **{keys.get(name, name): value for name, value in item.items()}}

    def as_answer(self, item: dict[str, Any]) -> dict[str, Any]:
        """Rename the keys of a message to those of an answer."""
        if not self.key_aliases:
            return item
        spelled = [(self.key_aliases.get(key, key), value) for key, value in item.items()]
        return {name: value for name, value in spelled if name is not None}

    def meaning_of(self, raw: str) -> str:
        """Return one of `FINISHES` for the API's finish reason. An unknown detail is ignored."""
        return self.finish.get(raw) or self.finish.get(raw.partition(".")[0], "other")

    def word_for(self, finish: str, raw: str | None = None, ends: tuple[str, ...] = ()) -> str | None:
        """Return the API's finish reason for one of `FINISHES`, or for the nearest one; None if it has neither.

        Args:
            finish: one of `FINISHES`.
            raw: a recorded finish reason, returned if it has this meaning.
            ends: the allowed finish reasons, without their details; empty: all.
        """
        words = {
            word: meaning
            for word, meaning in self.finish.items()
            if not ends or word.partition(".")[0] in ends
        }
        if raw is not None and words.get(raw) == finish:
            return raw
        # an event that ends a stream needs a word
        for wanted in (finish, *_NEXT_BEST.get(finish, ()), "stop" if ends else None):
            for word, meaning in words.items():
                if meaning == wanted:
                    return word
        return None

    @cached_property
    def error_forms(self) -> tuple[Form, ...]:
        """The forms of all bodies that are errors; this API's own form comes first."""
        return (*([self.error] if self.error else ()), *self.other_errors, *HOST_ERRORS)

    @cached_property
    def candidate_errors(self) -> tuple[Form, ...]:
        """The forms of bodies whose error is in an element of a list of the answer."""
        return tuple(
            [
                form
                for form in self.error_forms
                if is_list(form[key_of(form)]) and key_of(form) in self.body.names
            ]
        )

    @cached_property
    def event_errors(self) -> Mapping[str, Sequence[Form]]:
        """The forms of errors in place of an event, by a key that such an event has."""
        forms: dict[str, list[Form]] = {}
        for form in self.error_forms:
            if form not in self.candidate_errors:
                forms.setdefault(key_of(form), []).append(form)
        return forms

    @cached_property
    def inclusive(self) -> AnswerTable:
        """The table for models whose input and output include the counts that are beside them for others."""
        return replace(self, is_inclusive=True)

    @property
    def id_key(self) -> str:
        """The key that holds the id of an answer; empty where none does."""
        keys = [key.name for key in self.body.keys if isinstance(key.value, Field) and key.value.name == "id"]
        return keys[0] if keys else ""

    @property
    def always_counts(self) -> bool:
        """Whether every answer has token usage."""
        return any(key.required and key.value is COUNTS for key in self.body.keys)

    @property
    def flat(self) -> bool:
        """Whether an answer is a flat list of items instead of messages."""
        return any(key.value is ITEMS for shape in (self.body, self.candidate) if shape for key in shape.keys)

    @property
    def paths(self) -> dict[tuple[str, ...], str]:
        """Paths (without indices) of usage and finish reasons -> `usage`, `finish`, `detail` or `blocked`."""
        kinds: dict[object, str] = {COUNTS: "usage", FINISH: "finish", FINISH_DETAIL: "detail"}
        found = {path: kinds[value] for path, value in self._values() if value in kinds}
        return {**found, **dict.fromkeys(map(tuple, self.blocked), "blocked")}

    @property
    def options(self) -> dict[tuple[str, ...], str]:
        """Paths (without indices) of the API's own documented keys -> the name of the vendor option."""
        return {path: value.name for path, value in self._values() if isinstance(value, Vendor)}

    def _values(self) -> Iterator[tuple[tuple[str, ...], Value]]:
        """Yield every value of the body and its candidates with its path."""
        stack: list[tuple[tuple[str, ...], AnswerShape]] = [((), self.body)]
        while stack:
            path, shape = stack.pop()
            if path and any(value is COUNTS for _, value in shape.beside):
                # the counts stand among the keys of this object
                yield path, COUNTS
            for key in shape.keys:
                if isinstance(key.value, AnswerShape):
                    stack.append(((*path, key.name), key.value))
                elif key.value is CANDIDATES and self.candidate is not None:
                    stack.append(((*path, key.name, "[]"), self.candidate))
                else:
                    yield (*path, key.name), key.value


def _words(*shapes: AnswerShape | None) -> MemoryWords:
    """Collect the keys, the constants and the key aliases of all shapes."""
    keys: set[str] = set()
    constants: set[Any] = set()
    aliases: set[tuple[str, str]] = set()
    stack = [shape for shape in shapes if shape is not None]
    while stack:
        shape = stack.pop()
        keys |= shape.names
        for key in shape.keys:
            aliases |= {(other, key.name) for other in key.also}
            if isinstance(key.value, AnswerShape):
                stack.append(key.value)
            elif isinstance(key.value, Constant):
                constants.add(key.value.value)
    return MemoryWords(frozenset(keys), frozenset(constants), frozenset(aliases))


def read_counts(counts: dict[str, Any], table: AnswerTable) -> Usage:
    """Read an API's usage object. Counts that it does not include in input or output are added to these."""
    known: dict[str, int] = {}
    for name, path in table.counts.items():
        count = number_of(value_at(counts, path))
        if count is not None:
            known[name] = count
    for name, paths in table.count_aliases.items():
        if name not in known:
            found = [count for path in paths if (count := number_of(value_at(counts, path))) is not None]
            known |= {name: found[0]} if found else {}
    for whole, paths in table.added_counts.items():
        for place in paths:
            count = number_of(value_at(counts, place))
            if count is not None:
                known[whole] = known.get(whole, 0) + count
    for name, whole in _beside(table, known).items():
        if name in known and not (name == "reasoning" and _is_inside(**known)):
            known[whole] = known.get(whole, 0) + known[name]
    return construct(Usage, **known, raw=counts)


def _beside(table: AnswerTable, known: Mapping[str, int]) -> Mapping[str, str]:
    """Return the counts that the input or output do not include."""
    beside = table.beside or ({"reasoning": "output"} if _is_apart(**known) else {})
    if table.is_inclusive and beside:
        for whole in {*beside.values()}:
            names = [name for name, other in beside.items() if other == whole]
            # an input below the sum of these includes none of them
            if known.get(whole, 0) >= sum([known.get(name, 0) for name in names]):
                beside = {name: other for name, other in beside.items() if name not in names}
    return beside


def _is_apart(input: int = 0, output: int = 0, reasoning: int = 0, total: int = 0, **_: int) -> bool:  # noqa: A002
    """Return whether the total says that a host counts reasoning beside its output, as xAI and Copilot do."""
    return reasoning > 0 and input > 0 and output > 0 and input + output + reasoning == total


def _is_inside(input: int = 0, output: int = 0, reasoning: int = 0, total: int = 0, **_: int) -> bool:  # noqa: A002
    """Return whether the total says that output includes reasoning, as it does for some models of Vertex AI."""
    return 0 < reasoning <= output and input + output == total


def counts_without_place(usage: Usage, table: AnswerTable) -> list[str]:
    """Return the names of the counts above zero that an API does not report; a total is the sum of others."""
    if not table.counts:
        return ["usage"]
    summed = ("total",) if {"input", "output"} <= table.counts.keys() else ()
    silent = [name for name in USAGE_COUNTS if name not in table.counts and name not in summed]
    return [f"usage.{name}" for name in silent if getattr(usage, name)]


def write_counts(usage: Usage, table: AnswerTable, *, own: bool) -> dict[str, Any]:
    """Write usage as the API does. With `own`, an unchanged recorded object is copied."""
    raw: Any = usage.raw
    if own and is_object(raw) and read_counts(raw, table) == usage:
        copy: dict[str, Any] = own_json(raw)
        return copy
    known: dict[str, int] = {
        name: count for name in table.counts if (count := getattr(usage, name)) is not None
    }
    if "total" in table.counts and "total" not in known and {"input", "output"} <= known.keys():
        known["total"] = known["input"] + known["output"]
    for name, whole in table.beside.items():
        if name in known and whole in known:
            # counts of some hosts contradict each other
            known[whole] = max(0, known[whole] - known[name])
    item: dict[str, Any] = {}
    for name, count in known.items():
        *above, last = table.counts[name]
        place = item
        for key in above:
            place = place.setdefault(key, {})
        place[last] = str(count) if name in table.text_counts else count
    return item
