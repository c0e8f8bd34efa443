"""Profiles of models: what each rule that is made of their facts names, on which API, and beside which conditions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.internals.compiler import load_specs

from .test_declared_rules import BODY, FILE

PAGE = """
family: orca
title: Orca
names: [orca-*]
profiles:
  orca-1:
    traits: [old]
    values:
      temperature, stop: &refused {unsupported: true, source: a page}
      seed: {minimum: 0, accepted: [-1], while: {temperature: 1}, unless: stop, because: b, source: a page}
    on:
      small: {max_tokens: {maximum: 9, source: a page}}
  orca-2:
    like: orca-1
    source: a page
    values: {temperature: null, seed: *refused}
    on:
      reef: {max_tokens: null}
  orca-2-mini:
    like: orca-2
    source: a page
    traits: []
    on:
      small: {max_tokens: {maximum: 5, source: a page}}
  orca-3:
    like: orca-2-mini
    values: {top_k: {accepted: true, source: a page}}
"""
REEF = """
wire: reef
title: Reef
docs: https://reef.example
extends: small
transport: {url: "https://reef.example/v1"}
"""


def rules_of(wire: str) -> list[dict[str, Any]]:
    """Return what the rules of a wire say that are made of the page."""
    body = BODY.replace(
        "  temperature?: $temperature\n",
        "  temperature?: $temperature\n  top_k?: $top_k\n  seed?: $seed\n  max_tokens?: $max_tokens\n",
    )
    head, _, rest = body.partition("body:\n")
    used = "families: {orca: {}}\nmodels: {n: {old: {maximum: 1, source: a page}}}\n"
    files = {
        FILE: f"{head}{used}body:\n  n?: $n\n{rest}",
        "specs/reef.yaml": REEF,
        "specs/models/orca.yaml": PAGE,
    }
    (spec,) = [each for each in load_specs(files) if each.wire == wire]
    return [
        {
            name: value if isinstance(value, str) else [str(each) for each in value]
            for name in ("model", "given", "unless", "reject", "allow")
            if (value := getattr(rule, name))
        }
        for rule in spec.rules
        if rule.source == "a page"
    ]


COMMON = [
    {"model": ["orca-1"], "reject": ["temperature"]},
    {"model": ["orca-1", "orca-2", "orca-2-mini"], "reject": ["stop"]},
]


@pytest.mark.parametrize(
    ("wire", "tokens"),
    [
        ("small", [(["orca-1", "orca-2"], 9), (["orca-2-mini"], 5)]),
        # the nearer API counts, where a profile says something for it
        ("reef", [(["orca-1"], 9), (["orca-2-mini"], 5)]),
    ],
)
def test_a_fact_holds_for_its_profile_and_those_that_take_it_over(wire: str, tokens: list[Any]) -> None:
    assert rules_of(wire) == [
        {"model": ["orca-1"], "reject": ["temperature"]},
        {"model": ["orca-1", "orca-2", "orca-2-mini"], "reject": ["stop"]},
        {
            "model": ["orca-1"],
            "given": ["temperature=1"],
            "unless": ["stop"],
            "reject": ["seed<0"],
            "allow": ["seed=-1"],
        },
        {"model": ["orca-2", "orca-2-mini"], "reject": ["seed"]},
        # nobody says that orca-3 is like the other one: it has its own facts alone
        {"model": ["orca-3"], "allow": ["top_k"]},
        # a trait is taken over, unless a profile has traits of its own
        {"model": ["orca-1", "orca-2"], "reject": ["n>1"]},
        *[{"model": models, "reject": [f"max_tokens>{most}"]} for models, most in tokens],
    ]
