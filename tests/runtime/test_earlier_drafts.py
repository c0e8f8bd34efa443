"""Schemas of earlier drafts, judged by a validator: in the words of draft 2020-12 they are valid, and mean the same."""

from __future__ import annotations

from typing import Any

from hypothesis import given, strategies as st
from jsonschema import Draft4Validator, Draft202012Validator, SchemaError

from tests.internals.runtime import adapt, loose_lists, outdated
from tests.laws.strategies import searching

WORDS = ("outdated", "loose_lists")
VALUES: tuple[Any, ...] = (0, 1, 2, "a", None, [], [0], [1], [2], ["a"], [0, "a"], ["a", 1, 2], [[], [1]])


def limited(word: str, exclusive: str) -> st.SearchStrategy[dict[str, Any]]:
    """Draw a limit as draft 4 has it, with or without the word that makes it exclusive."""
    return st.fixed_dictionaries({word: st.integers(0, 2)}, optional={exclusive: st.booleans()})


def _lists(inner: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    return st.fixed_dictionaries(
        {"type": st.sampled_from(["array", ["array", "null"]])},
        optional={
            "items": inner | st.lists(inner, min_size=1, max_size=2),
            "additionalItems": inner | st.booleans(),
        },
    )


LIMITS = st.one_of(limited("minimum", "exclusiveMinimum"), limited("maximum", "exclusiveMaximum"))
schemas = st.recursive(
    LIMITS | st.just({"type": "string"}),
    lambda inner: _lists(inner) | st.builds(lambda one, other: {"anyOf": [one, other]}, inner, inner),
    max_leaves=4,
)
tools = schemas.map(lambda schema: {"type": "object", "properties": {"a": schema}})


def is_valid(schema: dict[str, Any]) -> bool:
    try:
        Draft202012Validator.check_schema(schema)
    except SchemaError:
        return False
    return True


def fitting(validator: Any) -> list[Any]:
    """Return the values of the property that are valid."""
    return [value for value in VALUES if validator.is_valid({"a": value})]


@searching(1000)
@given(schema=tools)
def test_what_is_written_anew_is_valid_and_takes_the_same(schema: dict[str, Any]) -> None:
    assert is_valid(schema) is (outdated(schema) == 0)
    adapted, edits = adapt(schema, lambda word, _value: "no" if word == "outdated" else "")
    assert is_valid(adapted) and edits.loss == "none"
    assert fitting(Draft202012Validator(adapted)) == fitting(Draft4Validator(schema))


@searching(1000)
@given(schema=tools)
def test_arrays_that_get_items_take_the_same_if_nothing_is_lost(schema: dict[str, Any]) -> None:
    adapted, edits = adapt(schema, lambda word, _value: "no" if word in WORDS else "")
    assert loose_lists(adapted) == 0
    before, now = fitting(Draft4Validator(schema)), fitting(Draft202012Validator(adapted))
    assert before == now if edits.loss == "none" else all(value in now for value in before)
