"""Conditions of rules: a path into a request, and a test of the values behind it.

Facts and rules are parsed into conditions once, when a spec is loaded. Checks, emitted code and the expected results of
generated tests all read this one form: `temperature>2`, `tools[strict=true].count>20`, `message.name!~[a-z]+`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, NamedTuple, TypeAlias

from ..problems import Span
from .words import bare_word


class Operator(NamedTuple):
    """One way to test a value.

    call  the function of `promptwire_runtime.predicates.conditions` that makes the same test
    test  Python for a value of the right type, if emitted code may test it without asking the rules
    """

    call: str
    test: str = ""


OPERATORS: Mapping[str, Operator] = {
    "!=": Operator("other_than"),
    "!~": Operator("unlike"),
    "<=": Operator("at_most"),
    ">=": Operator("at_least"),
    "=": Operator("one_of"),
    "<": Operator("below"),
    ">": Operator("above"),
    "len<": Operator("shorter", "len({value}) < {operand}"),
    "len>": Operator("longer", "len({value}) > {operand}"),
    "": Operator("present"),
}
# those that stand behind a path; the longer of two that begin alike comes first
SIGNS = ("!=", "!~", "<=", ">=", "=", "<", ">")
# the number of characters of a text: len(user_id)>128
_MEASURED = re.compile(r"len\((?P<path>.+)\)(?P<sign>[<>])(?P<length>[0-9]+)")
_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


@dataclass(frozen=True, slots=True)
class Condition:
    """The values of a request that a rule looks at, and which of them it means.

    head, tail  the path: a field such as `temperature`, `tools`, `message` or a role, and the keys behind it
    where       in brackets after the head: only nodes of which this condition is true
    operator    one of OPERATORS, empty for any value; `len<` and `len>` compare the number of characters
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
        if self.measures:
            return f"len({self.place}){self.operator[-1]}{operand}"
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
        """Return whether a `*` in one of the words stands for any text."""
        return any("*" in word for word in self.words)

    @property
    def pattern(self) -> str | None:
        """The regular expression that text must match."""
        return self.operand if self.operator == "!~" and isinstance(self.operand, str) else None

    @property
    def compares(self) -> bool:
        """Return whether the operator compares numbers."""
        return self.operator[:1] in ("<", ">")

    @property
    def limit(self) -> float | None:
        """The number that numbers are compared with."""
        return self.operand if self.compares and isinstance(self.operand, (int, float)) else None

    @property
    def measures(self) -> bool:
        """Return whether the operator compares the length of text with a number."""
        return self.operator.startswith("len")

    @property
    def call(self) -> str:
        """The function of the runtime that makes the same test."""
        return OPERATORS[self.operator].call

    def holds(self, value: Any, bounds: Iterable[float] = ()) -> bool:
        """Return whether a value meets the condition; `bounds` are the values of the field that it is compared with.

        The operators are implemented here a second time, without the runtime, because expected results need them.
        """
        if value is None:
            return self.operator == "!="
        word = bare_word(value)
        if self.words:
            return any(_fits(word, glob) for glob in self.words) is (self.operator == "=")
        if self.pattern is not None:
            return re.fullmatch(self.pattern, word, re.DOTALL) is None
        if not (self.compares or self.measures):
            return True
        number = len(word) if self.measures else float(value)
        limits = bounds if isinstance(self.operand, Condition) else (float(str(self.operand)),)
        return any(_compares(number, self.operator.removeprefix("len"), limit) for limit in limits)

    def testing(self, operator: str, operand: Operand) -> Condition:
        """Return a condition on the same path."""
        return replace(self, operator=operator, operand=operand)


Operand: TypeAlias = tuple[str, ...] | str | int | float | Condition


def parse_condition(text: str, span: Span) -> Condition:
    """Parse one condition; whether its fields and operator exist is checked with the model of the wire."""
    if (measured := _MEASURED.fullmatch(text)) is not None:
        operator = f"len{measured['sign']}"
        return parse_condition(measured["path"], span).testing(operator, int(measured["length"]))
    mark = next((position for position, letter in enumerate(text) if letter in "[=<>!"), len(text))
    end = text.find("]", mark) + 1 if text[mark : mark + 1] == "[" else 0
    start = next((position for position in range(end, len(text)) if text[position] in "=<>!"), len(text))
    operator = next((word for word in SIGNS if text.startswith(word, start)), text[start : start + 1])
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


def _fits(word: str, glob: str) -> bool:
    pattern = ".*".join(map(re.escape, glob.split("*")))
    return re.fullmatch(pattern, word, re.DOTALL) is not None


def _compares(number: float, operator: str, limit: float) -> bool:
    if number == limit:
        return operator.endswith("=")
    return (number < limit) is operator.startswith("<")
