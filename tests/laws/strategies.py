"""Strategies for the laws: damaged bodies, and how long to look."""

from __future__ import annotations

import copy
import inspect
import json
from collections.abc import Callable
from functools import cache, update_wrapper
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings, strategies as st

from tests.laws.specimens import parent
from tests.searching import TIMES, examples
from tests.strategies import json_values, names

_SHARE_OF_DIALECT = 8
_CASES = Path(__file__).parents[2] / "generated" / "tests" / "cases"


def law(count: int, *, dialect: int | None = None) -> Callable[[Callable[..., None]], Any]:
    """Make a law of a test that takes `wire`, any parameters, and `data` to draw from.

    Args:
        count: how many examples it takes to believe it.
        dialect: how many where a spec extends another, whose functions it mostly shares; by default as many. A
            usual run draws a few of them, for the functions that the dialect has of its own.
    """

    def decorate(check: Callable[..., None]) -> Any:
        def run(wire: str, **rest: Any) -> None:
            wanted = (
                examples(count) if parent(wire) is None else examples(dialect or count, _SHARE_OF_DIALECT)
            )

            @_settings(wanted)
            @given(data=st.data())
            def search(data: st.DataObject) -> None:
                check(wire=wire, data=data, **rest)

            name = f"{check.__name__} {sorted(rest.items())} {wire}"
            (search if TIMES else seed(crc32(name.encode()))(search))()

        made: Any = update_wrapper(run, check)
        signature = inspect.signature(check)
        kept = [each for name, each in signature.parameters.items() if name != "data"]
        made.__signature__ = signature.replace(parameters=kept)
        return pytest.mark.search(made)

    return decorate


def searching(count: int) -> Callable[[Callable[..., None]], Any]:
    """Make a search of this many examples of a test that hypothesis gives its arguments."""
    return _settings(examples(count))


def _settings(count: int) -> settings:
    return settings(
        max_examples=count,
        phases=(Phase.explicit, Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )


@cache
def example_bodies(wire: str) -> tuple[dict[str, Any], ...]:
    """Return the bodies that the spec of a wire shows."""
    cases = json.loads((_CASES / f"{wire}.json").read_text("utf-8"))
    return tuple([row["body"] for row in cases["bodies"]])


@st.composite
def damaged(draw: st.DrawFn, wire: str) -> dict[str, Any]:
    """Draw a body of the spec's examples and damage it in a few places."""
    body: dict[str, Any] = copy.deepcopy(draw(st.sampled_from(example_bodies(wire))))
    for _ in range(draw(st.integers(1, 4))):
        spots = list(_spots(body))
        if spots:
            _damage(draw, *draw(st.sampled_from(spots)))
    return body


def _spots(node: Any) -> Any:
    """Yield every (container, key) inside a JSON value."""
    if isinstance(node, (dict, list)):
        for key in list(node) if isinstance(node, dict) else range(len(node)):
            yield node, key
            yield from _spots(node[key])


def _damage(draw: st.DrawFn, holder: Any, key: Any) -> None:
    old = holder[key]
    way = draw(st.integers(0, 8))
    if way == 0:
        del holder[key]
    elif way == 1:
        holder[key] = draw(st.sampled_from((None, "", [], {}, 0, 1, True, False, 0.5, "text")))
    elif way == 2:
        holder[key] = draw(json_values())
    elif way == 3:
        holder[key] = [old]
    elif way == 4:
        holder[key] = {"type": "text", "text": old}
    elif way == 5 and isinstance(holder, list):
        holder.insert(draw(st.integers(0, len(holder))), copy.deepcopy(old))
    elif way == 6 and isinstance(old, dict):
        old[draw(names())] = draw(json_values())
    elif way == 7 and isinstance(holder, dict):
        holder[
            draw(names() | st.sampled_from(("role", "content", "type", "id", "name", "cache_control")))
        ] = old
    else:
        holder[key] = draw(json_values())
