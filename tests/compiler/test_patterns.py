"""Regular expressions of specs: one that takes long for some text is refused.

`tests/benchmarks/test_patterns.py` measures that the others are quick.
"""

from __future__ import annotations

import pytest

from tests.internals.compiler import as_text, find_layout, find_pattern_trouble, load_specs, lower_all

from .test_changed_specs import ODD

SLOW = (
    r"^(a+)+$", "(a|a)*b", "(a*)*c", "(.*)*x", "(a|ab)*", "(?:_[a-z]+)*", ".*a.*b", r"(a*)\1", "(?:(?=a++).)*",
    "((?!.*x).)*", "(?=(a+)+b).*", "a?" * 30 + "a" * 30, "(((a?){20}){20}){20}", "(?i:kx|\u212a)*!", "x" * 1001,
    "(?:[ab]++|a)*c", "[a-z]+(?=.*x)-", "(?>a*a*)b", r"(?:\wx|[a-f])*", r"(?:\W-|[ -~])*", r"(?:[^a]-|b)*",
)  # fmt: skip
QUICK = (
    "^[a-zA-Z0-9_-]{1,64}$", r"((?!\(\?<?[=!]).)*", r"(?=.{1,200}$)(\w|[()\[\]-]|\s(?!\s))+", "(?i).*?json.*",
    r".*\S|\s*", "[a-z]+-[0-9]+", r"^[a-z]++(?:_[a-z]++)*$", "(?:a|b|cd)*", "a{3,40}b{2,40}[0-9]", r"[^@]+@[^@]+",
    "toolu_[0-9A-Za-z]{24}", r"(?:\w|\s)*", r"\d{4}-\d\d-\d\d(T.*)?", "",
)  # fmt: skip


@pytest.mark.parametrize("pattern", SLOW)
def test_slow_patterns_are_refused(pattern: str) -> None:
    assert find_pattern_trouble(pattern) is not None


@pytest.mark.parametrize("pattern", QUICK)
def test_quick_patterns_are_taken(pattern: str) -> None:
    assert find_pattern_trouble(pattern) is None


@pytest.mark.parametrize(
    ("pattern", "reason"),
    [
        (r"\bword", r"nothing is known of \b"),
        (r"(a)\1", r"nothing is known of \1"),
        ("(?<=a)b", "it has a group that is not (...)"),
        ("(?x)a", "it has a group that is not (...)"),
        ("(?i:a)b", "it has a group that is not (...)"),
        ("(?P<name>a)", "it has a group that is not (...)"),
    ],
)
def test_patterns_outside_the_grammar_are_refused(pattern: str, reason: str) -> None:
    assert reason in (find_pattern_trouble(pattern) or "")


def test_every_pattern_of_a_spec_is_taken() -> None:
    layout = find_layout()
    patterns: set[str] = set()
    for spec in load_specs(layout.read_specs()):
        patterns |= {spec.model.tools.names or ""} if spec.model.tools is not None else set()
        for rule in spec.rules:
            patterns |= {condition.pattern or "" for condition in (*rule.reject, *rule.allow)}
    assert len(patterns) > 12
    assert {pattern: said for pattern in patterns if (said := find_pattern_trouble(pattern))} == {}


PLACES = {
    "tools.names": ('tools: {format: odd, names: "^(a+)+$", choice: [auto]}', "7:29"),
    "rules": (
        "tools: {format: odd, choice: [auto]}\n"
        'rules: [{reject: {message.name: {not: {pattern: (a|a)*b}}}, because: slow, source: "nobody, 2026"}]',
        "8:19",
    ),
}


@pytest.mark.parametrize("case", PLACES)
def test_a_slow_pattern_is_a_problem_at_its_place(case: str) -> None:
    section, place = PLACES[case]
    texts = {"odd_chat.yaml": ODD.replace("tools: {format: odd, choice: [auto]}", section)}
    said = as_text(lower_all(texts).problems, texts)
    assert said.startswith(f"odd_chat.yaml:{place}: bad-value: "), said
    assert "takes too long for some texts" in said
    assert "[a-z]++ never gives back" in said
