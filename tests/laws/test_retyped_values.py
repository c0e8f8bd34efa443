"""Where a host gives a value as another type, an answer says the same, or an error, a problem or a deviation names the place.

A text stands in a list or an object, an object in a list, a list as its first element; each value of the examples, one at a
time.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

from promptwire import PromptwireError
from promptwire_runtime.wire_json.kinds import same
from tests.answers import answers, module
from tests.laws.test_renamed_keys import OTHERS, is_told
from tests.laws.test_tolerant_reading import said_by_answer

Steps = tuple[str | int, ...]


def values(value: Any, above: Steps = ()) -> Iterator[tuple[Steps, Any]]:
    """Yield the path of each value, and the value."""
    pairs = enumerate(value) if isinstance(value, list) else value.items() if isinstance(value, dict) else ()
    for key, inner in pairs:
        if key not in OTHERS:
            yield (*above, key), inner
            yield from values(inner, (*above, key))


def retyped(value: Any) -> list[Any]:
    """Return a value as other types."""
    if not value:
        return []
    if isinstance(value, str):
        return [
            [value],
            {"text": value},
            [{"type": "text", "text": value}],
            {"parts": [{"text": value}]},
            7,
            True,
        ]
    if isinstance(value, list):
        return [value[0], [value], {"0": value[0]}, {"items": value}]
    return [[value], [value, value], str(value)] if isinstance(value, dict) else []


def put(body: dict[str, Any], path: Steps, value: Any) -> dict[str, Any]:
    """A copy of a body with another value at a path."""
    body = copy.deepcopy(body)
    holder: Any = body
    for step in path[:-1]:
        holder = holder[step]
    holder[path[-1]] = value
    return body


def test_a_value_of_another_type_is_told() -> None:
    silent: list[str] = []
    for wire, _, body in answers():
        names = module(wire)
        try:
            before = said_by_answer(names.read_answer(body))
        except PromptwireError:
            continue
        for path, value in values(body):
            for other in retyped(value):
                changed = put(body, path, other)
                try:
                    answer = names.read_answer(changed)
                except PromptwireError:
                    continue
                assert same(names.write_answer(answer, policies="verbatim"), changed), (wire, path, other)
                if not is_told(answer) and said_by_answer(answer) != before:
                    silent.append(f"{wire}: {path} as {type(other).__name__}")
    assert silent == []
