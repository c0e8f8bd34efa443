"""Which rules of a wire concern a part or message: generated tests before the rules decide from it.

A writer looks at a value only where a rule may reject it, and at neighbouring messages only where a rule names them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, ClassVar

from promptwire_text.conditions import Words, is_about_held

from ...model.neutral import LAYER_ROLES, PARTS, REQUEST, ROLES
from ...model.rules import list_conditions_inside
from ...model.wire import WireModel
from ...spec.rule_conditions import Condition
from ...spec.wire_rules import WireRule


@lru_cache(maxsize=4)
def list_rejected(model: WireModel) -> Sequence[Condition]:
    """Return all conditions that some rule rejects, without those that a build asks about once for all parts."""
    return tuple(
        [
            condition
            for rule in model.rules
            for condition in rule.reject
            if not _is_about_held(rule, condition)
        ]
    )


def _is_about_held(rule: WireRule, condition: Condition) -> bool:
    """Return whether a rule for some models rejects kinds of parts that plain messages do not hold, or of tools."""
    for_some = bool(rule.model or rule.not_model)
    return for_some and is_about_held(condition.path, condition.tail, condition.operator, condition.words)


@lru_cache(maxsize=4)
def list_inspected(model: WireModel) -> Sequence[Condition]:
    """Return all conditions that some rule rejects, or looks for inside messages to add to a setting."""
    inside = [condition for rule in model.rules for condition in list_conditions_inside(rule)]
    return (*list_rejected(model), *inside)


def means_one(condition: Condition) -> bool:
    """Return whether a condition may mean the count 1, so that messages with one part cannot skip it."""
    return condition.limit is None or condition.means(1)


def split_field(condition: Condition) -> tuple[str, str]:
    """Split `tool_call.vendor.partial_args` into the kind of part, which may be empty, and its field."""
    kind, dot, field = condition.tail.partition(".")
    return (kind, field) if dot else ("", kind)


def find_watched_roles(model: WireModel) -> frozenset[str]:
    """Return the roles whose messages a rule may reject even if they hold one part only."""
    conditions = [condition for condition in list_inspected(model) if condition.path == "message.role"]
    roles = [role for role in ROLES if any(condition.means(role) for condition in conditions)]
    # the message loop supplies the previous message
    neighbours = [condition for condition in list_rejected(model) if condition.tail == "before"]
    counts = [
        condition
        for condition in list_rejected(model)
        if condition.head in ROLES and condition.tail == "count"
    ]
    return frozenset(
        [
            *roles,
            *(condition.head for condition in neighbours),
            *(condition.head for condition in counts if means_one(condition)),
        ]
    )


def find_counted_roles(model: WireModel) -> frozenset[str]:
    """Return the roles whose messages a rule may reject because they hold several parts."""
    counts = [
        condition
        for condition in list_rejected(model)
        if condition.head in ROLES and condition.tail == "count"
    ]
    return frozenset([condition.head for condition in counts if _means_several(condition)])


def _means_several(condition: Condition) -> bool:
    """Return whether a condition may mean a count of two or more."""
    return condition.limit is None or condition.operator[0] == ">" or condition.means(2)


def find_exempting_fields(condition: Condition, model: WireModel) -> tuple[str, ...]:
    """Return the fields of a request, each of which lifts the rejection of a kind of part."""
    exempting: list[str] | None = None
    for rule in model.rules:
        if condition in rule.reject:
            own = [other.head for other in rule.unless if _is_field(other)]
            exempting = own if exempting is None else [field for field in exempting if field in own]
        always = not (rule.model or rule.not_model or rule.settings or rule.since or rule.until)
        if condition in rule.allow and always and len(rule.given) == 1 and _is_field(rule.given[0]):
            exempting = [*(exempting or ()), rule.given[0].head]
    return tuple(exempting or ())


def _is_field(condition: Condition) -> bool:
    return condition == Condition(condition.head) and condition.head in REQUEST


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


def find_meetings(model: WireModel) -> dict[str, list[Glance]]:
    """Return role -> the checks that the loop over messages makes when a message of the role follows another."""
    # the most frequent roles first
    roles = sorted(ROLES, key=LAYER_ROLES.__contains__)
    glances: dict[str, list[Glance]] = {role: [] for role in roles}
    for condition in list_rejected(model):
        if condition.head not in ROLES:
            continue
        beside = list_roles_beside(condition)
        if condition.tail == "after" and beside:
            glances[condition.head].append(Glance(beside, _list_forms_without(condition), WATCHES_MESSAGE))
        elif is_told_by_next(condition):
            for role in beside:
                glances[role].append(Glance((condition.head,), (), WATCHES_END))
    return {role: list(dict.fromkeys(rows)) for role, rows in glances.items() if rows}


def _list_forms_without(condition: Condition) -> tuple[str, ...]:
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
        and EDGE in list_roles_beside(condition)
        and form not in _list_forms_without(condition)
        for condition in list_rejected(model)
    )


def list_roles_beside(condition: Condition) -> tuple[str, ...]:
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


def list_kinds_beside(condition: Condition) -> tuple[str, ...]:
    """Return the kinds of the neighbouring part in the same message that a condition may match."""
    return tuple([kind for kind in PARTS if condition.means(kind)])


def is_told_by_next(condition: Condition) -> bool:
    """Return whether a condition about what follows a part can match only once the next message is known."""
    return (
        condition.tail.endswith(".before")
        and condition.head in ROLES
        and EDGE not in list_roles_beside(condition)
    )


@dataclass(frozen=True, slots=True)
class Hook:
    """`build.rules.check_node(subject)`, where a test holds.

    how     the test: `unless` the request has one of the fields `about`, `is_preceded` or `is_followed` by one of the
            kinds `about`, `last` in its message, or `any` of the tests `about` of a message; empty for always
    path    the path of the rules about the parts beside this one
    """

    subject: str
    how: str = ""
    about: tuple[Any, ...] = ()
    path: str = ""

    @property
    def beside(self) -> frozenset[str] | None:
        """The kinds of neighbouring parts that the test is about; None if it is about any part."""
        return frozenset(self.about) if self.path else None


@dataclass(frozen=True, slots=True)
class CheckFunction:
    """A function that lets the rules look: at a `part` in its message, at one `inside` a part, or at a `message`."""

    name: str
    about: str
    hooks: tuple[Hook, ...]
    form: ClassVar[str] = "check"


def make_part_check(holder: str, kind: str, model: WireModel, *, nested: bool) -> CheckFunction | None:
    """Return the hooks of a kind of part in the messages of a role, or inside a part of some kind; None without any."""
    if nested:
        # a tool result belongs to role `tool` in any message
        roles = {"tool"} if holder == "tool_result" else {*ROLES}
        hooks = _make_kind_hooks(roles, kind, model)
        where = f"inside_{holder}"
    else:
        hooks = [*_make_kind_hooks({holder}, kind, model), *_make_neighbour_hooks(holder, kind, model)]
        where = f"in_{holder}"
    if not hooks:
        return None
    about = "inside" if nested else "part"
    return CheckFunction(f"check_{kind}_{where}", about, tuple(dict.fromkeys(hooks)))


def is_checked(role: str, kind: str, model: WireModel, beside: Collection[str] = ()) -> bool:
    """Return whether a rule may check this kind of part in messages of the role, alone or `beside` other kinds."""
    return find_neighbour_paths(role, kind, model, beside) != ()


def find_neighbour_paths(
    role: str, kind: str, model: WireModel, beside: Collection[str] = ()
) -> tuple[str, ...] | None:
    """Return the paths of the rules about the neighbours of such a part; None if other rules may apply to it."""
    check = make_part_check(role, kind, model, nested=False)
    hooks = () if check is None else check.hooks
    if any(hook.beside is None for hook in hooks):
        return None
    return tuple([hook.path for hook in hooks if not (hook.beside or frozenset()).isdisjoint(beside)])


def make_message_check(role: str, model: WireModel) -> CheckFunction | None:
    """Return the hooks of messages of a role; None without any."""
    if role in find_watched_roles(model):
        return CheckFunction(f"check_{role}", "message", (Hook("message"),))
    fields = {
        condition.tail.partition(".")[0] for condition in list_inspected(model) if condition.head == "message"
    }
    tests: list[tuple[str, Any]] = [("given", field) for field in sorted(fields - {"role"})]
    tests += [
        ("count", None if condition.limit is None else (condition.operator, condition.limit))
        for condition in list_rejected(model)
        if condition.path == f"{role}.count" and condition.compares
    ]
    if any(condition.path == f"{role}.empty" for condition in list_rejected(model)):
        # no text that is written at once is empty
        tests.append(("empty", None))
    return (
        CheckFunction(f"check_{role}", "message", (Hook("message", "any", tuple(tests)),)) if tests else None
    )


def _make_kind_hooks(roles: Collection[str], kind: str, model: WireModel) -> list[Hook]:
    hooks: list[Hook] = []
    for condition in list_inspected(model):
        if condition.head in roles and condition.tail == "part" and condition.means(kind):
            exempting = find_exempting_fields(condition, model)
            if not exempting:
                return [Hook("part")]
            hooks.append(Hook("part", "unless", exempting))
    return hooks


def _make_neighbour_hooks(role: str, kind: str, model: WireModel) -> list[Hook]:
    """Return the hooks for rules about the neighbours of parts of this kind."""
    hooks: list[Hook] = []
    of_message = (f"{role}.{kind}.alone", f"{role}.{kind}.unnamed")
    if any(condition.path in of_message for condition in list_rejected(model)):
        hooks.append(Hook("message"))
    behind, ahead = f"{role}.{kind}.after", f"{role}.{kind}.before"
    after = [condition for condition in list_rejected(model) if condition.path == behind]
    if any(condition.means("start") for condition in after):
        hooks.append(Hook("message"))
    elif after:
        hooks.append(Hook("message", "is_preceded", _unite_kinds(after), behind))
    before = [condition for condition in list_rejected(model) if condition.path == ahead]
    if followers := _unite_kinds(before):
        hooks.append(Hook("part", "is_followed", followers, ahead))
    # usually the last part is followed by the next message
    if not all(is_told_by_next(condition) for condition in before):
        hooks.append(Hook("part", "last"))
    return hooks


def _unite_kinds(conditions: Iterable[Condition]) -> tuple[str, ...]:
    return tuple(sorted({kind for condition in conditions for kind in list_kinds_beside(condition)}))
