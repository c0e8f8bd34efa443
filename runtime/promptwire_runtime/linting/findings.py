"""A finding of the linter: what is wrong with a body, and where in it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

Steps: TypeAlias = "tuple[str | int, ...]"
_PLAIN = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One finding.

    steps    where in the body, as keys and indexes; none for the body itself
    what     `unknown key`, `unknown value`, `wrong type`, `missing`, `refused`, `unpaired`,
             `no place`, `invalid`, or `unreadable`: the body is no request of this API
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


def path_text(steps: Sequence[str | int]) -> str:
    """Write keys and indexes as one path; a key that is no word stands in brackets."""
    text = ""
    for step in steps:
        if isinstance(step, int):
            text += f"[{step}]"
        elif _PLAIN.fullmatch(step):
            text += f".{step}" if text else step
        else:
            text += f'["{step}"]'
    return text
