"""Law 13: where one key changes and says nothing new, a reading says the same, or an error or a problem names it.

A constant is left out, null or empty; arguments are given as an object instead of text, or as text instead of an
object. The examples of the specs are changed, and with --corpus and --answers the recorded ones.
"""

from __future__ import annotations

import copy
import json
from collections import Counter
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import promptwire
from promptwire import Answer, Message, PromptwireError, Request, Text, ToolCall, ToolResult
from promptwire.parts import CustomToolCall, Opaque
from tests.answers import answers, module
from tests.internals.runtime import Expected, same
from tests.laws.strategies import example_bodies
from tests.recorded import answers_of, requests_of

Place = tuple[str | int, ...]
# of what constants alone tell apart, some cannot be told: a call of Anthropic's and one that its server runs
LEAST_SAME = 0.8
LEAST_SAME_OF_CHAT = 0.98
# what these constants say: without them, another documented shape fits
TELLING = {"responseMimeType"}
# each recorded body is changed in one of many places, and each shape is recorded again and again
RECORDED = 25
ABSENT = object()


def constants(wire: str) -> dict[str, set[str]]:
    """The keys at which shapes of a wire hold constants, and these."""
    found: dict[str, set[str]] = {}
    for shape in import_module(f"promptwire.{wire}.reading").READERS.shapes.values():
        for word in map(Expected, shape.near.split()):
            # the word of a hole says something
            if isinstance(word.constant, str) and not word.kind:
                for key in set(word.keys[-1]) - TELLING:
                    found.setdefault(key, set()).add(word.constant)
    return found


def changes(value: Any, words: dict[str, set[str]], place: Place = ()) -> Iterator[tuple[Place, Any]]:
    """Yield every place that may change, with the value that then stands there; ABSENT for none."""
    if isinstance(value, list):
        for index, inner in enumerate(value):
            yield from changes(inner, words, (*place, index))
        return
    if not isinstance(value, dict):
        return
    for key, inner in value.items():
        here = (*place, key)
        # a constant without anything beside it is all that its object says
        if isinstance(inner, str) and inner in words.get(key, ()) and len(value) > 1:
            yield from [(here, ABSENT), (here, None), (here, "")]
        if key == "arguments" and isinstance(inner, str) and _decoded(inner) is not None:
            yield here, _decoded(inner)
        if key not in ("arguments", "args", "input", "schema", "parameters", "usage", "metadata"):
            yield from changes(inner, words, here)


def _decoded(text: str) -> dict[str, Any] | None:
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def changed(body: dict[str, Any], place: Place, value: Any) -> dict[str, Any]:
    """A copy of a body with another value at a place, or none."""
    body = copy.deepcopy(body)
    holder: Any = body
    for step in place[:-1]:
        holder = holder[step]
    if value is ABSENT:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    return body


def said_by_parts(parts: Any) -> list[Any]:
    """Return the content of parts: their kinds with texts, names and arguments."""
    rows: list[Any] = []
    for part in parts:
        if isinstance(part, ToolResult):
            rows.append((part.KIND, part.call_id, said_by_parts(part.parts)))
        elif isinstance(part, ToolCall):
            arguments = part.arguments
            meant = _decoded(arguments) if isinstance(arguments, str) else arguments
            rows.append((part.KIND, part.name, arguments if meant is None else meant))
        elif isinstance(part, CustomToolCall):
            rows.append((part.KIND, part.name, part.input))
        elif isinstance(part, Text):
            rows.append((part.KIND, part.text))
        elif not isinstance(part, Opaque):
            rows.append(getattr(part, "KIND", ""))
    return rows


def said_by_messages(messages: tuple[Message, ...]) -> list[Any]:
    return [row for message in messages for row in said_by_parts(message.parts)]


def said_by_request(request: Request) -> Any:
    """Return the content of a request: its instructions, its messages, and the names of its tools."""
    instructions = request.instructions
    layers = [instructions] if isinstance(instructions, str) else [layer.text for layer in instructions or ()]
    names = [getattr(tool, "name", None) or getattr(tool, "type", None) for tool in request.tools or ()]
    choice = request.tool_choice and (request.tool_choice.mode, request.tool_choice.name)
    form = request.response_format and (request.response_format.kind, request.response_format.schema)
    return [layers, said_by_messages(request.messages), names, choice, form]


def said_by_answer(answer: Answer) -> Any:
    return said_by_messages(answer.messages)


def outcomes(
    wire: str,
    bodies: list[dict[str, Any]],
    read: Callable[[dict[str, Any]], Any],
    said: Callable[[Any], Any],
    write: Callable[[Any], Any],
) -> tuple[Counter[str], list[str]]:
    """Count how readings of changed bodies come out, and list those that differ without a word."""
    words, counts, silent = constants(wire), Counter[str](), list[str]()
    for body in bodies:
        try:
            before = said(read(body))
        except PromptwireError:
            continue
        for place, value in changes(body, words):
            altered = changed(body, place, value)
            try:
                reading = read(altered)
            except PromptwireError:
                counts["told"] += 1
                continue
            assert same(write(reading), altered), (wire, place, value)
            if said(reading) == before:
                counts["same"] += 1
            elif reading.unread:
                counts["told"] += 1
            else:
                silent.append(f"{wire}: {place} {'absent' if value is ABSENT else value!r}")
    return counts, silent


def of_requests(wire: str, bodies: list[dict[str, Any]]) -> tuple[Counter[str], list[str]]:
    names = module(wire)
    return outcomes(
        wire,
        bodies,
        names.read,
        lambda reading: said_by_request(reading.request),
        lambda reading: names.build(reading.request, policies="verbatim").body,
    )


def of_answers(wire: str, bodies: list[dict[str, Any]]) -> tuple[Counter[str], list[str]]:
    names = module(wire)
    return outcomes(
        wire,
        bodies,
        names.read_answer,
        said_by_answer,
        lambda answer: names.write_answer(answer, policies="verbatim"),
    )


def test_changed_examples_of_requests_say_the_same_or_a_problem() -> None:
    _check({wire: of_requests(wire, list(example_bodies(wire))) for wire in promptwire.WIRES})


def test_changed_examples_of_answers_say_the_same_or_a_problem() -> None:
    wires = [wire for wire in promptwire.WIRES if hasattr(module(wire), "read_answer")]
    _check({wire: of_answers(wire, [body for name, _, body in answers() if name == wire]) for wire in wires})


def test_changed_recordings_of_requests_say_the_same_or_a_problem(corpus: Path) -> None:
    rows: dict[str, list[dict[str, Any]]] = {}
    for row in requests_of(corpus)[::RECORDED]:
        rows.setdefault(row.wire, []).append(row.body)
    _check({wire: of_requests(wire, bodies) for wire, bodies in rows.items()})


def test_changed_recordings_of_answers_say_the_same_or_a_problem(recorded_answers: Path) -> None:
    shapes: dict[str, dict[str, Any]] = {}
    for wire, row in answers_of(recorded_answers):
        if isinstance(row.get("response"), dict):
            shapes.setdefault(wire, {}).setdefault(row.get("shape", row["id"]), row["response"])
    _check({wire: of_answers(wire, [*bodies.values()][:40]) for wire, bodies in shapes.items()})


def _check(found: dict[str, tuple[Counter[str], list[str]]]) -> None:
    assert [row for _, silent in found.values() for row in silent] == []
    total = sum((counts for counts, _ in found.values()), Counter[str]())
    assert total["same"] >= LEAST_SAME * total.total() > 0, found
    # the form that hosts vary most
    chat = sum((counts for wire, (counts, _) in found.items() if wire.endswith("_chat")), Counter[str]())
    assert chat["same"] >= LEAST_SAME_OF_CHAT * chat.total(), found
