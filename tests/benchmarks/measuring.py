"""Timing that can be trusted on a noisy machine: two functions in turn, round by round."""

from __future__ import annotations

import gc
import statistics
import time
from collections.abc import Callable
from typing import Any, NamedTuple, TypeVar

T = TypeVar("T")


class Compared(NamedTuple):
    """Seconds that a call of each takes in its best round, and what ours costs in units of the other.

    The ratio is the median over the rounds: both calls of a round meet the machine at the same speed, while the
    two best rounds may not.
    """

    ours: float
    other: float
    ratio: float


def side_by_side(
    ours: Callable[[Any], Any],
    other: Callable[[Any], Any],
    value: Any,
    *,
    rounds: int = 15,
    spend: float = 0.01,
    collecting: bool = True,
) -> Compared:
    """Time two functions on one value; each round runs both, one after the other, `spend` seconds each.

    Without `collecting`, the garbage collector rests: what its passes cost depends on all that is alive.
    """
    repeat = max(1, int(spend / _once(other, value)))
    pairs: list[tuple[float, float]] = []
    gc.collect()
    if not collecting:
        gc.disable()
    try:
        for _ in range(rounds):
            pairs.append((_once(ours, value, repeat), _once(other, value, repeat)))
    finally:
        gc.enable()
    best = [min(times) for times in zip(*pairs, strict=True)]
    return Compared(best[0], best[1], statistics.median([first / second for first, second in pairs]))


def rounds_until(fine: Callable[[list[T]], bool], measure: Callable[[], T], least: int = 5) -> list[T]:
    """Measure until the results are fine, `least` times or more, and four times as often at most.

    A processor that changes its speed between two measurements spoils some rounds; a program that is slow, all.
    """
    found = [measure() for _ in range(least)]
    while not fine(found) and len(found) < 4 * least:
        found.append(measure())
    return found


def _once(function: Callable[[Any], Any], value: Any, repeat: int = 3) -> float:
    start = time.perf_counter()
    for _ in range(repeat):
        function(value)
    return (time.perf_counter() - start) / repeat
