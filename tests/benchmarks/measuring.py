"""Timing that can be trusted on a noisy machine: two functions in turn, the best round of each."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable
from typing import Any


def best_of_both(
    ours: Callable[[Any], Any],
    other: Callable[[Any], Any],
    value: Any,
    *,
    rounds: int = 15,
    spend: float = 0.01,
    collecting: bool = True,
) -> tuple[float, float]:
    """Give the seconds a call of each takes in its best round; each round runs both, one after the other.

    Without `collecting`, the garbage collector rests: what its passes cost depends on all that is alive.
    """
    repeat = max(1, int(spend / _once(other, value)))
    best = [float("inf"), float("inf")]
    gc.collect()
    if not collecting:
        gc.disable()
    try:
        for _ in range(rounds):
            for index, function in enumerate((ours, other)):
                best[index] = min(best[index], _once(function, value, repeat))
    finally:
        gc.enable()
    return best[0], best[1]


def _once(function: Callable[[Any], Any], value: Any, repeat: int = 3) -> float:
    start = time.perf_counter()
    for _ in range(repeat):
        function(value)
    return (time.perf_counter() - start) / repeat
