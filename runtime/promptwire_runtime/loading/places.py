"""Where values stand in the text of a file."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from typing import TypeAlias

Path: TypeAlias = tuple[str | int, ...]
Spot: TypeAlias = tuple[int, int]


@dataclass(slots=True)
class Place:
    """The spot (line, column; both from 1) of one value, of its keys, and the places inside it."""

    spot: Spot
    keys: dict[str, Spot] = field(default_factory=dict[str, Spot])
    inside: dict[str | int, Place] = field(default_factory=dict[str | int, "Place"])

    def find(self, path: Path, *, key: str | None = None) -> Spot:
        """Give the spot of the value at `path` (or of one key in it), or of the nearest value around it."""
        place = self
        for step in path:
            if step not in place.inside:
                return place.spot
            place = place.inside[step]
        return place.spot if key is None else place.keys.get(key, place.spot)


class Lines:
    """The line starts of a text."""

    def __init__(self, text: str) -> None:
        """Note where each line starts."""
        self._starts = [0]
        self._starts += [index + 1 for index, character in enumerate(text) if character == "\n"]

    def spot(self, offset: int) -> Spot:
        """Turn a character offset into line and column."""
        line = bisect_right(self._starts, offset)
        return line, offset - self._starts[line - 1] + 1
