"""Apply the rules of a spec to a sample, apart from the engine of the runtime."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

from ..model.continuing import server_state
from ..model.identity import ByIdentity
from ..model.neutral import OPTIONS, ROLES
from ..model.wire import WireModel
from ..spec.rule_conditions import Condition
from ..spec.wire_rules import WireRule
from .filling import NotPredictable, matches
from .sample import Sample

# rule paths about messages of a role with any content
_OF_ALL = ("", "count")


@dataclass(frozen=True, slots=True)
class Ruling:
    """The remaining sample, the rejected paths, the role of instructions, and renamed keys."""

    sample: Sample
    refused: tuple[str, ...]
    role: str
    renames: Mapping[str, str]


class _HeldRule(NamedTuple):
    """A rule that holds for a model; `adds` says whether it changes a setting in the body."""

    rule: WireRule
    omitted: tuple[str, ...]
    adds: bool

    def is_met(self, sample: Sample) -> bool:
        """Return whether a sample has all that is given, and nothing that exempts it."""
        return all(_means(condition, sample) for condition in self.rule.given) and not any(
            _means(condition, sample) for condition in self.rule.unless
        )


def apply_rules(model: WireModel, sample: Sample) -> Ruling:
    """Apply the rules of a wire, in their order: later ones win. Raises NotPredictable for a path that samples lack."""
    rules = _held(ByIdentity(model), sample.model or "")
    role = model.instructions.role
    for held in rules:
        role = str(held.rule.set.get("instructions.role", role))
    met = [held for held in rules if held.is_met(sample)]
    remaining, omitted = sample, [name for held in met for name in held.omitted]
    omitted += _kept_by_server(model, sample)
    if omitted:
        remaining = sample.without(omitted)
        met = [held for held in rules if held.is_met(remaining)]
    if any(held.adds for held in met):
        raise NotPredictable("a setting in the body gets what it lacks")
    refused: dict[str, bool] = {}
    for held in met:
        for rejects, conditions in ((True, held.rule.reject), (False, held.rule.allow)):
            for condition in conditions:
                absent = condition.head in OPTIONS and condition.head not in remaining.fields
                if not absent and _means(condition, remaining):
                    refused[condition.place] = rejects
    renames = {key: other for held in met for key, other in held.rule.rename.items()}
    return Ruling(remaining, tuple([path for path, rejects in refused.items() if rejects]), role, renames)


def _kept_by_server(model: WireModel, sample: Sample) -> list[str]:
    """Return the fields that the server keeps for the conversation that a sample continues."""
    state = server_state(model)
    if state is None or model.body.dotted["continuation"].isdisjoint(sample.continuation):
        return []
    return [name for name in state.omits if "." not in name]


@lru_cache(maxsize=64)
def _held(wire: ByIdentity[WireModel], name: str) -> tuple[_HeldRule, ...]:
    """Return the rules that hold for the name of a model and say anything of a body, what is given aside."""
    model = wire.value
    in_body = any(hole.path[0] == "settings" for hole in model.body.shape.holes)
    rules = [rule for rule in model.rules if _holds(rule, model, name)]
    held = [
        _HeldRule(
            rule,
            tuple([field for field, value in rule.set.items() if value == "omit"]),
            in_body and bool(rule.add),
        )
        for rule in rules
    ]
    return tuple(
        [
            row
            for row in held
            if row.rule.reject or row.rule.allow or row.rule.rename or row.rule.set or row.adds
        ]
    )


def _holds(rule: WireRule, model: WireModel, name: str) -> bool:
    if rule.model and not matches(name, rule.model):
        return False
    if matches(name, rule.not_model):
        return False
    settings = model.transport.settings
    return all(
        name in settings and settings[name].default in values for name, values in rule.settings.items()
    )


def _means(condition: Condition, sample: Sample) -> bool:
    if (
        condition.where is None
        and condition.head in ROLES
        and not sample.parts
        and condition.tail not in _OF_ALL
        and not condition.tail.endswith(".count")
    ):
        # rules about parts do not apply, because there is only plain text
        return False
    selected = sample if condition.where is None else _selected(condition, condition.where, sample)
    values = selected.values(condition.head, condition.tail)
    if values is None:
        raise NotPredictable(f"no sample has {condition.path}")
    return bool(values) and any(_fits(condition, value, sample) for value in values)


def _selected(condition: Condition, selector: Condition, sample: Sample) -> Sample:
    """Keep only the tools or messages that the brackets of a condition mean."""
    if condition.head == "tools" and not sample.tools:
        return sample
    if condition.head == "tools":
        return replace(
            sample,
            tools=[
                (kind, fields)
                for kind, fields in sample.tools
                if selector.path in fields and _fits(selector, fields[selector.path], sample)
            ],
        )
    if selector.path == "parts" and selector.words:
        # each message has one part
        meant = [row for row in sample.parts if row[0] == condition.head and _fits(selector, row[1], sample)]
        return replace(sample, messages=(), parts=meant)
    # messages without parts have only text
    if selector.head == "parts" and selector.tail not in ("", "text"):
        tail = selector.tail
        if any(
            role == condition.head and tail in fields and _fits(selector, fields[tail], sample)
            for role, _, fields in sample.parts
        ):
            raise NotPredictable(f"{condition.path} of some messages")
        return replace(sample, messages=(), parts=[row for row in sample.parts if row[0] != condition.head])
    if any(role == condition.head for role, _ in sample.messages):
        raise NotPredictable(f"{condition.path} of some messages")
    return sample


def _fits(condition: Condition, value: Any, sample: Sample) -> bool:
    other = condition.operand
    bounds = (sample.values(other.head, other.tail) or ()) if isinstance(other, Condition) else ()
    return condition.holds(value, bounds)
