"""Four times as much takes about four times as long: nothing that a caller gives many of is compared each with each."""

from __future__ import annotations

import gc
import time
from collections.abc import Callable

import pytest

from tests.growing import GROWING, merging

# linear work takes 4 times as long for 4 times as much, quadratic work 16 times
MOST = 9.0
MOST_SOUGHT = 120


@pytest.mark.parametrize("case", GROWING)
def test_four_times_as_much_takes_no_more_than_nine_times_as_long(case: str) -> None:
    count, work = GROWING[case]
    few, many = work(count), work(4 * count)
    # the best of several rounds, in turn: a busy machine interrupts some of them
    times = [(spent(few), spent(many)) for _ in range(5)]
    ratio = min(row[1] for row in times) / min(row[0] for row in times)
    print(f"{case}: {ratio:.1f}")
    assert ratio < MOST


def spent(work: Callable[[], object]) -> float:
    gc.collect()
    gc.disable()
    try:
        start = time.perf_counter()
        work()
        return time.perf_counter() - start
    finally:
        gc.enable()


def test_looking_for_contained_layers_costs_little_beside_merging_them() -> None:
    """Each text is looked for in the longer ones at once: quadratic, but in one search of letters a layer."""
    plain, sought = merging("combine")(2000), merging("substring")(2000)
    times = [(spent(plain), spent(sought)) for _ in range(5)]
    ratio = min(row[1] for row in times) / min(row[0] for row in times)
    print(f"substring beside combine: {ratio:.0f}")
    assert ratio < MOST_SOUGHT
