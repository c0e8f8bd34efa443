"""The short path of builders: what a plain node may still carry is known to compiler and runtime alike."""

from __future__ import annotations

from dataclasses import fields

import pytest

import promptwire
from promptwire_gen.plugin_api import Kind
from tests.internals.compiler import LAYER, MESSAGE, PARTS, TOOLS, read_neutral_model
from tests.public_names import class_named

KINDS: list[Kind] = [*PARTS.values(), *TOOLS.values(), MESSAGE]
RUNTIME_NAMES = {"content": "parts"}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: f"{kind.cls}-{kind.name}")
def test_fields_behind_the_plain_flag_are_the_same_on_both_sides(kind: Kind) -> None:
    cls = class_named(kind.cls)
    node = read_neutral_model().nodes[kind.cls]
    behind = {field.name for field in node.counted}
    optional = {field.name for field in fields(cls) if field.init and field.default is None}
    assert behind <= optional
    known = {RUNTIME_NAMES.get(name, name) for name in kind.fields if name not in kind.looked_at}
    assert behind - {"provenance", "vendor", "extra", "kept"} == known


def test_a_layer_is_plain_when_no_wire_sees_more_than_its_text() -> None:
    plain = promptwire.Instruction("x", role="developer", source="base", stability="s", trust="t")
    assert plain.is_plain
    assert not promptwire.Instruction("x", cache=promptwire.Cache()).is_plain
    assert set(LAYER.fields) == {"text", "role", "source", "stability", "trust", "cache"}
