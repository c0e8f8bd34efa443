"""The functions behind the filter `lines`: generated code calls them, so they need nothing of the compiler."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any


def write_lines(value: Sequence[str]) -> str:
    """Write texts as one text, a line each."""
    return "\n".join(value)


def read_lines(value: Any) -> tuple[str, ...] | None:
    """Read the lines of a text; None when it is no text."""
    return tuple(value.split("\n")) if isinstance(value, str) else None
