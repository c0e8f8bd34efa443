"""The rules of a wire, and the rules that a dialect takes from its parent, for `templates/module/rules.py.j2`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, ClassVar, TypeAlias

from ...model.identity import ByIdentity
from ...model.neutral import ROLES
from ...model.wire import WireModel
from ...spec.rule_conditions import OPERATORS, Condition
from ...spec.wire_rules import WireRule
from ..python import literal
from ..write.body import is_top_level


@dataclass(frozen=True, slots=True)
class PathRow:
    """`"temperature"`, or with `called` `at("tools", "config", "key", where=..., either=(...))`."""

    head: str
    keys: tuple[str, ...]
    where: ConditionRow | None = None
    either: tuple[str, ...] = ()
    called: bool = False


@dataclass(frozen=True, slots=True)
class ConditionRow:
    """`above("temperature", 2)`: a call of the runtime with a path, and words, a value or another path."""

    call: str
    path: PathRow
    values: tuple[Any, ...] = ()
    other: PathRow | None = None


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule: the arguments of `Rule` by what they are, each with its name; those that are not given are left out.

    Attributes:
        words: Words of which one must match.
        conditions: Conditions on the request.
        settings: A setting -> the values of which one is given.
        renames: A key of the body -> another name.
        moves: Where a value belongs, where it goes instead, and the constants beside it there.
        assigned: A key of the body -> the value that it gets.
        added: A setting -> words that are added to it.
        fix: The repair of a rejected request; empty for the default of the field.
        name: The name by which callers may give a repair of their own.
    """

    macro: ClassVar[str] = "rule"
    words: tuple[tuple[str, tuple[str, ...]], ...]
    conditions: tuple[tuple[str, tuple[ConditionRow, ...]], ...]
    settings: tuple[tuple[str, tuple[str, ...]], ...]
    renames: tuple[tuple[str, str], ...]
    moves: tuple[tuple[tuple[str, ...], tuple[str, ...], str], ...]
    assigned: tuple[tuple[str, str], ...]
    added: tuple[tuple[str, tuple[str, ...]], ...]
    because: str
    source: str
    fix: str
    name: str


@dataclass(frozen=True, slots=True)
class ParentRules:
    """Rules of the parent from `start` up to `stop`; None stands for the first and the last."""

    macro: ClassVar[str] = "parent_rules"
    start: int | None
    stop: int | None


@dataclass(frozen=True, slots=True)
class WithoutRule:
    """A rule of the parent that a dialect leaves out, with its reason."""

    macro: ClassVar[str] = "without_rule"
    index: int
    because: str


RuleItem: TypeAlias = RuleRow | ParentRules | WithoutRule


def rules_home(model: WireModel) -> str | None:
    """Return the wire whose module has the rules of a wire: its own, or that of the parent whose rules are the same."""
    if model.parent is None:
        return model.name if model.rules else None
    return rules_home(model.parent) if _takes_all_over(model, model.parent) else model.name


def _takes_all_over(model: WireModel, parent: WireModel) -> bool:
    """Return whether a wire has the same rules as its parent, moves of values included."""
    if model.requests_of is parent.requests_of:
        return True
    if len(model.rules) != len(parent.rules):
        return False
    pairs = list(zip(model.rules, parent.rules, strict=True))
    return all(own is other or own == other for own, other in pairs) and all(
        _row(own, model) == _row(other, parent) for own, other in pairs if own.rename
    )


def rules_module(model: WireModel) -> dict[str, Any]:
    """Prepare the rules of a wire in order, as changes to those of its parent where it has one."""
    rows, parent = _rows(model), model.parent
    home = None if parent is None else rules_home(parent)
    items = rows if parent is None else _items(rows, _rows(parent))
    calls = sorted(["at", *(operator.call for operator in OPERATORS.values())])
    return {"parent": home, "items": items, "calls": calls}


def _rows(model: WireModel) -> tuple[RuleRow, ...]:
    return _rows_of(ByIdentity(model.requests_of))


# cached, because each module of a wire and each of its dialects asks for the rows
@lru_cache(maxsize=64)
def _rows_of(wire: ByIdentity[WireModel]) -> tuple[RuleRow, ...]:
    model = wire.value
    return tuple([_row(rule, model) for rule in model.rules])


def _items(rows: Sequence[RuleRow], parents: Sequence[RuleRow]) -> list[RuleItem]:
    """Return rules as runs of the rules of the parent, and own rules between them.

    What the parent alone has is named where it is missing, unless nothing is in common.
    """
    matcher = SequenceMatcher(None, parents, rows, autojunk=False)
    if not any(run.size for run in matcher.get_matching_blocks()):
        return list(rows)
    items: list[RuleItem] = []
    for tag, start, stop, first, end in matcher.get_opcodes():
        if tag == "equal":
            items.append(ParentRules(start or None, None if stop == len(parents) else stop))
            continue
        items += [WithoutRule(index, parents[index].because) for index in range(start, stop)]
        items += rows[first:end]
    return items


def _row(rule: WireRule, model: WireModel) -> RuleRow:
    top = {key: other for key, other in rule.rename.items() if is_top_level(key, other)}
    moves = [(key.split("."), other.split(".")) for key, other in rule.rename.items() if key not in top]
    words = {"model": _words(rule.model), "not_model": _words(rule.not_model)}
    names = ("given", "unless", "reject", "allow", "ignore")
    conditions = {name: getattr(rule, name) for name in names}
    return RuleRow(
        words=tuple([(name, given) for name, given in words.items() if given]),
        conditions=tuple(
            [(name, tuple(map(_condition, given))) for name, given in conditions.items() if given]
        ),
        settings=tuple([(name, tuple(values)) for name, values in rule.settings.items()]),
        renames=tuple(top.items()),
        moves=tuple(
            [
                (tuple(key), tuple(other), literal(model.body.constants_beside(other)).text)
                for key, other in moves
            ]
        ),
        assigned=tuple([(key, str(value)) for key, value in rule.set.items()]),
        added=tuple([(name, _words([text])) for name, text in rule.add.items() if text]),
        because=rule.because,
        source=rule.source,
        fix=rule.fix,
        name=rule.name,
    )


def _words(patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the words of patterns, those between `|` each for itself."""
    return tuple([word for pattern in patterns for word in pattern.split("|")])


def _condition(condition: Condition) -> ConditionRow:
    path = _path(condition)
    if condition.words:
        return ConditionRow(condition.call, path, tuple(condition.words))
    if isinstance(condition.operand, Condition):
        return ConditionRow(condition.call, path, other=replace(_path(condition.operand), called=True))
    return ConditionRow(condition.call, path, (condition.operand,) if condition.operator else ())


def _path(condition: Condition) -> PathRow:
    keys = list(condition.keys)
    # if a tool has several of these keys, or a part several of these fields, the first one counts
    several = condition.head == "tools" or condition.head in ROLES
    either = tuple(keys.pop().split("|") if keys and "|" in keys[-1] and several else ())
    where = None if condition.where is None else _condition(condition.where)
    return PathRow(condition.head, tuple(keys), where, either, bool(keys or where or either))
