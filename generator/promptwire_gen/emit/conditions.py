"""Tests and what hangs on them: comparisons, `and`, `or`, `not`, and one value or another."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .python import Binding, Expression, bracketed, call, literal, name, tuple_of

_OPPOSITE = {"is": "is not", "is not": "is", "==": "!=", "!=": "==", "in": "not in", "not in": "in"}


@dataclass(frozen=True, slots=True)
class ComparisonExpression(Expression):
    """`left operator right`, of which the opposite is known."""

    left: Expression = field(kw_only=True)
    operator: str = field(kw_only=True)
    right: Expression = field(kw_only=True)


def compared(left: Expression, operator: str, right: Expression) -> Expression:
    """`left operator right`."""
    text = f"{left.within(Binding.UNARY)} {operator} {right.within(Binding.UNARY)}"
    return ComparisonExpression(text, Binding.COMPARISON, left=left, operator=operator, right=right)


def is_given(value: Expression) -> Expression:
    """`value is not None`."""
    return compared(value, "is not", literal(None))


def equals(value: Expression, other: Expression) -> Expression:
    """`value == other`."""
    return compared(value, "==", other)


def is_one_of(value: Expression, others: Sequence[Expression]) -> Expression:
    """`value == other`, or `value in (other, another)`."""
    return equals(value, others[0]) if len(others) == 1 else compared(value, "in", tuple_of(others))


def contains(key: str, subject: Expression) -> Expression:
    """`"key" in subject`."""
    return compared(literal(key), "in", subject)


def has_type(value: Expression, *types: str) -> Expression:
    """`type(value) is str`, or `type(value) in (str, list)`."""
    kind = call("type", value)
    if len(types) == 1:
        return compared(kind, "is", name(types[0]))
    return compared(kind, "in", tuple_of([name(type_name) for type_name in types]))


@dataclass(frozen=True, slots=True)
class Negation(Expression):
    """`not value`, of which the opposite is known."""

    value: Expression = field(kw_only=True)


def negated(value: Expression) -> Expression:
    """`not value`."""
    return Negation(f"not {value.within(Binding.NOT)}", Binding.NOT, value=value)


def inverted(test: Expression) -> Expression:
    """Return the opposite of a test: `value == other` for `value != other`, `not (...)` for what has none."""
    if isinstance(test, ComparisonExpression) and test.operator in _OPPOSITE:
        return compared(test.left, _OPPOSITE[test.operator], test.right)
    if isinstance(test, Negation):
        return test.value
    return negated(test if test.binding is Binding.ATOM else bracketed(test))


def fails(tests: Sequence[Expression]) -> Expression | None:
    """Return the test that one of these does not hold; None when there is nothing to test."""
    test = all_of(tests)
    return None if test is None else inverted(test)


def all_of(tests: Iterable[Expression | None]) -> Expression | None:
    """`a and b`; None stands for nothing to test, here and among the tests."""
    return _joined("and", Binding.AND, [test for test in tests if test is not None])


def both(test: Expression, *others: Expression | None) -> Expression:
    """`a and b`, of which the first is always tested."""
    return all_of([test, *others]) or test


def any_of(tests: Sequence[Expression]) -> Expression | None:
    """`a or b`; None when there is nothing to test."""
    return _joined("or", Binding.OR, tests)


def _joined(operator: str, binding: Binding, tests: Sequence[Expression]) -> Expression | None:
    if len(tests) < 2:
        return tests[0] if tests else None
    # parenthesise `and` inside `or`, so that readers need not recall the precedence
    tight = Binding.COMPARISON if binding is Binding.OR else binding
    operands = [test.within(tight if test.binding is Binding.AND else binding) for test in tests]
    return Expression(f" {operator} ".join(operands), binding)


def conditional(test: Expression, then: Expression, otherwise: Expression) -> Expression:
    """`then if test else otherwise`."""
    first, condition = then.within(Binding.OR), test.within(Binding.OR)
    return Expression(f"{first} if {condition} else {otherwise.text}", Binding.CONDITIONAL)


def either(value: Expression, default: Expression) -> Expression:
    """`value or default`."""
    return Expression(f"{value.within(Binding.OR)} or {default.within(Binding.OR)}", Binding.OR)
