"""The table of losses: every shape of a shipped wire is in it, and every field and option that has no key."""

from __future__ import annotations

from functools import cache

import pytest

import promptwire
from tests.compiler.ruled_spec import ruled
from tests.internals.compiler import OPTIONS, Expectation, list_own_expectations, lower_all
from tests.spec_texts import expectations_of, models


@cache
def expected(wire: str) -> dict[str, Expectation]:
    return {each.name: each for each in expectations_of(models()[wire])}


@pytest.mark.slow
@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_every_shape_is_in_the_table(wire: str) -> None:
    model = models()[wire]
    shapes = [each.shape for each in expected(wire).values()]
    variants = [variant for variant in model.variants if variant.union != "cache"]
    missing = {variant.key for variant in variants if variant.shape not in shapes}
    assert missing == set()


@pytest.mark.parametrize("wire", promptwire.WIRES)
def test_an_option_is_lost_where_no_key_holds_it(wire: str) -> None:
    carried = models()[wire].body.carried_options
    row = expected(wire)["every option"]
    lost = {*row.lost, *row.unused}
    assert {name for name in OPTIONS if f"options.{name}" not in lost} == carried


def test_names_of_expectations_are_those_of_tests() -> None:
    for wire, model in models().items():
        names = [each.name for each in list_own_expectations(model)]
        assert len(names) == len({*names}), wire


def test_what_a_part_cannot_carry() -> None:
    shape = "image.url@user,assistant,tool,tool_result,document"
    row = expected("anthropic_messages")[f"{shape} with every field"]
    part = row.request["messages"][0]["user"][0]["image"]
    assert {"url", "detail", "filename", "cache", "signature", "media_type"} <= part.keys()
    place, option = "messages[0].parts[0]", "vendor.anthropic_messages.unheard_of"
    assert row.lost == (f"{place}.detail", f"{place}.signature", f"{place}.{option}")
    assert row.unused == (f"{place}.filename", f"{place}.media_type")


def test_a_value_that_a_shape_refuses_is_lost() -> None:
    rows = expected("openai_chat")
    detail = "messages[0].parts[0].detail"
    assert detail in rows["image.url@user with values that it does not take"].lost
    assert detail not in rows["image.url@user with every field"].lost


def test_the_table_follows_the_spec() -> None:
    spec = ruled("max_tokens>1")
    changed = spec.replace("  temperature?: $temperature\n", "")
    assert changed != spec
    for text, is_lost in ((spec, False), (changed, True)):
        found = lower_all({"ruled_chat.yaml": text})
        assert found.problems == []
        rows = {each.name: each for each in expectations_of(found.wires[0])}
        assert ("options.temperature" in rows["every option"].lost) == is_lost
