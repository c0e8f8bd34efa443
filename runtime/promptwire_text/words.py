"""Words: glob patterns as regular expressions, and the nearest of some known words."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches
from fnmatch import fnmatchcase
from functools import lru_cache

_NEAR = 0.7
# no two known names are as similar as this
_NEARLY_EQUAL = 0.85
_NO_ALIASES: Mapping[str, str] = {}


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """Return the choice that is spelled most like `word`, or None when none is similar."""
    return next(iter(get_close_matches(word, list(choices), n=1, cutoff=_NEAR)), None)


def did_you_mean(word: str, choices: Iterable[str]) -> str | None:
    """Return a hint that names the choice nearest to `word`, or None if none is near."""
    near = nearest(word, choices)
    return None if near is None else f'did you mean "{near}"?'


def names_meant(word: str, names: Iterable[str], aliases: Mapping[str, str] = _NO_ALIASES) -> str | None:
    """Return a hint that names those with `word` among their words in snake case, or the nearest, or None.

    Args:
        word: the word that a caller wrote.
        names: the names there are.
        aliases: another word for a name -> the name.
    """
    known = {**{name: name for name in names}, **aliases}
    among = sorted({name for each, name in known.items() if word in each.split("_")})
    if len(among) > 1:
        return f"use {', '.join(among[:-1])} or {among[-1]}"
    return f'did you mean "{among[0]}"?' if among else did_you_mean(word, known)


@lru_cache(maxsize=1024)
def is_misspelling(name: str, known: str) -> bool:
    """Return whether a name is `known`, a name in snake case, with a small mistake."""
    spelled = name.lower().replace("-", "_").replace(" ", "_")
    if spelled.replace("_", "") == known.replace("_", ""):
        return True
    # a name with another number of words, or other digits, is a name of its own
    comparable = spelled.count("_") == known.count("_") and _digits(spelled) == _digits(known)
    return comparable and SequenceMatcher(None, spelled, known).ratio() >= _NEARLY_EQUAL


def _digits(name: str) -> list[str]:
    return [letter for letter in name if letter.isdigit()]


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
    if not any(_matches(name, word) for word in words):
        return False
    return not any(word[0] == "!" and _matches(name, word[1:]) for word in words)


def _matches(name: str, glob: str) -> bool:
    """Return whether a glob with `*` matches a name; few have more than one, for which an expression is compiled."""
    head, star, tail = glob.partition("*")
    if "*" in tail:
        return fnmatchcase(name, glob)
    if not star:
        return name == glob
    return len(name) >= len(head) + len(tail) and name.startswith(head) and name.endswith(tail)
