"""Sections that state facts instead of rules: which values a field takes, what it needs, what a group of models takes.

`declared_rules` makes rules of them, which is all that the rest of the compiler knows.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal, TypeAlias

from pydantic import AfterValidator, BeforeValidator, Field

from .citing import Cited
from .fields import BAD_VALUE, Line, Many, Name, OneOrMany, Pattern, Prose, Word, is_list, refused
from .sections import Strict, maybe, named

Names: TypeAlias = Annotated[tuple[Name, ...], Many, OneOrMany]


class Fact(Strict):
    """Which values of a field are taken: some words, all but some, a range, text of a pattern, or none at all."""

    only: Line | None = maybe("The words, auto|default, or the range of numbers: 0..2, 1.., ..128.")
    never: Line | None = maybe("The words that are not taken, of many that are: video|audio.")
    like: Pattern | None = maybe("The regular expression that the whole text must match.")
    refused: Literal[True] | None = maybe("No value is taken.")
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
        if not any(getattr(fact, word) for word in words):
            raise refused(BAD_VALUE, f"must say one of {', '.join(words)}")
        return fact

    return AfterValidator(check)


# a key is a path, or several: "temperature, top_p"
Facts: TypeAlias = dict[Line, Annotated[Fact, _saying("only", "never", "like", "refused")]]
Needs: TypeAlias = dict[Line, Annotated[Need, _saying("given", "either", "without")]]
Asks: TypeAlias = dict[Word, dict[Line, Ask]]
ModelFacts: TypeAlias = dict[Line, dict[Word, Annotated[Fact, _saying("only", "never", "like", "refused")]]]


class FamilyUse(Strict):
    """A family of models that an API serves, and what it does otherwise than the family's maker."""

    alone: Literal[True] | None = maybe("Whether it serves no other models, whatever name they have there.")
    prefix: Line | None = maybe("What stands before the names of its models there: openai/.")
    dots: Literal[True] | None = maybe("Whether versions have dots there: claude-opus-4.6.")
    without: dict[Line, Cited] = named(
        "Fields whose facts do not hold here (a*: all that begin so), each with who says so."
    )
