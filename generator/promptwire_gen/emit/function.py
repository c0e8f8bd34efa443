"""One function of generated code."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from .python import Statement, lines

_NAME = re.compile(r"[A-Za-z_]\w*")


@dataclass(frozen=True)
class Function:
    """Its signature, docstring and body."""

    header: str
    doc: str
    body: list[Statement]

    macro: ClassVar[str] = "function"

    @property
    def uses(self) -> frozenset[str]:
        """Every name that its code has."""
        return frozenset(self.words)

    @property
    def name(self) -> str:
        """The name that the signature gives."""
        return self.header.removeprefix("def ").partition("(")[0]

    @cached_property
    def text(self) -> str:
        """Its body, laid out below its header."""
        return lines(self.body, 1)

    @cached_property
    def words(self) -> set[str]:
        """Every name in its signature and its body."""
        return set(_NAME.findall(f"{self.header}\n{self.text}"))
