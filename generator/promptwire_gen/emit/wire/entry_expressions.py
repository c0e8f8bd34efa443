"""Entries of rules as calls of the runtime: what an entry means is settled here, and no text is left to be parsed."""

from __future__ import annotations

from ...model.neutral import ROLES
from ...model.rule_entries import RuleEntry, parse_entry
from ..python import Expression, call, literal, tuple_of

_WORDS = {"=": "one_of", "!=": "other_than"}
_BOUNDS = {"<": "below", "<=": "at_most", ">": "above", ">=": "at_least"}


def entry_expression(entry: RuleEntry) -> Expression:
    """An entry: `above("temperature", 2)`, `one_of(at("reasoning", "effort"), "max", "xhigh")`."""
    path = _path(entry)
    if entry.operator in _WORDS:
        return call(_WORDS[entry.operator], path, *map(literal, entry.words))
    if entry.operator in _BOUNDS:
        return call(_BOUNDS[entry.operator], path, _bound(entry.operand))
    return call("unlike", path, literal(entry.operand)) if entry.operator else call("present", path)


def _path(entry: RuleEntry) -> Expression:
    """The path of an entry: the name of a field, or `at(...)` with what stands behind it."""
    keys = entry.tail.split(".") if entry.tail else []
    # of several keys of a tool, or fields of a part, the first that is there counts
    several = entry.head == "tools" or entry.head in ROLES
    either = keys.pop().split("|") if keys and "|" in keys[-1] and several else []
    named: dict[str, Expression] = {}
    if entry.selector is not None:
        named["where"] = entry_expression(entry.selector)
    if either:
        named["either"] = tuple_of([literal(key) for key in either])
    if not (keys or named):
        return literal(entry.head)
    return call("at", literal(entry.head), *map(literal, keys), **named)


def _bound(operand: str) -> Expression:
    """What numbers are compared with: a number, or the value of another path."""
    if operand[:1].isalpha():
        other = _path(parse_entry(operand))
        return other if other.text.startswith("at(") else call("at", other)
    return literal(float(operand) if "." in operand else int(operand))
