"""One entry of a rule: a path to values, and which of them are meant (`reasoning.effort=max|xhigh`, `stop.count>4`)."""

from __future__ import annotations

from ..nodes.declared import dataclass, field
from ..nodes.records import Record
from ..typed import TYPE_CHECKING
from ..wire_json.values import fits, plain_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from typing import Any

OPERATORS = ("!=", "!~", "<=", ">=", "=", "<", ">")
# by their text; there are as many as the specs write
_COMPILED: dict[str, Callable[[str], object]] = {}
_ENTRIES: dict[str, Entry] = {}


@dataclass(frozen=True, eq=False, repr=False)
class Entry(Record):
    """A path, and a test of the values behind it.

    operator  empty: any value; `=`, `!=` one of these words (patterns); `!~` text that is not all of this regular
              expression; `<`, `<=`, `>`, `>=` a number, compared with a number or with the value of another path
    """

    path: str
    operator: str = ""
    operand: str = ""
    # whether a value is compared with that of another path, or the number that it is compared with
    names_path: bool = field(init=False, repr=False, compare=False)
    number: float = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        """Find out once what values are compared with."""
        named = self.compares and self.operand[:1].isalpha()
        object.__setattr__(self, "names_path", named)
        object.__setattr__(self, "number", float(self.operand) if self.compares and not named else 0.0)

    def means(self, value: Any, others: Iterable[Any] = ()) -> bool:
        """Tell whether a value is meant; `others` are the values of the path that stands where a number could.

        None is what a node has none of: it is meant where it is not one of these words.
        """
        if value is None:
            return self.operator == "!="
        match self.operator:
            case "":
                return True
            case "=":
                return is_word(value, self.operand)
            case "!=":
                return not is_word(value, self.operand)
            case "!~":
                return is_unlike(value, self.operand)
            case _:
                return any(
                    self._compares(value, other) for other in (others if self.names_path else (self.number,))
                )

    @property
    def compares(self) -> bool:
        """Whether the entry compares numbers."""
        return self.operator[:1] in ("<", ">")

    @property
    def is_limit(self) -> bool:
        """Whether a value is compared with a number."""
        return self.compares and not self.names_path

    def _compares(self, value: Any, other: Any) -> bool:
        if not (is_number(value) and is_number(other)):
            return False
        if value == other:
            return self.operator.endswith("=")
        return bool(value < other) == self.operator.startswith("<")


def parse_entry(text: str) -> Entry:
    """Take an entry apart; what stands in brackets belongs to its path."""
    entry = _ENTRIES.get(text)
    if entry is None:
        entry = _ENTRIES[text] = _parse(text)
    return entry


def _parse(text: str) -> Entry:
    mark = next((i for i, letter in enumerate(text) if letter in "[=<>!"), len(text))
    start = text.find("]", mark) + 1 if text[mark : mark + 1] == "[" else 0
    for index in range(start, len(text)):
        if text[index] in "=<>!":
            operator = next(word for word in OPERATORS if text.startswith(word, index))
            return Entry(text[:index], operator, text[index + len(operator) :])
    return Entry(text)


def is_number(value: Any) -> bool:
    """Tell whether a value is a number; a bool is none."""
    return isinstance(value, (int, float)) and not isinstance(value, bool)


def is_word(value: Any, words: str) -> bool:
    """Tell whether a value is one of the words between `|` (patterns; true and false for bools)."""
    word = value
    if type(value) is not str:
        word = str(value).lower() if isinstance(value, bool) else text_of(plain_text(value))
    return word == words or fits(word, words)


def text_of(value: Any) -> str:
    """Write a value as words are compared; a number of more digits than Python agrees to write in base 16."""
    try:
        return str(value)
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
