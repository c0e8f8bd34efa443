"""An entry of a rule, taken apart: `temperature>2`, `tools[strict=true].count>20`, `message.name!~[a-z]+`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

OPERATORS = ("!=", "!~", "<=", ">=", "=", "<", ">")


@dataclass(frozen=True, slots=True)
class RuleEntry:
    """Which values an entry looks at, and which of them it means.

    selector  what stands in brackets after the head: nodes of which this entry is true
    operator  empty, or one of OPERATORS; operand is the text behind it
    """

    head: str
    tail: str = ""
    selector: RuleEntry | None = None
    operator: str = ""
    operand: str = ""

    @property
    def path(self) -> str:
        """Head and tail."""
        return f"{self.head}.{self.tail}" if self.tail else self.head

    @property
    def words(self) -> tuple[str, ...]:
        """The words that values are compared with."""
        return tuple(self.operand.split("|")) if self.operator in ("=", "!=") else ()

    @property
    def compares(self) -> bool:
        """Whether the entry compares numbers."""
        return self.operator[:1] in ("<", ">")


@lru_cache(maxsize=1024)
def parse_entry(text: str) -> RuleEntry:
    """Take an entry apart; whether its words exist is checked elsewhere."""
    mark = next((position for position, letter in enumerate(text) if letter in "[=<>!"), len(text))
    start = text.find("]", mark) + 1 if text[mark : mark + 1] == "[" else 0
    index = next((position for position in range(start, len(text)) if text[position] in "=<>!"), len(text))
    operator = next((word for word in OPERATORS if text.startswith(word, index)), text[index : index + 1])
    path, operand = text[:index], text[index + len(operator) :]
    if start:
        first, _, inside = path[: start - 1].partition("[")
        tail = path[start:].removeprefix(".")
        return RuleEntry(first, tail, parse_entry(inside), operator, operand)
    first, _, tail = path.partition(".")
    return RuleEntry(first, tail, None, operator, operand)
