"""How many examples tests draw: the same few each time, or many at random in `make search`.

A search without a counterexample finds none again, so a usual run draws a share of the examples that a test asks for.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from hypothesis import HealthCheck, settings

import promptwire

T = TypeVar("T")
# how many times as many examples as it asks for a test draws at random; 0 where it draws the same few each time
TIMES = int(os.environ.get("SEARCH", "0"))
_IN_CI = bool(os.environ.get("CI"))
_DEFAULT = 100
# a usual run draws one in so many, of those that a test asks for
_SHARE = 5 if _IN_CI else 10


def examples(count: int, share: int = _SHARE) -> int:
    """Return how many examples to draw for a test that asks for `count`: one in `share` of them in a usual run."""
    return count * TIMES if TIMES else -(-count // share)


def some_of(things: Iterable[T], start: int = 0, share: int = _SHARE) -> list[T]:
    """Return one in `share` of some things in a usual run, counted from `start`; all of them in `make search`."""
    every = list(things)
    return every if TIMES else every[start % min(share, max(len(every), 1)) :: share]


def _extends(wire: str) -> bool:
    """Return whether a wire's spec extends another: most of its functions are those of its parent."""
    specs = Path(__file__).resolve().parents[1] / "provider_specs"
    pages = [specs / f"{wire}.yaml", *(specs / wire).glob("*.yaml")]
    return any(
        re.search(r"^extends:", page.read_text("utf-8"), re.MULTILINE) for page in pages if page.is_file()
    )


# the wires for which a law is tested: all in CI and in `make search`, those without a parent in a usual run
TESTED_WIRES = tuple(wire for wire in promptwire.WIRES if TIMES or _IN_CI or not _extends(wire))


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
