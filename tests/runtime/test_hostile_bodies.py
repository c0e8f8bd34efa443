"""Bodies that were made to hurt: too deep, without an end, unfolding without measure, of values that are no JSON."""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

import promptwire
from promptwire import BodyError, PromptwireError, Request, Tool
from promptwire.plugins import Form
from tests.internals.runtime import (
    MOST_CONTAINERS,
    MOST_LEVELS,
    Swap,
    beyond_bounds,
    copy_body,
    unknown_paths,
)
from tests.laws.strategies import example_bodies
from tests.laws.test_other_shapes import Path, at, spots
from tests.laws.test_total import cyclic, deep, use
from tests.laws.traces import module
from tests.searching import TESTED_WIRES, TIMES, some_of


class Unequal:
    """A value that cannot be compared, counted, hashed or shown."""

    def _refuse(self, *_: object) -> Any:
        raise ZeroDivisionError("hostile")

    __eq__ = __hash__ = __repr__ = __bool__ = __len__ = __iter__ = _refuse


class Impostor(dict[str, Any]):
    """A mapping that fails when it is looked at."""

    def __getitem__(self, key: str) -> Any:
        raise ZeroDivisionError(key)


def unfolding() -> list[Any]:
    """Make a list that unfolds to 2 to the power of 60 lists."""
    value: list[Any] = []
    for _ in range(60):
        value = [value, value]
    return value


ENDLESS = (deep(MOST_LEVELS), deep(500), deep(1000), deep(100_000), cyclic())
# texts of JSON that are not what they seem
TEXTS = (
    "[" * 100_000,
    '{"a":' * 100_000,
    "[" * 500 + "]" * 500,
    f'{{"a": {"9" * 5000}}}',
    '{"a": NaN}',
    '{"a": "\\ud800"}',
)
STRANGE = (Unequal(), Impostor(a=1), (deep(1000),), {Unequal}, type)


def placed(wire: str, values: Sequence[Any]) -> Iterator[tuple[dict[str, Any], Path, Any]]:
    """Put values where examples have others: one in every third place, all of them in each place in a search."""
    for index, (body, path) in enumerate(some_of(spots(wire), share=3)):
        for value in values if TIMES else (values[index % len(values)],):
            yield body, path, value


def changed(body: dict[str, Any], path: Path, value: Any) -> dict[str, Any]:
    """Return a copy of a body with another value at a path."""
    copied = copy.deepcopy(body)
    at(copied, path[:-1])[path[-1]] = value
    return copied


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_what_has_no_measure_is_refused_at_once(wire: str) -> None:
    for body, path, value in placed(wire, ENDLESS):
        with pytest.raises(BodyError, match="the body"):
            module(wire).read(changed(body, path, value))


@pytest.mark.slow
@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_a_result_or_an_error_of_ours(wire: str) -> None:
    for body, path, value in placed(wire, (*TEXTS, *STRANGE, deep(MOST_LEVELS - 20))):
        use(wire, changed(body, path, value))


@pytest.mark.slow
@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_memory_that_another_wire_looks_at(wire: str) -> None:
    other = "cohere_chat" if wire != "cohere_chat" else "openai_chat"
    for body, path, text in placed(wire, TEXTS):
        try:
            reading = module(wire).read(changed(body, path, text))
            module(other).build(reading.request, policies="lenient").json()
        except PromptwireError:
            continue


def test_what_unfolds_without_measure_is_refused() -> None:
    body = {**example_bodies("openai_chat")[0], "x": unfolding()}
    with pytest.raises(BodyError, match="has more than 1,000,000 lists and objects"):
        promptwire.openai_chat.read(body)


def itself(kind: type[Any]) -> Any:
    inner: Any = kind()
    if isinstance(inner, dict):
        inner["x"] = inner
    else:
        inner.append(inner)
    return inner


@pytest.mark.parametrize("where", ["a dict", "a list", "the body", "the body in a list"])
def test_what_holds_itself_is_not_copied(where: str) -> None:
    body: dict[str, Any] = json.loads(json.dumps(example_bodies("openai_chat")[0]))
    places = {"a dict": itself(dict), "a list": itself(list), "the body": body, "the body in a list": [body]}
    body["metadata"] = places[where]
    assert copy_body(body) == (None, f"it is nested deeper than {MOST_LEVELS} levels, or holds itself")
    with pytest.raises(BodyError, match="or holds itself"):
        promptwire.openai_chat.read(body)


def test_a_value_that_stands_twice_is_read_as_two() -> None:
    schema = {"type": "object"}
    tools = [{"type": "function", "function": {"name": name, "parameters": schema}} for name in "ab"]
    body = {**example_bodies("openai_chat")[0], "tools": tools}
    reading = promptwire.openai_chat.read(body)
    schema["type"] = "array"
    read = [tool.parameters for tool in reading.request.tools or () if isinstance(tool, Tool)]
    assert read == [{"type": "object"}] * 2


def test_text_of_memory_that_is_no_json_is_compared_as_text() -> None:
    form = Form(swapped=(Swap({"a": "x"}, {"a": "[" * 100_000}, ("[" * 100_000,)),))
    assert list(unknown_paths(form, spelled=False)) == ["a"]


def test_how_deep_a_body_may_be() -> None:
    body: dict[str, Any] = example_bodies("openai_chat")[0]
    assert beyond_bounds({**body, "x": deep(MOST_LEVELS - 1)}) is None
    assert beyond_bounds({**body, "x": deep(MOST_LEVELS)}) == (
        f"it is nested deeper than {MOST_LEVELS} levels, or holds itself"
    )
    assert beyond_bounds({"x": [[]] * (MOST_CONTAINERS - 1)}) is None
    assert beyond_bounds({"x": [[]] * MOST_CONTAINERS}) == "it has more than 1,000,000 lists and objects"
    text = json.dumps({**body, "x": deep(MOST_LEVELS - 1)})
    reading = promptwire.openai_chat.read(json.loads(text))
    assert promptwire.openai_chat.build(reading.request).json() == text.encode().replace(b": ", b":").replace(
        b", ", b","
    )
    assert type(reading.request) is Request
