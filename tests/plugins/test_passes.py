"""Passes and dialects that plugins offer: what specs may say of them, and what builds do with what they give."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from promptwire import Message, Policies, Request, Text, Tool, user
from promptwire.errors import InvalidRequest, NoPlace
from promptwire.parts import ToolGroup
from promptwire.plugins import Report
from promptwire_gen.plugin_api import Pass, Pass as OfferedPass, Plugin, SchemaDialect
from tests.compiler.compiled import load_wire
from tests.internals.compiler import BUILTIN_FILTERS, BUILTIN_PASSES, Offers, as_text, lower_all
from tests.internals.runtime import replace

SPEC = """\
wire: offered_chat
title: Offered Chat
transport: {method: POST, url: "https://example.com/chat"}
instructions: {native: false}
continuation: {mode: resend}
tools: {format: plain, names: "^[a-z]+$", choice: [named], dialect: flat}
body: {model: $model, tools?: $tools, tool_choice?: $tool_choice, messages: $messages}
slots: {content: list}
messages:
  user: {role: user, content: $content}
  assistant: {role: assistant, content: $content}
parts: {text: {type: text, text: $text}}
unions:
  tool:
    function: {name: $name, parameters?: $parameters}
    group: {group: $name, tools: $tools}
  tool_choice: {named: $name}
passes: [outer, inner, merge_neighbours]
"""
HERE = "tests.plugins.test_passes"

calls: list[Any] = []
# what the functions of the plugin do in a test
acts: dict[str, Any] = {}


def outer(request: Request, report: Report) -> Any:
    """The first pass."""
    calls.append("outer")
    return acts.get("outer", lambda request, _: request)(request, report)


def inner(request: Request, report: Report) -> Any:
    """The second pass."""
    calls.append("inner")
    return acts.get("inner", lambda request, _: request)(request, report)


def flat(schema: dict[str, Any]) -> Any:
    """The dialect."""
    calls.append("flat")
    if "flat" in acts:
        return acts["flat"](schema)
    edits = [("title", "no titles here")] if schema.pop("title", None) else []
    return schema, edits


class Offering(Plugin):
    """Offers them."""

    name = "offering"

    def passes(self) -> Iterator[Pass]:
        """Two passes."""
        yield Pass("outer", f"{HERE}:outer", "runs first")
        yield Pass("inner", f"{HERE}:inner", "runs second")

    def dialects(self) -> Iterator[SchemaDialect]:
        """One dialect."""
        yield SchemaDialect("flat", f"{HERE}:flat", "schemas without a title")


@pytest.fixture(scope="module")
def loaded(tmp_path_factory: pytest.TempPathFactory) -> ModuleType:
    """The wire of SPEC, compiled with the plugin."""
    return load_wire(tmp_path_factory.mktemp("offered"), "offered_chat", SPEC, [Offering()])


@pytest.fixture
def wire(loaded: ModuleType) -> Iterator[ModuleType]:
    """The same, with nothing remembered."""
    calls.clear()
    acts.clear()
    loaded.WIRE.schemas.clear()
    yield loaded
    acts.clear()


def ask(*texts: str, **fields: Any) -> Request:
    return Request("m", [user(text) for text in texts], **fields)


def test_passes_run_in_the_order_of_the_spec_before_built_in_ones(wire: ModuleType) -> None:
    acts["outer"] = lambda request, _: replace(request, messages=(*request.messages, user("two")))
    acts["inner"] = lambda request, _: replace(request, messages=(*request.messages, user("three")))
    built = wire.build(ask("one"))
    assert calls == ["outer", "inner"]
    (message,) = built.body["messages"]
    assert [each["text"] for each in message["content"]] == ["one", "two", "three"]


def test_the_builder_says_what_is_done(wire: ModuleType) -> None:
    lines = [line.strip() for line in wire.build.__doc__.splitlines()]
    assert lines[lines.index("settings  query") + 1 :][:3] == [
        "passes    outer: runs first",
        "passes    inner: runs second",
        "schemas   flat: schemas without a title",
    ]


def test_notes_and_errors_of_a_pass_name_places_of_the_callers_request(wire: ModuleType) -> None:
    def without_first(request: Request, report: Report) -> Request:
        report.lost(request.messages[0], "", "the first is left out")
        report.note("dropped", request.messages[2].parts[0], "text", "noted before")
        return replace(request, messages=request.messages[1:])

    def noted(request: Request, report: Report) -> Request:
        report.note("moved", request.messages[0], "", "it was the second")
        report.note("added", request.messages[1].parts[0], "", "it was in the third")
        return request

    acts.update(outer=without_first, inner=noted)
    request = ask("one", "two", "three")
    notes = wire.build(request, policies=Policies(loss="note", neighbours="keep", repairs="off")).notes
    assert [str(note) for note in notes] == [
        "dropped messages[0].message: the first is left out",
        "dropped messages[2].parts[0].text: noted before",
        "moved messages[1]: it was the second",
        "added messages[2].parts[0]: it was in the third",
    ]
    with pytest.raises(NoPlace, match=r"offered_chat: messages\[0\]: message: the first is left out"):
        wire.build(request)


def test_a_new_node_stands_where_the_pass_put_it(wire: ModuleType) -> None:
    def added(request: Request, report: Report) -> Request:
        new = Message("assistant", [Text("new")])
        report.note("added", new, "", "an answer")
        return replace(request, messages=(*request.messages, new))

    acts["inner"] = added
    assert [note.path for note in wire.build(ask("one")).notes] == ["messages[1]"]


@pytest.mark.parametrize("found", [None, "x", 7])
def test_a_pass_that_gives_no_request_is_named(wire: ModuleType, found: object) -> None:
    acts["inner"] = lambda *_: found
    said = f'the pass "inner" returned {type(found).__name__}, not a Request'
    with pytest.raises(InvalidRequest, match=said):
        wire.build(ask("one"))


def test_a_pass_that_fails_is_an_error_of_ours(wire: ModuleType) -> None:
    acts["outer"] = lambda *_: 1 / 0
    with pytest.raises(InvalidRequest, match="ZeroDivisionError"):
        wire.build(ask("one"))


def test_verbatim_and_a_policy_skip_passes_and_dialects(wire: ModuleType) -> None:
    request = ask("one", tools=[Tool("f", parameters={"title": "T"})])
    for policies in ("verbatim", Policies(passes="skip", schemas="keep")):
        built = wire.build(request, policies=policies)
        assert (calls, built.notes) == ([], ())
        assert built.body["tools"] == [{"name": "f", "parameters": {"title": "T"}}]
    wire.build(request, policies=Policies(schemas="keep"))
    assert calls == ["outer", "inner"]


def test_a_dialect_is_asked_once_for_each_schema_and_noted_every_time(wire: ModuleType) -> None:
    schema = {"title": "T", "type": "object"}
    before = deepcopy(schema)
    tool = Tool("f", parameters=schema)
    group = ToolGroup("g", tools=[Tool("h", parameters={"title": "H"})])
    bodies = [wire.build(ask("one", tools=[tool, group])) for _ in range(3)]
    assert calls.count("flat") == 2
    for built in bodies:
        assert built.body["tools"] == [
            {"name": "f", "parameters": {"type": "object"}},
            {"group": "g", "tools": [{"name": "h", "parameters": {}}]},
        ]
        assert [str(note) for note in built.notes] == [
            "replaced tools[0].parameters.title: no titles here",
            "replaced tools[1].tools[0].parameters.title: no titles here",
        ]
    assert schema == before
    # what a caller does to one body is not in the next
    bodies[0].body["tools"][0]["parameters"]["type"] = "array"
    assert wire.build(ask("one", tools=[tool])).body["tools"][0]["parameters"] == {"type": "object"}
    schema["description"] = "said later"
    assert wire.build(ask("one", tools=[tool])).body["tools"][0]["parameters"] == {
        "type": "object", "description": "said later",
    }  # fmt: skip
    assert calls.count("flat") == 3


@pytest.mark.parametrize(
    ("gives", "said"),
    [
        (lambda schema: schema["absent"], "KeyError: 'absent'"),
        (lambda _: None, "TypeError: "),
        (lambda _: ([], []), "TypeError: a schema must be an object, not list"),
        (lambda schema: (schema, ["title"]), "ValueError: "),
        (
            lambda schema: (schema, [("title", 7)]),
            "TypeError: an edit must be two strings: the path in the schema, and the reason",
        ),
    ],
)
def test_a_dialect_that_fails_is_named_with_its_tool(wire: ModuleType, gives: Any, said: str) -> None:
    acts["flat"] = gives
    with pytest.raises(InvalidRequest) as caught:
        wire.build(ask("one", tools=[Tool("f"), Tool("g", parameters={})]))
    assert str(caught.value).startswith(f'offered_chat: tools[1]: the dialect "flat" fails: {said}')
    assert (caught.value.path, caught.value.field) == ("tools[1]", "parameters")


def test_reading_knows_neither(wire: ModuleType) -> None:
    body = {"model": "m", "tools": [{"name": "f", "parameters": {"title": "T"}}], "messages": []}
    reading = wire.read(body)
    assert calls == []
    assert (reading.understood, reading.kept) == (reading.leaves, 0)
    assert wire.build(reading.request, policies="verbatim").body == body


def test_a_tool_choice_is_checked_against_the_tools_that_a_pass_leaves(wire: ModuleType) -> None:
    acts["outer"] = lambda request, _: replace(request, tools=(Tool("made"),))
    from promptwire import ToolChoice

    choice = ToolChoice("named", name="made")
    assert wire.build(ask("one", tools=[Tool("f")], tool_choice=choice)).body["tool_choice"] == "made"


PROBLEMS = {
    ("passes: [outer, inner, merge_neighbours]", "passes: [outter]"): (
        'unknown-pass: "outter" is not a pass', 'did you mean "outer"?'
    ),
    ("passes: [outer, inner, merge_neighbours]", "passes: [merge_neighbors]"): (
        'unknown-pass: "merge_neighbors" is not a pass', 'did you mean "merge_neighbours"?'
    ),
    ("passes: [outer, inner, merge_neighbours]", "passes: [zzz]"): (
        'unknown-pass: "zzz" is not a pass', "the passes are drop_blank_text, join_system_texts, merge_neighbours, merge_speakers, outer, pair_tools, pair_tools_at_once"
    ),
    ("dialect: flat", "dialect: flatt"): (
        'unknown-dialect: "flatt" is not a dialect of JSON Schema', 'did you mean "flat"?'
    ),
    ("dialect: flat", "dialect: zzz"): (
        'unknown-dialect: "zzz" is not a dialect of JSON Schema', "the dialects are flat"
    ),
    ("parameters?: $parameters", "strict?: $strict"): (
        'capability: tools.dialect is "flat", but no shape of a function writes $parameters',
        "add unions.tool.function, or leave the dialect out",
    ),
}  # fmt: skip


@pytest.mark.parametrize("change", PROBLEMS, ids=lambda change: str(change[1]))
def test_what_nobody_offers_has_its_place(change: tuple[str, str]) -> None:
    file = "provider_specs/offered_chat.yaml"
    sources = {file: SPEC.replace(*change)}
    assert sources[file] != SPEC
    passes = BUILTIN_PASSES | {"outer": OfferedPass("outer", f"{HERE}:outer", "runs first")}
    passes |= {} if "zzz" in change[1] else {"inner": OfferedPass("inner", f"{HERE}:inner", "runs second")}
    offers = Offers(passes, {"flat": SchemaDialect("flat", f"{HERE}:flat", "no titles")})
    text = as_text(lower_all(sources, BUILTIN_FILTERS, offers).problems, sources)
    message, hint = PROBLEMS[change]
    assert message in text
    assert f"^ {hint}\n" in f"{text}\n"


def test_without_any_plugin_a_dialect_is_said_to_come_from_one(tmp_path: Path) -> None:
    sources = {"offered_chat.yaml": SPEC.replace("outer, inner, ", "")}
    text = as_text(lower_all(sources).problems, sources)
    assert "dialects come with plugins, and none is installed" in text
