"""Rules of a parent that rename a key which the child writes otherwise: they say nothing about the child."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from promptwire import Options, Request, user
from tests.compiler.compiled import forget, load_dialects

PARENT = """\
wire: parent_wire
title: Parent
transport:
  method: POST
  url: "https://api.example.com/chat"
instructions: {native: false}
continuation: {mode: resend}
body:
  model: $model
  limit|longest?: $max_tokens
  seed|dice?: $seed
  messages: $messages
slots: {content: list}
messages:
  user: {role: user, content: $content}
  assistant: {role: assistant, content: $content}
parts:
  text: {type: text, text: $text}
rules:
  - when: {model: ["old-*"]}
    rename: {limit: longest, seed: dice}
    because: older words
    source: a page, 2026-11
  - when: {model: ["older-*"]}
    rename: {limit: longest}
    because: an older word
    source: a page, 2026-11
"""
CHILD = """\
wire: child_wire
extends: parent_wire
title: Child
body:
  limit: null
  budget?: $max_tokens
"""


@pytest.fixture(scope="module")
def wires(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Any]]:
    """The modules of parent and child."""
    specs = {"parent_wire": PARENT, "child_wire": CHILD}
    yield [*load_dialects(tmp_path_factory.mktemp("renames"), "inherited_renames", specs).values()]
    forget("inherited_renames")


@pytest.mark.parametrize(
    ("model", "parents", "childs"),
    [
        ("new-1", {"limit": 9, "seed": 3}, {"budget": 9, "seed": 3}),
        ("old-1", {"longest": 9, "dice": 3}, {"budget": 9, "dice": 3}),
        ("older-1", {"longest": 9, "seed": 3}, {"budget": 9, "seed": 3}),
    ],
)
def test_a_rename_of_a_key_that_the_child_has_not_is_no_rule_of_the_child(
    wires: list[Any], model: str, parents: dict[str, int], childs: dict[str, int]
) -> None:
    request = Request(model, [user("hi")], options=Options(max_tokens=9, seed=3))
    for wire, keys in zip(wires, (parents, childs), strict=True):
        body = wire.build(request).body
        assert {key: value for key, value in body.items() if key not in ("model", "messages")} == keys
