"""Common base of the definitions of a reading module."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderDefinition:
    """A function of a reading module.

    macro    the macro that lays it out
    """

    name: str
    doc: str
    macro: ClassVar[str] = ""
