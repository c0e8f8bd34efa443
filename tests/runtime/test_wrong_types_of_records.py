"""A value of a wrong type for any record is an error of ours that names the field."""

from __future__ import annotations

import pytest

from promptwire import Event, openai_chat
from promptwire.context import HistoryReduction
from promptwire.errors import InvalidRequest
from tests.internals.runtime import RuleCheck, check_type


@pytest.mark.parametrize(
    ("cls", "field", "value"), [(HistoryReduction, "max_messages", "x"), (RuleCheck, "rejects", 5)]
)
def test_the_field_is_named(cls: type, field: str, value: object) -> None:
    with pytest.raises(InvalidRequest, match=f"{cls.__name__}: {field} is "):
        check_type(cls, field, value)


def test_a_type_that_only_type_checkers_know_takes_any_value() -> None:
    check_type(type(openai_chat.WIRE), "load_rules", 5)


def test_fields_are_taken_by_their_names_only() -> None:
    with pytest.raises(TypeError, match="missing 1 required keyword-only argument: 'kind'"):
        Event(text="a")  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="unexpected keyword argument 'txt'"):
        Event(kind="text", txt="a")  # type: ignore[call-arg]
    with pytest.raises(InvalidRequest, match="Event: text is an int, not str"):
        Event(kind="text", text=5)  # type: ignore[arg-type]
