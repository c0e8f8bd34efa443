"""Time of reading a recorded request, and of moving it to another API, beside decoding and encoding its JSON."""

from __future__ import annotations

import gc
import importlib
import json
import statistics
import subprocess
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from promptwire import PromptwireError, anthropic_messages, openai_chat

from .measuring import rounds_until

# the wire of an API -> the most that reading may cost, in units of `json.loads`: the median over recorded bodies
WIRES = {"openai_chat": 8.0, "openai_responses": 9.0, "anthropic_messages": 10.0, "gemini_generate": 10.0}
APIS = {"anthropic_messages": "anthropic", "gemini_generate": "gemini"}
# decoding and encoding are done by the standard library in both
MOST_TO_ANOTHER = 10.0
# compiled to WebAssembly from Rust; returns an object, not text
MOST_OF_LINGUA = 3.0
LINGUA = """
const {transform_request} = require(process.argv[1] + "/@braintrust/lingua-wasm/nodejs/lingua.js");
const now = process.hrtime.bigint, text = process.argv[2];
let best = Infinity, said;
for (let round = 0; round < 5000; round++) {
  const start = now();
  said = transform_request(text, "anthropic", "claude-sonnet-4-5").data;
  best = Math.min(best, Number(now() - start));
}
console.log(JSON.stringify({best, said}));
"""
RECORDED = 60
SHORT = {
    "model": "gpt-4o",
    "max_completion_tokens": 100,
    "messages": [
        {"role": "system", "content": "Be brief."},
        {"role": "user", "content": "How warm is Oslo?"},
        {"role": "user", "content": "In degrees."},
    ],
    "tools": [
        {
            "type": "function",
            "function": {
                "name": "weather",
                "description": "The weather now.",
                "parameters": {"type": "object", "properties": {"city": {"type": "string"}}},
            },
        }
    ],
}


def recorded_texts(corpus: Path, wire: str) -> list[str]:
    """Return recorded bodies of an API as JSON, evenly taken from all."""
    rows = [json.loads(line) for line in corpus.read_text("utf-8").splitlines()]
    bodies = [row["body"] for row in rows if row["api"] == APIS.get(wire, wire)]
    read = importlib.import_module(f"promptwire.{wire}").read
    texts: list[str] = []
    for body in bodies[:: max(1, len(bodies) // RECORDED)]:
        try:
            read(body)
        except PromptwireError:
            continue
        texts.append(json.dumps(body))
    return texts


def best(function: Callable[[], Any], rounds: int) -> int:
    """Return the nanoseconds of the fastest of some calls, each timed alone: a busy machine slows down most of them."""
    times: list[int] = []
    for _ in range(rounds):
        start = time.perf_counter_ns()
        function()
        times.append(time.perf_counter_ns() - start)
    return min(times)


def ratio_of(ours: Callable[[], Any], other: Callable[[], Any], rounds: int = 8) -> float:
    """Return what ours costs in units of the other; the garbage collector rests meanwhile."""
    gc.disable()
    try:
        return best(ours, rounds) / best(other, rounds)
    finally:
        gc.enable()


@pytest.mark.parametrize("wire", WIRES)
def test_reading_costs_few_times_decoding(corpus: Path, wire: str) -> None:
    read = importlib.import_module(f"promptwire.{wire}").read
    texts = recorded_texts(corpus, wire)
    assert texts

    def measured() -> float:
        ratios: list[float] = []
        for text in texts:
            body = json.loads(text)
            ratios.append(ratio_of(partial(read, body), partial(json.loads, text)))
        return statistics.median(ratios)

    found = rounds_until(lambda found: min(found) < WIRES[wire], measured, least=1)
    print(f"{wire}: reading costs {min(found):.1f} times json.loads, the median of {len(texts)} bodies")
    assert min(found) < WIRES[wire]


def move(text: str) -> bytes:
    """Move a request of OpenAI Chat to Anthropic, from text to text."""
    return anthropic_messages.build(openai_chat.read(text).request).json()


def test_a_short_request_moves_to_another_api() -> None:
    text = json.dumps(SHORT)
    found = rounds_until(
        lambda found: min(found) < MOST_TO_ANOTHER,
        lambda: ratio_of(lambda: move(text), lambda: json.dumps(json.loads(text)), rounds=500),
        least=1,
    )
    print(f"short chat to Anthropic: {min(found):.1f} times json.loads and json.dumps")
    assert json.loads(move(text))["system"] == "Be brief."
    assert min(found) < MOST_TO_ANOTHER


def test_a_short_request_moves_as_fast_as_with_a_compiled_converter(request: pytest.FixtureRequest) -> None:
    folder = request.config.getoption("--lingua")
    if folder is None:
        pytest.skip("no converter to measure against: give --lingua PATH, or set PROMPTWIRE_LINGUA")
    text = json.dumps(SHORT)
    ran = subprocess.run(  # a folder that the caller names
        ["node", "-e", LINGUA, str(Path(folder).resolve()), text],  # noqa: S607
        check=True,
        capture_output=True,
        text=True,
    )
    theirs = json.loads(ran.stdout)
    assert theirs["said"]["system"] == json.loads(move(text))["system"]
    ours = min(best(partial(move, text), 500) for _ in range(8))
    print(
        f"short chat to Anthropic: {ours / 1000:.0f} \N{MICRO SIGN}s, lingua {theirs['best'] / 1000:.0f} \N{MICRO SIGN}s"
    )
    assert ours < MOST_OF_LINGUA * theirs["best"]
