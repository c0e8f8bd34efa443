"""Rules about neighbours: by the roles and kinds that meet, which messages and parts the rules have to look at."""

from __future__ import annotations

from dataclasses import dataclass
from fnmatch import fnmatchcase

from ...model.neutral import LAYER_ROLES, PARTS, ROLES
from ...model.wire import WireModel
from ...spec.rule_conditions import Condition
from .rule_facts import names_kind, rejected

# what rules look at: a message, or the end of the one before it
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
    """What rules look at where a message comes behind one of these roles, unless it is of one of these forms."""

    roles: tuple[str, ...]
    forms: tuple[str, ...]
    watch: str


def meetings(model: WireModel) -> dict[str, list[Glance]]:
    """Return role -> the tests of the loop over messages that decide where rules look at neighbouring messages."""
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
    """Return the plain forms of messages that have no part with the field of which a rule speaks."""
    field = condition.where.path.removeprefix("parts.") if condition.where is not None else "parts"
    if field == "parts":
        return ()
    return tuple(
        [form for form, kinds in _FORMS.items() if all(field not in PARTS[kind].fields for kind in kinds)]
    )


def may_begin(model: WireModel, role: str, form: str) -> bool:
    """Return whether a message of a role and a plain form may be the first, for all that rules say."""
    return not any(
        condition.head == role
        and condition.tail == "after"
        and EDGE in roles_beside(condition)
        and form not in _forms_without(condition)
        for condition in rejected(model)
    )


def roles_beside(condition: Condition) -> tuple[str, ...]:
    """Return the roles of the messages beside one that a condition may mean; `EDGE` where there may be none."""
    edge = "start" if condition.tail.endswith("after") else "end"
    roles = tuple([role for role in ROLES if _may_mean(condition, role)])
    return (*([EDGE] if names_kind(condition, edge) else []), *roles)


def _may_mean(condition: Condition, role: str) -> bool:
    """Return whether a condition may mean a message of this role, whatever it holds."""
    if not condition.words:
        return True
    if condition.operator == "!=":
        # a role is excluded only if all its messages have another name
        return not any(fnmatchcase(f"{role}.*", word) for word in condition.words)
    return any(
        ("." in word and fnmatchcase(role, word.partition(".")[0])) or word == "*" for word in condition.words
    )


def kinds_beside(condition: Condition) -> tuple[str, ...]:
    """Return the kinds of parts beside one, in its message, that a condition may mean."""
    return tuple([kind for kind in PARTS if names_kind(condition, kind)])


def is_told_by_next(condition: Condition) -> bool:
    """Return whether a condition about what stands behind a part means a message only where the next one tells."""
    return (
        condition.tail.endswith(".before") and condition.head in ROLES and EDGE not in roles_beside(condition)
    )
