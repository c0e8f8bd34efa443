"""Entries of rules: a path to values, and which of them are meant, as the compiler took them apart.

`above("temperature", 2)`, `one_of(at("reasoning", "effort"), "max")`, `unlike(at("message", "name"), "[a-z]*")`
"""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from .words import NO_WORDS, Words, is_unlike

if TYPE_CHECKING:
    from typing import Any


class FieldPath:
    """A path to values of a request.

    head    what it begins with: an option, a field of the request, `tools`, `message`, a role, `vendor`
    where   which nodes of the head are meant: those with a field of which this entry is true
    keys    the fields and keys behind it
    either  the last key, where the first counts that is there of several
    tail    the keys as text; text: the whole as specs write it
    """

    __slots__ = ("either", "head", "keys", "tail", "text", "where")

    def __init__(
        self, head: str, *keys: str, where: Entry | None = None, either: tuple[str, ...] = ()
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


class Entry:
    """A path, and a test of the values behind it: this one means any value.

    operator, operand  what stands behind the path, as specs write it
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
        """What stands behind the operator."""
        return "|".join(self.words)

    def means(self, value: Any) -> bool:
        """Tell whether a value is meant; None is what a node has none of."""
        return value is not None


class OneOf(Entry):
    """A value that is one of these words."""

    __slots__ = ("words",)

    operator = "="

    def __init__(self, path: str | FieldPath, *words: str) -> None:
        super().__init__(path)
        self.words = Words(*words)

    def means(self, value: Any) -> bool:
        """Tell whether a value is one of the words."""
        return value is not None and self.words.mean(value)


class OtherThan(OneOf):
    """A value that is none of these words; what is not there is none of them."""

    __slots__ = ()

    operator = "!="

    def means(self, value: Any) -> bool:
        """Tell whether a value is none of the words."""
        return value is None or not self.words.mean(value)


class Unlike(Entry):
    """Text that is not all of a regular expression."""

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
        """Tell whether a value is text that does not match."""
        return is_unlike(value, self.pattern)


class Compared(Entry):
    """A number that is less or more than another, or than the value of another path."""

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
        """Tell whether a value is meant by itself."""
        return self.is_limit and self.compares(value, self.bound)

    def compares(self, value: Any, bound: Any) -> bool:
        """Compare two values; what is no number is not meant."""
        if not (is_number(value) and is_number(bound)):
            return False
        if value == bound:
            return self.operator.endswith("=")
        return bool(value < bound) == self.operator.startswith("<")


def is_number(value: Any) -> bool:
    """Tell whether a value is a number; a bool is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def below(path: str | FieldPath, bound: float | FieldPath) -> Compared:
    """Mean a number that is less."""
    return Compared(path, "<", bound)


def at_most(path: str | FieldPath, bound: float | FieldPath) -> Compared:
    """Mean a number that is less or the same."""
    return Compared(path, "<=", bound)


def above(path: str | FieldPath, bound: float | FieldPath) -> Compared:
    """Mean a number that is more."""
    return Compared(path, ">", bound)


def at_least(path: str | FieldPath, bound: float | FieldPath) -> Compared:
    """Mean a number that is more or the same."""
    return Compared(path, ">=", bound)


# how generated modules name the others
at, present, one_of, other_than, unlike = FieldPath, Entry, OneOf, OtherThan, Unlike
