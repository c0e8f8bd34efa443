"""The highest value that the rules of a wire accept for a field of one model."""

from __future__ import annotations

from ..predicates.conditions import Compared
from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from .rule import Rule


def highest_accepted(rules: Iterable[Rule], field: str) -> tuple[float, Rule] | None:
    """Return the highest number that rules accept for a field, with the rule that says so; None without a limit.

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
            if condition.path.text == field and isinstance(condition, Compared) and condition.is_limit:
                limits |= _limit(condition, rule)
    return min(limits.values(), key=lambda limit: limit[0], default=None)


def _limit(condition: Compared, rule: Rule) -> dict[str, tuple[float, Rule]]:
    bound = condition.bound
    if not isinstance(bound, (int, float)) or not condition.operator.startswith(">"):
        return {}
    # numbers of tokens are whole
    return {str(condition): (bound - 1 if condition.operator == ">=" else bound, rule)}
