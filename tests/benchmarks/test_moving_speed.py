"""Time of moving recorded requests between four APIs, beside a compiled converter, or decoding and encoding their JSON."""

from __future__ import annotations

import json
import statistics
import subprocess
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any

import pytest

import promptwire
from promptwire import PromptwireError

# name in recordings -> wire, a model there, and what the converter calls the API
APIS = {
    "openai_chat": ("openai_chat", "gpt-4.1", "openai"),
    "openai_responses": ("openai_responses", "gpt-4.1", "responses"),
    "anthropic": ("anthropic_messages", "claude-sonnet-4-5", "anthropic"),
    "gemini": ("gemini_generate", "gemini-2.5-flash", "google"),
}
SHAPES = 150
ROUNDS = 3
# of the median request; the converter is Rust, compiled to WebAssembly, and returns an object, not text
MOST_OF_LINGUA = 7.0
# where it is not there, the standard library decodes and encodes each request: it takes 3.4 times as long as that
MOST_OF_JSON = 24.0
# milliseconds of the slowest hundredth of requests below so many characters
MOST_SLOWEST = 3.0
LONG = 100_000
LINGUA = """
const {transform_request} = require(process.argv[1] + "/@braintrust/lingua-wasm/nodejs/lingua.js");
const rows = JSON.parse(require("fs").readFileSync(process.argv[2], "utf8"));
const best = rows.map(() => null);
require("readline").createInterface({input: process.stdin}).on("line", () => {
  rows.forEach(([text, target, model], row) => {
    const start = process.hrtime.bigint();
    try { transform_request(text, target, model); } catch (refused) { return; }
    const spent = Number(process.hrtime.bigint() - start);
    if (best[row] === null || spent < best[row]) best[row] = spent;
  });
  console.log(JSON.stringify(best));
});
"""
Crossing = tuple[str, str, str, str, str, str]
# nanoseconds of each crossing in its best round; None if it is refused
Times = list[int | None]


def crossings(corpus: Path) -> list[Crossing]:
    """Return text, URL, wire, wire to move to, model there, and what the converter calls that API: 150 shapes of each."""
    shapes: dict[str, dict[str, Any]] = {api: {} for api in APIS}
    for line in corpus.open(encoding="utf-8"):
        row = json.loads(line)
        if row["api"] in APIS:
            shapes[row["api"]].setdefault(row["shape"], row)
    found: list[Crossing] = []
    for api, rows in shapes.items():
        for row in [*rows.values()][:: max(1, len(rows) // SHAPES)][:SHAPES]:
            for to, model, name in [each for other, each in APIS.items() if other != api]:
                found.append((json.dumps(row["body"]), row["url"], APIS[api][0], to, model, name))
    return found


def moved(preset: str, crossing: Crossing) -> bytes:
    """Move a request, from text to bytes; an answer whose limit Anthropic wants may have 4,096 tokens."""
    text, url, wire, to, model, _ = crossing
    request = promptwire.wire(wire).read(text, url).request.replace(model=model)
    if to == "anthropic_messages" and request.options.max_tokens is None:
        request = request.replace(options=request.options.replace(max_tokens=4096))
    return promptwire.wire(to).build(request, policies=preset).json()


def take_times(rows: list[Crossing], move: Callable[[Crossing], object], best: Times) -> None:
    """Time each crossing once, by the clock of the processor, and keep the best times."""
    for at, row in enumerate(rows):
        start = time.thread_time_ns()
        try:
            move(row)
        except PromptwireError:
            continue
        spent, known = time.thread_time_ns() - start, best[at]
        best[at] = spent if known is None else min(spent, known)


@contextmanager
def lingua_times(folder: str | None, rows: list[Crossing], into: Path) -> Generator[Callable[[], Times]]:
    """Yield what lets the converter move all requests once more, and returns its best times so far."""
    if folder is None:
        yield list
        return
    into.write_text(json.dumps([[row[0], row[5], row[4]] for row in rows]), "utf-8")
    command = ["node", "-e", LINGUA, str(Path(folder).resolve()), str(into)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as converter:
        assert converter.stdin is not None
        assert converter.stdout is not None
        ask, told = converter.stdin, converter.stdout

        def again() -> Times:
            ask.write("\n")
            ask.flush()
            times: Times = json.loads(told.readline())
            return times

        yield again
        ask.close()


def median(times: Times) -> float:
    """Return the median in microseconds of what is not refused."""
    return statistics.median([each for each in times if each is not None]) / 1e3


def test_a_recorded_request_moves_in_a_few_times_what_a_compiled_converter_takes(
    corpus: Path, tmp_path: Path, request: pytest.FixtureRequest
) -> None:
    rows = crossings(corpus)
    folder = request.config.getoption("--lingua")
    best: dict[str, Times] = {name: [None] * len(rows) for name in ("lenient", "portable", "json")}
    theirs: Times = []
    with lingua_times(folder, rows, tmp_path / "requests.json") as again:
        for _ in range(ROUNDS):
            for preset in ("lenient", "portable"):
                take_times(rows, partial(moved, preset), best[preset])
            take_times(rows, lambda row: json.dumps(json.loads(row[0])), best["json"])
            theirs = again()
    other, most, called = (
        (best["json"], MOST_OF_JSON, "JSON alone") if folder is None else (theirs, MOST_OF_LINGUA, "lingua")
    )
    print(f"{len(rows)} crossings, {called}: {median(other):.0f} \N{MICRO SIGN}s")
    for preset in ("lenient", "portable"):
        ratio = median(best[preset]) / median(other)
        short = sorted(
            [spent for row, spent in zip(rows, best[preset], strict=True) if spent and len(row[0]) < LONG]
        )
        slowest = short[len(short) * 99 // 100] / 1e6
        print(
            f"{preset}: {median(best[preset]):.0f} \N{MICRO SIGN}s, {ratio:.1f} times {called}; "
            f"the slowest hundredth {slowest:.2f} ms"
        )
        assert ratio < most
        assert slowest < MOST_SLOWEST
