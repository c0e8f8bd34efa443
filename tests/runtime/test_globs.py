"""Patterns with stars: what they mean is what trying every way would find, in bounded time."""

from __future__ import annotations

from fnmatch import fnmatchcase
from itertools import product

from hypothesis import given, strategies as st

from tests.internals.runtime import Words, fits, matches_any, pattern_of
from tests.laws.strategies import searching

PIECES = st.lists(st.sampled_from(("a", "b", "ab", "*", "**", "\n")), max_size=7).map("".join)


@searching(400)
@given(text=PIECES, globs=st.lists(PIECES, min_size=1, max_size=3))
def test_stars_mean_any_text(text: str, globs: list[str]) -> None:
    wanted = any(fnmatchcase(text, glob) for glob in globs)
    assert fits(text, "|".join(globs)) is wanted
    assert Words(*globs).match(text) is wanted


def test_globs_of_repairs_mean_what_fnmatch_says() -> None:
    names, globs = _texts("ab", 3), _texts("ab*", 4)
    wrong = [pair for pair in product(names, globs) if matches_any(*pair) is not fnmatchcase(*pair)]
    assert wrong == []
    assert [name for name in names if matches_any(name, "b a* !*b !aa")] == ["a", "aaa", "aba"]


def _texts(letters: str, most: int) -> list[str]:
    """Return every text of some letters up to a length."""
    return ["".join(text) for length in range(1, most + 1) for text in product(letters, repeat=length)]


def test_many_stars_are_compared_in_the_time_of_a_test() -> None:
    # trying every way would not end before the test run does
    for stars in (25, 100, 1000):
        assert not fits("a" * 10_000, "*a" * stars + "*b")
        assert fits("a" * 10_000, "*a" * stars + "*")
        assert not Words("*a" * stars + "*b", "b" + "*a" * stars).match("a" * 10_000)


def test_a_pattern_without_stars_is_its_words() -> None:
    assert pattern_of("a.b|c*d") == "a\\.b|c.*d"
