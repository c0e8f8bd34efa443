"""Reading any text: limits on size and depth, and what holds for every text."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given, settings, strategies as st

from tests.internals.compiler import SpecError, as_text, read
from tests.internals.runtime import Table, plain
from tests.searching import examples


def nested(levels: int) -> str:
    """Return a mapping that holds lists, `levels` deep in all."""
    return f"a: {'[' * (levels - 1)}{']' * (levels - 1)}\n"


def bomb(width: int, levels: int) -> str:
    """Return a text whose aliases multiply `width` texts `levels` times."""
    lines = [f"l0: &l0 [{', '.join('x' * width)}]"]
    lines += [f"l{n}: &l{n} [{', '.join([f'*l{n - 1}'] * width)}]" for n in range(1, levels)]
    return "\n".join(lines)


LIMITS = {
    "depth": (nested(64), nested(65), "a.yaml:1:67: too-deep: more than 64 levels"),
    "depth by aliases": (
        f"a: &a {'[' * 40}{']' * 40}\nb: {'[' * 23}*a{']' * 23}\n",
        f"a: &a {'[' * 40}{']' * 40}\nb: {'[' * 24}*a{']' * 24}\n",
        "a.yaml:2:28: too-deep: more than 64 levels",
    ),
    "values": (
        "a: [" + "x," * 99_998 + "]",
        "a: [" + "x," * 99_999 + "]",
        "a.yaml:1:1: too-large: more than 100,000 values, aliases expanded",
    ),
    "values by aliases": (
        bomb(9, 5),
        bomb(9, 6),
        "a.yaml:6:15: too-large: more than 100,000 values, aliases expanded",
    ),
    "size": (
        "a: " + "é" * ((1 << 19) - 2) + "x",
        "a: " + "é" * ((1 << 19) - 1),
        "a.yaml:1:1: too-large: the file is larger than 1 MiB",
    ),
    "unclosed brackets": ("a: []", "[" * 900, "a.yaml:1:65: too-deep: more than 64 levels"),
}


@pytest.mark.parametrize("text", ["[" * 500_000, "a: " + "{b: " * 100_000], ids=["lists", "mappings"])
def test_brackets_without_end_are_too_deep(text: str) -> None:
    with pytest.raises(SpecError) as caught:
        read(text, "a.yaml")
    # how far the parser of YAML looks ahead is its own affair
    assert re.fullmatch(r"a\.yaml:1:\d+: too-deep: more than 64 levels", str(caught.value))


@pytest.mark.slow
@pytest.mark.parametrize("case", LIMITS)
def test_limit(case: str) -> None:
    last, first_beyond, problem = LIMITS[case]
    assert isinstance(read(last, "a.yaml"), Table)
    with pytest.raises(SpecError) as caught:
        read(first_beyond, "a.yaml")
    assert str(caught.value) == problem


FRAGMENTS = [
    "a", "b", "?", ":", ": ", "- ", "{", "}", "[", "]", ", ", "\n", "  ", "\t", "'", '"', "|", ">", "&x ",
    "*x", "!t ", "#", "---", "...", "%", "@", "\\", "\0", "é", "\u2028", "\r", "1", ".inf", "true",
    "<<", "~", "\x1b",
]  # fmt: skip


@settings(max_examples=examples(500))
@given(st.lists(st.sampled_from(FRAGMENTS), max_size=30).map("".join))
def test_any_text_is_read_or_refused_with_a_printable_reason(text: str) -> None:
    shown, value = "", None
    try:
        value = plain(read(text, "a.yaml"))
    except SpecError as error:
        shown = as_text(error.problems, {"a.yaml": text})
    assert isinstance(value, dict) is not bool(shown)
    assert shown.replace("\n", "").isprintable()


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-(10**9), 10**9) | st.text(alphabet="ab\n'\"$?{}é: ", max_size=5),
    lambda inside: (
        st.lists(inside, max_size=3) | st.dictionaries(st.text("ab?|.", min_size=1), inside, max_size=3)
    ),
    max_leaves=20,
)


@settings(max_examples=examples(200))
@given(JSON)
def test_json_is_read_as_what_it_is(value: Any) -> None:
    assert plain(read(f"root: {json.dumps(value)}", "a.yaml")) == {"root": value}
