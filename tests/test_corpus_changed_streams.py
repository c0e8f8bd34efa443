"""Recorded streams, changed so that they say nothing new: the same answer, or an error or a problem that names it.

A change drops a key of a chunk, or makes it null or empty, or sends the text of a chunk in two chunks. Keys that hold what
the model says are left alone otherwise.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

from promptwire import Answer, Event, PromptwireError
from tests.answers import read_stream, stream_bytes
from tests.internals.runtime import is_list, is_object
from tests.test_corpus_answers import Row, rows, told

# keys that hold what an answer says, or lead to it
SAYING = frozenset({
    "args", "arguments", "candidates", "choices", "citations", "content", "contentBlockDelta", "contentBlockStart", "content_block",
    "data", "delta", "done_reason", "encrypted_content", "event_type", "finishReason", "finish_reason", "function",
    "functionCall", "function_call", "id", "input", "item", "message", "messages", "name", "output", "outputs", "part",
    "partial_json", "parts", "reasoning", "reasoningContent", "reasoningText", "reasoning_content", "reasoning_details",
    "refusal", "response", "signature", "start", "status", "step", "steps", "stopReason", "stop_reason", "summary", "text",
    "thinking", "thought", "thoughtSignature", "toolUse", "toolUseId", "tool_call", "tool_calls", "tool_plan", "interaction",
    "toolCallId", "call_id", "tool_call_id", "done", "outputText", "is_finished", "arguments_delta", "input_json_delta",
})  # fmt: skip
ROWS_OF_A_WIRE, CHANGES_OF_A_ROW, SPLITS_OF_A_ROW = 12, 24, 4
# where chunks of an API have a piece of text
PIECES = (
    ("choices", 0, "delta", "content"),
    ("choices", 0, "delta", "reasoning_content"),
    ("choices", 0, "delta", "reasoning"),
    ("delta", "text"),
    ("delta", "thinking"),
    ("delta", "partial_json"),
    ("delta",),
    ("contentBlockDelta", "delta", "text"),
    ("delta", "message", "content", "text"),
    ("message", "content"),
)


def changed_events(events: list[Any], random: Random) -> Iterator[tuple[str, list[Any]]]:
    """Yield a sample of the changes of a stream: where, and the events."""
    places = [
        (number, path, how)
        for number, (_, data) in enumerate(events)
        for path, value in _keys(data, ())
        for how in ("drop", "null", "empty")
        if how != "empty" or isinstance(value, str)
    ]
    for number, path, how in random.sample(places, min(CHANGES_OF_A_ROW, len(places))):
        name, data = copy.deepcopy(events[number])
        item = data
        for step in path[:-1]:
            item = item[step]
        if how == "drop":
            del item[path[-1]]
        else:
            item[path[-1]] = None if how == "null" else ""
        where = ".".join("[]" if isinstance(step, int) else step for step in path)
        yield f"{where} {how}", [*events[:number], (name, data), *events[number + 1 :]]


def split_events(events: list[Any], random: Random) -> Iterator[tuple[str, list[Any]]]:
    """Yield a sample of the streams in which one text comes in two chunks."""
    places = [
        (number, path)
        for number, (_, data) in enumerate(events)
        for path in PIECES
        if isinstance(text := _at(data, path), str) and len(text) > 1 and not _ends(data)
    ]
    for number, path in random.sample(places, min(SPLITS_OF_A_ROW, len(places))):
        name, data = events[number]
        text = _at(data, path)
        place = random.randint(1, len(text) - 1)
        chunks: list[Any] = []
        for piece in (text[:place], text[place:]):
            chunk = copy.deepcopy(data)
            _at(chunk, path[:-1])[path[-1]] = piece
            chunks.append((name, chunk))
        yield f"{'.'.join(map(str, path))} split", [*events[:number], *chunks, *events[number + 1 :]]


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for step in path:
        if isinstance(step, int):
            value = value[step] if is_list(value) and len(value) == step + 1 else None
        else:
            value = value.get(step) if is_object(value) else None
    return value


def _ends(data: Any) -> bool:
    """Return whether a chunk says more than a piece: counts, an end, or a call, which would come twice."""
    choice = _at(data, ("choices", 0)) or {}
    more = (
        data.get("usage"),
        choice.get("finish_reason"),
        choice.get("logprobs"),
        data.get("logprobs"),
        data.get("done"),
    )
    inside = choice.get("delta") or data.get("message") or {}
    return any(more) or any(
        is_list(inside.get(key)) and inside[key] for key in ("tool_calls", "annotations", "reasoning_details")
    )


def _keys(value: Any, path: tuple[Any, ...]) -> Iterator[tuple[tuple[Any, ...], Any]]:
    if is_object(value):
        for key, inner in value.items():
            # the type of a call of Converse says who runs it
            if key not in SAYING and (path[-1:], key) != (("toolUse",), "type"):
                yield (*path, key), inner
            if key not in ("arguments", "args", "input", "usage"):
                yield from _keys(inner, (*path, key))
    elif is_list(value):
        for number, inner in enumerate(value[:3]):
            yield from _keys(inner, (*path, number))


def says(events: list[Event], answer: Answer) -> tuple[Any, ...]:
    """Return what a stream says to a caller: texts, calls and their arguments, by its events and by its answer."""
    calls = [
        (part.name, _json(getattr(part, "arguments", None) or getattr(part, "input", None)))
        for part in answer.calls
    ]
    return answer.text, answer.refusal, calls, told(events)


def _json(arguments: Any) -> Any:
    if not isinstance(arguments, str):
        return arguments or {}
    try:
        return json.loads(arguments or "{}")
    except ValueError:
        return arguments


def outcome(row: Row, events: list[Any], said: tuple[Any, ...]) -> str:
    """Return what a changed stream gives: `same`, `told` or `silent`."""
    try:
        again, answer = read_stream(row.wire, [stream_bytes(row.framing, events)], row.framing)
        if says(again, answer) == said:
            return "same"
    except PromptwireError:
        return "told"
    unknown = any(event.kind in ("unknown", "error") for event in again)
    return "told" if answer.unread or unknown else "silent"


def test_no_change_of_a_stream_is_silent(recorded_answers: Path) -> None:
    random = Random(5)  # noqa: S311  # no secret
    seen: dict[str, int] = {}
    counts = {"same": 0, "told": 0, "silent": 0}
    silent: list[str] = []
    for row in rows(recorded_answers, streamed=True):
        if "elided" in row.recorded or seen.get(row.wire, 0) >= ROWS_OF_A_WIRE:
            continue
        seen[row.wire] = seen.get(row.wire, 0) + 1
        events = row.events
        said = says(*read_stream(row.wire, [row.raw()], row.framing))
        for where, changed in [*changed_events(events, random), *split_events(events, random)]:
            result = outcome(row, changed, said)
            counts[result] += 1
            if result == "silent":
                silent.append(f"{row.wire} {where} ({row.name})")
    assert sum(counts.values()) > 500, counts
    assert silent == [], f"{counts}: " + "; ".join(sorted(silent)[:40])
