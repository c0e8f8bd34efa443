"""Builds beside the hand-written functions of a benchmark of request builders, on its own conversations."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from statistics import geometric_mean
from typing import Any

import pytest

import promptwire
from promptwire import Image, Message, Options, Part, Request, Text, Tool, ToolCall, ToolResult
from tests.internals.runtime import is_list, is_object

from .measuring import rounds_until, side_by_side

# the most that the geometric mean of the ratios to the benchmark's own code may be, with room for noise
MOST = {
    "openai": 1.25,
    "responses": 1.1,
    "anthropic": 1.6,
    "mistral": 1.35,
    "gemini": 1.95,
    "bedrock": 2.0,
}
# and the most that any one workload may cost, where all of them are plain
MOST_OF_ONE = {"openai": 2.0, "responses": 2.0, "anthropic": 2.4, "mistral": 2.0}
# Responses takes the detail of pictures as given, Mistral ids of nine letters
SAME_TEXTS = ("openai", "anthropic", "gemini", "bedrock")
WORKLOADS = ("W1", "W2", "W3", "W4", "W5")
# the benchmark's name of each wire
TARGETS = {
    "openai": "openai_chat",
    "responses": "openai_responses",
    "anthropic": "anthropic_messages",
    "mistral": "mistral_chat",
    "gemini": "gemini_generate",
    "bedrock": "bedrock_converse",
}


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


@pytest.mark.parametrize("target", TARGETS)
def test_build_keeps_up_with_the_benchmarks_own_code(modules: tuple[Any, Any], target: str) -> None:
    workloads, hand = modules
    build, by_hand = getattr(promptwire, TARGETS[target]).build, hand.FNS[target]
    conversations = [workloads.get(workload) for workload in WORKLOADS]
    requests = [request_of(conversation, workloads.MODEL[target]) for conversation in conversations]
    pairs = list(zip(requests, conversations, strict=True))
    for request, conversation in pairs:
        said = build(request).json().decode()
        assert [text for _, text in workloads.markers(conversation) if encoded(text) not in said] == []
        if target in SAME_TEXTS:
            assert texts(build(request).body) == texts(by_hand(conversation))

    def measure() -> list[float]:
        return [ratio_of(build, by_hand, request, conversation) for request, conversation in pairs]

    def fine(ratios: list[float]) -> bool:
        return geometric_mean(ratios) < MOST[target] and max(ratios) < MOST_OF_ONE.get(
            target, max(ratios) + 1
        )

    runs = rounds_until(lambda runs: any(map(fine, runs)), measure, least=1)
    best = min(runs, key=geometric_mean)
    shown = ", ".join(f"{workload} {ratio:.2f}" for workload, ratio in zip(WORKLOADS, best, strict=True))
    print(f"{target}: {shown}; geometric mean {geometric_mean(best):.2f}")
    assert any(map(fine, runs)), runs


def ratio_of(build: Any, by_hand: Any, request: Request, conversation: Any) -> float:
    def ours(_: object) -> object:
        return build(request)

    def theirs(_: object) -> object:
        return by_hand(conversation)

    return side_by_side(ours, theirs, None, rounds=20, spend=0.004).ratio


def encoded(text: str) -> str:
    """A text as it stands inside JSON."""
    return json.dumps(text, ensure_ascii=False)[1:-1]


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
