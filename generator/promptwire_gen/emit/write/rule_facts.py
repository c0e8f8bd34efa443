"""What the rules of a wire may mean, as those ask who emit the tests that stand before them."""

from __future__ import annotations

from fnmatch import fnmatchcase

from ...model.neutral import ROLES
from ...model.rule_entries import RuleEntry, parse_entry
from ...model.rules import looks_inside
from ...model.wire import WireModel


def rejected(model: WireModel) -> list[RuleEntry]:
    """All entries that some rule refuses."""
    return [parse_entry(text) for rule in model.rules for text in rule.reject]


def pointed_at(model: WireModel) -> list[RuleEntry]:
    """All entries that some rule refuses, or looks for inside messages to add to a setting."""
    return [*rejected(model), *(entry for rule in model.rules for entry in looks_inside(rule))]


def means_one(entry: RuleEntry) -> bool:
    """Tell whether an entry may mean the count 1: such messages take the fast path otherwise."""
    if not entry.compares or not entry.operand.isdigit():
        return True
    most = int(entry.operand)
    return {"<": most > 1, "<=": most >= 1, ">": most < 1, ">=": most <= 1}[entry.operator]


def kind_and_field(entry: RuleEntry) -> tuple[str, str]:
    """Split `tool_call.vendor.partial_args` into the kind of part, which may be empty, and its field."""
    kind, dot, field = entry.tail.partition(".")
    return (kind, field) if dot else ("", kind)


def names_kind(entry: RuleEntry, word: str) -> bool:
    """Tell whether an entry means this kind of node, or this role."""
    matches = not entry.words or any(fnmatchcase(word, glob) for glob in entry.words)
    return matches is not (entry.operator == "!=")


def watched_roles(model: WireModel) -> frozenset[str]:
    """The roles whose messages a rule may refuse, whatever they hold, or where they hold one part."""
    entries = [entry for entry in pointed_at(model) if entry.path == "message.role"]
    roles = [role for role in ROLES if any(names_kind(entry, role) for entry in entries)]
    # which message stands before one, the loop over them tells
    neighbours = [entry for entry in rejected(model) if entry.tail == "before"]
    counts = [entry for entry in rejected(model) if entry.head in ROLES and entry.tail == "count"]
    return frozenset(
        [*roles, *(entry.head for entry in neighbours), *(entry.head for entry in counts if means_one(entry))]
    )


def counted_roles(model: WireModel) -> frozenset[str]:
    """The roles of whose messages a rule may refuse some for holding several parts."""
    counts = [entry for entry in rejected(model) if entry.head in ROLES and entry.tail == "count"]
    return frozenset([entry.head for entry in counts if _means_several(entry)])


def _means_several(entry: RuleEntry) -> bool:
    """Tell whether an entry may mean a count of two or more."""
    if not entry.compares or not entry.operand.isdigit():
        return True
    return entry.operator[0] == ">" or int(entry.operand) >= (2 if entry.operator == "<=" else 3)
