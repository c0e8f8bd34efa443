"""Convert patterns in which `*` matches any text to regular expressions that do not backtrack."""

from __future__ import annotations

import re


def pattern_of(globs: str) -> str:
    """Return the regular expression (for re.DOTALL) of patterns separated by `|`."""
    return "|".join(map(_pattern, globs.split("|")))


def _pattern(glob: str) -> str:
    first, *others = map(re.escape, glob.split("*"))
    # the first match of a piece is as good as any other
    middle = [f"(?>.*?{piece})" for piece in others[:-1] if piece]
    return "".join([first, *middle, *(f".*{last}" for last in others[-1:])])
