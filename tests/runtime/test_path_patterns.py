"""Patterns of paths at their limits."""

from __future__ import annotations

import pytest

from promptwire.errors import InvalidRequest
from promptwire.prompts import matches
from tests.internals.runtime import expanded

FIVE, EIGHT = "{a,b,c,d,e}", "{1,2,3,4,5,6,7,8}"


@pytest.mark.parametrize(("pattern", "alternatives"), [("a" * 4096, 1), (FIVE * 3 + EIGHT, 1000)])
def test_as_much_as_a_pattern_may_hold(pattern: str, alternatives: int) -> None:
    assert len(expanded(pattern)) == alternatives


@pytest.mark.parametrize(
    ("pattern", "said"),
    [
        ("a" * 4097, f'the pattern "{"a" * 60}" is longer than 4096 characters'),
        ("{a,b}" * 10, f'the pattern "{"{a,b}" * 10}" has more than 1000 alternatives'),
        (
            f"{FIVE * 3}{EIGHT}{{,x}}",
            f'the pattern "{FIVE * 3}{EIGHT}{{,x}}" has more than 1000 alternatives',
        ),
    ],
)
def test_more_is_refused(pattern: str, said: str) -> None:
    with pytest.raises(InvalidRequest) as refused:
        expanded(pattern)
    assert str(refused.value) == said


def test_brackets_may_name_what_is_not_meant() -> None:
    meant = {path: matches(path, ["[^b]a"]) for path in ("!a", "ba", "ca", "^a")}
    assert meant == {"!a": True, "ba": False, "ca": True, "^a": True}
