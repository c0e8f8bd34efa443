"""Names that are nearly the one of a wire: what stands under them would silently never be used."""

from __future__ import annotations

from difflib import SequenceMatcher
from functools import lru_cache

# no two wires of ours are as near
_NEAR = 0.85


@lru_cache(maxsize=1024)
def is_near(name: str, wire: str) -> bool:
    """Tell whether a name is this wire's but for a slip."""
    spelled = name.lower().replace("-", "_").replace(" ", "_")
    if spelled.replace("_", "") == wire.replace("_", ""):
        return True
    # a word or a digit more is a name of its own
    alike = spelled.count("_") == wire.count("_") and _digits(spelled) == _digits(wire)
    return alike and SequenceMatcher(None, spelled, wire).ratio() >= _NEAR


def _digits(name: str) -> list[str]:
    return [letter for letter in name if letter.isdigit()]
