"""How many examples tests draw: the same few each time, or many at random in `make search`.

A search without a counterexample finds none again, so a usual run draws a share of the examples that a test asks for.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import TypeVar

from hypothesis import HealthCheck, settings

T = TypeVar("T")
# how many times as many examples as it asks for a test draws at random; 0 where it draws the same few each time
TIMES = int(os.environ.get("SEARCH", "0"))
_DEFAULT = 100
# a usual run draws one in so many, of those that a test asks for
_SHARE = 5 if os.environ.get("CI") else 10


def examples(count: int, share: int = _SHARE) -> int:
    """Return how many examples to draw for a test that asks for `count`: one in `share` of them in a usual run."""
    return count * TIMES if TIMES else -(-count // share)


def some_of(things: Iterable[T], start: int = 0, share: int = _SHARE) -> list[T]:
    """Return one in `share` of some things in a usual run, counted from `start`; all of them in `make search`."""
    every = list(things)
    return every if TIMES else every[start % min(share, max(len(every), 1)) :: share]


def load_profile() -> None:
    """Make hypothesis draw the same examples each time, unless a random search was asked for."""
    settings.register_profile(
        "promptwire",
        derandomize=not TIMES,
        max_examples=examples(_DEFAULT),
        database=None,
        deadline=None,
        # a busy machine makes any draw slow
        suppress_health_check=[HealthCheck.too_slow],
        print_blob=True,
    )
    settings.load_profile("promptwire")
