"""Find the known word that a caller probably meant."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import SequenceMatcher, get_close_matches
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
