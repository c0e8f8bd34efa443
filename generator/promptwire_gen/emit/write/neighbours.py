"""Rules about neighbours: the messages and parts to check, by the roles and kinds that follow each other."""

from __future__ import annotations

from dataclasses import dataclass

from promptwire_text.conditions import Words

from ...model.neutral import LAYER_ROLES, PARTS, ROLES
from ...model.wire import WireModel
from ...spec.rule_conditions import Condition
from .rule_facts import rejected

# checks of a message, and of the last part of the message before it
WATCHES_MESSAGE = "check_node(message)"
WATCHES_END = "check_last_part(last)"
# the first message has no predecessor, and the last no successor
EDGE = ""


# part kinds of plain messages
_FORMS = {
    "text": ("text",),
    "result": ("tool_result",),
    "named": ("tool_result",),
    "calls": ("text", "tool_call"),
    "media": ("text", "image"),
}


@dataclass(frozen=True)
class Glance:
    """A check of a message that follows another.

    Attributes:
        roles: The roles of the message before, after any of which the check runs.
        forms: The plain forms of messages that need no check.
        watch: The check: WATCHES_MESSAGE or WATCHES_END.
    """

    roles: tuple[str, ...]
    forms: tuple[str, ...]
    watch: str


def meetings(model: WireModel) -> dict[str, list[Glance]]:
    """Return role -> the checks that the loop over messages makes when a message of the role follows another."""
    # the most frequent roles first
    roles = sorted(ROLES, key=LAYER_ROLES.__contains__)
    glances: dict[str, list[Glance]] = {role: [] for role in roles}
    for condition in rejected(model):
        if condition.head not in ROLES:
            continue
        beside = roles_beside(condition)
        if condition.tail == "after" and beside:
            glances[condition.head].append(Glance(beside, _forms_without(condition), WATCHES_MESSAGE))
        elif is_told_by_next(condition):
            for role in beside:
                glances[role].append(Glance((condition.head,), (), WATCHES_END))
    return {role: list(dict.fromkeys(rows)) for role, rows in glances.items() if rows}


def _forms_without(condition: Condition) -> tuple[str, ...]:
    """Return the plain forms of messages whose parts cannot have the field that a rule is about."""
    field = condition.where.path.removeprefix("parts.") if condition.where is not None else "parts"
    if field == "parts":
        return ()
    return tuple(
        [form for form, kinds in _FORMS.items() if all(field not in PARTS[kind].fields for kind in kinds)]
    )


def may_begin(model: WireModel, role: str, form: str) -> bool:
    """Return whether no rule forbids that a message of this role and plain form is the first."""
    return not any(
        condition.head == role
        and condition.tail == "after"
        and EDGE in roles_beside(condition)
        and form not in _forms_without(condition)
        for condition in rejected(model)
    )


def roles_beside(condition: Condition) -> tuple[str, ...]:
    """Return the roles of the neighbouring message that a condition may match; `EDGE` stands for no neighbour."""
    edge = "start" if condition.tail.endswith("after") else "end"
    roles = tuple([role for role in ROLES if _may_mean(condition, role)])
    return (*([EDGE] if condition.means(edge) else []), *roles)


def _may_mean(condition: Condition, role: str) -> bool:
    """Return whether a condition may match a message of this role, whatever its content."""
    if not condition.words:
        return True
    if condition.operator == "!=":
        # a role is excluded only if all its messages have another name
        return not Words(*condition.words).match(f"{role}.*")
    return any(
        ("." in word and Words(word.partition(".")[0]).match(role)) or word == "*" for word in condition.words
    )


def kinds_beside(condition: Condition) -> tuple[str, ...]:
    """Return the kinds of the neighbouring part in the same message that a condition may match."""
    return tuple([kind for kind in PARTS if condition.means(kind)])


def is_told_by_next(condition: Condition) -> bool:
    """Return whether a condition about what follows a part can match only once the next message is known."""
    return (
        condition.tail.endswith(".before") and condition.head in ROLES and EDGE not in roles_beside(condition)
    )
