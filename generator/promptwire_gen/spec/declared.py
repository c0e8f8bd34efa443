"""Sections that state facts instead of rules: which values a field takes, what it needs, what a group of models takes.

`declared_rules` makes rules of them, which is all that the rest of the compiler knows.
"""

from __future__ import annotations

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
from .sections import Strict, maybe, named

# a bound may be missing, not both
RANGE: Final = r"(?=.*\d)(-?\d+(?:\.\d+)?)?\.\.(-?\d+(?:\.\d+)?)?"
Names: TypeAlias = Annotated[tuple[Name, ...], Many, OneOrMany]
Values: TypeAlias = Annotated[tuple[PlainValue, ...], Many]
Range: TypeAlias = Annotated[str, *checked_text(RANGE, "a range with one bound at least: 0..2, 1.. or ..128")]


class Fact(Strict):
    """Which values of a field an API accepts; the words are those of JSON Schema where it has one."""

    enum: Values = Field(default=(), description="The only values: [auto, default].")
    not_: Values = Field(default=(), alias="not", description="Values that are rejected: [video, audio].")
    range: Range | None = maybe("The smallest and the largest number: 0..2, 1.., ..128.")
    pattern: Pattern | None = maybe("The regular expression that the whole text must match.")
    unsupported: Literal[True] | None = maybe("Every value is rejected.")
    because: Prose | None = maybe("Why, in one line; made of the fact itself where it is missing.")
    source: Cited = Field(description="Who says so, dated: names of sources.yaml, or text.")


class Need(Strict):
    """What a field needs beside it, and what it does not go with."""

    given: Names = Field(default=(), description="The entries that must all be met: stream=true, tools.")
    either: Names = Field(default=(), description="The entries of which one is enough.")
    without: Names = Field(default=(), description="The entries of which none may be met.")
    because: Prose | None = maybe("Why, in one line; made of the fact itself where it is missing.")
    source: Cited = Field(description="Who says so, dated: names of sources.yaml, or text.")


class Ask(Strict):
    """A word that a list among the settings must hold where a field is given."""

    word: Line = Field(description="The word; another version of it, with another date, is as good.")
    because: Prose | None = maybe("Why, in one line; made of the fact itself where it is missing.")
    source: Cited = Field(description="Who says so, dated: names of sources.yaml, or text.")


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


_SAYS_SOMETHING = _saying("enum", "not", "range", "pattern", "unsupported")
# a key is a path, or several: "temperature, top_p"
Facts: TypeAlias = dict[Line, Annotated[Fact, _SAYS_SOMETHING]]
Needs: TypeAlias = dict[Line, Annotated[Need, _saying("given", "either", "without")]]
Asks: TypeAlias = dict[Word, dict[Line, Ask]]
ModelFacts: TypeAlias = dict[Line, dict[Word, Annotated[Fact, _SAYS_SOMETHING]]]


class FamilyUse(Strict):
    """A family of models that an API serves, and what it does otherwise than the family's maker."""

    alone: Literal[True] | None = maybe("Whether it serves no other models, whatever name they have there.")
    prefix: Line | None = maybe("What stands before the names of its models there: openai/.")
    dots: Literal[True] | None = maybe("Whether versions have dots there: claude-opus-4.6.")
    without: dict[Line, Cited] = named(
        "Fields whose facts do not hold here (a*: all that begin so), each with who says so."
    )
