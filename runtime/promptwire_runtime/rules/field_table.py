"""The decision table of a model: the checks of its rules by field, sorted once and kept with its decision."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from .plans import PathChecks, RuleCheck, checks_by_path, checks_of
from .rule import Rule


class FieldTable:
    """The checks of the rules that hold for a model, by field.

    rules       the rules in order
    omitting    those that leave out a field because the API does the same without it, by field
    checks      all their checks; the last one that means a value decides
    remembered  answers that others derived from the table
    """

    __slots__ = ("_about", "_inside", "_paths", "checks", "omitting", "remembered", "rules")

    def __init__(self, rules: tuple[Rule, ...]) -> None:
        """Sort the checks of rules by path."""
        self.rules = rules
        self.checks: tuple[RuleCheck, ...] = tuple(checks_of(rules))
        self.remembered: dict[Any, Any] = {}
        self.omitting: dict[str, list[Rule]] = {}
        for rule in rules:
            for name, what in rule.assign.items():
                if what == "omit":
                    self.omitting.setdefault(name, []).append(rule)
        self._paths = {checks.path.text: checks for checks in checks_by_path(self.checks)}
        self._inside: dict[str, tuple[PathChecks, ...]] = {}
        self._about: dict[str, tuple[PathChecks, ...]] = {}

    def checks_at(self, path: str) -> PathChecks | None:
        """Return the checks of exactly one path, or None without any."""
        return self._paths.get(path)

    def paths(self) -> Iterable[PathChecks]:
        """Return the checks of each path."""
        return self._paths.values()

    def checks_inside(self, field: str) -> tuple[PathChecks, ...]:
        """Return the checks of a field and of the paths into it: `stop`, `stop.count`."""
        found = self._inside.get(field)
        if found is None:
            inside = f"{field}."
            paths = [path for path in self._paths if path == field or path.startswith(inside)]
            found = self._inside[field] = tuple([self._paths[path] for path in paths])
        return found

    def checks_about(self, head: str) -> tuple[PathChecks, ...]:
        """Return the checks that a change of a field may concern: its own, and those whose rules look at it."""
        found = self._about.get(head)
        if found is None:
            found = self._about[head] = tuple(
                [
                    checks
                    for checks in self._paths.values()
                    if checks.path.head == head or any(_looks_at(check, head) for check in checks.rows)
                ]
            )
        return found


def _looks_at(check: RuleCheck, head: str) -> bool:
    """Return whether a check looks at a field other than its own."""
    others = [condition.path for condition in (*check.rule.given, *check.rule.unless)]
    if check.condition.other is not None:
        others.append(check.condition.other)
    return any(path.head == head for path in others)
