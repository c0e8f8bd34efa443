"""Calls that arrive at once begin a few in each turn of the event loop, in their order."""

from __future__ import annotations

import asyncio

from tests.internals.clients import CALLS_A_TURN, Turns


async def begun_after(waiting: list[asyncio.Task[None]]) -> list[int]:
    """Return how many of some calls had begun after each turn of the event loop, until all had."""
    counts = list[int]()
    while not all(task.done() for task in waiting):
        await asyncio.sleep(0)
        counts.append(sum(task.done() for task in waiting))
    return counts


def test_a_few_calls_begin_in_each_turn_and_the_first_ones_first() -> None:
    async def inside() -> tuple[list[int], list[int]]:
        turns, order = Turns(), list[int]()

        async def call(number: int) -> None:
            await turns.wait()
            order.append(number)

        waiting = [asyncio.create_task(call(number)) for number in range(5 * CALLS_A_TURN)]
        return await begun_after(waiting), order

    counts, order = asyncio.run(inside())
    steps = [after - before for before, after in zip([0, *counts], counts, strict=False)]
    assert max(steps) == CALLS_A_TURN
    assert order == sorted(order)


def test_a_call_that_leaves_takes_no_turn() -> None:
    async def inside() -> int:
        turns = Turns()
        waiting = [asyncio.create_task(turns.wait()) for _ in range(3 * CALLS_A_TURN)]
        await asyncio.sleep(0)
        for task in waiting[CALLS_A_TURN:-1]:
            task.cancel()
        await asyncio.wait_for(waiting[-1], 10)
        return sum(not task.cancelled() for task in waiting)

    assert asyncio.run(inside()) == CALLS_A_TURN + 1
