"""Rule hooks of messages: where a rule may refuse a message, or a part for where it stands, the rules look at it."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import ClassVar

from ...model.neutral import ROLES
from ...model.wire import WireModel
from ..python import Expression, literal, name
from ..python.conditions import is_one_of
from .quick_tests import unless_given
from .rule_facts import names_kind, pointed_at, rejected, roles_before, watched_roles

_SEVERAL_KINDS = "part is not message.parts[0] and len({*map(type, message.parts)}) > 1"


@dataclass(frozen=True, slots=True)
class Hook:
    """`build.watch(subject)` where the test holds, or always."""

    subject: str
    test: str = ""


@dataclass(frozen=True, slots=True)
class CheckFunction:
    """A function that lets the rules look: at a `part` in its message, at one `inside` a part, or at a `message`."""

    name: str
    doc: str
    about: str
    hooks: tuple[Hook, ...]
    uses: frozenset[str] = frozenset()
    macro: ClassVar[str] = "check"


def part_check(holder: str, kind: str, model: WireModel, *, nested: bool) -> CheckFunction | None:
    """The hooks of a kind of part in the messages of a role, or inside a part of some kind; None without any."""
    if nested:
        # what a tool returned is the tool's, whoever's message the result stands in
        roles = {"tool"} if holder == "tool_result" else {*ROLES}
        hooks = _kind_hooks(roles, kind, model)
        where = f"inside_{holder}"
    else:
        hooks = [*_kind_hooks({holder}, kind, model), *_neighbour_hooks(holder, kind, model)]
        where = f"in_{holder}"
    if not hooks:
        return None
    doc = "Let the rules look at a part, for what it is and where it stands."
    about = "inside" if nested else "part"
    return CheckFunction(f"check_{kind}_{where}", doc, about, tuple(dict.fromkeys(hooks)))


def is_checked(role: str, kind: str, model: WireModel) -> bool:
    """Whether a rule may look at a kind of part for where it stands in messages of this role."""
    return part_check(role, kind, model, nested=False) is not None


def message_check(role: str, model: WireModel) -> CheckFunction | None:
    """The hooks of messages of a role; None without any."""
    doc = "Let the rules look at a message."
    if role in watched_roles(model):
        return CheckFunction(f"check_{role}", doc, "message", (Hook("message"),))
    fields = {entry.tail.partition(".")[0] for entry in pointed_at(model) if entry.head == "message"}
    tests = [f"message.{field} is not None" for field in sorted(fields - {"role"})]
    tests += [
        f"len(message.parts) {entry.operator} {int(entry.operand)}" if entry.operand.isdigit() else "True"
        for entry in rejected(model)
        if entry.path == f"{role}.count" and entry.compares
    ]
    if not tests:
        return None
    hook = Hook("message", " or ".join(tests))
    return CheckFunction(f"check_{role}", doc, "message", (hook,))


def neighbour_tests(model: WireModel) -> tuple[Expression, ...]:
    """The tests of `beside`, the role before, and `role` that make a message worth a look of the rules."""
    behind: dict[str, list[str]] = {}
    for entry in rejected(model):
        behind.setdefault(entry.head, []).extend(roles_before(entry))
    # what stands before -> the roles behind it that are looked at
    watched: dict[tuple[str, ...], list[str]] = {}
    for role, others in behind.items():
        if others:
            watched.setdefault(tuple(dict.fromkeys(others)), []).append(role)
    tests: list[Expression] = []
    for first, roles in watched.items():
        before = is_one_of(name("beside"), list(map(literal, first)))
        tests.append(Expression(f"{before} and {is_one_of(name('role'), list(map(literal, roles)))}"))
    return tuple(tests)


def _kind_hooks(roles: Collection[str], kind: str, model: WireModel) -> list[Hook]:
    hooks: list[Hook] = []
    for entry in pointed_at(model):
        if entry.head in roles and entry.tail == "part" and names_kind(entry, kind):
            test = unless_given(entry, model)
            if test is None:
                return [Hook("part")]
            hooks.append(Hook("part", test.text))
    return hooks


def _neighbour_hooks(role: str, kind: str, model: WireModel) -> list[Hook]:
    """Where a rule may refuse what stands before or behind a part of this kind."""
    after = [entry for entry in rejected(model) if entry.path == f"{role}.{kind}.after"]
    before = [entry for entry in rejected(model) if entry.path == f"{role}.{kind}.before"]
    hooks: list[Hook] = []
    if any(names_kind(entry, "start") for entry in after):
        hooks.append(Hook("message"))
    elif after:
        hooks.append(Hook("message", _SEVERAL_KINDS))
    if before:
        # as a rule, the next message
        outside = all(
            entry.operator == "=" and all(word == "end" or "." in word for word in entry.words)
            for entry in before
        )
        hooks.append(Hook("part", "part is message.parts[-1]" if outside else ""))
    return hooks
