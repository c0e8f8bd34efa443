"""Sections that state facts instead of rules: which values a field takes, what it needs, what a group of models takes.

`wire_rules` turns them into rules, the only form that the rest of the compiler reads.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Final, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field

from .citing import Cited
from .fields import (
    BAD_VALUE,
    Line,
    Many,
    Name,
    OneOrMany,
    Pattern,
    PlainValue,
    Prose,
    Word,
    checked_text,
    is_list,
    refused,
)
from .fixes import FIX, Fix
from .rule_conditions import Condition, number
from .sections import Strict, maybe, named
from .words import bare_word

# the sections that become rules
FACTS = ("values", "needs", "asks", "families", "groups", "models")
# a bound may be missing, not both
_RANGE: Final = r"(?=.*\d)(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?"
_LENGTH: Final = r"(?=.*\d)\d*\.\.\d*"
Names: TypeAlias = Annotated[tuple[Name, ...], Many, OneOrMany]
Values: TypeAlias = Annotated[tuple[PlainValue, ...], Many]
Range: TypeAlias = Annotated[
    str, *checked_text(_RANGE, "a range with one bound at least: 0..2, 1.. or ..128")
]
Length: TypeAlias = Annotated[
    str, *checked_text(_LENGTH, "a range of whole numbers with one bound at least: 1..64, 1.. or ..64")
]
_BECAUSE = "Why, in one line; made of the fact itself where it is missing."
_SOURCE = "Who says so, dated: names of sources.yaml, or text."


class Fact(Strict):
    """The values of a field that an API accepts. Words are those of JSON Schema where it has one."""

    enum: Values = Field(default=(), description="The only values: [auto, default].")
    not_: Values = Field(default=(), alias="not", description="Values that are rejected: [video, audio].")
    range: Range | None = maybe("The smallest and the largest number: 0..2, 1.., ..128.")
    length: Length | None = maybe("The smallest and the largest number of characters: ..64.")
    pattern: Pattern | None = maybe("The regular expression that the whole text must match.")
    unsupported: Literal[True] | None = maybe("Every value is rejected.")
    ignored: Literal[True] | Values | None = maybe("Values that the API takes without effect: true for all.")
    unless: Names = Field(default=(), description="Conditions beside which any value is accepted: tools.")
    fix: Fix | None = maybe(FIX)
    because: Prose | None = maybe(_BECAUSE)
    source: Cited = Field(description=_SOURCE)

    def rejected(self, path: Condition) -> Iterator[Condition]:
        """Yield the conditions under which a value at the path is rejected."""
        if self.not_:
            yield path.testing("=", tuple(map(bare_word, self.not_)))
        if self.unsupported:
            yield path
        if self.pattern is not None:
            yield path.testing("!~", self.pattern)
        if self.enum:
            yield path.testing("!=", tuple(map(bare_word, self.enum)))
        for limits, word in ((self.range, ""), (self.length, "len")):
            for sign, bound in zip("<>", bounds(limits), strict=True):
                if bound:
                    yield path.testing(word + sign, number(bound))

    def without_effect(self, path: Condition) -> tuple[Condition, ...]:
        """Return the condition under which a value at the path is accepted without effect; empty if there is none."""
        if not self.ignored:
            return ()
        return (path if self.ignored is True else path.testing("=", tuple(map(bare_word, self.ignored))),)

    def reason(self, path: Condition) -> str:
        """Return why a value is rejected, or has no effect, in the words of the request."""
        if self.because is not None:
            return self.because
        is_count = path.tail == "count"
        entries = " entries" if is_count else ""
        requirements = [
            f"must not be {either(map(bare_word, self.not_))}" if self.not_ else "",
            "is not supported" if self.unsupported else "",
            f"must match {self.pattern}" if self.pattern is not None else "",
            _one_of(tuple(map(bare_word, self.enum))) if self.enum else "",
            f"must {'have' if is_count else 'be'} {_between(self.range)}{entries}" if self.range else "",
            f"must have {_between(self.length)} characters" if self.length else "",
            "has no effect" if self.ignored else "",
        ]
        field = subject(path).removesuffix(".count")
        return f"`{field}` {' and '.join(filter(None, requirements))}"


class Need(Strict):
    """The fields that must, and must not, be set beside a field."""

    given: Names = Field(default=(), description="The conditions that must all be met: stream=true, tools.")
    either: Names = Field(default=(), description="The conditions of which one is enough.")
    without: Names = Field(default=(), description="The conditions of which none may be met.")
    fix: Fix | None = maybe(FIX)
    because: Prose | None = maybe(_BECAUSE)
    source: Cited = Field(description=_SOURCE)


class Ask(Strict):
    """A word that a list among the settings must hold where a field is given."""

    word: Line = Field(description="The word; another version of it, with another date, is as good.")
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


def _saying(*words: str) -> AfterValidator:
    """Make the check that something is said: one of these words at least."""

    def check(fact: Strict) -> Strict:
        if not any(getattr(fact, "not_" if word == "not" else word) for word in words):
            raise refused(BAD_VALUE, f"must say one of {', '.join(words)}")
        return fact

    return AfterValidator(check)


_REJECTING = ("enum", "not", "range", "length", "pattern", "unsupported")


def _said_once(fact: Fact) -> Fact:
    """Reject a fact that says of a field both that values are rejected and that some have no effect."""
    if fact.ignored and any(getattr(fact, "not_" if word == "not" else word) for word in _REJECTING):
        raise refused(BAD_VALUE, "says ignored beside another word: write two facts")
    return fact


_SAYS_SOMETHING = _saying(*_REJECTING, "ignored")
_SAYS_IT_ONCE = AfterValidator(_said_once)
# a key is a path, or several: "temperature, top_p"
Facts: TypeAlias = dict[Line, Annotated[Fact, _SAYS_SOMETHING, _SAYS_IT_ONCE]]
Needs: TypeAlias = dict[Line, Annotated[Need, _saying("given", "either", "without")]]
Asks: TypeAlias = dict[Word, dict[Line, Ask]]
GroupName: TypeAlias = Annotated[
    str,
    *checked_text("[a-z][a-z0-9_]*", "the name of a group, whose globs stand under groups: {big: [big-*]}"),
]
ModelFacts: TypeAlias = dict[Line, dict[GroupName, Annotated[Fact, _SAYS_SOMETHING, _SAYS_IT_ONCE]]]


def bounds(limits: str | None) -> tuple[str, str]:
    """Return the smallest and the largest value of a range, each empty where the range is open."""
    low, _, high = (limits or "").partition("..")
    return low, high


def _between(limits: str) -> str:
    low, high = bounds(limits)
    if low and high:
        return f"between {low} and {high}"
    return f"at least {low}" if low else f"at most {high}"


def _one_of(words: tuple[str, ...]) -> str:
    return f"must be {'one of ' if len(words) > 1 else ''}{', '.join(words)}"


def either(words: Iterable[str]) -> str:
    """Join words as a sentence has them: `a, b or c`."""
    *first, last = words
    return f"{', '.join(first)} or {last}" if first else last


def subject(condition: Condition) -> str:
    """Return what a reason calls the field of a condition, or the whole condition."""
    return str(condition).removeprefix("vendor.")


class FamilyUse(Strict):
    """A family of models that an API serves, and how this API differs from that of the family's maker."""

    alone: Literal[True] | None = maybe("Whether it serves no other models, whatever name they have there.")
    prefix: Line | None = maybe("What stands before the names of its models there: openai/.")
    dots: Literal[True] | None = maybe("Whether versions have dots there: claude-opus-4.6.")
    without: dict[Line, Cited] = named(
        "Fields whose facts do not hold here (a*: all that begin so), each with who says so."
    )
