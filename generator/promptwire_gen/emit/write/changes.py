"""Tables of a dialect as changes of its parent's: `NAME = parent.NAME.changed(argument=...)`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from ..python import Expression

Argument = tuple[str, Expression]


@dataclass(frozen=True, slots=True)
class Changed:
    """A dialect's table as a change of the table of its `parent`: the arguments of `changed`."""

    name: str
    parent: str
    arguments: tuple[Argument, ...]
    uses: frozenset[str] = frozenset()
    macro: ClassVar[str] = "changed"


def differing(
    rows: Iterable[tuple[str, str]], others: Iterable[tuple[str, str]], own: frozenset[str]
) -> tuple[tuple[str, str], ...]:
    """Return the rows that another table does not have, and those that name something `own` to the wire."""
    above = dict(others)
    return tuple([(key, value) for key, value in rows if above.get(key) != value or value in own])
