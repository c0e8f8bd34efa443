"""Questions about the rules of a wire that decide which tests are emitted in front of them."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from promptwire_text.conditions import is_about_held

from ...model.likeness import ByIdentity
from ...model.neutral import REQUEST, ROLES
from ...model.rules import looks_inside
from ...model.wire import WireModel
from ...spec.rule_conditions import Condition
from ...spec.wire_rules import WireRule


def rejected(model: WireModel) -> Sequence[Condition]:
    """Return all conditions that some rule rejects, without those that a build asks about once for all parts."""
    return _rejected(ByIdentity(model))


@lru_cache(maxsize=4)
def _rejected(model: ByIdentity[WireModel]) -> tuple[Condition, ...]:
    return tuple(
        [
            condition
            for rule in model.value.rules
            for condition in rule.reject
            if not _is_about_held(rule, condition)
        ]
    )


def _is_about_held(rule: WireRule, condition: Condition) -> bool:
    """Return whether a rule for some models rejects kinds of parts that plain messages do not hold, or of tools."""
    for_some = bool(rule.model or rule.not_model)
    return for_some and is_about_held(condition.path, condition.tail, condition.operator, condition.words)


def pointed_at(model: WireModel) -> Sequence[Condition]:
    """Return all conditions that some rule rejects, or looks for inside messages to add to a setting."""
    return _pointed_at(ByIdentity(model))


@lru_cache(maxsize=4)
def _pointed_at(model: ByIdentity[WireModel]) -> tuple[Condition, ...]:
    inside = [condition for rule in model.value.rules for condition in looks_inside(rule)]
    return (*_rejected(model), *inside)


def means_one(condition: Condition) -> bool:
    """Return whether a condition may mean the count 1, so that messages with one part cannot skip it."""
    return condition.limit is None or condition.means(1)


def kind_and_field(condition: Condition) -> tuple[str, str]:
    """Split `tool_call.vendor.partial_args` into the kind of part, which may be empty, and its field."""
    kind, dot, field = condition.tail.partition(".")
    return (kind, field) if dot else ("", kind)


def watched_roles(model: WireModel) -> frozenset[str]:
    """Return the roles whose messages a rule may reject even if they hold one part only."""
    conditions = [condition for condition in pointed_at(model) if condition.path == "message.role"]
    roles = [role for role in ROLES if any(condition.means(role) for condition in conditions)]
    # the message loop supplies the previous message
    neighbours = [condition for condition in rejected(model) if condition.tail == "before"]
    counts = [
        condition for condition in rejected(model) if condition.head in ROLES and condition.tail == "count"
    ]
    return frozenset(
        [
            *roles,
            *(condition.head for condition in neighbours),
            *(condition.head for condition in counts if means_one(condition)),
        ]
    )


def counted_roles(model: WireModel) -> frozenset[str]:
    """Return the roles whose messages a rule may reject because they hold several parts."""
    counts = [
        condition for condition in rejected(model) if condition.head in ROLES and condition.tail == "count"
    ]
    return frozenset([condition.head for condition in counts if _means_several(condition)])


def _means_several(condition: Condition) -> bool:
    """Return whether a condition may mean a count of two or more."""
    return condition.limit is None or condition.operator[0] == ">" or condition.means(2)


def exempting_fields(condition: Condition, model: WireModel) -> tuple[str, ...]:
    """Return the fields of a request any of which exempts a kind of part that is rejected otherwise."""
    exempting: list[str] | None = None
    for rule in model.rules:
        if condition in rule.reject:
            own = [other.head for other in rule.unless if _is_field(other)]
            exempting = own if exempting is None else [field for field in exempting if field in own]
        always = not (rule.model or rule.not_model or rule.settings)
        if condition in rule.allow and always and len(rule.given) == 1 and _is_field(rule.given[0]):
            exempting = [*(exempting or ()), rule.given[0].head]
    return tuple(exempting or ())


def _is_field(condition: Condition) -> bool:
    return condition == Condition(condition.head) and condition.head in REQUEST
