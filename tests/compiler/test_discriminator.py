"""Reading chooses a shape by the word under one key, then by the required keys of each shape, in a fixed order."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from promptwire import Document, Image, Message, Text, ToolChoice
from promptwire.parts import HostedCall, HostedResult, Opaque, ToolReference

from .compiled import wire_of

SPEC = """
wire: told_wire
title: Told
transport: {method: POST, url: "https://told.example/v1"}
instructions: {native: false}
continuation: {mode: resend}
tools: {format: told, choice: [auto, named]}
body: {model: $model, tools?: $tools, tool_choice?: $tool_choice, messages: $messages}
slots: {content: list}
messages:
  user: {role: user, content: "$content[]"}
  assistant: {role: assistant, content: "$content[]"}
unions:
  tool:
    function: {name: $name}
  tool_choice:
    auto: auto
    named: {how: named, name: $name}
    named#short: {name: $name}
parts:
  text: {kind: text, text: $text}
  text#short: {kind: text, short: $text}
  image.url: {kind: picture, at: {by: link, url: $url}}
  image.file_id: {kind: picture, at: {by: file, id: $file_id}}
  hosted_call: {kind: $type(search|code), ...: $payload}
  hosted_result: {kind: $type(*_result), ...: $payload}
  tool_reference: {kind: "tool_${change}", name: $name}
  document.url: {file: $url}
"""


wire = wire_of("told_wire", SPEC)


READ: list[tuple[Any, Any]] = [
    ({"kind": "text", "text": "a"}, Text("a")),
    ({"kind": "text", "short": "a"}, Text("a")),
    ({"kind": "picture", "at": {"by": "link", "url": "u"}}, Image(url="u")),
    ({"kind": "picture", "at": {"by": "file", "id": "f"}}, Image(file_id="f")),
    ({"kind": "search", "for": "x"}, HostedCall("search", payload={"for": "x"})),
    ({"kind": "code"}, HostedCall("code")),
    ({"kind": "code_result", "of": 1}, HostedResult("code_result", payload={"of": 1})),
    ({"kind": "tool_added", "name": "f"}, ToolReference("f", change="added")),
    ({"file": "u"}, Document(url="u")),
    # a shape without the word is tried after the shapes of the word, and where there is none
    ({"kind": "text", "file": "u"}, Document(url="u")),
    ({"kind": "other", "file": "u"}, Document(url="u")),
    ({"kind": ["text"], "file": "u"}, Document(url="u")),
]
UNKNOWN: list[Any] = [
    {"kind": "text"},
    {"kind": "text", "text": 5},
    {"kind": "text", "text": None},
    {"kind": "Text", "text": "a"},
    {"kind": "picture", "at": "u"},
    {"kind": "picture", "at": {"by": "link"}},
    {"kind": "picture", "at": {"by": ["link"], "url": "u"}},
    {"kind": "tool_", "name": "f"},
    {"kind": True, "text": "a"},
    {"kind": {}, "text": "a"},
    {},
    # of two shapes, neither is nearer
    {"at": {"url": "u", "id": "f"}},
    "text",
    None,
    7,
    ["text"],
]


NEAREST: list[tuple[Any, Any]] = [
    ({"text": "a"}, Text("a")),
    ({"kind": None, "text": "a"}, Text("a")),
    ({"kind": "", "short": "a"}, Text("a")),
    ({"kind": "picture", "at": {"url": "u"}}, Image(url="u")),
    ({"at": {"by": "", "id": "f"}}, Image(file_id="f")),
    # the shape that leaves less unread is nearer
    ({"text": "a", "file": 5}, Text("a")),
]


def parts(wire: Any, element: Any) -> tuple[Any, ...]:
    message: Message = wire.read(
        {"model": "m", "messages": [{"role": "assistant", "content": [element]}]}
    ).request.messages[0]
    return message.parts


@pytest.mark.parametrize(("element", "part"), READ, ids=str)
def test_the_shape_that_fits_is_read(wire: Any, element: Any, part: Any) -> None:
    assert [replace(found, kept=None) for found in parts(wire, element)] == [part]


@pytest.mark.parametrize("element", UNKNOWN, ids=str)
def test_what_no_shape_fits_is_kept(wire: Any, element: Any) -> None:
    assert parts(wire, element) == (Opaque("told_wire", element, "content"),)


@pytest.mark.parametrize(("element", "part"), NEAREST, ids=str)
def test_a_constant_that_says_nothing_is_assumed(wire: Any, element: Any, part: Any) -> None:
    body = {"model": "m", "messages": [{"role": "assistant", "content": [element]}]}
    reading = wire.read(body)
    assert [replace(found, kept=None) for found in reading.request.messages[0].parts] == [part]
    assert reading.deviations
    assert all(note.path.startswith("messages[0].content[0]") for note in reading.deviations)
    assert wire.build(reading.request, policies="verbatim").body == body


@pytest.mark.parametrize(
    ("choice", "read"),
    [
        ("auto", ToolChoice("auto")),
        ({"how": "named", "name": "f"}, ToolChoice("named", name="f")),
        ({"name": "f"}, ToolChoice("named", name="f")),
        ("named", None),
        ({"how": "named"}, None),
        (True, None),
    ],
    ids=str,
)
def test_words_stand_beside_objects(wire: Any, choice: Any, read: ToolChoice | None) -> None:
    body = {"model": "m", "messages": [], "tool_choice": choice}
    reading = wire.read(body)
    found = reading.request.tool_choice
    assert (found and replace(found, kept=None)) == read
    assert wire.build(reading.request, policies="verbatim").body == body


def test_the_key_that_tells_most_apart_is_looked_at_once(wire: Any) -> None:
    source = (Path(wire.__file__).parent / "reading.py").read_text("utf-8")
    assert len(re.findall(r'Choice\(\s*"kind",', source)) == 1, "for users and the assistant alike"
    assert "has_constant(item" not in source, "what was looked at is not looked at again"
