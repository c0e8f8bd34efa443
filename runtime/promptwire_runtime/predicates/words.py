"""Tests of values against words, in which `*` stands for any text, and against regular expressions."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from ..wire_json.values import plain_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# pattern -> its full match; there are as many as the specs write
_COMPILED: dict[str, Callable[[str], object]] = {}


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
    try:
        return str(plain_text(value))
    except ValueError:
        return hex(value) if isinstance(value, int) else ""


def is_unlike(value: Any, pattern: str) -> bool:
    """Return whether a value is text that does not match a regular expression as a whole."""
    if not isinstance(value, str):
        return False
    fullmatch = _COMPILED.get(pattern)
    if fullmatch is None:
        import re

        fullmatch = _COMPILED[pattern] = re.compile(pattern, re.DOTALL).fullmatch
    return fullmatch(value) is None
