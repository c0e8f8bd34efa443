"""Patterns in which `*` stands for any text, as regular expressions that never try a place again."""

from __future__ import annotations

import re


def pattern_of(globs: str) -> str:
    """Give the expression (with re.DOTALL) of the patterns between `|`."""
    return "|".join(map(_pattern, globs.split("|")))


def _pattern(glob: str) -> str:
    first, *others = map(re.escape, glob.split("*"))
    # the first place where a piece stands is as good as any other
    middle = [f"(?>.*?{piece})" for piece in others[:-1] if piece]
    return "".join([first, *middle, *(f".*{last}" for last in others[-1:])])
