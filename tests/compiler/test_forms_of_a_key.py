"""One key that may hold one value or another: what is read is one of them, so that it can be built again."""

from __future__ import annotations

from typing import Any

import pytest

from promptwire import Continuation, Options, ReasoningOptions, Request, user
from promptwire.errors import NoPlace

from .compiled import wire_of

SPEC = """
wire: forms_wire
title: Forms
transport: {method: POST, url: "https://forms.example/v1"}
instructions: {native: false}
continuation: {mode: server, fields: [thread], keeps: [items], items: omit, tools: resend}
tools: {format: forms, choice: []}
body:
  model: $model
  owner?: {or: [$user_id, $cache_key]}
  thread?: {or: [{type: continue, id: $continuation.id}, $vendor.thread]}
  thinking?: {or: [$reasoning, $vendor.thinking]}
  stream: {or: [$stream, false]}
  messages: $messages
slots: {content: list}
messages:
  user: {role: user, content: $content}
  assistant: {role: assistant, content: $content}
unions:
  reasoning:
    adaptive: {type: adaptive, effort?: $effort}
parts:
  text: {type: text, text: $text}
"""


wire = wire_of("forms_wire", SPEC)


# what the key holds, and the fields that are read from it; all others stay empty
READ: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "text of two fields": ({"owner": "ann"}, {"user_id": "ann"}),
    "an object that is known": (
        {"thread": {"type": "continue", "id": "t1"}},
        {"continuation": Continuation(id="t1", wire="forms_wire")},
    ),
    "another object": (
        {"thread": {"type": "create"}},
        {"vendor": {"forms_wire": {"thread": {"type": "create"}}}},
    ),
    "a union's shape": (
        {"thinking": {"type": "adaptive", "effort": "low"}},
        {"reasoning": ReasoningOptions(mode="adaptive", effort="low")},
    ),
    "no shape of the union": (
        {"thinking": {"type": "deep"}},
        {"vendor": {"forms_wire": {"thinking": {"type": "deep"}}}},
    ),
}


@pytest.mark.parametrize("name", READ)
def test_one_value_is_read_and_built_again_strictly(wire: Any, name: str) -> None:
    held, expected = READ[name]
    body = {"model": "m", **held, "messages": [{"role": "user", "content": "hi"}]}
    request = wire.read(body).request
    names = ("user_id", "continuation", "reasoning", "vendor")
    assert {each: getattr(request, each) for each in names if getattr(request, each) is not None} == expected
    assert request.options.cache_key is None
    assert wire.build(request).body == body


@pytest.mark.parametrize(
    ("given", "written"),
    [
        ({"reasoning": ReasoningOptions(mode="adaptive")}, {"thinking": {"type": "adaptive"}}),
        ({"continuation": Continuation(id="t1")}, {"thread": {"type": "continue", "id": "t1"}}),
    ],
    ids=["a shape of a union", "an object"],
)
def test_an_option_of_the_same_key_is_lost_with_a_note(
    wire: Any, given: dict[str, Any], written: dict[str, Any]
) -> None:
    (key,) = written
    request = Request("m", [user("hi")], vendor={"forms_wire": {key: {"type": "deep"}}}, **given)
    built = wire.build(request, policies="lenient")
    assert {name: built.body[name] for name in written} == written
    lost = (f"vendor.forms_wire.{key}", "another form of the same key is written")
    assert lost in [(note.field, note.why) for note in built.notes]
    with pytest.raises(NoPlace, match="another form of the same key is written"):
        wire.build(request)


PARTLY = """
wire: partly_wire
title: Partly
transport: {method: POST, url: "https://forms.example/v1"}
instructions: {native: false}
continuation: {mode: resend}
body:
  model: $model
  span?: "${cache_key}-${user_id}"
  pair?: {or: [{low: $min_p, high: $top_k}, {seed: $seed}]}
  level?: {or: [$service_tier(low|high), {limit: $max_tokens}]}
  messages: $messages
slots: {content: list}
messages:
  user: {role: user, content: $content}
  assistant: {role: assistant, content: $content}
parts:
  text: {type: text, text: $text}
"""
NO_FORM = "no form of its key takes it as it is"
PARTLY_GIVEN: dict[str, tuple[Options, dict[str, Any], list[tuple[str, str]]]] = {
    "all of a text": (Options(cache_key="k"), {"span": "k-u"}, []),
    "half of a text": (
        Options(cache_key="k"),
        {},
        [("cache_key", "it is written together with cache_key and user_id")],
    ),
    "half of a form": (Options(min_p=0.5), {}, [("min_p", NO_FORM)]),
    "half of a form beside a whole one": (
        Options(min_p=0.5, seed=7),
        {"pair": {"seed": 7}},
        [("min_p", "another form of the same key is written")],
    ),
    "a whole form": (Options(seed=7), {"pair": {"seed": 7}}, []),
    "a word that no guard takes": (Options(service_tier="none"), {}, [("service_tier", NO_FORM)]),
    "a word that no guard takes beside another form": (
        Options(service_tier="none", max_tokens=5),
        {"level": {"limit": 5}},
        [("service_tier", "another form of the same key is written")],
    ),
    "a word that a guard takes": (Options(service_tier="low"), {"level": "low"}, []),
    "the form without a guard": (Options(max_tokens=5), {"level": {"limit": 5}}, []),
}


partly = wire_of("partly_wire", PARTLY)


@pytest.mark.parametrize("name", PARTLY_GIVEN)
def test_a_value_that_no_form_takes_is_an_error_or_a_note(partly: Any, name: str) -> None:
    options, written, lost = PARTLY_GIVEN[name]
    user_id = "u" if name == "all of a text" else None
    request = Request("m", (user("hi"),), options=options, user_id=user_id)
    built = partly.build(request, policies="lenient")
    assert built.body == {"model": "m", **written, "messages": [{"role": "user", "content": "hi"}]}
    assert [(note.field, note.why) for note in built.notes] == lost
    if lost:
        with pytest.raises(NoPlace) as refused:
            partly.build(request)
        assert refused.value.field == lost[0][0]


@pytest.mark.parametrize(("given", "written"), [(None, False), (False, False), (True, True)])
def test_a_constant_stands_where_nothing_is_given(wire: Any, given: bool | None, written: bool) -> None:
    assert wire.build(Request("m", [user("hi")], stream=given)).body["stream"] is written


def test_a_body_without_the_key_lacks_nothing_and_stays_as_it_was(wire: Any) -> None:
    body = {"model": "m", "messages": [{"role": "user", "content": "hi"}]}
    request = wire.read(body).request
    assert request.stream is None
    assert wire.build(request).body == body
    assert list(wire.check(body)) == []
