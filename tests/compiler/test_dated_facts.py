"""Facts and rules that hold from a day or until one: what they compile to, and what is no day."""

from __future__ import annotations

import pytest

from promptwire_gen.plugin_api import SpecProblem
from tests.internals.compiler import SpecError, load_specs

from .test_declared_rules import BODY, FAMILY, FILE, SOURCES

DECLARED = """
values:
  temperature: {maximum: 1, from: 2026-12-01, source: "a page, 2026-11"}
needs:
  top_k: {given: stream, until: 2026-12-31, source: "a page, 2026-11"}
asks:
  betas: {vendor.thread: {word: threads, from: 2026-12-01, until: 2027-01-31, source: "a page, 2026-11"}}
groups: {big: [big-*]}
models:
  stop: {big: [{unsupported: true, until: 2026-11-30, source: "a page, 2026-11"}, {maxItems: 2, from: 2026-12-01, source: "a page, 2026-11"}]}
rules:
  - {reject: [seed], because: it goes, from: 2027-02-01, source: "a page, 2026-11"}
"""


def days_of(declared: str) -> list[tuple[str, str]]:
    (spec,) = load_specs({FILE: BODY + declared})
    return [(rule.since, rule.until) for rule in spec.rules]


def problems_of(declared: str) -> list[SpecProblem]:
    with pytest.raises(SpecError) as refused:
        load_specs({FILE: BODY + declared})
    return [*refused.value.problems]


def test_every_kind_of_fact_may_have_days() -> None:
    assert days_of(DECLARED) == [
        ("", "2026-12-31"),
        ("2026-12-01", ""),
        ("2026-12-01", "2027-01-31"),
        ("", "2026-11-30"),
        ("2026-12-01", ""),
        ("2027-02-01", ""),
    ]


def test_facts_with_other_days_are_other_rules() -> None:
    fact = """{maximum: 1, because: &why it is so, source: "a page, 2026-11"}"""
    one = f"\nvalues:\n  temperature: {fact}\n  top_p: {fact.replace('&why it is so', '*why')}\n"
    assert len(days_of(one)) == 1
    assert days_of(one.replace("top_p: {", "top_p: {from: 2026-12-01, ")) == [("", ""), ("2026-12-01", "")]


def test_the_facts_of_a_family_may_have_days() -> None:
    family = FAMILY.replace("old: {minimum: 1,", "old: {minimum: 1, until: 2027-01-31,")
    files = {
        FILE: BODY + "families: {orca: {}}\n",
        "specs/models/orca.yaml": family,
        "specs/sources.yaml": SOURCES,
    }
    (spec,) = load_specs(files)
    assert [rule.until for rule in spec.rules if "top_k<1" in map(str, rule.reject)] == ["2027-01-31"]


@pytest.mark.parametrize(
    ("days", "message"),
    [
        ("from: soon", "must be a day such as 2026-11-30"),
        ("until: 2026-11", "must be a day such as 2026-11-30"),
        ("until: 2026-11-31", "must be a day such as 2026-11-30"),
        ("from: 2026-12-02, until: 2026-12-01", "holds from 2026-12-02 until 2026-12-01, which is earlier"),
    ],
)
def test_what_is_no_day_is_told_at_its_place(days: str, message: str) -> None:
    declared = f'\nvalues:\n  temperature: {{maximum: 1, {days}, source: "a page, 2026-11"}}\n'
    (problem,) = problems_of(declared)
    assert message in problem.message
    assert problem.span.line == BODY.count("\n") + 3
