"""Parse the shape of one role's message: constants, slots for parts, and optional fields."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from ..problems import hint_of, quote
from ..spec.nodes import Scalar, Table, kind_of
from ..spec.notation import Notation
from ..spec.shapes import Alternatives, ConstantShape, Hole, KeyShape, Object
from .holes import check_holes
from .neutral import MESSAGE, ROLES
from .offers import ShapeFilter
from .wire import MessageShape


def message_shapes(
    table: Table | None,
    speaker: str,
    slots: Collection[str],
    filters: Mapping[str, ShapeFilter],
    notation: Notation,
) -> dict[str, MessageShape]:
    """Parse and check the message of each role; `slots` are the wire's, in reading order, `speaker` its role key."""
    messages: dict[str, MessageShape] = {}
    for key, node in table.entries if table is not None else ():
        role = str(key.value)
        if role not in ROLES:
            hint = hint_of(role, ROLES, "roles")
            notation.problem(key.span, "unknown-role", f"{quote(role)} is not a role", hint)
        elif not isinstance(node, Table):
            message = f"the message of {quote(role)} must be a mapping, not {kind_of(node)}"
            notation.problem(node.span, "wrong-type", message)
        else:
            messages[role] = _message_shape(role, key, node, (speaker, slots), filters, notation)
    own_words = {shape.wire_role for role, shape in messages.items() if shape.wire_role == role}
    return {
        role: replace(shape, twin=role != shape.wire_role and shape.wire_role in own_words)
        for role, shape in messages.items()
    }


def _message_shape(
    role: str,
    key: Scalar,
    node: Table,
    keys: tuple[str, Collection[str]],
    filters: Mapping[str, ShapeFilter],
    notation: Notation,
) -> MessageShape:
    speaker, slots = keys
    shape, other_roles = _with_one_role(notation.object(node), speaker)
    check_holes(shape, MESSAGE, frozenset(slots), filters, notation)
    if shape.extra_keys is not None:
        notation.problem(
            shape.extra_keys.span,
            "bad-rest",
            'a message has no "...": name its keys, such as "key?: $vendor.key"',
        )
    by_slot: dict[str, KeyShape] = {}
    for entry in shape.fields:
        _check_entry(entry, slots, by_slot, notation)
    if slots and not any(hole.path[0] in slots for hole in shape.holes):
        message = f"the message of {quote(role)} has a place for none of the slots: {', '.join(slots)}"
        notation.problem(key.span, "missing-hole", message, f"write a key with ${next(iter(slots))}")
    wire_role = next((entry.shape for entry in shape.fields if entry.key == speaker), None)
    if not isinstance(wire_role, ConstantShape) or not isinstance(wire_role.value, str):
        message = f"the message of {quote(role)} lacks its constant {quote(speaker)}"
        notation.problem(key.span, "missing-key", message, f"write {speaker}: {role}")
    spoken = str(wire_role.value) if isinstance(wire_role, ConstantShape) else role
    ordered = tuple([(name, by_slot[name]) for name in slots if name in by_slot])
    return MessageShape(role, shape, spoken, ordered, False, key.span, other_roles)


def _with_one_role(shape: Object, speaker: str) -> tuple[Object, tuple[str | None, ...]]:
    """Keep the first of several words for the role in the shape, and return the others."""
    fields: list[KeyShape] = []
    other_roles: list[str | None] = []
    for entry in shape.fields:
        words = _words(entry) if entry.key == speaker else []
        if len(words) > 1:
            other_roles = words[1:]
            fields.append(replace(entry, shape=ConstantShape(words[0], entry.span)))
        else:
            fields.append(entry)
    return replace(shape, fields=tuple(fields)), tuple(other_roles)


def _check_entry(
    entry: KeyShape, slots: Collection[str], by_slot: dict[str, KeyShape], notation: Notation
) -> None:
    inside = [hole for hole in entry.shape.holes if hole.path[0] in slots and len(hole.path) == 1]
    if not inside:
        is_known = all(hole.path[0] in (*MESSAGE.fields, "vendor") for hole in entry.shape.holes)
        if is_known and not entry.optional and not isinstance(entry.shape, ConstantShape):
            message = f"{quote(entry.key)} is always there: only constants and slots can be"
            notation.problem(entry.span, "bad-key", message, f'write "{entry.key}?"')
        return
    hole = inside[0]
    name = hole.path[0]
    wrapped = entry.shape
    while name != "content" and isinstance(wrapped, Object) and _holds_one_key(wrapped):
        wrapped = wrapped.fields[0].shape
    joined = name == "content" and [filter_.name for filter_ in hole.filters] == ["join"] and not hole.listed
    plain = not hole.filters or joined
    if not isinstance(wrapped, Hole) or not plain or hole.guard is not None or hole.read_only:
        message = f"the slot {quote(name)} is a key's whole value, without filters"
        hint = f"write key: ${name}" + ("" if name == "content" else f", or key: {{inner: ${name}}}")
        notation.problem(hole.span, "bad-hole", message, hint)
    elif name in by_slot:
        message = f"the slot {quote(name)} stands twice in this message"
        notation.problem(hole.span, "bad-hole", message, f"it is the value of {by_slot[name].key} already")
    else:
        by_slot[name] = entry


def _holds_one_key(shape: Object) -> bool:
    """Return whether an object has one key, which is always there, and nothing else."""
    return len(shape.fields) == 1 and not (
        shape.fields[0].optional or shape.fields[0].aliases or shape.extra_keys or shape.fixed
    )


def _words(entry: KeyShape) -> list[str | None]:
    """Return the words of a role that has several; empty otherwise."""
    if not isinstance(entry.shape, Alternatives):
        return []
    words: list[str | None] = []
    for form in entry.shape.forms:
        if not isinstance(form, ConstantShape) or not (form.value is None or isinstance(form.value, str)):
            return []
        words.append(form.value)
    return words
