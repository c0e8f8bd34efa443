"""The rules of a wire, and the rules that a dialect takes from its parent, for `templates/module/rules.py.j2`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from typing import Any, ClassVar, TypeAlias

from ...model.identity import ByIdentity
from ...model.neutral import ROLES
from ...model.wire import WireModel
from ...spec.rule_conditions import OPERATORS, Condition
from ...spec.wire_rules import WireRule
from ..python import Expression, call, display, literal, tuple_of
from ..write.body import is_top_level


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule, as the arguments of `Rule`."""

    macro: ClassVar[str] = "rule"
    arguments: tuple[tuple[str, Expression], ...]
    because: str


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
    """The wire whose module has the rules of a wire: its own, or that of the parent whose rules are the same."""
    if model.parent is None:
        return model.name if model.rules else None
    return rules_home(model.parent) if _takes_all_over(model, model.parent) else model.name


def _takes_all_over(model: WireModel, parent: WireModel) -> bool:
    """Return whether a wire has the same rules as its parent, moves of values included."""
    if len(model.rules) != len(parent.rules):
        return False
    pairs = list(zip(model.rules, parent.rules, strict=True))
    return all(own is other or own == other for own, other in pairs) and all(
        _arguments(own, model) == _arguments(other, parent) for own, other in pairs if own.rename
    )


def rules_module(model: WireModel) -> dict[str, Any]:
    """Prepare the rules of a wire in order, as changes to those of its parent where it has one."""
    rows, parent = _rows(model), model.parent
    home = None if parent is None else rules_home(parent)
    items = rows if parent is None else _items(rows, _rows(parent))
    calls = sorted(["at", *(operator.call for operator in OPERATORS.values())])
    return {"parent": home, "items": items, "calls": calls}


def _rows(model: WireModel) -> tuple[RuleRow, ...]:
    return _rows_of(ByIdentity(model))


# a wire is asked for its rows by each of its modules, and by its dialects
@lru_cache(maxsize=64)
def _rows_of(wire: ByIdentity[WireModel]) -> tuple[RuleRow, ...]:
    model = wire.value
    return tuple([RuleRow(tuple(_arguments(rule, model)), rule.because) for rule in model.rules])


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


def _arguments(rule: WireRule, model: WireModel) -> list[tuple[str, Expression]]:
    spelled = {key: other for key, other in rule.rename.items() if is_top_level(key, other)}
    moves = [
        _move(key.split("."), other.split("."), model)
        for key, other in rule.rename.items()
        if key not in spelled
    ]
    settings = [(name, _texts(values)) for name, values in rule.settings.items()]
    added = [(name, words) for name, text in rule.add.items() if (words := _words([text])) is not None]
    columns = {
        "model": _words(rule.model),
        "not_model": _words(rule.not_model),
        "given": _conditions(rule.given),
        "unless": _conditions(rule.unless),
        "reject": _conditions(rule.reject),
        "allow": _conditions(rule.allow),
        "settings": display(settings) if settings else None,
        "rename": _pairs(spelled),
        "moves": tuple_of(moves) if moves else None,
        "assign": _pairs({key: str(value) for key, value in rule.set.items()}),
        "add": display(added) if added else None,
        "because": literal(rule.because),
        "source": literal(rule.source),
    }
    return [(name, value) for name, value in columns.items() if value is not None]


def _move(key: Sequence[str], other: Sequence[str], model: WireModel) -> Expression:
    """Return the new place of a value of the body, with the constants beside it there."""
    return tuple_of([_texts(key), _texts(other), literal(model.body.constants_beside(other))])


def _texts(values: Sequence[str]) -> Expression:
    return tuple_of([literal(value) for value in values])


def _pairs(pairs: dict[str, Any]) -> Expression | None:
    return literal(pairs) if pairs else None


def _words(patterns: Sequence[str]) -> Expression | None:
    """Words, those between `|` each for itself; None for none."""
    words = [literal(word) for pattern in patterns for word in pattern.split("|")]
    return call("Words", *words) if words else None


def _conditions(conditions: Sequence[Condition]) -> Expression | None:
    """The calls of the runtime that stand for conditions, so that no text is parsed there; None for none."""
    return tuple_of(list(map(_condition, conditions))) if conditions else None


def _condition(condition: Condition) -> Expression:
    """A condition: `above("temperature", 2)`, `one_of(at("reasoning", "effort"), "max", "xhigh")`."""
    path = _path(condition)
    name = condition.call
    if condition.words:
        return call(name, path, *map(literal, condition.words))
    if isinstance(condition.operand, Condition):
        other = _path(condition.operand)
        return call(name, path, other if other.text.startswith("at(") else call("at", other))
    return call(name, path, literal(condition.operand)) if condition.operator else call(name, path)


def _path(condition: Condition) -> Expression:
    """The path of a condition: the name of a field, or `at(...)` with the keys behind it."""
    keys = list(condition.keys)
    # of several keys of a tool, or fields of a part, the first that is there counts
    several = condition.head == "tools" or condition.head in ROLES
    either = keys.pop().split("|") if keys and "|" in keys[-1] and several else []
    named: dict[str, Expression] = {}
    if condition.where is not None:
        named["where"] = _condition(condition.where)
    if either:
        named["either"] = tuple_of([literal(key) for key in either])
    if not (keys or named):
        return literal(condition.head)
    return call("at", literal(condition.head), *map(literal, keys), **named)
