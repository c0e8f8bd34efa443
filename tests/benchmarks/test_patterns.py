"""Regular expressions that specs may have are quick for every text."""

from __future__ import annotations

import re
from random import Random
from time import process_time

from hypothesis import given, settings, strategies as st

from tests.internals.compiler import find_pattern_trouble
from tests.searching import examples

LETTERS = st.sampled_from(["a", "b", ".", "[ab]", r"\w", "[^a]", r"\s", "-"])
REPEATS = st.sampled_from(["*", "+", "?", "{2}", "{0,9}", "{3,}", "*?", "++", "*+"])
GROUPS = st.sampled_from(["(?:%s)", "(%s)", "(?=%s)", "(?!%s)", "(?>%s)"])
PATTERNS = st.recursive(
    LETTERS,
    lambda inner: (
        st.tuples(inner, REPEATS).map(lambda both: f"(?:{both[0]}){both[1]}")
        | st.tuples(LETTERS, REPEATS).map("".join)
        | st.lists(inner, min_size=2, max_size=4).map("".join)
        | st.lists(inner, min_size=2, max_size=3).map(lambda some: f"(?:{'|'.join(some)})")
        | st.tuples(GROUPS, inner).map(lambda both: both[0] % both[1])
    ),
    max_leaves=6,
)
LENGTH = 20_000
# seconds of the processor
MOST = 0.1


def texts_for(pattern: str) -> list[str]:
    """Long texts of the pattern's own letters, which end in what it does not expect."""
    random = Random(pattern)
    pieces = ["a", "b", "ab", "aab", "-", "a ", " ", "é", "".join(random.choices("ab- ", k=7))]
    return [(piece * LENGTH)[:LENGTH] + end for piece in pieces for end in ("", "!")]


@settings(max_examples=examples(150))
@given(PATTERNS)
def test_what_is_taken_is_quick_for_every_long_text(pattern: str) -> None:
    if find_pattern_trouble(pattern) is not None:
        return
    fullmatch = re.compile(pattern, re.DOTALL).fullmatch
    for text in texts_for(pattern):
        # the quickest of three: others use the processor too
        times: list[float] = []
        while len(times) < 3 and (not times or min(times) > MOST):
            begin = process_time()
            fullmatch(text)
            times.append(process_time() - begin)
        assert min(times) < MOST, (pattern, text[:20])
