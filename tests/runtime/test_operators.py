"""The operators of conditions: the compiler and the rules at run time read one table."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest

from tests.internals.compiler import Condition
from tests.internals.runtime import (
    FieldCondition,
    above,
    at_least,
    at_most,
    below,
    longer,
    one_of,
    other_than,
    present,
    shorter,
    unlike,
)


class Word(str, Enum):  # noqa: UP042  # its `str()` is another text than its value
    """A member that is text."""

    LOW = "low"


CASES: list[tuple[Condition, FieldCondition, list[Any], list[Any]]] = [
    (Condition("x"), present("x"), [0, "", False, "a"], [None]),
    (
        Condition("x", operator="=", operand=("low", "1", "true", "a*z")),
        one_of("x", "low", "1", "true", "a*z"),
        ["low", Word.LOW, 1, True, "az", "a\nz"],
        [None, "lows", "Low", 1.0, "true ", "az?", "a", False],
    ),
    (
        Condition("x", operator="!=", operand=("low", "a?[z]")),
        other_than("x", "low", "a?[z]"),
        [None, "high", "abz", 1],
        ["low", Word.LOW, "a?[z]"],
    ),
    (Condition("x", operator="!=", operand=("*",)), other_than("x", "*"), [None], ["", "a", 0, False]),
    (
        Condition("x", operator="!~", operand="[a-z]+"),
        unlike("x", "[a-z]+"),
        ["", "A", "a1", "a\n"],
        ["a", "az", None, 1],
    ),
    (Condition("x", operator="<", operand=2), below("x", 2), [1, 1.9, -3], [2, 2.0, 3, True, "1", None]),
    (Condition("x", operator="<=", operand=2), at_most("x", 2), [1, 2, 2.0], [2.1, 3, False, None]),
    (Condition("x", operator=">", operand=2), above("x", 2), [2.1, 3], [2, 1, True, "3", None]),
    (Condition("x", operator=">=", operand=2), at_least("x", 2), [2, 2.0, 3], [1.9, None]),
    (Condition("x", operator="len<", operand=2), shorter("x", 2), ["", "a"], ["ab", 1, None]),
    (Condition("x", operator="len>", operand=2), longer("x", 2), ["abc"], ["ab", 333, None]),
]


@pytest.mark.parametrize(("compiled", "loaded", "met", "others"), CASES)
def test_an_operator_means_the_same_to_the_compiler_and_to_rules(
    compiled: Condition, loaded: FieldCondition, met: list[Any], others: list[Any]
) -> None:
    for condition in (compiled, loaded):
        assert [value for value in met if not condition.means(value)] == []
        assert [value for value in others if condition.means(value)] == []
    assert str(compiled) == repr(loaded)
