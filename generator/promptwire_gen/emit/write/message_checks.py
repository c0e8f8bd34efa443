"""Rule hooks of messages: where a rule may refuse a message, or a part for where it stands, the rules look at it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any, ClassVar

from ...model.neutral import ROLES
from ...model.wire import WireModel
from ...spec.rule_conditions import Condition
from .neighbours import is_told_by_next, kinds_beside
from .rule_facts import exempting_fields, pointed_at, rejected, watched_roles


@dataclass(frozen=True, slots=True)
class Hook:
    """`build.check_node(subject)`, where a test holds.

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
        """The kinds of parts beside this one, without which the test does not hold; None for any."""
        return frozenset(self.about) if self.path else None


@dataclass(frozen=True, slots=True)
class CheckFunction:
    """A function that lets the rules look: at a `part` in its message, at one `inside` a part, or at a `message`."""

    name: str
    about: str
    hooks: tuple[Hook, ...]
    macro: ClassVar[str] = "check"


def part_check(holder: str, kind: str, model: WireModel, *, nested: bool) -> CheckFunction | None:
    """Return the hooks of a kind of part in the messages of a role, or inside a part of some kind; None without any."""
    if nested:
        # a tool result belongs to role `tool` in any message
        roles = {"tool"} if holder == "tool_result" else {*ROLES}
        hooks = _kind_hooks(roles, kind, model)
        where = f"inside_{holder}"
    else:
        hooks = [*_kind_hooks({holder}, kind, model), *_neighbour_hooks(holder, kind, model)]
        where = f"in_{holder}"
    if not hooks:
        return None
    about = "inside" if nested else "part"
    return CheckFunction(f"check_{kind}_{where}", about, tuple(dict.fromkeys(hooks)))


def is_checked(role: str, kind: str, model: WireModel, beside: Collection[str] = ()) -> bool:
    """Return whether a rule may check this kind of part in messages of the role, alone or `beside` other kinds."""
    return standing(role, kind, model, beside) != ()


def standing(role: str, kind: str, model: WireModel, beside: Collection[str] = ()) -> tuple[str, ...] | None:
    """Return the paths of the rules about the neighbours of such a part; None if other rules may apply to it."""
    check = part_check(role, kind, model, nested=False)
    hooks = () if check is None else check.hooks
    if any(hook.beside is None for hook in hooks):
        return None
    return tuple([hook.path for hook in hooks if not (hook.beside or frozenset()).isdisjoint(beside)])


def message_check(role: str, model: WireModel) -> CheckFunction | None:
    """Return the hooks of messages of a role; None without any."""
    if role in watched_roles(model):
        return CheckFunction(f"check_{role}", "message", (Hook("message"),))
    fields = {
        condition.tail.partition(".")[0] for condition in pointed_at(model) if condition.head == "message"
    }
    tests: list[tuple[str, Any]] = [("given", field) for field in sorted(fields - {"role"})]
    tests += [
        ("count", None if condition.limit is None else (condition.operator, condition.limit))
        for condition in rejected(model)
        if condition.path == f"{role}.count" and condition.compares
    ]
    if any(condition.path == f"{role}.empty" for condition in rejected(model)):
        # no text that is written at once is empty
        tests.append(("empty", None))
    return (
        CheckFunction(f"check_{role}", "message", (Hook("message", "any", tuple(tests)),)) if tests else None
    )


def _kind_hooks(roles: Collection[str], kind: str, model: WireModel) -> list[Hook]:
    hooks: list[Hook] = []
    for condition in pointed_at(model):
        if condition.head in roles and condition.tail == "part" and condition.means(kind):
            exempting = exempting_fields(condition, model)
            if not exempting:
                return [Hook("part")]
            hooks.append(Hook("part", "unless", exempting))
    return hooks


def _neighbour_hooks(role: str, kind: str, model: WireModel) -> list[Hook]:
    """Return the hooks for rules about the neighbours of parts of this kind."""
    hooks: list[Hook] = []
    behind, ahead = f"{role}.{kind}.after", f"{role}.{kind}.before"
    after = [condition for condition in rejected(model) if condition.path == behind]
    if any(condition.means("start") for condition in after):
        hooks.append(Hook("message"))
    elif after:
        hooks.append(Hook("message", "is_preceded", _kinds_of(after), behind))
    before = [condition for condition in rejected(model) if condition.path == ahead]
    if followers := _kinds_of(before):
        hooks.append(Hook("part", "is_followed", followers, ahead))
    # usually the last part is followed by the next message
    if not all(is_told_by_next(condition) for condition in before):
        hooks.append(Hook("part", "last"))
    return hooks


def _kinds_of(conditions: Iterable[Condition]) -> tuple[str, ...]:
    return tuple(sorted({kind for condition in conditions for kind in kinds_beside(condition)}))
