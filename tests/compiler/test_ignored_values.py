"""Facts about values that an API takes without effect: sent, and noted under every policy."""

from __future__ import annotations

from pathlib import Path

import pytest

from promptwire import Message, Options, ReasoningOptions, Request
from tests.compiler.compiled import load_wire
from tests.compiler.ruled_spec import SPEC
from tests.counting import lines_run
from tests.internals.compiler import SpecError

HEAD = SPEC.partition("rules:\n")[0]
FACTS = """\
groups: {idle: [idle*]}
models:
  temperature: {idle: {ignored: true, source: "the vendor's page, 2026-11"}}
  reasoning.effort: {idle: {ignored: [low, medium], because: it thinks as it likes, source: "the vendor's page, 2026-11"}}
"""
USER = Message("user", "hi")


@pytest.mark.parametrize("policies", ["strict", "portable", "lenient", "verbatim"])
def test_a_value_without_effect_is_sent_and_noted(tmp_path: Path, policies: str) -> None:
    made = load_wire(tmp_path, "ruled_chat", HEAD + FACTS)
    request = Request(
        "idle-1", [USER], options=Options(temperature=0.5), reasoning=ReasoningOptions(effort="low")
    )
    built = made.build(request, policies=policies)
    assert (built.body["temperature"], built.body["effort"]) == (0.5, "low")
    assert [str(note) for note in built.notes] == [
        "ignored options.temperature: `temperature` has no effect (the vendor's page, 2026-11)",
        "ignored reasoning.effort: it thinks as it likes (the vendor's page, 2026-11)",
    ]


def test_other_values_and_models_are_not_noted(tmp_path: Path) -> None:
    made = load_wire(tmp_path, "ruled_chat", HEAD + FACTS)
    assert made.build(Request("idle-1", [USER], reasoning=ReasoningOptions(effort="high"))).notes == ()
    assert made.build(Request("m", [USER], options=Options(temperature=0.5))).notes == ()
    support = made.supports("idle-1", "temperature")
    assert (support.answer, support.conditions) == ("yes", ("`temperature` has no effect",))


def test_a_request_without_such_a_value_costs_no_more(tmp_path: Path) -> None:
    (tmp_path / "without").mkdir()
    without = load_wire(tmp_path / "without", "ruled_chat", HEAD)
    made = load_wire(tmp_path, "ruled_chat", HEAD + FACTS)
    request = Request("idle-1", [USER], options=Options(max_tokens=5))
    assert lines_run(lambda: made.build(request)) == lines_run(lambda: without.build(request))


@pytest.mark.parametrize(
    ("fact", "says"),
    [
        ("temperature: {ignored: true, maximum: 2, source: a page}", "says ignored beside another word"),
        (
            "user.image.cache: {ignored: true, source: a page}",
            '"user.image.cache" is no option or field of the request',
        ),
        ("temprature: {ignored: true, source: a page}", '"temprature" is not a field that a rule can name'),
        ("temperature: {ignored: true, fix: drop, source: a page}", "nothing is rejected here"),
    ],
)
def test_a_fact_that_makes_no_sense_is_a_problem(tmp_path: Path, fact: str, says: str) -> None:
    with pytest.raises(SpecError) as caught:
        load_wire(tmp_path, "ruled_chat", f"{HEAD}values:\n  {fact}\n")
    assert says in str(caught.value)
