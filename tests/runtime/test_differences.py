"""Differences of two JSON values: each place once, with both values."""

from __future__ import annotations

from tests.internals.runtime import differences


def test_each_way_in_which_values_differ_is_told() -> None:
    expected = {"a": 1, "b": [{"c": "x"}, 2], "d": None, "e": {"f": True}}
    got = {"b": [{"c": "y"}], "a": 1.0, "e": {"f": 1}, "g": [0]}
    assert [tuple(each) for each in differences(expected, got)] == [
        (("a",), "1", "1.0"),
        (("b", 0, "c"), '"x"', '"y"'),
        (("b", 1), "2", "nothing"),
        (("d",), "null", "nothing"),
        (("e", "f"), "true", "1"),
        (("g",), "nothing", "[0]"),
    ]
    assert [tuple(each) for each in differences([1], "one")] == [((), "[1]", '"one"')]
    assert list(differences(expected, dict(reversed(expected.items())))) == []


def test_long_values_are_cut() -> None:
    (found,) = differences("x" * 100, 1)
    assert found.expected == '"' + "x" * 56 + "..."
