"""Short ways only save time: builds and readings without them give the same.

Builds have the flags of nodes, and readings the tables of plain bodies and messages.
"""

from __future__ import annotations

import copy
from functools import cache
from importlib import import_module
from typing import Any

import pytest
from hypothesis import reject, strategies as st

import promptwire
from promptwire import (
    Cache,
    Image,
    Instruction,
    Json,
    Message,
    Options,
    PromptwireError,
    Request,
    RequestError,
    Text,
    Tool,
    ToolCall,
    ToolResult,
    assistant,
    tool_result,
    user,
)
from promptwire.plugins import Provenance
from tests.internals.runtime import REMOVED, Level, Readers, fields, is_node, read_body, without_memory
from tests.laws.fitting import fitting
from tests.laws.strategies import damaged, law
from tests.laws.test_purity import result
from tests.laws.test_round_trip import built
from tests.searching import TESTED_WIRES
from tests.strategies import requests

ELSEWHERE = Provenance(api="elsewhere", wire="elsewhere")
PNG = Image(data="iVBORw0KGgo=", media_type="image/png")
USUAL = (
    user("hi"),
    user("see", PNG, "and", PNG),
    user(PNG),
    user(Image(data="iVBORw0KGgo=", media_type="image/tiff"), "see"),
    user(Image(url="https://example.org/a.png"), "see"),
    user(" "),
    user("hi", Text("so", cache=Cache())),
    assistant("well"),
    assistant("now", ToolCall("a", "f", {"x": 1})),
    assistant(ToolCall("a", "f", {}), ToolCall("b-1", "f-g", {})),
    assistant(ToolCall("a", "f", "{}"), "late"),
    assistant(ToolCall("a b", "f", {})),
    assistant(ToolCall("a", "9 f", {})),
    tool_result("a", "1"),
    tool_result("b-1", "2"),
    tool_result("a", Json({"x": 1})),
    Message("tool", (ToolResult("a", "1"), ToolResult("b-1", "2"))),
    Message("tool", (ToolResult("a b", "1"),)),
    Message("tool", (ToolResult("a", ("1",)),), provenance=ELSEWHERE),
    Message("assistant", (ToolCall("a", "f", {}),), provenance=ELSEWHERE),
    Message("system", "be brief"),
    Message("user", "hi", name="ann"),
)
TOOLS = (
    Tool("f", "Does.", {"type": "object"}),
    Tool("f-g", None, {"type": "object"}),
    Tool("g", "Odd.", {"type": "array"}),
    Tool("h", "Bare."),
)


def usual_requests() -> st.SearchStrategy[Request]:
    """Requests of the messages that nearly all conversations have, in any order."""
    return st.builds(
        Request,
        st.sampled_from(("m", "gpt-4o", "claude-sonnet-4-5")),
        st.lists(st.sampled_from(USUAL).map(copy.deepcopy), min_size=1, max_size=6),
        tools=st.none() | st.lists(st.sampled_from(TOOLS), max_size=3, unique_by=lambda tool: tool.name),
        instructions=st.none() | st.just("be brief"),
        options=st.just(Options(max_tokens=8)),
    )


def unnoted(value: Any) -> Any:
    """Return a copy of a node in which no node notes anything."""
    copied = copy.deepcopy(value)
    _forget(copied)
    return copied


def _forget(value: Any) -> None:
    if is_node(value):
        for each in fields(value):
            # plain layers are written as text, which means the same and is another body
            if each.name in ("is_plain", "fast_path") and type(value) is not Instruction:
                object.__setattr__(value, each.name, "" if type(value) is Message else False)
            elif each.name == "given" and type(value) is Request:
                object.__setattr__(value, "given", value.given | {"something else"})
            else:
                _forget(getattr(value, each.name))
    elif isinstance(value, (tuple, list)):
        for one in value:
            _forget(one)


@pytest.mark.parametrize("wire", TESTED_WIRES)
@law(100, dialect=30)
def test_builds_are_the_same_without_what_nodes_note(wire: str, data: st.DataObject) -> None:
    policies = data.draw(st.sampled_from(("strict", "lenient", "verbatim")), "policies")
    request = data.draw(usual_requests() | requests(memory=True) | fitting(wire), "request")
    assert result(wire, unnoted(request), policies) == result(wire, request, policies)


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_each_usual_message_alone_is_written_as_part_by_part(wire: str) -> None:
    for message in USUAL:
        for policies in ("strict", "lenient,orphans=keep"):
            request = Request("m", [message], options=Options(max_tokens=8))
            assert result(wire, unnoted(request), policies) == result(wire, request, policies)


@cache
def readers(wire: str, *, plain: bool) -> Readers:
    """The readers of a wire; without the plain way, no body and no message is."""
    table: Readers = import_module(f"promptwire.{wire}.reading").READERS
    if plain:
        return table
    body = copy.copy(table.plain_body)
    if body is not None:
        body.required = frozenset({"a key that no body has"})
    return table.changed(plain_body=body, plain_messages=dict.fromkeys(table.plain_messages, REMOVED))


def said(wire: str, body: Any, url: str | None, *, plain: bool) -> tuple[Any, ...]:
    """All that a reading says, and the body that is built from it."""
    try:
        of_wire = promptwire.wire(wire)
        reading = read_body(readers(wire, plain=plain), of_wire.WIRE, of_wire.build, body, url)
        counts = reading.leaves, reading.understood, reading.kept
        noted = reading.deviations, reading.unread, reading.notes, dict(reading.settings)
        written = of_wire.build(reading.request, policies="verbatim").body
    except PromptwireError as error:
        return type(error), str(error)
    return reading.request, counts, noted, written


@st.composite
def spelled(draw: st.DrawFn, wire: str) -> tuple[Any, str | None]:
    """Draw a body that is built of a drawn request, in a spelling that says the same, and where it is sent."""
    try:
        body, url = built(wire, draw(fitting(wire) | usual_requests()), "lenient")
    except RequestError:
        reject()
    table = readers(wire, plain=True)
    if table.plain_body is None:
        return body, url
    rows = {row[1]: key for key, row in table.plain_body.level.rows.items() if isinstance(row, tuple)}
    messages, instructions = body.get(rows["messages"]), rows.get("instructions")
    if isinstance(messages, list):
        body[rows["messages"]] = [_respelled_message(draw, item, table) for item in messages]
        alone = len(messages) == 1 and messages[0].keys() == {"role", "content"}
        if alone and isinstance(messages[0]["content"], str) and draw(st.booleans()):
            body[rows["messages"]] = messages[0]["content"]
    if instructions is not None and isinstance(body.get(instructions), str):
        body[instructions] = _listed(draw, body[instructions], table, "instructions")
    return _respelled(draw, body, table.plain_body.level), url


def _respelled_message(draw: st.DrawFn, item: dict[str, Any], table: Readers) -> dict[str, Any]:
    """Write a text as a list, and content that is not there as null or as an empty list."""
    for role, row in table.plain_messages.items():
        if item.get(row.speaker) == row.word:
            if isinstance(item.get(row.content), str):
                return {**item, row.content: _listed(draw, item[row.content], table, role)}
            if row.content not in item and row.calls in item:
                return draw(st.sampled_from((item, {**item, row.content: None}, {**item, row.content: []})))
    return item


def _listed(draw: st.DrawFn, text: str, table: Readers, place: str) -> Any:
    """Write a text as a list of one element, where a place has a shape for it that says nothing else."""
    words = [
        word
        for word, labels in (table.choices[place].cases if place in table.choices else {}).items()
        for label in labels
        if label in table.shapes and table.shapes[label].near == f"type={word} text"
    ]
    lists = [[{"type": word, "text": text}] for word in words]
    return draw(st.sampled_from([text, *lists]))


def _respelled(draw: st.DrawFn, item: dict[str, Any], level: Level) -> dict[str, Any]:
    """Rename keys to aliases, add keys without a value, and change the order of all."""
    found = {
        key: _respelled(draw, value, level.rows[key])
        if isinstance(value, dict) and isinstance(level.rows.get(key), Level)
        else value
        for key, value in item.items()
    }
    aliases = {row: key for key, row in level.rows.items() if isinstance(row, str)}
    for key in [key for key in found if key in aliases and aliases[key] not in found]:
        if draw(st.integers(0, 3)) == 0:
            found[aliases[key]] = found.pop(key)
    unsaid = sorted(key for key, row in level.rows.items() if isinstance(row, tuple) and key not in item)
    for key in draw(st.lists(st.sampled_from(unsaid), max_size=2)) if unsaid else ():
        if aliases.get(key) not in found:
            found[key] = None
    return dict(draw(st.permutations(list(found.items()))))


@pytest.mark.parametrize("wire", TESTED_WIRES)
@law(150, dialect=30)
def test_readings_are_the_same_without_the_plain_way(wire: str, data: st.DataObject) -> None:
    body, url = data.draw(spelled(wire) | st.tuples(damaged(wire), st.none()), "body")
    plain = said(wire, body, url, plain=True)
    assert plain == said(wire, body, url, plain=False)


@pytest.mark.parametrize("wire", TESTED_WIRES)
@law(100, dialect=20)
def test_another_spelling_says_the_same(wire: str, data: st.DataObject) -> None:
    body, url = data.draw(spelled(wire), "body")
    of_wire = promptwire.wire(wire)
    reading = of_wire.read(body, url)
    assert not reading.unread
    assert of_wire.build(reading.request, policies="verbatim").body == body
    # without memory, it is written in the usual spelling
    fresh = of_wire.build(without_memory(reading.request), policies="verbatim").body
    assert _meant(of_wire.read(fresh, url).request) == _meant(reading.request)


def _meant(request: Request) -> Request:
    """Return a request without memory; instructions that are one layer of plain text are that text."""
    bare = without_memory(request)
    match bare.instructions:
        case (Instruction(is_plain=True) as layer,):
            return bare.replace(instructions=layer.text)
        case _:
            return bare
