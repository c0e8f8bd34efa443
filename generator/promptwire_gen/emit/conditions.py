"""Tests and what hangs on them, as libcst nodes: comparisons, `and`, `or`, `not`, and one value or another."""

from __future__ import annotations

from collections.abc import Sequence

import libcst as cst

from .python import Expression, call, literal, made_once, name, tuple_of

_IS, _IS_NOT, _IN, _NOT_IN = cst.Is(), cst.IsNot(), cst.In(), cst.NotIn()
_EQUALS, _DIFFERS = cst.Equal(), cst.NotEqual()
_AND, _OR, _NOT = cst.And(), cst.Or(), cst.Not()


@made_once
def is_given(value: Expression) -> Expression:
    """`value is not None`."""
    return cst.Comparison(value, [cst.ComparisonTarget(_IS_NOT, literal(None))])


@made_once
def is_the(value: Expression, other: Expression) -> Expression:
    """`value is other`."""
    return cst.Comparison(value, [cst.ComparisonTarget(_IS, other)])


@made_once
def is_not(value: Expression, other: Expression) -> Expression:
    """`value is not other`."""
    return cst.Comparison(value, [cst.ComparisonTarget(_IS_NOT, other)])


@made_once
def equals(value: Expression, other: Expression) -> Expression:
    """`value == other`."""
    return cst.Comparison(value, [cst.ComparisonTarget(_EQUALS, other)])


def is_one_of(value: Expression, others: Sequence[Expression]) -> Expression:
    """`value == other`, or `value in (other, another)`."""
    if len(others) == 1:
        return equals(value, others[0])
    return cst.Comparison(value, [cst.ComparisonTarget(_IN, tuple_of(others))])


def is_none_of(value: Expression, others: Sequence[Expression]) -> Expression:
    """`value not in (other, another)`."""
    if len(others) == 1:
        return differs(value, others[0])
    return cst.Comparison(value, [cst.ComparisonTarget(_NOT_IN, tuple_of(others))])


@made_once
def negated(value: Expression) -> Expression:
    """`not value`."""
    return cst.UnaryOperation(_NOT, value)


def inverted(test: Expression) -> Expression:
    """The opposite of a test: `value == other` for `value != other`, `not (...)` for any other."""
    if isinstance(test, cst.Comparison) and isinstance(test.comparisons[0].operator, cst.NotEqual):
        return equals(test.left, test.comparisons[0].comparator)
    return negated(bracketed(test))


@made_once
def differs(value: Expression, other: Expression) -> Expression:
    """`value != other`."""
    return cst.Comparison(value, [cst.ComparisonTarget(_DIFFERS, other)])


@made_once
def at_most(value: Expression, most: int) -> Expression:
    """`value <= most`."""
    return cst.Comparison(value, [cst.ComparisonTarget(cst.LessThanEqual(), literal(most))])


@made_once
def contains(key: str, subject: Expression) -> Expression:
    """`"key" in subject`."""
    return cst.Comparison(literal(key), [cst.ComparisonTarget(_IN, subject)])


def has_type(value: Expression, *types: str) -> Expression:
    """`type(value) is str`, or `type(value) in (str, list)`."""
    found = call("type", value)
    if len(types) == 1:
        return is_the(found, name(types[0]))
    return cst.Comparison(found, [cst.ComparisonTarget(_IN, tuple_of([name(t) for t in types]))])


def fails(tests: Sequence[Expression]) -> Expression | None:
    """The test that one of these does not hold; None when there is nothing to test."""
    test = all_of(tests)
    match test:
        case None:
            return None
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(cst.Is(), right)]):
            return is_not(left, right)
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(cst.IsNot(), right)]):
            return is_the(left, right)
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(cst.Equal(), right)]):
            return differs(left, right)
        case cst.Comparison(left=left, comparisons=[cst.ComparisonTarget(cst.In(), right)]):
            return cst.Comparison(left, [cst.ComparisonTarget(_NOT_IN, right)])
        case cst.Call():
            return negated(test)
        case _:
            return negated(bracketed(test))


def all_of(tests: Sequence[Expression]) -> Expression | None:
    """`a and b`; None when there is nothing to test."""
    return _joined(_AND, [or_bracketed(test) for test in tests] if len(tests) > 1 else tests)


def any_of(tests: Sequence[Expression]) -> Expression | None:
    """`a or b`; None when there is nothing to test."""
    return _joined(_OR, tests)


def or_bracketed(test: Expression) -> Expression:
    """Put brackets around an `or` that becomes part of something else."""
    if isinstance(test, cst.BooleanOperation) and isinstance(test.operator, cst.Or) and not test.lpar:
        return bracketed(test)
    return test


@made_once
def bracketed(value: Expression) -> Expression:
    """`(value)`."""
    return value.with_changes(lpar=[cst.LeftParen()], rpar=[cst.RightParen()])


def _joined(operator: cst.BaseBooleanOp, tests: Sequence[Expression]) -> Expression | None:
    joined: Expression | None = None
    for test in tests:
        joined = test if joined is None else _both(joined, operator, test)
    return joined


@made_once
def _both(left: Expression, operator: cst.BaseBooleanOp, right: Expression) -> Expression:
    return cst.BooleanOperation(left, operator, right)


@made_once
def conditional(test: Expression, then: Expression, otherwise: Expression) -> Expression:
    """`then if test else otherwise`."""
    return cst.IfExp(test=test, body=then, orelse=otherwise)


def either(value: Expression, default: Expression) -> Expression:
    """`value or default`."""
    return _both(value, _OR, default)
