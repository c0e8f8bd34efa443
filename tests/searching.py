"""How long tests look for a counterexample: the same few examples each time, or a random search by `make search`."""

from __future__ import annotations

import os

from hypothesis import settings

# how many times as many examples a random search draws; 0 where the same are drawn each time
TIMES = int(os.environ.get("SEARCH", "0"))
_USUAL = 100


def examples(count: int) -> int:
    """How many examples to draw where a usual run draws this many."""
    return count * max(TIMES, 1)


def load_profile() -> None:
    """Let hypothesis draw the same examples each time, unless a random search is asked for."""
    settings.register_profile(
        "promptwire",
        derandomize=not TIMES,
        max_examples=examples(_USUAL),
        database=None,
        deadline=None,
        print_blob=True,
    )
    settings.load_profile("promptwire")
