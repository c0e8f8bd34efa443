"""Problems: their order, and how each printer shows them."""

from __future__ import annotations

import json

import pytest

from promptwire_gen.plugin_api import Span, SpecProblem
from tests.internals.compiler import SpecError, as_json, as_text, format_github, quote
from tests.internals.runtime import did_you_mean

FILE = "provider_specs/mistral.yaml"
SOURCE = "\n" * 13 + "        promt_caching: true\n"
TYPO = SpecProblem(
    Span(FILE, 14, 9, 13),
    "unknown-key",
    '"promt_caching" is not a key of tools',
    'did you mean "prompt_caching"?',
)

TEXTS = {
    "the layout": (
        SOURCE,
        TYPO,
        'provider_specs/mistral.yaml:14:9: unknown-key: "promt_caching" is not a key of tools\n'
        "   14 |         promt_caching: true\n"
        '      |         ^^^^^^^^^^^^^ did you mean "prompt_caching"?',
    ),
    "no hint": (
        "a: b\r\nc: d\r\n",
        SpecProblem(Span("a.yaml", 2, 4, 1), "r", "m"),
        "a.yaml:2:4: r: m\n    2 | c: d\n      |    ^",
    ),
    "no such line": (
        "a: b",
        SpecProblem(Span("a.yaml", 7, 1, 1), "r", "m", "do this"),
        "a.yaml:7:1: r: m\n      | do this",
    ),
    "beyond the end of the line": (
        "a:",
        SpecProblem(Span("a.yaml", 1, 3, 1), "r", "m"),
        "a.yaml:1:3: r: m\n    1 | a:\n      |   ^",
    ),
    "tabs count as they are shown": (
        "a:\tb\tc",
        SpecProblem(Span("a.yaml", 1, 4, 3), "r", "m"),
        "a.yaml:1:4: r: m\n    1 | a:    b    c\n      |       ^^^^^^",
    ),
    "wide and combining characters": (
        "日本: e\u0301x",
        SpecProblem(Span("a.yaml", 1, 5, 3), "r", "m"),
        "a.yaml:1:5: r: m\n    1 | 日本: e\u0301x\n      |       ^^",
    ),
    "controls are shown, not sent": (
        "a\x1b[31m: \u202eb",
        SpecProblem(Span("a\n.yaml", 1, 2, 1), "r", "an \x1b and a \ud800", "\x07"),
        "a\\x0a.yaml:1:2: r: an \\x1b and a \\ud800",
    ),
}


@pytest.mark.parametrize("case", TEXTS)
def test_text(case: str) -> None:
    source, problem, expected = TEXTS[case]
    assert as_text([problem], {"a.yaml": source, FILE: source}).removesuffix("\n      | \\x07") == expected


def test_controls_in_the_source_line_do_not_move_the_caret() -> None:
    problem = SpecProblem(Span("a.yaml", 1, 10, 1), "r", "m", "\x07")
    assert as_text([problem], {"a.yaml": "a\x1b[31m: \u202eb"}) == (
        f"a.yaml:1:10: r: m\n    1 | a\\x1b[31m: \\u202eb\n      | {' ' * 17}^ \\x07"
    )


def test_a_long_line_is_a_window_around_the_place() -> None:
    line = "x" * 500 + "HERE" + "y" * 500
    shown = as_text([SpecProblem(Span("a.yaml", 1, 501, 4), "r", "m")], {"a.yaml": line})
    assert shown == (
        "a.yaml:1:501: r: m\n"
        f"    1 | ...{'x' * 40}HERE{'y' * 116}...\n"
        f"      | {' ' * 43}^^^^"
    )  # fmt: skip


def test_line_numbers_of_six_digits_keep_the_margin() -> None:
    problem = SpecProblem(Span("a.yaml", 100_000, 1, 1), "r", "m")
    assert as_text([problem], {"a.yaml": "\n" * 99_999 + "k: v"}) == (
        "a.yaml:100000:1: r: m\n100000 | k: v\n       | ^"
    )


def test_several_problems_follow_each_other() -> None:
    problems = [
        SpecProblem(Span("a.yaml", 1, 1, 1), "r", "m"),
        SpecProblem(Span("b.yaml", 1, 1, 1), "s", "n"),
    ]
    assert (
        as_text(problems, {"a.yaml": "k: v"}) == "a.yaml:1:1: r: m\n    1 | k: v\n      | ^\nb.yaml:1:1: s: n"
    )


def test_json() -> None:
    rows = json.loads(as_json([TYPO]))
    assert rows == [
        {
            "file": FILE,
            "line": 14,
            "column": 9,
            "length": 13,
            "rule": "unknown-key",
            "message": '"promt_caching" is not a key of tools',
            "hint": 'did you mean "prompt_caching"?',
        }
    ]
    assert as_json([SpecProblem(Span("a", 1, 1, 1), "r", "\x1b\u202e")]).isascii()


def test_github() -> None:
    odd = SpecProblem(Span("a,b:c%.yaml", 1, 2, 1), "r", "100% of\nit\x1b::set-env")
    assert format_github([TYPO, odd]) == (
        "::error file=provider_specs/mistral.yaml,line=14,col=9,title=unknown-key::"
        '"promt_caching" is not a key of tools (did you mean "prompt_caching"?)\n'
        "::error file=a%2Cb%3Ac%25.yaml,line=1,col=2,title=r::100%25 of%0Ait\\x1b::set-env"
    )


def test_an_error_holds_problems_sorted_and_once() -> None:
    places = [
        ("b", 1, 1, "r"),
        ("a", 10, 1, "r"),
        ("a", 2, 5, "s"),
        ("a", 2, 5, "r"),
        ("a", 2, 4, "z"),
        ("b", 1, 1, "r"),
    ]
    error = SpecError(
        SpecProblem(Span(file, line, column, 1), rule, "m") for file, line, column, rule in places
    )
    assert [(*problem.span[:3], problem.rule) for problem in error.problems] == [
        ("a", 2, 4, "z"),
        ("a", 2, 5, "r"),
        ("a", 2, 5, "s"),
        ("a", 10, 1, "r"),
        ("b", 1, 1, "r"),
    ]
    assert str(error) == "a:2:4: z: m\na:2:5: r: m\na:2:5: s: m\na:10:1: r: m\nb:1:1: r: m"


@pytest.mark.parametrize(
    ("word", "hint"),
    [
        ("promt", 'did you mean "prompt"?'),
        ("temprature", 'did you mean "temperature"?'),
        ("xyz", None),
        ("", None),
    ],
)
def test_did_you_mean(word: str, hint: str | None) -> None:
    assert did_you_mean(word, ["prompt", "temperature", "top_p"]) == hint


def test_long_text_is_quoted_in_part() -> None:
    assert [quote("x" * 60), quote("x" * 61)] == [f'"{"x" * 60}"', f'"{"x" * 57}..."']
