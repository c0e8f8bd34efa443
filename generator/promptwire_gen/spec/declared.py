"""Sections that state facts instead of rules: which values a field takes, what it needs, what a group of models takes.

`wire_rules` turns them into rules, the only form that the rest of the compiler reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field

from .citing import Cited
from .fields import (
    BAD_VALUE,
    Count,
    Dated,
    Line,
    Many,
    Name,
    Number,
    OneOrMany,
    Pattern,
    PlainValue,
    Prose,
    Strict,
    Word,
    as_list,
    check_text,
    conditional,
    is_list,
    maybe,
    named,
    refuse,
)
from .fixes import FIX, Fix
from .nodes import write_bare_word
from .rule_conditions import Condition, Conditions

# the sections that become rules
FACTS = ("values", "needs", "asks", "families", "hosts", "groups", "models")
Names: TypeAlias = Annotated[tuple[Name, ...], Many, OneOrMany]
Values: TypeAlias = Annotated[tuple[PlainValue, ...], Many]
_BECAUSE = "Why, in one line; made of the fact itself where it is missing."
_SOURCE = "Who says so, dated: names of sources.yaml, or text."


class OneOfFields(Strict):
    """Fields of which one must be given."""

    one_of: Names = Field(description="Their names, without what they are fields of.")


def _as_alternatives(value: Any) -> list[Any]:
    """Accept a name for a field that must be given itself, and one requirement for a list of one."""
    return [{"one_of": item} if isinstance(item, str) else item for item in as_list(value)]


Required: TypeAlias = Annotated[
    tuple[OneOfFields, ...],
    Many,
    BeforeValidator(_as_alternatives, json_schema_input_type=str | OneOfFields | list[str | OneOfFields]),
]


class Fact(Dated):
    """The values of a field that an API accepts, in words of JSON Schema where it has one."""

    enum: Values = Field(default=(), description="The only values: [auto, default].")
    not_: Values = Field(default=(), alias="not", description="Values that are rejected: [video, audio].")
    minimum: Number | None = maybe("The smallest number.")
    maximum: Number | None = maybe("The largest number.")
    min_length: Count | None = Field(default=None, alias="minLength", description="The fewest characters.")
    max_length: Count | None = Field(default=None, alias="maxLength", description="The most characters.")
    min_items: Count | None = Field(
        default=None, alias="minItems", description="The fewest entries or things."
    )
    max_items: Count | None = Field(default=None, alias="maxItems", description="The most entries or things.")
    pattern: Pattern | None = maybe("The regular expression that the whole text must match.")
    required: Required = Field(
        default=(), description="Fields of it that must be given: url, or {one_of: [url, file_id]}."
    )
    unsupported: Literal[True] | None = maybe("Every value is rejected.")
    ignored: Literal[True] | Values | None = maybe("Values that the API takes without effect: true for all.")
    accepted: Literal[True] | Values | None = maybe(
        "Values that are accepted although another fact rejects them: true for all."
    )
    while_: Conditions = Field(
        default_factory=tuple,
        alias="while",
        description="Conditions that must all be met for it to hold: {reasoning.effort: [low, high]}.",
    )
    unless: Conditions = conditional("Conditions beside which any value is accepted: tools.")
    fix: Fix | None = maybe(FIX)
    because: Prose | None = maybe(_BECAUSE)
    source: Cited = Field(description=_SOURCE)

    def list_rejected(self, path: Condition) -> Iterator[Condition]:
        """Yield the conditions under which a value at the path is rejected."""
        if self.not_:
            yield path.with_test("=", tuple(map(write_bare_word, self.not_)))
        if self.unsupported:
            yield path
        if self.pattern is not None:
            yield path.with_test("!~", self.pattern)
        if self.enum:
            yield path.with_test("!=", tuple(map(write_bare_word, self.enum)))
        for fields in self.required:
            yield path.enter("|".join(fields.one_of)).with_test("!=", ("*",))
        for place, word, low, high in (
            (path, "", self.minimum, self.maximum),
            (path, "len", self.min_length, self.max_length),
            (path.enter("count"), "", self.min_items, self.max_items),
        ):
            for sign, bound in (("<", low), (">", high)):
                if bound is not None:
                    yield place.with_test(word + sign, bound)

    def list_accepted(self, path: Condition) -> tuple[Condition, ...]:
        """Return the condition under which a value at the path is accepted in any case; empty if there is none."""
        return _select_values(path, self.accepted)

    def list_ignored(self, path: Condition) -> tuple[Condition, ...]:
        """Return the condition under which a value at the path is accepted without effect; empty if there is none."""
        return _select_values(path, self.ignored)

    def explain(self, path: Condition) -> str:
        """Return why a value is rejected, or has no effect, in the words of the request."""
        if self.because is not None:
            return self.because
        requirements = [
            f"must not be {join_alternatives(map(write_bare_word, self.not_))}" if self.not_ else "",
            "is not supported" if self.unsupported else "",
            f"must match {self.pattern}" if self.pattern is not None else "",
            _describe_choices(tuple(map(write_bare_word, self.enum))) if self.enum else "",
            *[f"needs {join_alternatives(fields.one_of)}" for fields in self.required],
            _describe_range("be", self.minimum, self.maximum),
            _describe_range("have", self.min_items, self.max_items, " entries"),
            _describe_range("have", self.min_length, self.max_length, " characters"),
            "has no effect" if self.ignored else "",
            _describe_accepted(self.accepted),
        ]
        beside = " and ".join([f"while {condition}" for condition in self.while_])
        return " ".join(filter(None, (f"`{path.subject}`", " and ".join(filter(None, requirements)), beside)))


def _select_values(
    path: Condition, values: Literal[True] | tuple[PlainValue, ...] | None
) -> tuple[Condition, ...]:
    """Return the condition that a value at the path is one of some: true for all, none for no condition."""
    if not values:
        return ()
    return (path if values is True else path.with_test("=", tuple(map(write_bare_word, values))),)


class Need(Dated):
    """The conditions that must, or must not, hold where a field is given."""

    given: Conditions = conditional("The conditions that must all be met: tools, {stream: true}.")
    either: Conditions = conditional("The conditions of which one is enough.")
    without: Conditions = conditional("The conditions of which none may be met.")
    because: Prose | None = maybe(_BECAUSE)
    source: Cited = Field(description=_SOURCE)


class Ask(Dated):
    """A word that a list among the settings must hold where a field is given."""

    word: Line = Field(description="The word; another version of it, with another date, is as good.")
    unless: Conditions = conditional(
        "Conditions beside which it is not asked for: {tools.type: mcp_toolset}."
    )
    because: Prose | None = maybe(_BECAUSE)
    source: Cited = Field(description=_SOURCE)


class Group(Strict):
    """Models of which the same is true."""

    names: Names = Field(description="Globs of names, and names of other groups.")
    without: Names = Field(default=(), description="Globs of names that are none of them, and other groups.")


def _as_group(value: Any) -> Any:
    return {"names": value} if isinstance(value, str) or is_list(value) else value


GroupOfModels: TypeAlias = Annotated[
    Group, BeforeValidator(_as_group, json_schema_input_type=str | list[str] | Group)
]
Groups: TypeAlias = dict[Word, GroupOfModels]


def _require_one_of(*words: str) -> AfterValidator:
    """Return the check that a fact has at least one of these words."""

    def check(fact: Strict) -> Strict:
        if not _states_any(fact, words):
            raise refuse(BAD_VALUE, f"must say one of {', '.join(words)}")
        return fact

    return AfterValidator(check)


def _states_any(fact: Strict, words: Iterable[str]) -> bool:
    names = {field.alias or name: name for name, field in type(fact).model_fields.items()}
    return any(getattr(fact, names[word]) not in (None, ()) for word in words)


_REJECTING = (
    "enum", "not", "minimum", "maximum", "minLength", "maxLength", "minItems", "maxItems", "pattern", "required",
    "unsupported",
)  # fmt: skip


def _check_ignored_alone(fact: Fact) -> Fact:
    """Reject a fact that says of a field both that values are rejected and that some have no effect."""
    if fact.ignored and _states_any(fact, _REJECTING):
        raise refuse(BAD_VALUE, "says ignored beside another word: write two facts")
    return fact


_ClaimedFact: TypeAlias = Annotated[
    Fact, _require_one_of(*_REJECTING, "accepted", "ignored"), AfterValidator(_check_ignored_alone)
]
# one fact, or several with their own reasons
FactsOfField: TypeAlias = Annotated[
    tuple[_ClaimedFact, ...], Many, BeforeValidator(as_list, json_schema_input_type=Fact | list[Fact])
]
# a key is a path, or several: "temperature, top_p"
Facts: TypeAlias = dict[Line, FactsOfField]
Needs: TypeAlias = dict[Line, Annotated[Need, _require_one_of("given", "either", "without")]]
Asks: TypeAlias = dict[Word, dict[Line, Ask]]
GroupName: TypeAlias = Annotated[
    str,
    *check_text("[a-z][a-z0-9_]*", "the name of a group, whose globs stand under groups: {big: [big-*]}"),
]
ModelFacts: TypeAlias = dict[Line, dict[GroupName, FactsOfField]]


def _describe_range(verb: str, low: float | None, high: float | None, noun: str = "") -> str:
    """Return a requirement on a number; empty if there is none."""
    if low is None and high is None:
        return ""
    if low is not None and high is not None:
        return f"must {verb} between {low} and {high}{noun}"
    return f"must {verb} {f'at least {low}' if low is not None else f'at most {high}'}{noun}"


def _describe_choices(words: tuple[str, ...]) -> str:
    return f"must be {'one of ' if len(words) > 1 else ''}{', '.join(words)}"


def _describe_accepted(values: Literal[True] | tuple[PlainValue, ...] | None) -> str:
    """Return which values are accepted in any case; empty if no such values are named."""
    if not values:
        return ""
    return "is supported" if values is True else f"may be {join_alternatives(map(write_bare_word, values))}"


def join_alternatives(words: Iterable[str]) -> str:
    """Join words as a sentence has them: `a, b or c`."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


class FamilyUse(Strict):
    """A family of models that an API serves, and how this API differs from that of the family's maker."""

    alone: Literal[True] | None = maybe("Whether it serves no other models, whatever name they have there.")
    prefix: Line | None = maybe("What stands before the names of its models there: openai/.")
    dots: Literal[True] | None = maybe("Whether versions have dots there: claude-opus-4.6.")
    without: dict[Line, Cited] = named(
        "Fields whose facts do not hold here (a*: all that begin so), each with who says so."
    )
