"""What a compilation gives, and the one error of asking for a part of it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from .problems import Problem


@dataclass(frozen=True, slots=True)
class Compilation:
    """What a compilation gives: `files` maps paths in the output folder to text; nothing is written yet."""

    files: Mapping[str, str]
    sources: Mapping[str, str]
    table: Sequence[Mapping[str, Any]]
    problems: Sequence[Problem] = ()


class UnknownWire(Exception):
    """A wire that no spec describes."""
