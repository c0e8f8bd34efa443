"""Guards: a value that a shape does not take is reported wherever it stands, and only read forms are never written."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from promptwire import Image, Message, Options, Reasoning, Request, Text
from promptwire.errors import NoPlace
from tests.internals.compiler import SpecError

from .compiled import load_wire, wire_of

SPEC = """
wire: guarded_wire
title: Guarded
transport: {method: POST, url: "https://guards.example/v1"}
instructions: {native: false}
continuation: {mode: resend}
body:
  model: $model
  tier?: $service_tier(standard|fast*)
  cache?: {key?: $cache_key(c-*)}
  messages: $messages
slots: {thoughts: one, content: list}
messages:
  user: {role: user, content: "$content[]"}
  assistant: {role: assistant, thoughts?: $thoughts, content: "$content[]"}
parts:
  text: {type: text, text: $text}
  image.url@user: {type: image, image: {url: $url(https://*), detail?: $detail(low|high)}}
  reasoning#elsewhere@assistant>thoughts: $text
"""


wire = wire_of("guarded_wire", SPEC)


def _shown(**given: Any) -> Request:
    return Request("m", [Message("user", [Text("hi"), Image(**given)])])


def _thought(**given: Any) -> Request:
    return Request("m", [Message("assistant", [Reasoning(**given), Text("Yes.")])])


TAKEN = [
    (
        _shown(url="https://e.com/a", detail="low"),
        [{"type": "image", "image": {"url": "https://e.com/a", "detail": "low"}}],
    ),
    (_shown(url="https://e.com/a"), [{"type": "image", "image": {"url": "https://e.com/a"}}]),
]
LOST = [
    (_shown(url="https://e.com/a", detail="ultra"), "detail", "messages[0].parts[1]"),
    (_shown(url="http://e.com/a"), "image", "messages[0].parts[1]"),
    (Request("m", [Message("user", "hi")], options=Options(service_tier="slow")), "service_tier", ""),
    (Request("m", [Message("user", "hi")], options=Options(cache_key="d-1")), "cache_key", ""),
    (_thought(text="Hm."), "reasoning", "messages[0].parts[0]"),
]


@pytest.mark.parametrize(("request_", "expected"), TAKEN, ids=["with detail", "without"])
def test_what_fits_is_written(wire: Any, request_: Request, expected: list[Any]) -> None:
    assert wire.build(request_).body["messages"][0]["content"][1:] == expected


@pytest.mark.parametrize(("request_", "field", "place"), LOST, ids=[field for _, field, _ in LOST])
def test_what_does_not_fit_is_reported(wire: Any, request_: Request, field: str, place: str) -> None:
    with pytest.raises(NoPlace) as caught:
        wire.build(request_)
    assert (caught.value.field, caught.value.path) == (field, place)
    notes = wire.build(request_, policies="lenient").notes
    assert [(note.action, note.field, note.path) for note in notes] == [("dropped", field, place)]


def test_a_form_that_is_only_read_comes_back_and_is_never_made(wire: Any) -> None:
    body = {
        "model": "m",
        "messages": [{"role": "assistant", "thoughts": "Hm.", "content": [{"type": "text", "text": "Yes."}]}],
    }
    request = wire.read(body).request
    assert [type(part) for part in request.messages[0].parts] == [Reasoning, Text]
    assert wire.build(request).body == body


def test_a_picture_whose_only_shape_needs_an_option_is_refused(tmp_path: Path) -> None:
    spec = """
wire: marked_wire
title: Marked
transport: {method: POST, url: "https://marked.example/v1"}
instructions: {native: false}
continuation: {mode: resend}
tools: {format: marked, choice: []}
body: {messages: $messages}
slots: {content: list}
messages:
  user: {role: user, content: "$content[]"}
  assistant: {role: assistant, content: "$content[]"}
parts:
  text: {text: $text}
  image.data: {=: {vendor.guard: image}, guarded: $data}
"""
    with pytest.raises(SpecError, match="any other image given by data has no shape"):
        load_wire(tmp_path, "marked_wire", spec)
