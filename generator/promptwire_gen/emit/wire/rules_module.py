"""The rules of a wire and of a family of models, for `templates/module/rules.py.j2` and `family.py.j2`.

A wire takes rules over from the wire that it extends, and from the families of models that it serves.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import compress, groupby
from typing import Any, ClassVar, TypeAlias

from ...model.identity import ByIdentity
from ...model.neutral import ROLES
from ...model.wire import WireModel
from ...spec.rule_conditions import Condition
from ...spec.wire_rules import FamilyRules, WireRule
from ..python import literal
from ..write.body import switches_key

# the names of all models of a family, in its module
MODELS = "MODELS"
# operator -> the function of `promptwire_runtime.predicates.conditions` that makes the condition
_CONSTRUCTORS = {
    "": "present",
    "=": "one_of",
    "!=": "other_than",
    "!~": "unlike",
    "<": "below",
    "<=": "at_most",
    ">": "above",
    ">=": "at_least",
    "len<": "shorter",
    "len>": "longer",
}
_CALLS = sorted(["at", *_CONSTRUCTORS.values()])


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
        words: Words of which one must match, or the name of those of all models of a family.
        conditions: Conditions on the request.
        settings: A setting -> the values of which one is given.
        renames: A key of the body -> another name.
        moves: Where a value belongs, where it goes instead, and the constants beside it there.
        assigned: A key of the body -> the value that it gets.
        added: A setting -> words that are added to it.
        fix: The repair of a rejected request; empty for the default of the field.
    """

    macro: ClassVar[str] = "rule"
    words: tuple[tuple[str, tuple[str, ...] | str], ...]
    conditions: tuple[tuple[str, tuple[ConditionRow, ...]], ...]
    settings: tuple[tuple[str, tuple[str, ...]], ...]
    renames: tuple[tuple[str, str], ...]
    moves: tuple[tuple[tuple[str, ...], tuple[str, ...], str], ...]
    assigned: tuple[tuple[str, str], ...]
    added: tuple[tuple[str, tuple[str, ...]], ...]
    because: str
    source: str
    fix: str


@dataclass(frozen=True, slots=True)
class SharedRules:
    """Rules of another module from `start` up to `stop`; None stands for the first and the last.

    Attributes:
        name: What the module's rules are called here.
        spelling: How the API names the models of a family, as arguments of `spelled`; empty for names as they are.
    """

    macro: ClassVar[str] = "shared_rules"
    name: str
    start: int | None
    stop: int | None
    spelling: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class WithoutRule:
    """A rule of the parent or of a family that a wire leaves out, with its reason."""

    macro: ClassVar[str] = "without_rule"
    index: int
    because: str


RuleItem: TypeAlias = RuleRow | SharedRules | WithoutRule


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
    """Prepare the rules of a wire in order, as changes to those of its parent and of families of models."""
    rows, parent = _rows(model), model.parent
    above = () if parent is None else _rows(parent)
    items: list[RuleItem] = []
    for tag, own, shared in _matched(rows, above):
        if tag == "equal":
            items.append(_shared_rules("PARENT", shared, above))
            continue
        items += _without(shared, above)
        items += _family_items(model, own)
    families = model.requests_of.families
    # a family that says nothing about all of its models has no name for them
    models = [
        _models_of(family.name) if any(map(family.is_about_all, family.rules)) else "" for family in families
    ]
    return {
        "parent": None if parent is None else rules_home(parent),
        "families": [
            (family.name, _rules_of(family.name), named)
            for family, named in zip(families, models, strict=True)
        ],
        "items": items,
        "calls": _CALLS,
    }


def family_module(family: FamilyRules, model: WireModel) -> dict[str, Any]:
    """Prepare the rules of a family of models with the names of its page; `model` is a wire that serves it."""
    rows = [_row(rule, model) for rule in family.rules]
    named = [(("model", MODELS), *row.words[1:]) for row in rows]
    about_all = [family.is_about_all(rule) for rule in family.rules]
    items = [
        replace(row, words=words) if is_about_all else row
        for row, words, is_about_all in zip(rows, named, about_all, strict=True)
    ]
    names = next((row.words[0][1] for row in compress(rows, about_all)), ())
    return {"title": family.title, "names": names, "items": items, "calls": _CALLS}


def _rows(model: WireModel) -> tuple[RuleRow, ...]:
    return _rows_of(ByIdentity(model.requests_of))


# cached, because each module of a wire and each of its dialects asks for the rows
@lru_cache(maxsize=64)
def _rows_of(wire: ByIdentity[WireModel]) -> tuple[RuleRow, ...]:
    model = wire.value
    return tuple([_row(rule, model) for rule in model.rules])


def _matched(rows: Sequence[RuleRow], others: Sequence[RuleRow]) -> Iterator[tuple[str, range, range]]:
    """Yield runs of rows: whether they are "equal" to others, their places, and those of the others.

    If nothing is in common, nothing of the others counts as left out.
    """
    matcher = SequenceMatcher(None, others, rows, autojunk=False)
    if not any(run.size for run in matcher.get_matching_blocks()):
        yield "insert", range(len(rows)), range(0)
        return
    for tag, start, stop, first, end in matcher.get_opcodes():
        yield tag, range(first, end), range(start, stop)


def _shared_rules(
    name: str, places: range, others: Sequence[RuleRow], spelling: tuple[tuple[str, str], ...] = ()
) -> SharedRules:
    stop = None if places.stop == len(others) else places.stop
    return SharedRules(name, places.start or None, stop, spelling)


def _without(places: range, others: Sequence[RuleRow]) -> list[RuleItem]:
    return [WithoutRule(index, others[index].because) for index in places]


def _family_items(model: WireModel, places: range) -> list[RuleItem]:
    """Return some rules of a wire, those of families as runs of the rules of the family."""
    rows, rules = _rows(model), model.requests_of.rules
    families = {family.name: family for family in model.requests_of.families}
    items: list[RuleItem] = []
    for name, group in groupby(places, key=lambda place: rules[place].family):
        own = list(group)
        family = families.get(name or "")
        if family is None:
            items += rows[own[0] : own[-1] + 1]
            continue
        is_whole = len(own) == sum(rule.family == name for rule in rules)
        items += _runs(family, rows[own[0] : own[-1] + 1], model, is_whole=is_whole)
    return items


def _runs(
    family: FamilyRules, rows: Sequence[RuleRow], model: WireModel, *, is_whole: bool
) -> Iterator[RuleItem]:
    """Yield rows as runs of the rules of a family; what is left out is named if these are all that a wire has of it."""
    shared, spelled = ([_row(rule, model) for rule in rules] for rules in (family.rules, family.spelled()))
    for tag, own, places in _matched(rows, spelled):
        if tag != "equal":
            yield from _without(places, spelled) if is_whole else ()
            yield from rows[own.start : own.stop]
            continue
        same = shared[places.start : places.stop] == spelled[places.start : places.stop]
        yield _shared_rules(_rules_of(family.name), places, spelled, () if same else _spelling(family))


def _spelling(family: FamilyRules) -> tuple[tuple[str, str], ...]:
    """Return the arguments of `spelled` for the models of a family as an API names them."""
    use = family.use
    if use is None:
        return ()
    serves_no_others = bool(use.alone) and any(map(family.is_about_all, family.rules))
    rows = {
        "prefix": literal(use.prefix).text if use.prefix else "",
        "dots": "True" if use.dots else "",
        "of_all": _models_of(family.name) if serves_no_others else "",
    }
    return tuple([(name, value) for name, value in rows.items() if value])


def _rules_of(family: str) -> str:
    """Return what the rules of a family are called in the module of a wire."""
    return f"{family.upper()}_RULES"


def _models_of(family: str) -> str:
    """Return what the names of all models of a family are called in the module of a wire."""
    return f"{family.upper()}_MODELS"


def _row(rule: WireRule, model: WireModel) -> RuleRow:
    top = {key: other for key, other in rule.rename.items() if switches_key(key, other)}
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
    )


def _words(patterns: Sequence[str]) -> tuple[str, ...]:
    """Return the words of patterns, those between `|` each for itself."""
    return tuple([word for pattern in patterns for word in pattern.split("|")])


def _condition(condition: Condition) -> ConditionRow:
    call, path = _CONSTRUCTORS[condition.operator], _path(condition)
    if condition.words:
        return ConditionRow(call, path, tuple(condition.words))
    if isinstance(condition.operand, Condition):
        return ConditionRow(call, path, other=replace(_path(condition.operand), called=True))
    return ConditionRow(call, path, (condition.operand,) if condition.operator else ())


def _path(condition: Condition) -> PathRow:
    keys = list(condition.keys)
    # if a tool has several of these keys, or a part several of these fields, the first one counts
    several = condition.head == "tools" or condition.head in ROLES
    either = tuple(keys.pop().split("|") if keys and "|" in keys[-1] and several else ())
    where = None if condition.where is None else _condition(condition.where)
    return PathRow(condition.head, tuple(keys), where, either, bool(keys or where or either))
