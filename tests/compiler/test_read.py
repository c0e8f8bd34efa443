"""Reading YAML: what a text means, where it stands, and what is refused."""

from __future__ import annotations

from textwrap import dedent
from typing import Any

import pytest

from promptwire_gen.plugin_api import Span
from tests.internals.compiler import SpecError, as_text, read
from tests.internals.runtime import Scalar, Sequence, Table, plain, span_at

VALUES: dict[str, Any] = {
    "": None,
    "~": None,
    "null": None,
    "true": True,
    "false": False,
    "on": "on",
    "off": "off",
    "yes": "yes",
    "no": "no",
    "0": 0,
    "-12": -12,
    "+3": 3,
    "1.5": 1.5,
    ".5": 0.5,
    "1.": 1.0,
    "1e3": 1000.0,
    "2026-10-21": "2026-10-21",
    "1:30": "1:30",
    "1.2.3": "1.2.3",
    "$name|json": "$name|json",
    '"1"': "1",
    "'true'": "true",
    '"\\u2028\\0"': "\u2028\0",
    "[1, [a, {b: c}], {}]": [1, ["a", {"b": "c"}], {}],
    "{temperature?: $t, ...: $rest, a|b?: =x|y}": {"temperature?": "$t", "...": "$rest", "a|b?": "=x|y"},
    "|\n  two\n  lines": "two\nlines\n",
    ">-\n  one\n  line": "one line",
    "&x [1]": [1],
}


@pytest.mark.parametrize("text", VALUES)
def test_value(text: str) -> None:
    value = plain(read(f"key: {text}\n", "a.yaml"))["key"]
    assert (value, type(value)) == (VALUES[text], type(VALUES[text]))


REFUSED = {
    "empty file": ("# nothing\n", "a.yaml:1:1: empty-file: the file is empty\n    1 | # nothing\n      | ^"),
    "a list": (
        "- a\n",
        "a.yaml:1:1: wrong-type: a spec is a mapping: key: value\n    1 | - a\n      | ^",
    ),
    "duplicate keys, all of them": (
        "a: 1\nb: {c: 1, c: 2}\n'a': 3\n",
        """\
        a.yaml:2:11: duplicate-key: "c" is already given
            2 | b: {c: 1, c: 2}
              |           ^ first at line 2, column 5
        a.yaml:3:1: duplicate-key: "a" is already given
            3 | 'a': 3
              | ^^^ first at line 1, column 1""",
    ),
    "keys that are no text": (
        "1: a\ntrue: b\n~: c\n? [d]\n: e\n{f}: g\n",
        """\
        a.yaml:1:1: non-string-key: a key must be text
            1 | 1: a
              | ^ put it in quotes
        a.yaml:2:1: non-string-key: a key must be text
            2 | true: b
              | ^^^^ put it in quotes
        a.yaml:3:1: non-string-key: a key must be text
            3 | ~: c
              | ^ put it in quotes
        a.yaml:4:3: non-string-key: a key must be text
            4 | ? [d]
              |   ^ put it in quotes
        a.yaml:6:1: non-string-key: a key must be text
            6 | {f}: g
              | ^ put it in quotes""",
    ),
    "tags": (
        "a: !!python/object/apply:os.system [x]\nb: !x y\nc: !!str 1\n",
        """\
        a.yaml:1:4: tag: tags are not part of the language: "!!python/object/apply:os.system"
            1 | a: !!python/object/apply:os.system [x]
              |    ^ put text in quotes instead
        a.yaml:2:4: tag: tags are not part of the language: "!x"
            2 | b: !x y
              |    ^^^^ put text in quotes instead
        a.yaml:3:4: tag: tags are not part of the language: "!!str"
            3 | c: !!str 1
              |    ^^^^^^^ put text in quotes instead""",
    ),
    "merge keys": (
        "a: &x {b: 1}\nc: {<<: *x}\n",
        """\
        a.yaml:2:5: merge-key: merge keys are not part of the language
            2 | c: {<<: *x}
              |     ^^ use extends""",
    ),
    "several documents": (
        "a: 1\n---\nb: 2\n",
        """\
        a.yaml:2:1: several-documents: a spec is one document
            2 | ---
              | ^^^ remove ---""",
    ),
    "numbers that JSON lacks": (
        f"a: .inf\nb: -.NaN\nc: 1e999\nd: {'9' * 65}\n",
        f"""\
        a.yaml:1:4: bad-number: ".inf" is no JSON number
            1 | a: .inf
              |    ^^^^ put it in quotes if it is text
        a.yaml:2:4: bad-number: "-.NaN" is no JSON number
            2 | b: -.NaN
              |    ^^^^^ put it in quotes if it is text
        a.yaml:3:4: bad-number: this number is too long or too large
            3 | c: 1e999
              |    ^^^^^ put it in quotes if it is text
        a.yaml:4:4: bad-number: this number is too long or too large
            4 | d: {"9" * 65}
              |    {"^" * 65} put it in quotes if it is text""",
    ),
    "words that other readers take for values": (
        "a: True\nb: 0x1f\nc: 1_000\nd: 007\n",
        """\
        a.yaml:1:4: ambiguous-word: "True" may mean true or the word
            1 | a: True
              |    ^^^^ write true, or put it in quotes if it is text
        a.yaml:2:4: ambiguous-word: "0x1f" may mean a number or text
            2 | b: 0x1f
              |    ^^^^ write a plain decimal number, or put it in quotes if it is text
        a.yaml:3:4: ambiguous-word: "1_000" may mean a number or text
            3 | c: 1_000
              |    ^^^^^ write a plain decimal number, or put it in quotes if it is text
        a.yaml:4:4: ambiguous-word: "007" may mean a number or text
            4 | d: 007
              |    ^^^ write a plain decimal number, or put it in quotes if it is text""",
    ),
    "control characters": (
        "a: \0\nb: \x1b[0m\nc: \u2028\nd: \ud800\n",
        """\
        a.yaml:1:4: control-character: U+0000 may not stand in a spec
            1 | a: \\x00
              |    ^^^^ write it as an escape in double quotes
        a.yaml:2:4: control-character: U+001B may not stand in a spec
            2 | b: \\x1b[0m
              |    ^^^^ write it as an escape in double quotes
        a.yaml:3:4: control-character: U+2028 may not stand in a spec
            3 | c: \\u2028
              |    ^^^^^^ write it as an escape in double quotes
        a.yaml:4:4: control-character: U+D800 may not stand in a spec
            4 | d: \\ud800
              |    ^^^^^^ write it as an escape in double quotes""",
    ),
    "a byte order mark": (
        "\ufeffa: 1\n",
        """\
        a.yaml:1:1: control-character: U+FEFF may not stand in a spec
            1 | \\ufeffa: 1
              | ^^^^^^ save the file without a byte order mark""",
    ),
    "an unknown anchor": (
        "a: &shape 1\nb: *shap\n",
        """\
        a.yaml:2:4: unknown-anchor: *shap names no anchor above
            2 | b: *shap
              |    ^^^^^ did you mean "shape"?""",
    ),
    "an anchor inside itself": (
        "a: &a {b: [*a]}\n",
        """\
        a.yaml:1:12: unknown-anchor: *a contains itself
            1 | a: &a {b: [*a]}
              |            ^^""",
    ),
    "a brace that is not closed": (
        "a: 1\nb: {c: d\n",
        """\
        a.yaml:2:4: syntax: a "}" or a comma is missing in a mapping in braces
            2 | b: {c: d
              |    ^""",
    ),
    "a bracket that meets the next key": (
        "a: [b\nc: d\ne: f\n",
        """\
        a.yaml:2:2: syntax: a "]" or a comma is missing in a list in brackets
            2 | c: d
              |  ^ it began at line 1, column 4""",
    ),
    "a quote that is not closed": (
        'a: "b\nc: d\n',
        """\
        a.yaml:1:4: syntax: the file ends inside a quoted text: a closing quote is missing
            1 | a: "b
              |    ^""",
    ),
    "a colon too many": (
        "a: b: c\n",
        """\
        a.yaml:1:5: syntax: a ":" is not expected here: put the text in quotes
            1 | a: b: c
              |     ^""",
    ),
    "indentation": (
        "a:\n  - b\n c: d\n",
        """\
        a.yaml:3:2: syntax: a key is expected here: check the indentation up to this line
            3 |  c: d
              |  ^ it began at line 1, column 1""",
    ),
    "a character that starts nothing": (
        "a: @b\n",
        """\
        a.yaml:1:4: syntax: no text may start with this character: put it in quotes
            1 | a: @b
              |    ^""",
    ),
    "an unknown escape": (
        'a: "\\d"\n',
        """\
        a.yaml:1:5: syntax: no such escape: write "\\\\" for a backslash, or use single quotes
            1 | a: "\\d"
              |     ^""",
    ),
    "problems before a syntax error": (
        "a: !x b\nc: [\n",
        """\
        a.yaml:1:4: tag: tags are not part of the language: "!x"
            1 | a: !x b
              |    ^^^^ put text in quotes instead
        a.yaml:2:4: syntax: a value is expected here
            2 | c: [
              |    ^""",
    ),
}


@pytest.mark.parametrize("case", REFUSED)
def test_refused(case: str) -> None:
    text, expected = REFUSED[case]
    with pytest.raises(SpecError) as caught:
        read(text, "a.yaml")
    assert as_text(caught.value.problems, {"a.yaml": text}) == dedent(expected)


def test_nodes_keep_their_place() -> None:
    text = "é: [1, 'two']\nthree: |\n  four\n  five\nsix: a\n  b\n"
    key, value = Span("a.yaml", 1, 1, 1), Span("a.yaml", 1, 4, 1)
    items = (Scalar(1, Span("a.yaml", 1, 5, 1), False), Scalar("two", Span("a.yaml", 1, 8, 5), True))
    assert read(text, "a.yaml") == Table(
        (
            (Scalar("é", key, False), Sequence(items, value)),
            (
                Scalar("three", Span("a.yaml", 2, 1, 5), False),
                Scalar("four\nfive\n", Span("a.yaml", 2, 8, 1), True),
            ),
            (Scalar("six", Span("a.yaml", 5, 1, 3), False), Scalar("a b", Span("a.yaml", 5, 6, 1), False)),
        ),
        Span("a.yaml", 1, 1, 1),
    )


def test_an_alias_is_the_anchored_node() -> None:
    tree = read("a: &x {b: [c]}\nd: *x\n", "a.yaml")
    assert tree.get("d") == tree.get("a")
    assert plain(tree) == {"a": {"b": ["c"]}, "d": {"b": ["c"]}}


@pytest.mark.parametrize(
    ("path", "value_at", "key_at"),
    [
        ((), (1, 1), (1, 1)),
        (("a",), (1, 4), (1, 1)),
        (("a", "b"), (1, 8), (1, 5)),
        (("a", "b", 1), (1, 12), (1, 12)),
        (("a", "b", 2), (1, 8), (1, 5)),
        (("a", "z"), (1, 4), (1, 1)),
        ((0,), (1, 1), (1, 1)),
    ],
)
def test_span_at(path: tuple[str | int, ...], value_at: tuple[int, int], key_at: tuple[int, int]) -> None:
    tree = read("a: {b: [c, d]}\n", "a.yaml")
    found = [span_at(tree, path), span_at(tree, path, key=True)]
    assert [(span.line, span.column) for span in found] == [value_at, key_at]
