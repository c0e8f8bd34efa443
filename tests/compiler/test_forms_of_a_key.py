"""One key that may hold one value or another: what is read is one of them, so that it can be built again."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

import pytest

from promptwire import Continuation, ReasoningOptions

from .compiled import load_wire

SPEC = """
wire: forms_wire
title: Forms
transport: {method: POST, url: "https://forms.example/v1"}
instructions: {native: false}
continuation: {mode: server, fields: [thread]}
tools: {format: forms, choice: []}
body:
  model: $model
  owner?: {or: [$user_id, $cache_key]}
  thread?: {or: [{type: continue, id: $continuation.id}, $vendor.thread]}
  thinking?: {or: [$reasoning, $vendor.thinking]}
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


@pytest.fixture(scope="module")
def wire(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    yield load_wire(tmp_path_factory.mktemp("forms"), "forms_wire", SPEC)
    for name in [each for each in sys.modules if each.partition(".")[0] == "forms_wire"]:
        del sys.modules[name]


# what the key holds, and the fields that are read from it; all others stay empty
READ: dict[str, tuple[dict[str, Any], dict[str, Any]]] = {
    "text of two fields": ({"owner": "ann"}, {"user_id": "ann"}),
    "an object that is known": (
        {"thread": {"type": "continue", "id": "t1"}},
        {"continuation": Continuation(id="t1")},
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
