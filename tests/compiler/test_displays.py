"""Plain calls are written without a check only if the patterns for ids and names match every usual one."""

from __future__ import annotations

import re

import pytest
from hypothesis import given, strategies as st

from tests.internals.compiler import takes_usual
from tests.internals.runtime import MOST_USUAL

PATTERNS = [
    ("[a-zA-Z0-9_-]+", True, True),
    ("^[a-zA-Z0-9_-]{1,64}$", True, True),
    ("^[a-zA-Z0-9_-]{1,128}$", True, True),
    ("[a-zA-Z0-9_.:-]{1,64}", True, True),
    (".{1,64}", True, True),
    (".{0,128}", True, True),
    ("[a-zA-Z0-9_-]{1,63}", False, False),
    ("[a-zA-Z0-9_]+", False, False),
    ("[a-zA-Z0-9]{9}", False, False),
    ("^[a-zA-Z_][a-zA-Z0-9_.:-]{0,127}$", False, True),
    ("[a-zA-Z_][a-zA-Z0-9_-]{0,62}", False, False),
    ("[a-zA-Z_][a-zA-Z0-9_-]{1,64}", False, False),
    ("call_.*", False, False),
]
IDS = st.from_regex(r"[a-zA-Z0-9_-]{1,64}", fullmatch=True)
NAMES = st.from_regex(r"[a-zA-Z_][a-zA-Z0-9_-]{0,63}", fullmatch=True)


@pytest.mark.parametrize(("pattern", "ids", "names"), PATTERNS)
def test_a_pattern_takes_all_usual_ids_or_names(
    pattern: str, ids: bool, names: bool
) -> None:  # one row a case
    assert (takes_usual(pattern, "id"), takes_usual(pattern, "name")) == (ids, names)


def test_compiler_and_runtime_mean_the_same_length() -> None:
    assert takes_usual(f"[a-zA-Z0-9_-]{{1,{MOST_USUAL}}}", "id")
    assert not takes_usual(f"[a-zA-Z0-9_-]{{1,{MOST_USUAL - 1}}}", "id")


@given(st.sampled_from([row[0] for row in PATTERNS]), IDS, NAMES)
def test_what_is_said_to_take_them_does(pattern: str, id_: str, name: str) -> None:
    if takes_usual(pattern, "id"):
        assert re.fullmatch(pattern, id_)
    if takes_usual(pattern, "name"):
        assert re.fullmatch(pattern, name)
