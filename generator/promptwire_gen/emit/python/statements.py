"""Statements that Python lays out; every layout that templates own has none of these."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

# a statement is one line of code, or a header with an indented block below it
Statement: TypeAlias = "str | tuple[str, list[Statement]]"


def lines(statements: Sequence[Statement], depth: int = 0) -> str:
    """Lay statements out with four spaces a level."""
    out: list[str] = []
    _lay_out(statements, "    " * depth, out)
    return "\n".join(out)


def _lay_out(statements: Sequence[Statement], indent: str, out: list[str]) -> None:
    for statement in statements:
        if isinstance(statement, str):
            out.append(indent + statement)
        else:
            header, block = statement
            out.append(indent + header)
            _lay_out(block or ["pass"], indent + "    ", out)
