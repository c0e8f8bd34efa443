"""Ratios in one run, never absolute times: ours against code written by hand, long against short, import against import."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from collections.abc import Callable
from typing import Any

import pytest

import promptwire
from promptwire import Cache, Message, Options, Request, Text
from tests.laws.specimens import least_options

from . import by_hand, workloads
from .measuring import rounds_until, side_by_side

WIRES: dict[str, tuple[Callable[[Request], Any], str]] = {
    "openai_chat": (by_hand.openai_chat, "gpt-4o"),
    "anthropic_messages": (by_hand.anthropic_messages, "claude-sonnet-4-5"),
}
# builds of less than 3 µs are at 2.1 at most, all others below 1.6
MOST = 2.2
MOST_PORTABLE = 1.3
GROWTH = 1.3
MOST_NOTED = 1.6
# sorting the rules again would cost a hundred times as much as the build
MOST_SETTINGS = 5.0
# these three cost about 25 ms: what a wire may cost, on a machine of any speed
USUAL = "import dataclasses, json, typing"
MOST_IMPORT = 1.0


@pytest.mark.parametrize("workload", workloads.WORKLOADS)
@pytest.mark.parametrize("wire", WIRES)
def test_build_takes_about_twice_the_time_of_code_written_by_hand_at_most(wire: str, workload: str) -> None:
    by_hand_build, model = WIRES[wire]
    build = getattr(promptwire, wire).build
    request = workloads.WORKLOADS[workload](model)
    found = rounds_until(
        lambda found: min(compared.ratio for compared in found) < MOST,
        lambda: side_by_side(build, by_hand_build, request, rounds=60, spend=0.005),
        least=1,
    )
    ours, other, ratio = min(found, key=lambda compared: compared.ratio)
    print(f"{wire} {workload}: {ours * 1e6:.1f} µs, by hand {other * 1e6:.1f} µs, ratio {ratio:.2f}")
    assert ratio < MOST


@pytest.mark.parametrize("workload", workloads.WORKLOADS)
@pytest.mark.parametrize("wire", WIRES)
def test_portable_costs_what_strict_costs_where_nothing_needs_a_repair(wire: str, workload: str) -> None:
    build = getattr(promptwire, wire).build
    request = workloads.WORKLOADS[workload](WIRES[wire][1])
    assert build(request, policies="portable").json() == build(request).json()
    found = rounds_until(
        lambda found: min(compared.ratio for compared in found) < MOST_PORTABLE,
        lambda: side_by_side(
            lambda one: build(one, policies="portable"), build, request, rounds=60, spend=0.005
        ),
        least=1,
    )
    portable, strict, ratio = min(found, key=lambda compared: compared.ratio)
    print(
        f"{wire} {workload}: portable {portable * 1e6:.1f} µs, strict {strict * 1e6:.1f} µs, ratio {ratio:.2f}"
    )
    assert ratio < MOST_PORTABLE


@pytest.mark.parametrize(
    "make", [workloads.chat, lambda model, n: workloads.agent(model, n // 10)], ids=["text", "tools"]
)
@pytest.mark.parametrize("wire", WIRES)
def test_cost_of_a_message_does_not_grow_with_the_conversation(
    wire: str, make: Callable[[str, int], Request]
) -> None:
    build = getattr(promptwire, wire).build
    large = make(WIRES[wire][1], 10_000)
    # as many messages in memory: one request built again and again would come from the processor's cache
    hundred = [make(WIRES[wire][1], 100) for _ in range(100)]
    small = hundred[0]
    compared = side_by_side(
        lambda _: build(large), lambda _: [build(one) for one in hundred], None, collecting=False
    )
    growth = compared.ratio * 100 * len(small.messages) / len(large.messages)
    print(f"{wire}: a message of {len(large.messages)} costs {growth:.2f} times one of {len(small.messages)}")
    assert growth < GROWTH


def _with_notes(model: str, count: int) -> Request:
    """Make a conversation of which every message is noted: its mark is one too many, its name means nothing."""
    turns = [
        Message(role, (Text(f"turn {index}", cache=Cache()),), name="somebody")
        for index in range(count // 2)
        for role in ("user", "assistant")
    ]
    return Request(model, turns, options=Options(max_tokens=8))


@pytest.mark.parametrize("wire", WIRES)
def test_cost_of_a_note_does_not_grow_with_the_conversation(wire: str) -> None:
    build = getattr(promptwire, wire).build

    def noted(requests: list[Request]) -> list[int]:
        return [len(build(request, policies="lenient").notes) for request in requests]

    large = [_with_notes(WIRES[wire][1], 2000)]
    small = [_with_notes(WIRES[wire][1], 40) for _ in range(50)]
    assert noted(large)[0] >= 2000
    growth = side_by_side(
        lambda _: noted(large), lambda _: noted(small), None, rounds=5, collecting=False
    ).ratio
    print(f"{wire}: a noted message of 2000 costs {growth:.2f} times one of 40")
    assert growth < MOST_NOTED


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_settings_cost_little_more_than_a_look_at_each(wire: str) -> None:
    module = getattr(promptwire, wire)
    request = Request("m", [promptwire.user("hi")], options=least_options(wire))
    free = [name for name, each in module.WIRE.settings.items() if not each.choices and not each.listed]
    settings = dict.fromkeys(free, "given")
    bare, given, ratio = side_by_side(
        lambda one: module.build(one, settings=settings), module.build, request, spend=0.002
    )
    print(f"{wire}: {bare * 1e6:.1f} µs with {len(settings)} settings, {given * 1e6:.1f} µs without")
    assert ratio < MOST_SETTINGS


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """Variables of a Python that finds bytecode of what it imports, as an installed package has it, made once."""
    environment = {**os.environ, "PYTHONPYCACHEPREFIX": str(tmp_path_factory.mktemp("bytecode"))}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    return environment


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_import_costs_less_than_three_modules_of_the_standard_library(
    wire: str, compiled: dict[str, str]
) -> None:
    loaded = f"import promptwire.{wire}"
    codes = ("pass", USUAL, loaded)
    for code in codes:
        _timed(code, compiled)

    def best(rounds: list[list[float]]) -> list[float]:
        return min(rounds, key=lambda times: (times[2] - times[0]) / (times[1] - times[0]))

    def fine(rounds: list[list[float]]) -> bool:
        bare, usual, ours = best(rounds)
        return (ours - bare) / (usual - bare) < MOST_IMPORT

    # a processor changes its speed: what is compared was measured one after the other
    rounds = rounds_until(fine, lambda: [_timed(code, compiled) for code in codes], least=3)
    bare, usual, ours = best(rounds)
    print(
        f"{loaded}: {(ours - bare) * 1000:.1f} ms more than bare Python; {USUAL}: {(usual - bare) * 1000:.1f} ms"
    )
    assert fine(rounds)


def _timed(code: str, environment: dict[str, str]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], check=True, env=environment)
    return time.perf_counter() - start
