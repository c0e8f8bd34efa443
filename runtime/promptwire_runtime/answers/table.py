"""What one wire's answers look like: the shapes of body, candidate and counts, and its words."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from ..nodes.light_dataclasses import construct
from ..read.form_memory import MemoryWords
from ..wire_json.copies import own_json
from ..wire_json.kinds import is_object
from .answer import Usage
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

# the finish reasons to try, in order, if an API has no word for one
_NEXT_BEST = {
    "tool_calls": ("stop",),
    "refused": ("filtered", "other"),
    "filtered": ("refused", "other"),
    "context": ("length",),
    "paused": ("stop",),
    "other": ("stop",),
    "error": ("stop",),
}


class AnswerTable:
    """The answers of one wire.

    body       the shape of the whole body
    candidate  the shape of one candidate; None where the body is the only one
    counts     where the body of counts has each: the field of `Usage` -> its key, or the keys that lead to it
    beside     counts that the API gives beside the input or output, of which `Usage` makes them a part
    count_aliases  the field of `Usage` -> other paths at which its count may stand
    added_counts   `input` or `output` -> the paths of counts that belong to it, and have no field
    created    the vendor option for the time of an answer -> its form: `seconds` since 1970, or `text` (ISO 8601)
    thinking   how thinking of another API is told: the field of `Reasoning` -> a text with `$text` or `$made`
    blocked    the path of the word for why the prompt was blocked: such a body has no candidates
    finish     the API's word -> one of `FINISHES`; two words have a dot between them
    unfinished  the API's words for an answer that goes on
    error      the shape of a body that is an error
    kinds      the API's words for errors -> one of `ERROR_KINDS`
    always     what every message of an answer says besides
    list_key   the key of content that is a list, also where that of a request may be bare text
    scalar_key the key of content that is bare text, also where that of a request may be a list
    text_counts  counts that the API gives as text
    excluded_kinds  kinds of parts that no answer has, though messages of requests may
    key_aliases     the key of a message -> the name of that key in an answer; None if answers do not have it
    role       the word for the role of an answer's message, where it does not say one
    """

    __slots__ = (
        "added_counts",
        "always",
        "beside",
        "blocked",
        "body",
        "candidate",
        "count_aliases",
        "counts",
        "created",
        "error",
        "excluded_kinds",
        "finish",
        "key_aliases",
        "kinds",
        "list_key",
        "role",
        "scalar_key",
        "text_counts",
        "thinking",
        "unfinished",
        "words",
    )
    _TAKEN = tuple(name for name in __slots__ if name != "words")

    def __init__(  # noqa: PLR0913  # a row a thing that an answer has
        self,
        *,
        body: AnswerShape,
        finish: Mapping[str, str],
        role: str,
        candidate: AnswerShape | None = None,
        counts: Mapping[str, tuple[str, ...]] | None = None,
        beside: Mapping[str, str] | None = None,
        error: AnswerShape | None = None,
        kinds: Mapping[str, str] | None = None,
        list_key: str = "",
        scalar_key: str = "",
        always: Mapping[str, Any] | None = None,
        excluded_kinds: frozenset[str] = frozenset(),
        key_aliases: Mapping[str, str | None] | None = None,
        unfinished: frozenset[str] = frozenset(),
        count_aliases: Mapping[str, Sequence[Sequence[str]]] | None = None,
        added_counts: Mapping[str, Sequence[Sequence[str]]] | None = None,
        blocked: Sequence[str] = (),
        created: Mapping[str, str] | None = None,
        text_counts: frozenset[str] = frozenset(),
        thinking: Mapping[str, str] | None = None,
    ) -> None:
        self.body = body
        self.candidate = candidate
        self.counts = counts or {}
        self.beside = beside or {}
        self.error = error
        self.created = created or {}
        self.text_counts = text_counts
        self.thinking = thinking or {}
        self.count_aliases = count_aliases or {}
        self.added_counts = added_counts or {}
        self.blocked = tuple(blocked)
        self.finish = finish
        self.kinds = kinds or {}
        self.list_key = list_key
        self.scalar_key = scalar_key
        self.always = always or {}
        self.excluded_kinds = excluded_kinds
        self.role = role
        self.key_aliases = key_aliases or {}
        self.unfinished = unfinished
        self.words = _words(body, candidate)

    def model_of(self, body: Mapping[str, Any]) -> Any:
        """Return the name of the model that answered, as the body states it."""
        for key in self.body.keys:
            if isinstance(key.value, Field) and key.value.name == "model":
                return key.of(body)
        return None

    def as_message(self, item: dict[str, Any]) -> dict[str, Any]:
        """Spell the keys of an answer's message as those of a request do; what an answer has no key for is its role."""
        if not self.key_aliases:
            return item
        keys = {spelled: key for key, spelled in self.key_aliases.items()}
        silent = {key: self.role for key, spelled in self.key_aliases.items() if spelled is None}
        return {**silent, **{keys.get(name, name): value for name, value in item.items()}}

    def as_answer(self, item: dict[str, Any]) -> dict[str, Any]:
        """Spell the keys of a message as an answer does."""
        if not self.key_aliases:
            return item
        spelled = [(self.key_aliases.get(key, key), value) for key, value in item.items()]
        return {name: value for name, value in spelled if name is not None}

    def meaning_of(self, raw: str) -> str:
        """Return one of `FINISHES` for the API's word; of two words, the first may do."""
        return self.finish.get(raw) or self.finish.get(raw.partition(".")[0], "other")

    def word_for(self, finish: str, raw: str | None = None, ends: tuple[str, ...] = ()) -> str | None:
        """Return the API's word for why a model stopped, or the next best; `raw` where it means just that here.

        ends  the words that may be said, without what stands behind a dot; all without any
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

    @property
    def body_of_error(self) -> frozenset[str]:
        """The keys of a body that is an error."""
        return frozenset() if self.error is None else self.error.names

    @property
    def id_key(self) -> str:
        """The key that holds the id of an answer; empty where none does."""
        keys = [key.name for key in self.body.keys if isinstance(key.value, Field) and key.value.name == "id"]
        return keys[0] if keys else ""

    @property
    def always_counts(self) -> bool:
        """Whether every answer has counts."""
        return any(key.required and key.value is COUNTS for key in self.body.keys)

    @property
    def flat(self) -> bool:
        """Whether the message is a flat list of items."""
        return any(key.value is ITEMS for shape in (self.body, self.candidate) if shape for key in shape.keys)

    @property
    def paths(self) -> dict[tuple[str, ...], str]:
        """Where counts and words for the end stand: path without numbers -> `usage`, `finish` or `detail`."""
        kinds: dict[object, str] = {COUNTS: "usage", FINISH: "finish", FINISH_DETAIL: "detail"}
        found = {path: kinds[value] for path, value in self._values() if value in kinds}
        return {**found, self.blocked: "blocked"} if self.blocked else found

    @property
    def options(self) -> dict[tuple[str, ...], str]:
        """Where known keys of this one API stand: path without numbers -> the name of the option."""
        return {path: value.name for path, value in self._values() if isinstance(value, Vendor)}

    def _values(self) -> Iterator[tuple[tuple[str, ...], Value]]:
        """Return every value of the body and its candidates with its path."""
        stack: list[tuple[tuple[str, ...], AnswerShape]] = [((), self.body)]
        while stack:
            path, shape = stack.pop()
            for key in shape.keys:
                if isinstance(key.value, AnswerShape):
                    stack.append(((*path, key.name), key.value))
                elif key.value is CANDIDATES and self.candidate is not None:
                    stack.append(((*path, key.name, "[]"), self.candidate))
                else:
                    yield (*path, key.name), key.value

    def changed(self, **changes: Any) -> AnswerTable:
        """Return the same table with other values."""
        return AnswerTable(**{name: getattr(self, name) for name in self._TAKEN} | changes)


def _words(*shapes: AnswerShape | None) -> MemoryWords:
    """Collect the keys, the constants and the other spellings of all shapes."""
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
    """Read an API's counts; what it counts beside its input or output becomes a part of them."""
    known: dict[str, int] = {}
    for name, path in table.counts.items():
        count = _count(counts.get(path[0]) if len(path) == 1 else value_at(counts, path))
        if count is not None:
            known[name] = count
    for name, paths in table.count_aliases.items():
        if name not in known:
            found = [count for path in paths if (count := _count(value_at(counts, path))) is not None]
            known |= {name: found[0]} if found else {}
    for whole, paths in table.added_counts.items():
        for place in paths:
            count = _count(value_at(counts, place))
            if count is not None:
                known[whole] = known.get(whole, 0) + count
    for name, whole in table.beside.items():
        if name in known:
            known[whole] = known.get(whole, 0) + known[name]
    return construct(Usage, **known, raw=counts)


def _count(value: Any) -> int | None:
    """Return a count of tokens, which some hosts and clients give as text or with a fraction of zero."""
    return value if type(value) is int else None if value is None else number_of(value)


def write_counts(usage: Usage, table: AnswerTable, *, own: bool) -> dict[str, Any]:
    """Write counts as an API gives them: its own object where it came from there and still says the same."""
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
