"""Requests that continue a conversation: by the words of the spec, and by what the server is known to have."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from promptwire import Answer, Continuation, Request, Tool, assistant, user
from promptwire.errors import InvalidRequest, MissingField
from promptwire.results import Candidate
from tests.compiler.compiled import load_wire
from tests.internals.runtime import digest_of

SPEC = """\
wire: WIRE
title: Words
transport:
  method: POST
  url:
    - "https://words.example/chats/${continuation.conversation|segment}"
    - "https://words.example/chats"
  settings: {tenant: {}, region: {default: eu}}
instructions: {native: true, placement: top_level, field: system, several: join}
continuation:
  mode: server
  keeps: [items, instructions, tools, model, vendor.title]
  items: omit
  instructions: WORD
  tools: WORD
  binds: [model, tenant, region]
tools: {format: words, choice: []}
body:
  model?: $model
  system?: $instructions|join
  tools?: $tools
  title?: $vendor.title
  colour?: $vendor.colour
  inputs: $messages
slots: {content: list}
messages:
  user: {role: user, content: $content}
  assistant: {role: assistant, content: $content}
unions: {tool: {function: {name: $name}}}
parts: {text: $text}
answer:
  body: {chat: $id, ...: $message}
  always: {role: assistant}
"""
ASKED = Request(
    "m",
    [user("One")],
    instructions="Be terse.",
    tools=[Tool("f")],
    continuation=Continuation(),
)
NEW = [{"role": "user", "content": "Three"}]
ALL = [{"role": "user", "content": "One"}, {"role": "assistant", "content": "Two"}, *NEW]
WHOLE = {"model": "m", "system": "Be terse.", "tools": [{"name": "f"}], "inputs": ALL}
HERE, BEGUN = "https://words.example/chats/c%2F1", "https://words.example/chats"


@pytest.fixture(scope="module")
def wires(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The spec with each of the two words for what the server keeps."""
    loaded: dict[str, Any] = {}
    for word in ("omit", "if_changed"):
        name = f"words_{word}"
        spec = SPEC.replace("WIRE", name).replace("WORD", word)
        loaded[word] = load_wire(tmp_path_factory.mktemp(name), name, spec)
    return loaded


def following(wire: Any, asked: Request = ASKED, **settings: str) -> Request:
    """The second request, after an answer that names the conversation."""
    answer = wire.read_answer({"chat": "c/1", "role": "assistant", "content": "Two"})
    return asked.after(answer, user("Three"), built=wire.build(asked, settings=settings))


def test_the_first_request_holds_all(wires: dict[str, Any]) -> None:
    built = wires["omit"].build(ASKED)
    assert (built.url, built.notes) == (BEGUN, ())
    assert built.body == {**WHOLE, "inputs": ALL[:1]}


@pytest.mark.parametrize("word", ["omit", "if_changed"])
def test_what_the_server_has_is_left_out(wires: dict[str, Any], word: str) -> None:
    built = wires[word].build(following(wires[word]))
    assert (built.body, built.url) == ({"inputs": NEW}, HERE)
    assert sorted(note.field for note in built.notes) == ["instructions", "messages[:2]", "model", "tools"]


CHANGES = [
    (
        {"instructions": "Be kind."},
        {"system": "Be kind."},
        "the instructions differ from those that the server has",
    ),
    ({"tools": (Tool("g"),)}, {"tools": [{"name": "g"}]}, "the tools differ from those that the server has"),
]


@pytest.mark.parametrize(("change", "key", "why"), CHANGES)
def test_what_changed_is_sent_where_the_server_takes_it(
    wires: dict[str, Any], change: Any, key: Any, why: str
) -> None:
    wire = wires["if_changed"]
    built = wire.build(replace(following(wire), **change))
    assert (built.body, built.url) == ({**key, "inputs": NEW}, HERE)


@pytest.mark.parametrize(("change", "key", "why"), CHANGES)
def test_what_changed_begins_anew_where_the_server_takes_no_other(
    wires: dict[str, Any], change: Any, key: Any, why: str
) -> None:
    wire = wires["omit"]
    built = wire.build(replace(following(wire), **change))
    assert (built.body, built.url) == ({**WHOLE, **key}, BEGUN)
    assert [str(note) for note in built.notes] == [
        f"replaced continuation: {why}; all messages are sent again"
    ]


@pytest.mark.parametrize("word", ["omit", "if_changed"])
def test_what_nobody_knows(wires: dict[str, Any], word: str) -> None:
    """An unknown server state: the server is assumed to have what it keeps for good, and is sent the rest."""
    known = Continuation(conversation="c/1", start=2)
    request = replace(ASKED, messages=following(wires[word]).messages, continuation=known)
    kept = (
        {"inputs": NEW}
        if word == "omit"
        else {key: WHOLE[key] for key in ("system", "tools")} | {"inputs": NEW}
    )
    assert wires[word].build(request).body == kept


@pytest.mark.parametrize(
    ("change", "settings", "why"),
    [
        ({"model": "n"}, {"tenant": "a"}, "the conversation belongs to the model m"),
        ({}, {"tenant": "b"}, "the conversation belongs to another tenant"),
        ({}, {}, "the conversation belongs to another tenant"),
        ({"wire": "other"}, {"tenant": "a"}, "the conversation belongs to other"),
        ({"expired": True}, {"tenant": "a"}, "the conversation has expired on the server"),
    ],
)
def test_a_token_that_does_not_fit_is_replayed(
    wires: dict[str, Any], change: dict[str, Any], settings: dict[str, str], why: str
) -> None:
    wire = wires["omit"]
    request = following(wire, tenant="a")
    assert wire.build(request, settings={"tenant": "a"}).body == {"inputs": NEW}
    model = {"model": change.pop("model")} if "model" in change else {}
    known = replace(request.continuation or Continuation(), **change)
    built = wire.build(replace(request, continuation=known, **model), settings=settings)
    assert (built.body, built.url) == (WHOLE | model, BEGUN)
    assert [str(note) for note in built.notes] == [
        f"replaced continuation: {why}; all messages are sent again"
    ]


def test_a_default_is_the_same_as_nothing(wires: dict[str, Any]) -> None:
    wire = wires["omit"]
    for request in (following(wire, region="eu"), following(wire)):
        assert (
            wire.build(request, settings={"region": "eu"}).body == wire.build(request).body == {"inputs": NEW}
        )
        assert wire.build(request, settings={"region": "us"}).body == WHOLE


def test_options_that_the_server_keeps(wires: dict[str, Any]) -> None:
    asked = replace(ASKED, vendor={"words_omit": {"title": "Talk", "colour": "red"}, "other": {"x": 1}})
    built = wires["omit"].build(following(wires["omit"], asked))
    assert built.body == {"colour": "red", "inputs": NEW}
    assert "dropped vendor.words_omit.title: the server holds it" in map(str, built.notes)


def test_an_answer_that_is_not_stored_is_not_continued(wires: dict[str, Any]) -> None:
    wire = wires["omit"]
    answer = wire.read_answer({"chat": "c/1", "role": "assistant", "content": "Two"})
    unstored = replace(ASKED, options=replace(ASKED.options, store=False))
    assert unstored.after(answer, user("Three")).continuation == Continuation()
    unnamed = wire.read_answer({"role": "assistant", "content": "Two"})
    assert (unnamed.continuation, ASKED.after(unnamed).continuation) == (None, Continuation())


def test_what_is_read_continues(wires: dict[str, Any]) -> None:
    reading = wires["omit"].read({"inputs": NEW}, HERE)
    assert reading.request.continuation == Continuation(conversation="c/1", wire="words_omit")
    assert (reading.request.model, reading.notes) == (None, ())
    built = wires["omit"].build(reading.request)
    assert (built.body, built.url) == ({"inputs": NEW}, HERE)
    assert wires["omit"].read({"inputs": NEW}, BEGUN).request.continuation is None


def test_open_calls_are_named(wires: dict[str, Any]) -> None:
    known = Continuation(conversation="c/1", start=1, unanswered=["call_1"], wire="words_omit")
    with pytest.raises(MissingField, match='the call "call_1" has no result'):
        wires["omit"].build(Request("m", [assistant("x"), user("y")], continuation=known))


def test_an_id_that_leads_elsewhere_is_refused(wires: dict[str, Any]) -> None:
    built = wires["omit"].build(Request("m", [user("y")], continuation=Continuation(conversation="..")))
    with pytest.raises(
        InvalidRequest, match=r"continuation\.conversation is part of the URL path"
    ) as refused:
        _ = built.url
    assert refused.value.field == "continuation.conversation"


def test_a_digest_is_of_what_is_sent() -> None:
    tool = Tool("f", parameters={"type": "object", "title": "x"})
    turned = Tool("f", parameters={"title": "x", "type": "object"})
    assert digest_of((tool,)) == digest_of((turned,)) != digest_of((Tool("f"),))
    assert digest_of("a") != digest_of("b")
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    assert [digest_of(value) for value in (float("nan"), object(), {"a": 1, 2: 3}, deep)] == [None] * 4


def test_a_hand_made_answer_continues_by_its_token() -> None:
    answer = Answer(
        candidates=(Candidate(message=assistant("Two")),), continuation=Continuation(id="a", wire="w")
    )
    known = ASKED.after(answer, user("Three")).continuation
    assert known is not None and (known.id, known.start, known.model) == ("a", 2, "m")
