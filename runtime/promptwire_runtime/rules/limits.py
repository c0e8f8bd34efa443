"""The highest value that the rules of a wire accept for a field of one model."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from ..predicates.conditions import Compared, LengthCompared, Unlike
from .rule import Rule

# numbers of a request that only its API counts: rules state their limits, and builds do not check them
COUNTED_BY_APIS = ("input_tokens", "request_bytes")


def highest_accepted(rules: Iterable[Rule], field: str) -> tuple[float, Rule] | None:
    """Return the highest number (of characters, of a text) that rules accept, with the rule; None without a limit.

    `rules` are those that hold for a model. A limit that a later rule lifts does not count, and neither does one that
    depends on other fields of a request.
    """
    limits: dict[str, tuple[float, Rule]] = {}
    for rule in rules:
        for condition in rule.allow:
            if condition.path.text == field:
                limits.pop(str(condition), None)
        if rule.given or rule.unless:
            continue
        for condition in rule.reject:
            if condition.path.text == field and isinstance(condition, (Compared, LengthCompared, Unlike)):
                limits |= _limit(condition, rule)
    return min(limits.values(), key=lambda limit: limit[0], default=None)


def _limit(condition: Compared | LengthCompared | Unlike, rule: Rule) -> dict[str, tuple[float, Rule]]:
    if isinstance(condition, Unlike):
        longest = _longest(condition.pattern)
        return {} if longest is None else {str(condition): (longest, rule)}
    bound = condition.bound
    sign = condition.operator.removeprefix("len")
    if not isinstance(bound, (int, float)) or not sign.startswith(">"):
        return {}
    # numbers of tokens are whole
    return {str(condition): (bound - 1 if sign == ">=" else bound, rule)}


def _longest(pattern: str) -> int | None:
    """Return how many characters the longest text has that matches a regular expression; None without a limit."""
    parser: Any = vars(re)["_parser"]
    most = parser.parse(pattern).getwidth()[1]
    return None if most >= parser.MAXREPEAT else int(most)
