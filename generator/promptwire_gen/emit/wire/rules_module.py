"""The rules of a wire and of a family of models, for `templates/module/rules.py.j2` and `family.py.j2`.

A wire takes rules over from the wire that it extends, and from the families of models that it serves, where the macro
`rule` gives the same text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from itertools import groupby
from typing import Any

from jinja2 import Environment

from ...model.neutral import ROLES
from ...model.wire import WireModel
from ...spec.rule_conditions import Condition
from ...spec.wire_rules import FamilyRules, WireRule
from ..literals import write_literal

# operator -> the function of `promptwire_runtime.predicates.conditions` that makes the condition
CONSTRUCTORS = {
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
_CALLS = sorted(["at", *CONSTRUCTORS.values()])


class RuleModules:
    """The modules of rules of all wires and families."""

    def __init__(self, jinja: Environment) -> None:
        """Load the macros that print rules."""
        self._macros: Any = jinja.get_template("macros/rules.j2").module
        self._made: dict[str, list[str]] = {}

    def find_home(self, model: WireModel) -> str | None:
        """Return the wire whose module has the rules: the nearest parent whose rules are the same; None without any."""
        parent = model.parent
        if parent is None:
            return model.name if model.rules else None
        return self.find_home(parent) if self._print_rules(model) == self._print_rules(parent) else model.name

    def make_context(self, model: WireModel) -> dict[str, Any]:
        """Return the context of a wire's module: its rules in order, as changes to those of its parent and families."""
        parent = model.parent
        above = [] if parent is None else self._print_rules(parent)
        rules = () if parent is None else parent.requests_of.rules
        items: list[str] = []
        for tag, own, shared in _match(self._print_rules(model), above):
            if tag == "equal":
                items.append(self._print_run("PARENT", shared, above))
            else:
                items += [self._print_left_out(index, rules[index]) for index in shared]
                items += self._print_family_rules(model, own)
        return {
            "parent": None if parent is None else self.find_home(parent),
            "families": [
                (family.name, _name_rules(family), _name_models(family), _name_known(family))
                for family in model.requests_of.families
            ],
            "known": [
                (_name_known(family), _find_spelling(family))
                for family in model.requests_of.families
                if family.known
            ],
            "items": items,
            "calls": _CALLS,
        }

    def make_family_context(self, family: FamilyRules, model: WireModel) -> dict[str, Any]:
        """Return the context of the module of a family of models; `model` is a wire that serves it."""
        names = [rule.model for rule in family.rules if family.is_about_all(rule)]
        texts = [self._macros.rule(rule, model, about_all=family.is_about_all(rule)) for rule in family.rules]
        return {
            "title": family.title,
            "names": names[:1],
            "known": family.known,
            "like": family.like,
            "others": family.others,
            "group": family.names,
            "items": texts,
            "calls": _CALLS,
        }

    def _print_rules(self, model: WireModel) -> list[str]:
        """Return the texts of the rules of a wire."""
        wire = model.requests_of
        if wire.name not in self._made:
            self._made[wire.name] = [self._macros.rule(rule, wire) for rule in wire.rules]
        return self._made[wire.name]

    def _print_run(
        self, name: str, places: range, others: Sequence[str], spelling: Sequence[tuple[str, str]] = ()
    ) -> str:
        """Return a run of rules of another module, which `name` is called here."""
        stop = "" if places.stop == len(others) else places.stop
        text: str = self._macros.shared_rules(name, places.start or "", stop, spelling)
        return text

    def _print_left_out(self, index: int, rule: WireRule) -> str:
        """Return the remark that a wire lacks a rule of its parent or of a family."""
        text: str = self._macros.without_rule(index, rule.because)
        return text

    def _print_family_rules(self, model: WireModel, places: range) -> list[str]:
        """Return some rules of a wire; rules of families are printed as slices of the family's rules."""
        texts, rules = self._print_rules(model), model.requests_of.rules
        families = {family.name: family for family in model.requests_of.families}
        items: list[str] = []
        for name, group in groupby(places, key=lambda place: rules[place].family):
            own = list(group)
            family = families.get(name or "")
            if family is None:
                items += texts[own[0] : own[-1] + 1]
                continue
            is_whole = len(own) == sum(rule.family == name for rule in rules)
            items += self._print_family_runs(family, texts[own[0] : own[-1] + 1], model, is_whole=is_whole)
        return items

    def _print_family_runs(
        self, family: FamilyRules, texts: Sequence[str], model: WireModel, *, is_whole: bool
    ) -> Iterator[str]:
        """Yield rules as slices of a family's rules; `is_whole` if the wire has no others of the family."""
        spelled_rules = family.spell_rules()
        shared, spelled = (
            [self._macros.rule(rule, model) for rule in rules] for rules in (family.rules, spelled_rules)
        )
        for tag, own, places in _match(texts, spelled):
            if tag != "equal":
                yield from [self._print_left_out(index, spelled_rules[index]) for index in places if is_whole]
                yield from texts[own.start : own.stop]
                continue
            same = shared[places.start : places.stop] == spelled[places.start : places.stop]
            yield self._print_run(
                _name_rules(family), places, spelled, () if same else _find_spelling(family)
            )


def split_keys(condition: Condition) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the keys of a path after its head, and alternatives for the last key: the first one given counts."""
    *keys, last = condition.keys or ("",)
    if "|" in last and (condition.head == "tools" or condition.head in ROLES):
        return tuple(keys), tuple(last.split("|"))
    return condition.keys, ()


def _match(texts: Sequence[str], others: Sequence[str]) -> Iterator[tuple[str, range, range]]:
    """Yield runs of texts: whether they are "equal" to other texts, their positions, and the positions of the others.

    If nothing is in common, nothing of the others counts as left out.
    """
    matcher = SequenceMatcher(None, others, texts, autojunk=False)
    if not any(run.size for run in matcher.get_matching_blocks()):
        yield "insert", range(len(texts)), range(0)
        return
    for tag, start, stop, first, end in matcher.get_opcodes():
        yield tag, range(first, end), range(start, stop)


def _find_spelling(family: FamilyRules) -> list[tuple[str, str]]:
    """Return the arguments of `spelled` for the models of a family as an API names them."""
    use = family.use
    if use is None:
        return []
    rows = {
        "prefix": write_literal(use.prefix) if use.prefix else "",
        "dots": "True" if use.dots else "",
        "of_all": _name_models(family) if use.alone else "",
    }
    return [(name, value) for name, value in rows.items() if value]


def _name_rules(family: FamilyRules) -> str:
    """Return the name of the rules of a family in the module of a wire."""
    return f"{family.name.upper()}_RULES"


def _name_models(family: FamilyRules) -> str:
    """Return the name of all models of a family in the module of a wire; empty if no rule is about all of them."""
    return f"{family.name.upper()}_MODELS" if any(map(family.is_about_all, family.rules)) else ""


def _name_known(family: FamilyRules) -> str:
    """Return the name of the known models of a family in the module of a wire; empty if its page names none."""
    return f"{family.name.upper()}_KNOWN" if family.known else ""
