"""Conditions of rules: a path into a request, and a test of the values behind it.

Facts and rules are parsed into conditions once, when a spec is loaded. Checks, emitted code and the expected results of
generated tests all read this one form: `temperature>2`, `tools[strict=true].count>20`, `message.name!~[a-z]+`.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import TypeAlias

from ..problems import Span
from .words import Value

# how a condition tests a value; the longer of two that begin alike comes first
OPERATORS = ("!=", "!~", "<=", ">=", "=", "<", ">", " length<", " length>")
_STOPS = re.compile(r"[=<>!]| length[<>]")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Condition:
    """The values of a request that a rule looks at, and which of them it means.

    head, tail  the path: a field such as `temperature`, `tools`, `message` or a role, and the keys behind it
    where       in brackets after the head: only nodes of which this condition is true
    operator    empty (any value), or one of OPERATORS
    operand     words of `=` and `!=`, a regular expression of `!~`, a number, the field whose value is compared
    span        where it stands in a spec
    """

    head: str
    tail: str = ""
    where: Condition | None = None
    operator: str = ""
    operand: Operand = ""
    span: Span = field(default=Span("", 1, 1, 1), compare=False, repr=False)

    def __str__(self) -> str:
        """Return the text of the condition, as specs write it."""
        operand = "|".join(self.operand) if isinstance(self.operand, tuple) else str(self.operand)
        return f"{self.place}{self.operator}{operand}"

    @property
    def path(self) -> str:
        """Head and tail."""
        return f"{self.head}.{self.tail}" if self.tail else self.head

    @property
    def place(self) -> str:
        """The path with its brackets."""
        if self.where is None:
            return self.path
        return f"{self.head}[{self.where}]" + (f".{self.tail}" if self.tail else "")

    @property
    def keys(self) -> tuple[str, ...]:
        """The keys behind the head."""
        return tuple(self.tail.split(".")) if self.tail else ()

    @property
    def words(self) -> tuple[str, ...]:
        """The words that values are compared with."""
        return self.operand if isinstance(self.operand, tuple) else ()

    @property
    def has_globs(self) -> bool:
        """Whether a `*` in one of the words stands for any text."""
        return any("*" in word for word in self.words)

    @property
    def pattern(self) -> str | None:
        """The regular expression that text must match."""
        return self.operand if self.operator == "!~" and isinstance(self.operand, str) else None

    @property
    def compares(self) -> bool:
        """Whether numbers are compared."""
        return self.operator[:1] in ("<", ">")

    @property
    def limit(self) -> float | None:
        """The number that numbers are compared with."""
        return self.operand if self.compares and isinstance(self.operand, (int, float)) else None

    @property
    def measures(self) -> bool:
        """Whether the length of text is compared with a number."""
        return self.operator.startswith(" length")

    def testing(self, operator: str, operand: Operand) -> Condition:
        """Return a condition on the same path."""
        return replace(self, operator=operator, operand=operand)


Operand: TypeAlias = tuple[str, ...] | str | int | float | Condition


def parse_condition(text: str, span: Span) -> Condition:
    """Parse one condition; whether its fields and operator exist is checked with the model of the wire."""
    mark = next((position for position, letter in enumerate(text) if letter in "[=<>!"), len(text))
    end = text.find("]", mark) + 1 if text[mark : mark + 1] == "[" else 0
    found = _STOPS.search(text, end)
    start = len(text) if found is None else found.start()
    operator = next((word for word in OPERATORS if text.startswith(word, start)), text[start : start + 1])
    operand = _operand(operator, text[start + len(operator) :], span)
    if not end:
        head, _, tail = text[:start].partition(".")
        return Condition(head, tail, None, operator, operand, span)
    head, _, inside = text[: end - 1].partition("[")
    tail = text[end:start].removeprefix(".")
    return Condition(head, tail, parse_condition(inside, span), operator, operand, span)


def _operand(operator: str, text: str, span: Span) -> Operand:
    if operator in ("=", "!="):
        return tuple(text.split("|"))
    if operator == "!~":
        return text
    if _NUMBER.fullmatch(text):
        return number(text)
    return parse_condition(text, span) if operator[:1] in ("<", ">") and text[:1].isalpha() else text


def number(text: str) -> int | float:
    """Read a number as it is written: whole numbers stay whole."""
    return float(text) if "." in text else int(text)


def word_of(value: Value) -> str:
    """Return the word that a value of a request is compared with."""
    return str(value).lower() if isinstance(value, bool) else str(value)
