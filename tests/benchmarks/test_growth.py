"""Twice as much takes about twice as long: nothing that a caller gives many of is compared each with each."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from promptwire import anthropic_messages, openai_chat
from promptwire_runtime import Instruction, Message, Options, Request, Text, Tool, ToolCall, ToolResult, user
from promptwire_runtime.answers.events import Event
from promptwire_runtime.context import ContextPolicies, Pipeline, merge

# linear work takes 4 times as long for 4 times as much, quadratic work 16 times
MOST = 9.0
MOST_SOUGHT = 120


def rules(count: int) -> tuple[Instruction, ...]:
    return tuple([
        Instruction(f"Rule {index}: answer question {index} with care, as number {index * 7} says.")
        for index in range(count)
    ])  # fmt: skip


def merging(dedup: str, *, twice: bool = False) -> Callable[[int], Callable[[], object]]:
    def of(count: int) -> Callable[[], object]:
        layers = rules(count)
        layers += tuple([Instruction(layer.text) for layer in layers]) if twice else ()
        return lambda: merge(layers, ContextPolicies(dedup=dedup))

    return of


def preparing(dedup: str) -> Callable[[int], Callable[[], object]]:
    def of(count: int) -> Callable[[], object]:
        layers = rules(count)
        messages = (Message("system", (Text("Answer."),)), user("hi"))
        request = Request("m", messages, instructions=layers[: count // 2])
        pipeline = Pipeline(base=layers[count // 2 :], policies=ContextPolicies(dedup=dedup))
        return lambda: pipeline.prepare(request)

    return of


def answering(module: Any, step: int) -> Callable[[int], Callable[[], object]]:
    """Results of parallel calls, `step` apart from the order of the calls."""

    def of(count: int) -> Callable[[], object]:
        calls = [ToolCall(f"c{index}", "look", "{}") for index in range(count)]
        order = (
            list(range(count))[::-1]
            if step < 0
            else sorted(range(count), key=lambda index: index * step % count)
        )
        results = [ToolResult(f"c{index}", "ok") for index in order]
        messages = (user("hi"), Message("assistant", tuple(calls)), Message("tool", tuple(results)))
        request = Request("m", messages, options=Options(max_tokens=8))
        return lambda: module.build(request)

    return of


def equipping(count: int) -> Callable[[], object]:
    """Default tools beside tools of the request."""
    schema = {"type": "object"}
    own, defaults = (
        tuple([Tool(f"{name}_{index}", parameters=schema) for index in range(count)])
        for name in ("own", "default")
    )
    request = Request("m", (user("hi"),), tools=own)
    pipeline = Pipeline(base="Be terse.", defaults=Request(tools=defaults))
    return lambda: pipeline.prepare(request)


def pieces_of_calls(count: int) -> Callable[[], object]:
    """A stream of pieces, each of a call of its own, that do not say what they are."""
    pieces = [
        {"choices": [{"index": 0, "delta": {"tool_calls": [{"index": number}]}}]} for number in range(count)
    ]
    raw = "".join([f"data: {json.dumps(piece)}\n\n" for piece in pieces]).encode()
    return lambda: openai_chat.stream().feed(raw)


def arguments_beside_a_call(count: int) -> Callable[[], object]:
    """Arguments in pieces that look like their end, while another call waits."""
    calls = [Event(kind="call", id=name, name="look", place=(0, place)) for place, name in enumerate("ab")]
    pieces = [Event(kind="arguments", text=text, place=(0, 0)) for text in ('{"a": "', *"}" * count, '"}')]

    def work() -> object:
        writer = openai_chat.write_stream()
        return [writer.feed(event) for event in (*calls, *pieces)]

    return work


GROWING = {
    "default tools": (250, equipping),
    **{f"merge, {name}": (1000, merging(name)) for name in ("combine", "skip_identical")},
    **{f"repeats, {name}": (1000, merging(name, twice=True)) for name in ("combine",)},
    **{f"prepare, {name}": (1000, preparing(name)) for name in ("combine", "skip_identical")},
    "pieces of many calls": (1500, pieces_of_calls),
    "arguments beside a call": (12000, arguments_beside_a_call),
    "results backwards, OpenAI": (4000, answering(openai_chat, -1)),
    "results backwards, Anthropic": (4000, answering(anthropic_messages, -1)),
    "results in disorder": (4000, answering(openai_chat, 1237)),
}


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
