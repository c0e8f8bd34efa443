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
    return spelled == wire or SequenceMatcher(None, spelled, wire).ratio() >= _NEAR
