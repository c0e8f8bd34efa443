"""Requests: drawn by Hypothesis, then damaged as nodes or as files; built for any wire, and all of it used."""

from __future__ import annotations

import contextlib
from dataclasses import dataclass, fields, is_dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any

from hypothesis import HealthCheck, Phase, given, seed, settings

import promptwire
from promptwire import PromptwireError, Request, dump_request, load_request
from tests.laws.test_total import ODD, cyclic, everything
from tests.laws.traces import address, module
from tests.strategies import requests

from .json_damage import any_value, damaged
from .target import Target, Turn

# so many turns share one drawing of requests: Hypothesis takes longer than building does
_TURNS, _DRAWN = 5000, 100
_ODD: tuple[Any, ...] = (*ODD, cyclic())
_POLICIES = ("strict", "lenient", "verbatim", "orphans=keep", "lenient,blank=error", "no such", None)


@dataclass(frozen=True, slots=True)
class Asked:
    """An input for one wire: a Request, or a mapping to load it from."""

    wire: str
    request: Any
    settings: Any
    policies: Any


@lru_cache(maxsize=2)
def _drawn(number: int) -> tuple[Request, ...]:
    pool: list[Request] = []

    @seed(number)
    @settings(
        max_examples=_DRAWN,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )
    @given(requests(depth=1, memory=True) | requests())
    def collect(request: Request) -> None:
        pool.append(request)

    collect()
    return tuple(pool)


def _draw(turn: Turn, random: Random) -> Asked:
    request = random.choice(_drawn(turn.seed * 1000 + turn.index // _TURNS))
    wire = random.choice(promptwire.WIRES)
    given: Any = damaged(random, dump_request(request)) if random.random() < 0.5 else _broken(random, request)
    known: dict[str, Any] = dict(address(wire))
    if random.random() < 0.1:
        known[random.choice([*module(wire).WIRE.settings, "no such"])] = any_value(random)
    policies = random.choice(_POLICIES[:3] if random.random() < 0.9 else _POLICIES)
    return Asked(wire, given, random.choice(_ODD) if random.random() < 0.01 else known, policies)


def _broken(random: Random, node: Any) -> Any:
    """Copy a node with odd values in some of its fields, or of the nodes inside, as far as their classes take them."""
    names = [each.name for each in fields(node) if each.init]
    for name in random.sample(names, random.randint(1, min(2, len(names)))):
        value = getattr(node, name)
        inside = random.choice(value) if type(value) is tuple and value else value
        if is_dataclass(inside) and random.random() < 0.8:
            odd = _broken(random, inside)
            odd = tuple([odd if each is inside else each for each in value]) if type(value) is tuple else odd
        else:
            odd = any_value(random) if random.random() < 0.5 else random.choice(_ODD)
        with contextlib.suppress(PromptwireError):
            node = replace(node, **{name: odd})
    return node


def _check(asked: Asked) -> bool:
    request = asked.request
    try:
        request = request if isinstance(request, Request) else load_request(request)
        module(asked.wire).build(request, settings=asked.settings, policies=asked.policies)
    except PromptwireError:
        return False
    everything(asked.wire, request, asked.settings, asked.policies)
    return True


TARGET = Target("requests", _draw, _check, share=2)
