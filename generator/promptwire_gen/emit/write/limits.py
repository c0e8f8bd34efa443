"""Limits of numbers: a test beside the line that writes an option, so that only numbers beyond one reach the rules."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from ...model.neutral import OPTIONS
from ...model.wire import WireModel
from ...spec.rule_conditions import Condition
from ...spec.shapes import Hole, Shape
from ..conditions import any_of, compared, is_given, negated, outside
from ..python import Expression, attribute, bound, call, literal, name
from .keys import Key, Limits, ValueKey
from .reports import ReportCall
from .rule_facts import means_one, rejected


def limited(shape: Shape, keys: tuple[Key, ...], model: WireModel) -> tuple[Key, ...]:
    """Add the limits of options to the keys that hold them."""
    options = dict.fromkeys(hole.path[0] for hole in shape.written_holes if hole.path[0] in OPTIONS)
    tested: list[Limits] = []
    for option in options:
        value = _option(option)
        if limits := limits_of(option, value, model):
            tested.append(Limits(is_given(value), limits))
    key = keys[0] if len(keys) == 1 else None
    if isinstance(key, ValueKey) and len(tested) == 1 and key.given == tested[0].given and not key.otherwise:
        return (replace(key, limits=tested[0].limits),)
    return (*keys, *tested)


def plain_option(hole: Hole, key: ValueKey, value: Expression, model: WireModel) -> ValueKey:
    """Bind an option to its name in the test, so that it is looked up once; `value` is its JSON by that name."""
    option = hole.path[0]
    return replace(
        key,
        given=is_given(bound(option, _option(option))),
        value=value,
        limits=limits_of(option, name(option), model),
    )


def is_plain_option(hole: Hole) -> bool:
    """Return whether a hole holds an option unchanged, whatever its value."""
    return hole.path[0] in OPTIONS and not hole.filters and hole.guard is None


def _option(option: str) -> Expression:
    return attribute(name("options"), option)


def limits_of(option: str, value: Expression, model: WireModel) -> tuple[ReportCall, ...]:
    """Return the tests of an option by the narrowest limits of all rules; `value` is its name in the code."""
    limits = [condition for condition in rejected(model) if condition.head == option and _is_limit(condition)]
    integer = option in OPTIONS and OPTIONS[option].type == "int"
    inside = dict.fromkeys(
        condition.path
        for condition in rejected(model)
        if condition.head == option and condition.tail in ("keys", "values")
    )
    reports = [ReportCall(None, _shown(path)) for path in inside]
    for path in dict.fromkeys(condition.path for condition in limits):
        bounds: dict[str, list[float]] = {}
        for condition in limits:
            if condition.path == path:
                number = _number(condition.limit or 0, whole=integer or path != option)
                bounds.setdefault(condition.operator, []).append(number)
        narrowest = {operator: _narrowest(operator, numbers) for operator, numbers in bounds.items()}
        test = _beyond(value, narrowest) if path == option else _too_many(value, narrowest)
        reports.append(ReportCall(test, _shown(path)))
    return tuple(reports)


def _shown(path: str) -> Expression:
    return call("build.check_option", literal(path))


def counts_one(option: str, model: WireModel) -> bool:
    """Return whether a rule may refuse a list because it has one element."""
    conditions = [
        condition for condition in rejected(model) if condition.head == option and condition.tail == "count"
    ]
    return any(map(means_one, conditions))


def _narrowest(operator: str, bounds: list[float]) -> float:
    return min(bounds) if operator[0] == ">" else max(bounds)


def _beyond(value: Expression, bounds: Mapping[str, float]) -> Expression | None:
    """Return the test whether a number is beyond one of these bounds."""
    return any_of(
        [
            compared(value, operator, literal(bound))
            for operator, bound in sorted(bounds.items(), reverse=True)
        ]
    )


def _too_many(value: Expression, bounds: Mapping[str, float]) -> Expression | None:
    """Return the test whether there are too few or too many of something."""
    count = call("len", value)
    # cheaper than two function calls
    if set(bounds) == {"<", ">"}:
        return outside(count, bounds["<"], bounds[">"])
    return any_of(
        [
            negated(value) if (operator, bound) == ("<", 1) else compared(count, operator, literal(bound))
            for operator, bound in sorted(bounds.items(), reverse=True)
        ]
    )


def _number(limit: float, *, whole: bool) -> float:
    """Return the limit of whole numbers as it is; a float is compared with a float in half the time."""
    return limit if whole else float(limit)


def _is_limit(condition: Condition) -> bool:
    return condition.limit is not None and condition.tail in ("", "count")
