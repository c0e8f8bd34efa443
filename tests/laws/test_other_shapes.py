"""An element without a key that its shape requires, or with another value there, is read as another shape, and comes back."""

from __future__ import annotations

import contextlib
import copy
import math
from collections.abc import Iterator
from typing import Any

import pytest

from promptwire import BodyError
from tests.internals.runtime import same
from tests.laws.specimens import divided
from tests.laws.strategies import example_bodies
from tests.laws.test_round_trip import comes_back
from tests.laws.traces import module
from tests.searching import TESTED_WIRES, some_of

Path = tuple[Any, ...]
MISSING = object()
OTHERS: tuple[Any, ...] = (MISSING, None, 7, True, "odd", ["odd"], [{}], {}, {"odd": 1})
# numbers that no field takes; what no JSON text can hold
IMPOSSIBLE: tuple[Any, ...] = (-9, -0.5, 10**400)
UNWRITABLE: tuple[Any, ...] = (10**5000, math.nan, math.inf, [math.nan], {"odd": -math.inf}, "\ud800")


def paths(node: Any, above: Path = ()) -> Iterator[Path]:
    """Every path of keys and positions below a JSON value."""
    if isinstance(node, (dict, list)):
        for key in node if isinstance(node, dict) else range(len(node)):
            yield (*above, key)
            yield from paths(node[key], (*above, key))


def at(node: Any, path: Path) -> Any:
    """The value at a path."""
    for key in path:
        node = node[key]
    return node


def spots(wire: str) -> list[tuple[dict[str, Any], Path]]:
    """Each key of each kind of object in the examples, once."""
    found: dict[Any, tuple[dict[str, Any], Path]] = {}
    for body in example_bodies(wire):
        for path in paths(body):
            holder = at(body, path[:-1])
            if isinstance(holder, dict):
                kind = (holder.get("type"), holder.get("role"), *sorted(holder))
                plain = tuple(key for key in path if isinstance(key, str))
                found.setdefault((plain, *map(repr, kind)), (body, path))
    return divided(wire, found.values())


def holds_conversation(wire: str, path: Path) -> bool:
    """Return whether a body may be refused without the value at a path."""
    return len(path) == 1 or path == module(wire).WIRE.wrapping


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_another_value_is_another_shape(wire: str) -> None:
    for number, (body, path) in enumerate(spots(wire)):
        for other in some_of(OTHERS, number):
            changed = copy.deepcopy(body)
            holder = at(changed, path[:-1])
            if other is MISSING:
                del holder[path[-1]]
            else:
                holder[path[-1]] = copy.deepcopy(other)
            # a body without its conversation is refused, which has a test of its own
            refused = [BodyError] if holds_conversation(wire, path) else []
            with contextlib.suppress(*refused):
                comes_back(wire, changed)


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_what_no_field_takes_is_kept(wire: str) -> None:
    for number, (body, path) in enumerate(spots(wire)):
        for other in some_of((*IMPOSSIBLE, *UNWRITABLE), number):
            changed = copy.deepcopy(body)
            at(changed, path[:-1])[path[-1]] = other
            # the arguments of a call that are an object are text when they are written
            texts = other in UNWRITABLE and "arguments" in path
            refused = [BodyError] if holds_conversation(wire, path) or texts else []
            with contextlib.suppress(*refused):
                reading = module(wire).read(changed)
                assert reading.understood + reading.kept == reading.leaves
                assert same(module(wire).build(reading.request, policies="verbatim").body, changed)
