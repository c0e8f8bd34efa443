"""Readers of dialects: the parent's shapes, fields and words, and only the difference in a module of its own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from promptwire import Document, Image, Part, Text
from promptwire.parts import HostedResult, Opaque
from tests.compiler.compiled import forget, load_dialects

PARENT = """
wire: old_wire
title: Old
transport: {method: POST, url: "https://old.example/v1"}
instructions: {native: false}
continuation: {mode: resend}
body:
  model: $model
  temperature?: $temperature
  top_p?: $top_p
  seed?: $seed
  user|owner?: $user_id
  speed?: $vendor.speed
  limits?: {depth?: $vendor.depth, width?: $vendor.width}
  messages: $messages
slots: {content: list}
messages:
  user: {role: user, content: "$content[]"}
  assistant: {role: assistant, content: "$content[]"}
parts:
  text: {type: text, text: $text}
  image.url: {type: image, url: $url}
  image.file_id: {type: image, file: $file_id}
  document.url: {type: page, url: $url}
  hosted_result@assistant: {type: $type, ...: $payload}
"""
CHILD = """
extends: old_wire
wire: new_wire
title: New
body:
  top_p: null
  user|owner: null
  owner|user?: $user_id
  speed: null
  limits: {width: null}
  tier?: $vendor.tier
parts:
  image.file_id: null
  document.url: null
"""
# `limits` is required here, so that no body is plain
# a dialect that differs in nothing that is read
COPY = """
extends: new_wire
wire: third_wire
title: Third
transport: {url: "https://third.example/v1"}
"""
READING = '''
def read_options(body: dict[str, Any], reader: Reader) -> dict[str, Any]:
    """Read the options of a request."""
    return {"temperature": as_number(body.get("temperature")), "seed": as_int(body.get("seed"))}


def read_vendor(body: dict[str, Any], reader: Reader) -> dict[str, Any]:
    """Read the options of a request that only this API has."""
    limits_json = as_object(body.get("limits"))
    return {"depth": limits_json.get("depth"), "tier": body.get("tier")}


def read_body(body: dict[str, Any], reader: Reader) -> dict[str, Any]:
    """Read a body (provider_specs/new_wire.yaml:6).

    Keys: model, limits, messages, temperature?, seed?, owner?, tier?.
    """
    return {
        "options": reader.body_options(body),
        "vendor": reader.body_vendor(body),
        "model": as_str(body.get("model")),
        "user_id": as_str(body.get("owner", body.get("user"))),
        "messages": reader.messages(body.get("messages")),
    }


READERS = parent.READERS.changed(
    words=parent.READERS.words.without(
        keys={"file", "speed", "top_p", "width"}, constants={"page"}, aliases={("owner", "user")}
    ).plus(keys={"tier"}, aliases={("user", "owner")}),
    options=read_options,
    vendor=read_vendor,
    body=read_body,
    plain_body=None,
    shapes={**dict.fromkeys({"part_image_file_id", "part_document_url"}, REMOVED)},
    writing=writing,
)
'''


@pytest.fixture(scope="module")
def wires(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    """The modules of parent, child and grandchild."""
    specs = {"old_wire": PARENT, "new_wire": CHILD, "third_wire": COPY}
    yield [*load_dialects(tmp_path_factory.mktemp("readers"), "inherited_readers", specs).values()]
    forget("inherited_readers")


def reading(wire: Any) -> str:
    """The module that reads a wire."""
    return (Path(wire.__file__).parent / "reading.py").read_text("utf-8")


def body(*content: Any, role: Any = "user", **keys: Any) -> dict[str, Any]:
    """A body with one message of these elements."""
    return {"model": "m", **keys, "messages": [{"role": role, "content": list(content)}]}


def test_a_dialect_says_only_what_differs(wires: list[Any]) -> None:
    text = reading(wires[1])
    start = text.index("\ndef ")
    assert text[start:] == READING


def test_a_dialect_that_reads_the_same_defines_no_function(wires: list[Any]) -> None:
    text = reading(wires[2])
    table = text[text.index("\nREADERS") :]
    assert "def " not in text
    assert table == "\nREADERS = parent.READERS.changed()\n"


FILE, PAGE = {"type": "image", "file": "f"}, {"type": "page", "url": "https://x.example"}


@pytest.mark.parametrize(
    ("role", "element", "inherited", "own"),
    [
        ("user", {"type": "text", "text": "t"}, Text, Text),
        ("user", {"type": "image", "url": "https://x.example"}, Image, Image),
        ("user", FILE, Image, Opaque),
        ("user", PAGE, Document, Opaque),
        # a word that is left without shapes is one of the others
        ("assistant", PAGE, Document, HostedResult),
        ("assistant", FILE, Image, HostedResult),
    ],
)
def test_a_shape_that_only_the_parent_has_is_tried_nowhere(
    wires: list[Any], role: str, element: Any, inherited: type[Part], own: type[Part]
) -> None:
    for wire, kind in zip(wires, (inherited, own, own), strict=True):
        reading = wire.read(body(element, role=role))
        assert [type(part) for part in reading.request.messages[0].parts] == [kind]
        assert wire.build(reading.request).body == reading.body


KEYS: dict[str, Any] = {
    "speed": "fast",
    "limits": {"depth": 2, "width": 3},
    "tier": "gold",
    "temperature": 0.5,
    "top_p": 0.1,
}


def test_options_that_only_the_parent_has_are_unknown_and_come_back(wires: list[Any]) -> None:
    sent = body({"type": "text", "text": "t"}, **KEYS)
    less = ({"depth": 2, "tier": "gold"}, None, ["Request.limits.width", "Request.speed", "Request.top_p"])
    expected = (({"speed": "fast", "depth": 2, "width": 3}, 0.1, ["Request.tier"]), less, less)
    for wire, (vendor, top_p, unknown) in zip(wires, expected, strict=True):
        reading = wire.read(sent)
        request = reading.request
        assert request.vendor == {wire.WIRE.name: vendor}
        assert (request.options.temperature, request.options.top_p) == (0.5, top_p)
        assert sorted(reading.unknown) == unknown
        assert reading.kept == len(unknown)
        assert wire.build(request).body == sent


def test_a_key_has_the_first_spelling_of_its_own_wire(wires: list[Any]) -> None:
    sent = body({"type": "text", "text": "t"}, user="u", owner="o")
    assert [wire.read(sent).request.user_id for wire in wires] == ["u", "o", "o"]
