"""A finding of the linter: a problem of a body with its place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from ..wire_json.places import path_text

Steps: TypeAlias = "tuple[str | int, ...]"


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding.

    steps    where in the body, as keys and indexes; none for the body itself
    what     `unknown key`, `unknown value`, `wrong type`, `missing`, `refused`, `unpaired`,
             `no place`, `invalid`, `deviation`: reading assumed what the API documents, or `unreadable`: the body is no
             request of this API
    message  what is wrong, in words
    source   who says so; empty where the shapes of the spec say it
    """

    steps: Steps
    what: str
    message: str
    source: str = ""

    @property
    def path(self) -> str:
        """The steps as one text: `messages[2].content[0].txt`."""
        return path_text(self.steps)

    def __str__(self) -> str:
        """Show it as one line."""
        place = f"{self.path}: " if self.path else ""
        return f"{place}{self.message}" + (f" ({self.source})" if self.source else "")
