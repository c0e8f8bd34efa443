"""Form memory that is derived on demand: reading builds nothing, and holds nothing that a caller may change."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

import promptwire
from promptwire import Request, Text
from tests.internals.runtime import Memories, Node, is_deferred, may_remember, reader, replace, same
from tests.laws.strategies import example_bodies
from tests.laws.traces import module
from tests.searching import TESTED_WIRES

BODY = {
    "model": "gpt-4o",
    "messages": [
        {"role": "user", "content": [{"type": "text", "text": "Hello", "x_note": {"by": ["me"]}}], "x_id": 1},
        {"role": "assistant", "content": "Hi."},
    ],
    "x_tenant": {"name": "acme"},
}


def change_all(value: Any) -> None:
    """Empty every list and object of a JSON value."""
    for inner in value.values() if type(value) is dict else value if type(value) is list else ():
        change_all(inner)
    if type(value) in (dict, list):
        value.clear()


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_reading_builds_nothing(wire: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def build(_memories: Memories) -> Any:
        raise AssertionError

    bodies = example_bodies(wire)
    expected = [module(wire).read(body).request for body in bodies]
    with monkeypatch.context() as patched:
        patched.setattr(Memories, "build", build)
        # the nearest shape is found by what each would remember
        readings = [reading for body in bodies if not (reading := module(wire).read(body)).noted[0]]
    assert len(readings) > len(bodies) // 2
    assert all(reading.request in expected for reading in readings)


@pytest.mark.parametrize("wire", TESTED_WIRES)
def test_who_changes_a_body_changes_nothing_that_was_read(wire: str) -> None:
    for before in example_bodies(wire):
        body = copy.deepcopy(before)
        reading = module(wire).read(body)
        assert body == before
        change_all(body)
        assert (
            module(wire).build(reading.request, settings=reading.settings, policies="verbatim").body == before
        )
        assert reading.body == before


ASKED = {"role": "user", "content": "Hi"}
CALL = {"type": "tool_use", "id": "a", "name": "look", "input": {}, "caller": {"type": "direct"}}
TOOL = {"name": "look", "input_schema": {"type": "object"}}
LISTED = [{"type": "text", "text": "Be brief."}]


@pytest.mark.parametrize(
    ("more", "listed"),
    [
        ({"system": LISTED}, {"system": ({"type": "text"}, "text")}),
        ({"tools": [TOOL], "tool_choice": {"type": "any", "disable_parallel_tool_use": True}}, None),
        (
            {"system": LISTED, "tools": [TOOL], "tool_choice": {"type": "tool", "name": "look"}},
            {"system": ({"type": "text"}, "text")},
        ),
        ({"messages": [ASKED, {"role": "assistant", "content": [CALL]}, ASKED]}, None),
    ],
)
def test_a_body_that_is_written_as_it_was_read_is_not_built_to_see_that(
    more: dict[str, Any], listed: dict[str, Any] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    body = {"model": "claude-sonnet-4-5", "max_tokens": 9, "messages": [ASKED]} | more

    def build(*_: Any, **__: Any) -> Any:
        raise AssertionError

    with monkeypatch.context() as patched:
        patched.setattr(reader, "_verbatim", build)
        request = promptwire.anthropic_messages.read(body).request
        kept = request.kept
    assert (None if kept is None or kept.form is None else kept.form.listed) == listed
    assert promptwire.anthropic_messages.build(request, policies="verbatim").body == body


def test_a_memory_is_derived_once_when_it_is_asked_for() -> None:
    request = promptwire.openai_chat.read(BODY).request
    message = request.messages[0]
    text = message.parts[0]
    assert [is_deferred(node) and may_remember(node) for node in (request, message, text)] == [True] * 3
    assert text.kept is text.kept
    assert text.kept is not None
    assert text.kept.form is not None
    assert text.kept.form.added == {"x_note": {"by": ["me"]}}
    assert message.kept is not None
    assert message.kept.form is not None
    assert message.kept.form.added == {"x_id": 1}
    assert request.messages[1].kept is None
    assert not may_remember(request.messages[1])


def pickled(node: Any) -> Any:
    """Return what comes back from a pickle of a node."""
    return pickle.loads(pickle.dumps(node))  # noqa: S301  # written just now


@pytest.mark.parametrize("again", [copy.copy, copy.deepcopy, pickled, replace])
def test_a_copy_remembers_the_same(again: Callable[[Any], Any]) -> None:
    read = promptwire.openai_chat.read
    assert again(read(BODY).request) == read(BODY).request
    assert promptwire.openai_chat.build(again(read(BODY).request), policies="verbatim").body == BODY


def test_a_changed_node_remembers_what_still_fits() -> None:
    message = promptwire.openai_chat.read(BODY).request.messages[0]
    changed = replace(message, parts=(*message.parts, Text("Bye")))
    built = promptwire.openai_chat.build(promptwire.Request("gpt-4o", [changed]), policies="verbatim")
    assert built.body["messages"] == [
        {**BODY["messages"][0], "content": [*BODY["messages"][0]["content"], {"type": "text", "text": "Bye"}]}  # type: ignore[index]
    ]


def test_nodes_have_no_other_attributes() -> None:
    with pytest.raises(AttributeError, match="'Cache' object has no attribute 'kept'"):
        promptwire.Cache().kept  # type: ignore[attr-defined]  # noqa: B018
    with pytest.raises(AttributeError, match="'Text' object has no attribute 'colour'"):
        Text("a").colour  # type: ignore[attr-defined]  # noqa: B018


def test_numbers_that_stand_as_text_are_read_and_reported() -> None:
    config = {"temperature": "0.5", "topK": "7", "candidateCount": "many"}
    body = {"contents": [{"role": "user", "parts": [{"text": "a"}]}], "generationConfig": config}
    reading = promptwire.gemini_generate.read(body)
    options = reading.request.options
    assert (options.temperature, options.top_k, options.n) == (0.5, 7, None)
    assert [(note.path, note.field, note.action) for note in reading.deviations] == [
        ("generationConfig", "temperature", "replaced"),
        ("generationConfig", "topK", "replaced"),
    ]
    assert [note.field for note in reading.unread] == ["Request.generationConfig.candidateCount"] or [
        note.path.rpartition(".")[2] for note in reading.unread
    ] == ["candidateCount"]
    assert reading.understood + reading.kept == reading.leaves
    assert promptwire.gemini_generate.build(reading.request, policies="verbatim").body == body


def test_a_body_of_which_nothing_is_understood_is_an_error() -> None:
    foreign = {"model": "m", "contents": [{"role": "user", "parts": [{"text": "a"}]}]}
    with pytest.raises(promptwire.BodyError, match="nothing in the body is understood"):
        promptwire.openai_responses.read(foreign)
    assert promptwire.openai_responses.read({**foreign, "instructions": "Be brief."}).kept == 2


@pytest.mark.parametrize(
    "message",
    [
        {"role": "user", "content": "a", "": " "},
        {
            "role": "assistant",
            "content": 0,
            "tool_calls": [{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}],
        },
        {"role": "user", "content": [{"type": "text", "text": float("nan")}]},
    ],
)
def test_odd_messages_come_back(message: dict[str, Any]) -> None:
    reading = promptwire.openai_chat.read({"model": "m", "messages": [message]})
    built = promptwire.openai_chat.build(reading.request, policies="verbatim")
    assert same(built.body, {"model": "m", "messages": [message]})
    assert reading.understood + reading.kept == reading.leaves


def test_no_attribute_of_a_node_is_asked_for_by_name() -> None:
    """With `__getattr__`, CPython looks each attribute up the slow way, also those that are there."""
    bases: list[type[Node]] = [Node, *Node.__subclasses__()]
    classes = {each for base in bases for each in (base, *base.__subclasses__())}
    assert {Text, Request} <= classes
    assert {cls for cls in classes if hasattr(cls, "__getattr__")} == set()
    assert {vars(cls).get("__getattribute__") for cls in classes} == {None}


def test_what_a_node_lacks_is_an_error_that_names_it() -> None:
    nodes: list[Any] = [module("openai_chat").read(BODY).request.messages[0], Text("Hello")]
    for node in nodes:
        with pytest.raises(AttributeError, match="has no attribute 'keep'"):
            node.keep  # noqa: B018  # that is what raises


def test_what_a_body_shows_of_settings_is_no_unknown_key() -> None:
    wire = module("anthropic_bedrock")
    body = {
        "anthropic_version": "bedrock-2023-05-31",
        "anthropic_beta": ["computer-use-2025-01-24"],
        "max_tokens": 10,
        "messages": [{"role": "user", "content": "hi"}],
        "x_note": "own",
    }
    url = "https://bedrock-runtime.us-east-1.amazonaws.com/model/anthropic.claude-sonnet-4-5-20250929-v1%3A0/invoke"
    reading = wire.read(body, url)
    for settings in (None, reading.settings):
        built = wire.build(reading.request, settings=settings)
        assert built.body == body
        assert [note.field for note in built.notes] == ["x_note"]
    other = wire.build(reading.request, settings={"betas": ["context-1m-2025-08-07"]})
    assert other.body == {**body, "anthropic_beta": ["context-1m-2025-08-07"]}
