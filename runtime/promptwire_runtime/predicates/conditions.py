"""Conditions of rules, as generated modules write them: a path to values of a request, and a test of each value.

`above("temperature", 2)`, `one_of(at("reasoning", "effort"), "max")`, `unlike(at("message", "name"), "[a-z]*")`
"""

from __future__ import annotations

from typing import Any

from promptwire_text.conditions import (
    NO_WORDS,
    Words,
    compares,
    is_given,
    is_one_of,
    is_other_than,
    is_unlike,
    measures,
)


class FieldPath:
    """A path to values of a request.

    head    its first name: an option, a field of the request, `tools`, `message`, a role, `vendor`
    where   a condition on the nodes of the head; only nodes that meet it count
    keys    the fields and keys behind the head
    either  names for the last key, of which the first that is there counts
    tail    the keys as text; text: the whole path as specs write it
    """

    __slots__ = ("either", "head", "keys", "tail", "text", "where")

    def __init__(
        self, head: str, *keys: str, where: FieldCondition | None = None, either: tuple[str, ...] = ()
    ) -> None:
        self.head = head
        self.keys = keys
        self.where = where
        self.either = either
        self.tail = ".".join((*keys, "|".join(either)) if either else keys)
        nodes = head if where is None else f"{head}[{where}]"
        self.text = f"{nodes}.{self.tail}" if self.tail else nodes

    def __repr__(self) -> str:
        """Show it as specs write it."""
        return self.text


class FieldCondition:
    """A path, and a test of the values behind it; this class accepts any value.

    operator, operand  the text behind the path, as specs write it
    words              the words that values are compared with
    other              the path whose values they are compared with
    is_limit           whether a value is compared with a number
    """

    __slots__ = ("path",)

    operator = ""
    words = NO_WORDS
    other: FieldPath | None = None
    is_limit = False

    def __init__(self, path: str | FieldPath) -> None:
        self.path = path if isinstance(path, FieldPath) else FieldPath(path)

    def __repr__(self) -> str:
        """Show it as specs write it."""
        return f"{self.path}{self.operator}{self.operand}"

    @property
    def operand(self) -> str:
        """The text behind the operator."""
        return "|".join(self.words)

    def means(self, value: Any) -> bool:
        """Return whether a value meets the condition; None stands for a field that is not set."""
        return is_given(value)


class OneOf(FieldCondition):
    """A value that is one of some words."""

    __slots__ = ("words",)

    operator = "="

    def __init__(self, path: str | FieldPath, *words: str) -> None:
        super().__init__(path)
        self.words = Words(*words)

    def means(self, value: Any) -> bool:
        """Return whether a value is one of the words."""
        return is_one_of(value, self.words)


class OtherThan(OneOf):
    """A value that is not one of some words, or a field that is not set."""

    __slots__ = ()

    operator = "!="

    def means(self, value: Any) -> bool:
        """Return whether a value is missing, or not one of the words."""
        return is_other_than(value, self.words)


class Unlike(FieldCondition):
    """Text that does not match a regular expression as a whole."""

    __slots__ = ("pattern",)

    operator = "!~"

    def __init__(self, path: str | FieldPath, pattern: str) -> None:
        super().__init__(path)
        self.pattern = pattern

    @property
    def operand(self) -> str:
        """The regular expression."""
        return self.pattern

    def means(self, value: Any) -> bool:
        """Return whether a value is text that does not match."""
        return is_unlike(value, self.pattern)


class Compared(FieldCondition):
    """A number that is smaller or larger than another number, or than the value of another path."""

    __slots__ = ("bound", "is_limit", "operator", "other")

    def __init__(self, path: str | FieldPath, operator: str, bound: float | FieldPath) -> None:
        super().__init__(path)
        self.operator = operator
        self.bound = bound
        self.other = bound if isinstance(bound, FieldPath) else None
        self.is_limit = self.other is None

    @property
    def operand(self) -> str:
        """The number, or the other path."""
        return str(self.bound)

    def means(self, value: Any) -> bool:
        """Return whether a value is beyond the number."""
        return self.is_limit and self.compares(value, self.bound)

    def compares(self, value: Any, bound: Any) -> bool:
        """Compare two numbers. Non-numeric values never match."""
        return compares(value, self.operator, bound)


class LengthCompared(FieldCondition):
    """Text with fewer or more characters than a number."""

    __slots__ = ("bound", "operator")

    def __init__(self, path: str | FieldPath, operator: str, bound: int) -> None:
        super().__init__(path)
        self.operator = operator
        self.bound = bound

    def __repr__(self) -> str:
        """Show it as specs write it."""
        return f"len({self.path}){self.operator[-1]}{self.bound}"

    def means(self, value: Any) -> bool:
        """Return whether a value is text that is too short or too long."""
        return measures(value, self.operator, self.bound)


def below(path: str | FieldPath, bound: float | FieldPath) -> Compared:
    """Return the condition that a number is smaller."""
    return Compared(path, "<", bound)


def at_most(path: str | FieldPath, bound: float | FieldPath) -> Compared:
    """Return the condition that a number is smaller or equal."""
    return Compared(path, "<=", bound)


def above(path: str | FieldPath, bound: float | FieldPath) -> Compared:
    """Return the condition that a number is larger."""
    return Compared(path, ">", bound)


def at_least(path: str | FieldPath, bound: float | FieldPath) -> Compared:
    """Return the condition that a number is larger or equal."""
    return Compared(path, ">=", bound)


def shorter(path: str | FieldPath, bound: int) -> LengthCompared:
    """Return the condition that text has fewer characters."""
    return LengthCompared(path, "len<", bound)


def longer(path: str | FieldPath, bound: int) -> LengthCompared:
    """Return the condition that text has more characters."""
    return LengthCompared(path, "len>", bound)


# how generated modules name the others
at, present, one_of, other_than, unlike = FieldPath, FieldCondition, OneOf, OtherThan, Unlike
