"""A fuzz target: how an input is drawn, and which outcomes are allowed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Any


class WrongOutcome(Exception):
    """An input gave a result that must not be: `kind` says which rule it breaks, in words that many inputs share."""

    def __init__(self, kind: str, details: str = "") -> None:
        """Keep the kind apart from what differs between inputs."""
        super().__init__(f"{kind}: {details}" if details else kind)
        self.kind = kind


@dataclass(frozen=True, slots=True)
class Turn:
    """One input to be drawn: all of it follows from target, seed and index."""

    target: str
    seed: int
    index: int

    def random(self) -> Random:
        """Return the random numbers of this turn, the same each time."""
        return Random(f"{self.target}:{self.seed}:{self.index}")  # noqa: S311  # no secret is made of them

    def __str__(self) -> str:
        """Write what `AGAIN` takes."""
        return f"{self.target}:{self.seed}:{self.index}"


@dataclass(frozen=True, slots=True)
class Target:
    """One kind of input.

    draw   makes the input of a turn
    check  tries it: True when a result came of it, False when an error of ours refused it; any exception is a fault
    share  of the time, beside the shares of others
    """

    name: str
    draw: Callable[[Turn, Random], Any]
    check: Callable[[Any], bool]
    share: int = 1
