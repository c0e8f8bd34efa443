"""Common base of the definitions of a reading module, so that a dialect can take them from its parent."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderDefinition:
    """A function of a reading module; functions of one code are equal, whatever their docstrings say.

    uses     the definitions of the same module that its code names
    macro    the macro that lays it out
    """

    name: str
    doc: str = field(compare=False)
    uses: frozenset[str] = frozenset()
    macro: ClassVar[str] = ""
