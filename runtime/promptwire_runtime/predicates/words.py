"""Words of which a value is one, with `*` for any text, and regular expressions that text must match."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from ..wire_json.values import plain_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

# by their text; there are as many as the specs write
_COMPILED: dict[str, Callable[[str], object]] = {}


class Words:
    """Words, in which `*` stands for any text: most have none, or one at the end."""

    __slots__ = ("_exact", "_globs", "_starts", "texts")

    def __init__(self, *texts: str) -> None:
        self.texts = texts
        # sorted when a value is asked about
        self._exact: frozenset[str] | None = None
        self._starts: tuple[str, ...] = ()
        self._globs: list[list[str]] = []

    def __iter__(self) -> Iterator[str]:
        """Give each word as it is written."""
        return iter(self.texts)

    def __len__(self) -> int:
        """Count them."""
        return len(self.texts)

    def __repr__(self) -> str:
        """Show it as it is made."""
        return f"Words({', '.join(map(repr, self.texts))})"

    def match(self, text: object) -> bool:
        """Tell whether a value is text that is one of these words."""
        if not isinstance(text, str):
            return False
        if self._exact is None:
            self._exact = self._sort()
        if text in self._exact or text.startswith(self._starts):
            return True
        return any(_fits(text, *pieces) for pieces in self._globs)

    def mean(self, value: Any) -> bool:
        """Tell whether a value is one of these words: true and false for bools, a number as Python writes it."""
        return self.match(value if type(value) is str else _word_of(value))

    def _sort(self) -> frozenset[str]:
        self._globs = [text.split("*") for text in self.texts if "*" in text[:-1]]
        self._starts = tuple(
            [text[:-1] for text in self.texts if text.endswith("*") and "*" not in text[:-1]]
        )
        return frozenset([text for text in self.texts if "*" not in text])


NO_WORDS = Words()


def _fits(text: str, first: str, *others: str) -> bool:
    """Tell whether text begins with one piece, ends with the last, and has the others between them in this order."""
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
    """Write a value as words are compared; a number of more digits than Python agrees to write in base 16."""
    if isinstance(value, bool):
        return str(value).lower()
    try:
        return str(plain_text(value))
    except ValueError:
        return hex(value)


def is_unlike(value: Any, pattern: str) -> bool:
    """Tell whether a value is text that is not all of a regular expression."""
    if not isinstance(value, str):
        return False
    fullmatch = _COMPILED.get(pattern)
    if fullmatch is None:
        import re

        fullmatch = _COMPILED[pattern] = re.compile(pattern, re.DOTALL).fullmatch
    return fullmatch(value) is None
