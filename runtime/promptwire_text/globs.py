"""Patterns in which `*` matches any text: as regular expressions that do not backtrack, and lists of them."""

from __future__ import annotations

import re
from fnmatch import fnmatchcase


def pattern_of(globs: str) -> str:
    """Return the regular expression (for re.DOTALL) of patterns separated by `|`."""
    return "|".join(map(_pattern, globs.split("|")))


def _pattern(glob: str) -> str:
    first, *others = map(re.escape, glob.split("*"))
    # the first match of a piece is as good as any other
    middle = [f"(?>.*?{piece})" for piece in others[:-1] if piece]
    return "".join([first, *middle, *(f".*{last}" for last in others[-1:])])


def matches_any(name: str, globs: str) -> bool:
    """Return whether globs with spaces between them match a name; `!` before a glob excludes what it matches."""
    words = globs.split()
    if not any(fnmatchcase(name, word) for word in words):
        return False
    return not any(word[0] == "!" and fnmatchcase(name, word[1:]) for word in words)
