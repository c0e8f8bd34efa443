"""A host may give one value as another type: the answer says the same, or names what it did not understand.

A text stands in a list or an object, an object in a list, a list as its first element. Each value of the examples is
changed, one at a time, and in a stream in every event.
"""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import pytest

from promptwire import Answer, PromptwireError
from tests.answers import answers, module, read_stream, stream_bytes, streams
from tests.internals.runtime import same
from tests.laws.test_renamed_keys import OTHERS, Steps, is_told, places
from tests.laws.test_tolerant_reading import said_by_answer

pytestmark = pytest.mark.slow

# pieces of arguments, which are any JSON
PIECES = {*OTHERS, "partial_json", "partialArgs"}


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
    return [[value], [value, value]] if isinstance(value, dict) else []


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


def in_all(value: Any, path: Steps, kind: int) -> Any:
    """A copy of the data of an event, with the value at a path as another type, in each element of lists on the way."""
    if not path:
        others = retyped(value)
        return others[kind] if kind < len(others) else value
    if isinstance(value, list):
        return [in_all(inner, path[1:], kind) for inner in value] if path[0] == 0 else value
    if not isinstance(value, dict):
        return value
    return {key: in_all(inner, path[1:], kind) if key == path[0] else inner for key, inner in value.items()}


def said_in_stream(answer: Answer) -> tuple[str, list[Any]]:
    """Return the text and the calls; thinking of other types is an option of its API's."""
    rows = [row for row in said_by_answer(answer) if not isinstance(row, str)]
    text = "".join([row[1] for row in rows if row[0] == "text"])
    return text, [row for row in rows if row[0] != "text"]


def test_a_value_of_another_type_in_a_stream_is_told() -> None:
    silent: list[str] = []
    for each in streams():
        before = said_in_stream(read_stream(each.wire, [each.bytes()], each.framing)[1])
        paths = dict.fromkeys(path for _, data in each.events for path in places(data))
        for path, kind in [(path, kind) for path in paths if path[-1] not in PIECES for kind in range(6)]:
            changed = [(name, in_all(data, path, kind)) for name, data in each.events]
            try:
                events, answer = read_stream(each.wire, [stream_bytes(each.framing, changed)], each.framing)
            except PromptwireError:
                continue
            is_unknown = any(event.kind in ("unknown", "error") for event in events)
            if not is_unknown and not is_told(answer) and said_in_stream(answer) != before:
                silent.append(f"{each}: {path} as {kind}")
    assert silent == []
