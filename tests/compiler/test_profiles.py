"""Profiles of models: what each rule that is made of their facts names, on which API, and beside which conditions."""

from __future__ import annotations

from typing import Any

import pytest

from tests.internals.compiler import load_specs, lower_all

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
OLD = "models: {n: {old: {maximum: 1, source: a page}}}\n"
USE = "families: {orca: {}}\n"
DRY = BODY.replace("wire: small", "wire: dry")
FACT = "{unsupported: true, source: a page}"
OWN = "name a profile of this page that states its own facts"
NULL = "remove it, or write accepted: true for what the model takes and others refuse"


def rules_of(wire: str) -> list[dict[str, Any]]:
    """Return what the rules of a wire say that are made of the page."""
    (spec,) = [each for each in load_specs(files_with(PAGE, USE + OLD)) if each.wire == wire]
    return [
        {
            name: value if isinstance(value, str) else [str(each) for each in value]
            for name in ("model", "given", "unless", "reject", "allow")
            if (value := getattr(rule, name))
        }
        for rule in spec.rules
        if rule.source == "a page"
    ]


def files_with(page: str, used: str = USE) -> dict[str, str]:
    """Return the files of a spec that uses the page, of a dialect of it, and of a spec that does not."""
    body = BODY.replace(
        "  temperature?: $temperature\n",
        "  temperature?: $temperature\n  top_k?: $top_k\n  seed?: $seed\n  max_tokens?: $max_tokens\n",
    )
    head, _, rest = body.partition("body:\n")
    return {
        FILE: f"{head}{used}body:\n  n?: $n\n{rest}",
        "specs/reef.yaml": REEF,
        "specs/dry.yaml": DRY,
        "specs/models/orca.yaml": page,
    }


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


@pytest.mark.parametrize(
    ("blocks", "problems"),
    [
        # each block stands from line 5 on
        (["orca-1: {on: {smal: {}}}"], ['5:17: there is no API "smal"', 'did you mean "small"?']),
        (["orca-1: {on: {'reef, reaf': {}}}"], ['5:17: there is no API "reaf"', 'did you mean "reef"?']),
        (
            ["orca-1: {on: {dry: {}}}"],
            [
                '5:17: "dry" does not use the family orca, so these facts hold nowhere',
                "write families: {orca: {}} in its spec",
            ],
        ),
        (
            ["orca-1: {}", "orca-2: {like: orca-11, source: a page}"],
            ['6:18: there is no profile "orca-11"', 'did you mean "orca-1"?'],
        ),
        (
            ["orca-1: {names: orca-one}", "orca-2: {like: orca-one, source: a page}"],
            ['6:18: there is no profile "orca-one"', "write like: orca-1"],
        ),
        (
            ["orca-1: {like: orca-1, source: a page}"],
            ['5:18: "orca-1" takes its facts from another profile over more than 2 steps', OWN],
        ),
        (
            ["orca-1: {like: orca-2, source: a page}", "orca-2: {like: orca-1, source: a page}"],
            [
                '5:18: "orca-1" takes its facts from another profile over more than 2 steps',
                OWN,
                '6:18: "orca-2" takes its facts from another profile over more than 2 steps',
                OWN,
            ],
        ),
        (
            ["orca-1: {}", "orca-2: {like: orca-1, source: a page, values: {stop: null}}"],
            ['6:51: "orca-2" takes over no fact about stop that null could take away', NULL],
        ),
        # what a model is only taken for is no fact that null could take away
        (
            [f"orca-1: {{values: {{stop: {FACT}}}}}", "orca-2: {like: orca-1, values: {stop: null}}"],
            ['6:35: "orca-2" takes over no fact about stop that null could take away', NULL],
        ),
        # nor is a fact for all APIs one of some APIs
        (
            [
                f"orca-1: {{values: {{stop: {FACT}}}, on: {{small: {{seed: {FACT}}}}}}}",
                "orca-2: {like: orca-1, source: a page, on: {reef: {seed: null}, small: {stop: null}}}",
            ],
            ['6:75: "orca-2" takes over no fact about stop that null could take away', NULL],
        ),
        (
            ["orca-2.5: {}", "orca-3: {names: [Orca-2-5]}"],
            [
                '6:20: "Orca-2-5" is already a name of the profile orca-2.5',
                "give each model one profile; names are compared in lower case, with dots in versions",
            ],
        ),
        (
            ["orca-1: {source: a page}"],
            [
                '5:12: "orca-1" cites a source for the facts of another profile, and names none',
                "write like: OTHER, or cite the source beside each fact",
            ],
        ),
        (
            ["orca-1: {traits: [old, orca]}"],
            [
                '5:26: "orca" is a group of this page already, whose globs say which models are in it',
                "use another word",
            ],
        ),
        # a problem of the page is told once, though two APIs read it
        (
            [f"orca-1: {{values: {{stopp: {FACT}}}}}"],
            ['5:21: "stopp" is not a field that a rule can name', 'did you mean "stop"?'],
        ),
        (
            ["orca-1: {values: {stop: {maxItems: 2, while: {sed: 1}, source: a page}}}"],
            ['5:49: "sed" is not a field that a rule can name', 'did you mean "seed"?'],
        ),
    ],
)
def test_a_mistake_in_a_profile_is_told_with_its_place(blocks: list[str], problems: list[str]) -> None:
    page = PAGE.partition("  orca-1:")[0].lstrip() + "".join(f"  {block}\n" for block in blocks)
    found = lower_all(files_with(page)).problems
    assert [
        text for each in found for text in (f"{each.span.line}:{each.span.column}: {each.message}", each.hint)
    ] == problems
    assert {each.span.file for each in found} == {"specs/models/orca.yaml"}
