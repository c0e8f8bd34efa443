"""Limits of numbers: a test beside the line that writes an option, so that only what is beyond asks the rules."""

from __future__ import annotations

import re
from collections.abc import Mapping

from ..model.neutral import OPTIONS
from ..model.rule_entries import RuleEntry
from ..model.wire import WireModel
from ..spec.shapes import Hole, Shape
from .python import Statement, code, literal
from .watching import means_one, rejected

_NUMBER = re.compile(r"-?[0-9]+(\.[0-9]+)?")


def limited(shape: Shape, statements: list[Statement], model: WireModel) -> list[Statement]:
    """Add the limits of options to the lines that write them."""
    if isinstance(shape, Hole) and shape.path[0] in OPTIONS and not shape.filters and len(statements) == 1:
        return [_plain_option(shape.path[0], statements[0], model)]
    options = dict.fromkeys(h.path[0] for h in shape.holes if not h.read_only and h.path[0] in OPTIONS)
    found = {f"options.{option}": limits_of(option, f"options.{option}", model) for option in options}
    tests: list[Statement] = [(f"if {value} is not None:", rows) for value, rows in found.items() if rows]
    if len(statements) == len(tests) == 1 and statements[0][0] == tests[0][0]:
        return [(tests[0][0], [*statements[0][1], *tests[0][1]])]
    return [*statements, *tests]


def _plain_option(option: str, statement: Statement, model: WireModel) -> Statement:
    """Write an option under its key, with the tests of its limits beside it."""
    limits = limits_of(option, option, model)
    assert not isinstance(statement, str), "an option is written where it is given"
    test, (line, *others) = statement
    assert isinstance(line, str)
    value = f"options.{option}"
    bound = test.replace(value, f"({option} := {value})", 1)
    return bound, [line.replace(value, option), *others, *limits]


def limits_of(option: str, value: str, model: WireModel) -> list[Statement]:
    """The tests of an option that is there, by the narrowest limits of all rules; `value` is its name in the code."""
    limits = [entry for entry in rejected(model) if entry.head == option and _is_limit(entry)]
    integer = option in OPTIONS and OPTIONS[option].type == "int"
    inside = dict.fromkeys(
        entry.path for entry in rejected(model) if entry.head == option and entry.tail in ("keys", "values")
    )
    out: list[Statement] = [f"build.watch_option({code(literal(path))})" for path in inside]
    for path in dict.fromkeys(entry.path for entry in limits):
        number = value if path == option else f"len({value})"
        bounds: dict[str, list[float]] = {}
        for entry in limits:
            if entry.path == path:
                bound = _bound(entry.operand, whole=integer or path != option)
                bounds.setdefault(entry.operator, []).append(bound)
        test = _beyond(
            number, value, {operator: _narrowest(operator, bounds[operator]) for operator in bounds}
        )
        out.append((f"if {test}:", [f"build.watch_option({code(literal(path))})"]))
    return out


def counts_one(option: str, model: WireModel) -> bool:
    """Whether a rule may refuse a list because it has one element."""
    counted = [entry for entry in rejected(model) if entry.head == option and entry.tail == "count"]
    return any(map(means_one, counted))


def _narrowest(operator: str, bounds: list[float]) -> float:
    return min(bounds) if operator[0] == ">" else max(bounds)


def _beyond(number: str, value: str, bounds: Mapping[str, float]) -> str:
    """The test whether a number is beyond one of these bounds."""
    # one chain is slower than two comparisons of a name, and sooner done than two calls
    if number != value and set(bounds) == {"<", ">"}:
        return f"not {bounds['<']} <= {number} <= {bounds['>']}"
    return " or ".join(
        f"not {value}"
        if number != value and (operator, bounds[operator]) == ("<", 1)
        else f"{number} {operator} {bound}"
        for operator, bound in sorted(bounds.items(), reverse=True)
    )


def _bound(operand: str, *, whole: bool) -> float:
    """Read a number; a float is compared with a float in half the time, a whole number with a whole one."""
    return int(operand) if whole and operand.lstrip("-").isdigit() else float(operand)


def _is_limit(entry: RuleEntry) -> bool:
    return entry.compares and entry.tail in ("", "count") and _NUMBER.fullmatch(entry.operand) is not None
