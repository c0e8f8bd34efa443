"""Values that stand elsewhere for some models, fields that no key holds, settings in the body: compiled and used."""

from __future__ import annotations

import copy
from pathlib import Path
from typing import Any

import pytest

from promptwire import Image, Message, Options, ReasoningOptions, Request, Text, user
from promptwire.errors import InvalidRequest, NoPlace
from promptwire.parts import ToolReference

from .compiled import load_dialects, wire_of

SPEC = """
wire: moves_wire
title: Moves
transport:
  method: POST
  url: "https://moves.example/${model|segment}"
  settings:
    api_version: {default: "1", choices: ["1", "2"]}
    betas: {type: list}
instructions: {native: false}
continuation: {mode: resend}
body:
  version: $settings.api_version
  beta?: $settings.betas
  config?: {effort?: $reasoning.effort}
  more?:
    top_k?: $top_k
    thinking?: {type: enabled, level?: =$reasoning.effort}
    inner?: {topK?: =$top_k}
    ...: $vendor.more
  messages: $messages
slots: {content: list}
messages:
  user: {role: user, content: "$content[]"}
  assistant: {role: assistant, content: "$content[]"}
parts:
  text: {text: $text}
  text.cited: {cited: {content: [{text: $text}], citations: $citations}}
  image.data: {image: {format: $media_type|format(image), data: $data}}
  image.data@user: {=: {vendor.guard: image}, guarded: {format: $media_type|format(image), data: $data}}
  tool_reference.addition: {=: {change: addition}, toolAddition: {name: $name}}
  tool_reference.removal: {=: {change: removal}, toolRemoval: {name: $name}}
rules:
  - when: {model: ["deep-*"]}
    rename: {config.effort: more.thinking.level, more.top_k: more.inner.topK}
    because: these models take both elsewhere
    source: the vendor's page, 2026-11
"""
HI = [{"role": "user", "content": [{"text": "hi"}]}]


wire = wire_of("moves_wire", SPEC)


def asking(model: str, more: dict[str, Any] | None = None) -> Request:
    vendor = None if more is None else {"moves_wire": {"more": more}}
    return Request(
        model,
        [user("hi")],
        options=Options(top_k=5),
        reasoning=ReasoningOptions(effort="low"),
        vendor=vendor,
    )


def test_values_move_where_a_rule_says_with_the_constants_beside(wire: Any) -> None:
    plain = {"version": "1", "config": {"effort": "low"}, "more": {"top_k": 5}, "messages": HI}
    assert wire.build(asking("flat-1")).body == plain
    moved = {"thinking": {"type": "enabled", "level": "low"}, "inner": {"topK": 5}}
    assert wire.build(asking("deep-1")).body == {"version": "1", "more": moved, "messages": HI}


DIALECT = """
wire: other_moves_wire
extends: moves_wire
title: Other Moves
body: {more: {thinking?: {type: adaptive, level?: =$reasoning.effort}}}
"""


def test_a_dialect_with_the_same_rules_moves_with_constants_of_its_own(tmp_path: Path) -> None:
    wires = load_dialects(tmp_path, "moving", {"moves_wire": SPEC, "other_moves_wire": DIALECT})
    moved = {"thinking": {"type": "adaptive", "level": "low"}, "inner": {"topK": 5}}
    assert wires["other_moves_wire"].build(asking("deep-1")).body == {
        "version": "1",
        "more": moved,
        "messages": HI,
    }


def test_moves_leave_what_the_caller_gave_as_it_is(wire: Any) -> None:
    given = {"inner": {"mode": "x"}, "other": 1}
    before = copy.deepcopy(given)
    body = wire.build(asking("deep-1", given)).body
    assert body["more"]["inner"] == {"mode": "x", "topK": 5}
    assert given == before


def test_a_place_that_is_taken_is_an_error(wire: Any) -> None:
    with pytest.raises(InvalidRequest, match="set twice"):
        wire.build(asking("deep-1", {"inner": {"topK": 7}}))


@pytest.mark.parametrize("model", ["flat-1", "deep-1"])
def test_both_places_are_read(wire: Any, model: str) -> None:
    built = wire.build(asking(model))
    reading = wire.read(built.body, built.url)
    assert (reading.request.reasoning, reading.request.options) == (
        asking(model).reasoning, asking(model).options,
    )  # fmt: skip
    assert (reading.kept, reading.understood) == (0, reading.leaves)
    assert wire.build(reading.request).body == built.body


def test_settings_stand_in_the_body_and_are_read(wire: Any) -> None:
    request = Request("m", [user("hi")])
    built = wire.build(request, settings={"api_version": "2", "betas": ["a", "b"]})
    assert built.body == {"version": "2", "beta": ["a", "b"], "messages": HI}
    reading = wire.read(built.body, built.url)
    assert reading.settings == {"api_version": "2", "betas": ["a", "b"]}
    assert (reading.kept, list(reading.unknown)) == (0, [])
    assert wire.build(reading.request, policies="verbatim").body == built.body


def test_what_no_setting_may_be_is_only_kept(wire: Any) -> None:
    body = {"version": "9", "beta": [1], "messages": HI}
    reading = wire.read(body)
    assert (reading.settings, reading.kept) == ({}, 2)
    assert wire.build(reading.request, policies="verbatim").body == body


def test_a_fixed_field_picks_the_shape_and_comes_back(wire: Any) -> None:
    guard = {"moves_wire": {"guard": "image"}}
    parts = [
        ToolReference("f", change="addition"),
        ToolReference("g", change="removal"),
        Image(data="AA==", media_type="image/jpg", vendor=guard),
        Image(data="AA==", media_type="image/png"),
        Text("so", citations=[{"a": 1}]),
    ]
    body = wire.build(Request("m", [Message("user", parts)])).body
    assert body["messages"][0]["content"] == [
        {"toolAddition": {"name": "f"}},
        {"toolRemoval": {"name": "g"}},
        {"guarded": {"format": "jpeg", "data": "AA=="}},
        {"image": {"format": "png", "data": "AA=="}},
        {"cited": {"content": [{"text": "so"}], "citations": [{"a": 1}]}},
    ]
    read = wire.read(body).request.messages[0].parts
    assert [getattr(part, "change", None) for part in read[:2]] == ["addition", "removal"]
    assert (read[2].vendor, read[3].vendor) == (guard, None)
    assert (read[4].text, read[4].citations) == ("so", [{"a": 1}])
    with pytest.raises(NoPlace):
        wire.build(Request("m", [Message("user", [ToolReference("f")])]))
