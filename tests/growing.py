"""Work that grows with what a caller gives: for counts of executed lines, and for measurements of time."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from promptwire import (
    Event,
    Instruction,
    Message,
    Options,
    Request,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    anthropic_messages,
    openai_chat,
    user,
)
from promptwire.context import ContextPolicies, Pipeline, merge


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
