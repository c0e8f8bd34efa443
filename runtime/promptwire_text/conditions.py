"""The operators of conditions, and the values that each means: for the compiler, and for rules at run time.

A condition is a path, an operator and an operand: `temperature>2`, `reasoning.effort=low|high`, `message.name!~[a-z]+`.
"""

from __future__ import annotations

# importing `typing` costs more than all else that a builder loads
TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import Any, TypeGuard

# pattern -> its full match; there are as many as the specs write
_COMPILED: dict[str, Callable[[str], object]] = {}
# kinds of parts that plain messages hold
WORDED_KINDS = frozenset({"text", "tool_call", "tool_result"})


class Words:
    """Words in which `*` stands for any text. Most words have no `*`, or one at the end."""

    __slots__ = ("_exact", "_globs", "_starts", "texts")

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        # sorted when the first value is tested
        self._exact: frozenset[str] | None = None
        self._starts: tuple[str, ...] = ()
        self._globs: list[list[str]] = []

    def __iter__(self) -> Iterator[str]:
        """Yield each word as it is written."""
        return iter(self.texts)

    def __len__(self) -> int:
        """Return the number of words."""
        return len(self.texts)

    def __repr__(self) -> str:
        """Show it as it is made."""
        return f"Words({', '.join(map(repr, self.texts))})"

    def match(self, text: object) -> bool:
        """Return whether a value is text that is one of these words."""
        if not isinstance(text, str):
            return False
        if self._exact is None:
            self._exact = self._sort()
        if text in self._exact or text.startswith(self._starts):
            return True
        return any(_fits(text, *pieces) for pieces in self._globs)

    def mean(self, value: Any) -> bool:
        """Return whether a value is one of these words; bools are `true` and `false`, numbers as Python writes them."""
        return self.match(value if type(value) is str else _word_of(value))

    def _sort(self) -> frozenset[str]:
        self._globs = [text.split("*") for text in self.texts if "*" in text[:-1]]
        self._starts = tuple(
            [text[:-1] for text in self.texts if text.endswith("*") and "*" not in text[:-1]]
        )
        return frozenset([text for text in self.texts if "*" not in text])


NO_WORDS = Words()


def _fits(text: str, first: str, *others: str) -> bool:
    """Return whether text begins with one piece, ends with the last, and has the others between them in this order."""
    *middle, last = others
    place, end = len(first), len(text) - len(last)
    if not (text.startswith(first) and text.endswith(last)):
        return False
    for piece in middle:
        # the first place where a piece stands is as good as any other
        place = text.find(piece, place, end)
        if place < 0:
            return False
        place += len(piece)
    return place <= end


def _word_of(value: Any) -> str:
    """Return the word of a value; a number with more digits than Python converts is written in base 16.

    A list or an object that holds such a number is no word.
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        # members of an enum are their values
        return str.__str__(value)
    try:
        return str(value)
    except ValueError:
        return hex(value) if isinstance(value, int) else ""


def is_given(value: Any, _operand: object = None) -> bool:
    """Return whether a field is set; None stands for a field that is not."""
    return value is not None


def is_one_of(value: Any, words: Words) -> bool:
    """Return whether a value is one of some words."""
    return value is not None and words.mean(value)


def is_other_than(value: Any, words: Words) -> bool:
    """Return whether a field is not set, or its value is not one of some words."""
    return value is None or not words.mean(value)


def is_unlike(value: Any, pattern: str) -> bool:
    """Return whether a value is text that does not match a regular expression as a whole."""
    if not isinstance(value, str):
        return False
    fullmatch = _COMPILED.get(pattern)
    if fullmatch is None:
        import re

        fullmatch = _COMPILED[pattern] = re.compile(pattern, re.DOTALL).fullmatch
    return fullmatch(value) is None


def is_number(value: object) -> TypeGuard[float]:
    """Return whether a value is a number; bools do not count."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def compares(value: Any, operator: str, bound: Any) -> bool:
    """Return whether a number is beyond another: operator is `<`, `<=`, `>` or `>=`. Other values never are."""
    if not (is_number(value) and is_number(bound)):
        return False
    if value == bound:
        return operator.endswith("=")
    return (value < bound) == operator.startswith("<")


def measures(value: Any, operator: str, bound: Any) -> bool:
    """Return whether a value is text with fewer (`len<`) or more (`len>`) characters than a number."""
    return isinstance(value, str) and compares(len(value), operator[-1], bound)


def _with_operator(test: Callable[[Any, str, Any], bool], operator: str) -> Callable[[Any, Any], bool]:
    return lambda value, bound: test(value, operator, bound)


OPERATORS: Mapping[str, Callable[[Any, Any], bool]] = {
    "": is_given,
    "=": is_one_of,
    "!=": is_other_than,
    "!~": is_unlike,
    **{operator: _with_operator(compares, operator) for operator in ("<", "<=", ">", ">=")},
    **{operator: _with_operator(measures, operator) for operator in ("len<", "len>")},
}
"""Operator -> whether a value meets it, by its operand: words, a regular expression, or a number."""


def is_about_held(path: str, tail: str, operator: str, words: Iterable[str]) -> bool:
    """Return whether a condition rejects kinds of parts, none of which plain messages hold, or kinds of tools.

    A rule for some models that does is asked once for a request, so that requests to other models need not ask about
    their parts. `tail` is the path behind its head.
    """
    if operator != "=" or path == "tool":
        return operator == "="
    return "part" in (path, tail) and not any("*" in word or word in WORDED_KINDS for word in words)
