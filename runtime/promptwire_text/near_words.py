"""The word that was probably meant."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

_NEAR = 0.7


def nearest(word: str, choices: Iterable[str]) -> str | None:
    """Return the choice that is spelled most like `word`, or None when none is near."""
    return next(iter(get_close_matches(word, list(choices), n=1, cutoff=_NEAR)), None)
