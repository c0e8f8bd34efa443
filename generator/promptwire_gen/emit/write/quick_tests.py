"""Quick tests that decide whether a node is shown to the rules: cheap, and true whenever a rule may match."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ...model.condition_checks import COUNTED_AT_ONCE, COUNTED_IN_SCHEMAS
from ...model.neutral import REQUEST
from ...model.wire import WireModel
from ...spec.rule_conditions import OPERATORS, Condition
from ..conditions import (
    all_of,
    any_of,
    compared,
    contains,
    inverted,
    is_given,
    is_none_of,
    is_one_of,
    lacks,
    negated,
)
from ..python import Binding, Expression, attribute, bracketed, call, literal, name

_SIMPLE = re.compile(r"(?P<letters>\.|\[a-zA-Z0-9_[.:-]*\])(?:\+|\{(?P<least>[01]),(?P<most>\d+)\})")


def may_match(condition: Condition, value: Expression, *, always: bool) -> Expression:
    """Return the test of a part's field; `always` where it has a value."""
    tests = [] if always else [is_given(value)]
    if condition.operator == "!=" and not condition.has_globs:
        tests.append(is_none_of(value, [literal(word) for word in condition.words]))
    elif condition.pattern is not None:
        plain_match = _surely_matches(value, condition.pattern)
        tests += [] if plain_match is None else [negated(bracketed(plain_match))]
        tests.append(call("is_unlike", value, literal(condition.pattern)))
    elif test := OPERATORS[condition.operator].test:
        tests.append(Expression(test.format(value=value, operand=condition.operand), Binding.COMPARISON))
    return all_of(tests) or is_given(value)


def _surely_matches(value: Expression, pattern: str) -> Expression | None:
    """Return a test of text that is quicker than the regular expression, and true only where that matches."""
    simple = _SIMPLE.fullmatch(pattern)
    if simple is None:
        return None
    # ASCII Python identifiers
    identifier_tests = [call(f"{value}.isidentifier"), call(f"{value}.isascii")]
    some = [] if simple["least"] == "0" else [value]
    short = [compared(call("len", value), "<=", literal(int(simple["most"])))] if simple["most"] else []
    return all_of([*(some if simple["letters"] == "." else identifier_tests), *short])


def schemas_may_match(
    conditions: Sequence[tuple[Condition, str]], value: Expression, *, always: bool
) -> Expression:
    """Return the test that finds unusual values of a tool's field, by conditions about it or a key of its schema."""
    is_there = is_given(value)
    tests: list[Expression] = []
    at_once = {key for _, key in conditions if key in COUNTED_AT_ONCE}
    for condition, key in conditions:
        if "." in key:
            return is_there
        said = None if condition.pattern is None or key else _surely_matches(value, condition.pattern)
        if said is not None:
            tests.append(inverted(said))
            continue
        if not key and (test := OPERATORS[condition.operator].test):
            tests.append(Expression(test.format(value=value, operand=condition.operand), Binding.COMPARISON))
            continue
        if key == "odd_names" or key in COUNTED_IN_SCHEMAS:
            tests.append(call("is_unusual" if key in at_once and len(at_once) > 1 else key, value))
        elif key and not condition.operator:
            tests.append(contains(key, value))
        elif key and condition.operator == "!=" and condition.words == ("*",):
            tests.append(lacks(key, value))
        elif key and condition.operator == "=" and not condition.has_globs:
            words = [literal(word) for word in condition.words]
            tests.append(is_one_of(call(f"{value}.get", literal(key)), words))
        elif key and condition.operator == "!=" and len(condition.words) == 1:
            tests.append(compared(call(f"{value}.get", literal(key)), "!=", literal(condition.words[0])))
        else:
            return is_there
    unusual = any_of(list(dict.fromkeys(tests)))
    return all_of([None if always else is_there, unusual]) or is_there


def exempting_fields(condition: Condition, model: WireModel) -> tuple[str, ...]:
    """Return the fields of a request any of which exempts a kind of part that is rejected otherwise."""
    exempting: list[str] | None = None
    for rule in model.rules:
        if condition in rule.reject:
            own = [other.head for other in rule.unless if _is_field(other)]
            exempting = own if exempting is None else [field for field in exempting if field in own]
        always = not (rule.model or rule.not_model or rule.settings)
        if condition in rule.allow and always and len(rule.given) == 1 and _is_field(rule.given[0]):
            exempting = [*(exempting or ()), rule.given[0].head]
    return tuple(exempting or ())


def _is_field(condition: Condition) -> bool:
    return condition == Condition(condition.head) and condition.head in REQUEST


def unless_set(condition: Condition, model: WireModel) -> Expression | None:
    """Return the test of a part kind that is rejected unless the request has some field; None if it depends on more."""
    request = attribute(name("build"), "request")
    return all_of([negated(attribute(request, field)) for field in exempting_fields(condition, model)])
