"""The rules of a wire as rows of `Rule`, and what of them a dialect takes from its parent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import Any, ClassVar, TypeAlias

from ...model.wire import WireModel
from ..python import Expression, display, literal, tuple_of
from ..write.body import is_top_level


@dataclass(frozen=True, slots=True)
class RuleRow:
    """One rule, as the arguments of `Rule`."""

    macro: ClassVar[str] = "rule"
    arguments: tuple[tuple[str, Expression], ...]
    because: str


@dataclass(frozen=True, slots=True)
class ParentRules:
    """Rules of the parent, from `start` up to `stop` (None: the first, the last)."""

    macro: ClassVar[str] = "parent_rules"
    start: int | None
    stop: int | None


@dataclass(frozen=True, slots=True)
class WithoutRule:
    """A rule of the parent that stands here no more, by what it says."""

    macro: ClassVar[str] = "without_rule"
    index: int
    because: str


RuleItem: TypeAlias = RuleRow | ParentRules | WithoutRule


def rule_rows(model: WireModel) -> tuple[RuleRow, ...]:
    """Every rule, in order: later ones win."""
    return tuple([RuleRow(tuple(_arguments(rule, model)), rule.because) for rule in model.rules])


def rule_items(rows: Sequence[RuleRow], parents: Sequence[RuleRow]) -> list[RuleItem]:
    """Rules as what they have in common with those of the parent, in runs, and what is their own.

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


def _arguments(rule: Any, model: WireModel) -> list[tuple[str, Expression]]:
    spelled = {key: other for key, other in rule.rename.items() if is_top_level(key, other)}
    moves = [
        _move(key.split("."), other.split("."), model)
        for key, other in rule.rename.items()
        if key not in spelled
    ]
    settings = [(name, _path(values)) for name, values in rule.when.settings.items()]
    columns = {
        "model": texts(rule.when.model),
        "not_model": texts(rule.when.not_model),
        "given": texts(rule.when.given),
        "reject": texts(rule.reject),
        "allow": texts(rule.allow),
        "settings": display(settings) if settings else None,
        "rename": _pairs(spelled),
        "moves": tuple_of(moves) if moves else None,
        "assign": _pairs({key: str(value) for key, value in rule.set.items()}),
        "add": _pairs(dict(rule.add)),
        "because": literal(rule.because),
        "source": literal(rule.source),
    }
    return [(name, value) for name, value in columns.items() if value is not None]


def _move(key: Sequence[str], other: Sequence[str], model: WireModel) -> Expression:
    """Where a value of the body belongs instead, and the constants that stand beside it there."""
    return tuple_of([_path(key), _path(other), literal(model.body.constants_beside(other))])


def _path(keys: Sequence[str]) -> Expression:
    return tuple_of([literal(key) for key in keys])


def _pairs(pairs: dict[str, Any]) -> Expression | None:
    return literal(pairs) if pairs else None


def texts(values: Sequence[str]) -> Expression | None:
    """A tuple of texts; None for none."""
    return tuple_of([literal(value) for value in values]) if values else None
