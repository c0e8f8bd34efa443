"""Builds beside the hand-written functions of a benchmark of request builders, on its own conversations."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

import promptwire
from promptwire import Image, Message, Options, Part, Request, Text, Tool, ToolCall, ToolResult
from promptwire_runtime.wire_json.kinds import is_list, is_object

from .measuring import rounds_until, side_by_side

MOST = 2.0
WORKLOADS = ("W1", "W2", "W3", "W4", "W5")
# the benchmark's name of each wire
TARGETS = {"openai": "openai_chat", "anthropic": "anthropic_messages"}


@pytest.fixture(scope="module")
def modules(bench: Path) -> Iterator[tuple[Any, Any]]:
    """The benchmark's conversations and its hand-written functions."""
    before = set(sys.modules)
    sys.path.insert(0, str(bench.resolve()))
    try:
        yield import_module("workloads"), import_module("adapters.hand")
    finally:
        sys.path.remove(str(bench.resolve()))
        for name in {
            each for each in set(sys.modules) - before if each.partition(".")[0] in ("workloads", "adapters")
        }:
            del sys.modules[name]


def part(given: Any) -> Part:
    kinds: dict[str, Callable[[Any], Part]] = {
        "Text": lambda each: Text(each.text),
        "Image": lambda each: Image(data=each.b64, media_type=each.media_type),
        "ToolCall": lambda each: ToolCall(each.id, each.name, each.args),
        "ToolResult": lambda each: ToolResult(each.id, each.text),
    }
    return kinds[type(given).__name__](given)


def request_of(conversation: Any, model: str) -> Request:
    """The same conversation in the neutral model; schemas, arguments and base64 text are its own objects."""
    return Request(
        model,
        [Message(message.role, [part(each) for each in message.parts]) for message in conversation.messages],
        instructions=conversation.system,
        tools=[Tool(each.name, each.description, each.schema) for each in conversation.tools] or None,
        options=Options(max_tokens=conversation.max_tokens, temperature=conversation.temperature),
    )


@pytest.mark.parametrize("workload", WORKLOADS)
@pytest.mark.parametrize("target", TARGETS)
def test_build_is_within_twice_the_time_of_the_benchmarks_own_code(
    modules: tuple[Any, Any], target: str, workload: str
) -> None:
    workloads, hand = modules
    conversation = workloads.get(workload)
    request = request_of(conversation, workloads.MODEL[target])
    build, by_hand = getattr(promptwire, TARGETS[target]).build, hand.FNS[target]
    assert texts(build(request).body) == texts(by_hand(conversation))

    def measure() -> float:
        found = side_by_side(
            lambda _: build(request), lambda _: by_hand(conversation), None, rounds=30, spend=0.005
        )
        return found.ratio

    ratios = rounds_until(lambda found: min(found) < MOST, measure, least=1)
    print(f"{target} {workload}: ratio {min(ratios):.2f}")
    assert min(ratios) < MOST


def texts(value: Any, key: str = "") -> list[str]:
    """Every text of a body but those that only shape it, sorted; arguments by what their JSON holds."""
    if key == "arguments":
        value = json.loads(value)
    if is_object(value):
        rows = [texts(inner, name) for name, inner in value.items() if name not in ("type", "role")]
        return sorted(each for row in rows for each in row)
    if is_list(value):
        return sorted(each for inner in value for each in texts(inner))
    return [value] if isinstance(value, str) else []
