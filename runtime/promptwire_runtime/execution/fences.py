"""Text of somebody else between marks that it cannot close, and names that stay on their line."""

from __future__ import annotations

import json
import re

_MARKS = re.compile("`+")
_PLAIN_NAME = re.compile(r"[\w.:/-]{1,200}")


def fenced(text: str, word: str = "") -> str:
    """Put text, unchanged, between two lines of backticks: more of them than stand together anywhere in it."""
    longest = max(map(len, _MARKS.findall(text)), default=0)
    fence = "`" * max(3, longest + 1)
    return f"{fence}{word}\n{text}\n{fence}"


def on_one_line(name: str) -> str:
    """Write a name as it is, or as a JSON text where it holds more than letters, digits and a few signs."""
    return name if _PLAIN_NAME.fullmatch(name) else json.dumps(name)
