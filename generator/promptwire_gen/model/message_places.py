"""The shapes of messages, and the keys of a body that hold one conversation: the list, last messages, results."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import replace

from ..problems import did_you_mean, make_hint, quote
from ..spec.nodes import Scalar, Table, describe_kind
from ..spec.notation import Notation
from ..spec.shapes import Alternatives, ConstantShape, Hole, KeyShape, Object, Shape
from .body_model import LastPlace
from .holes import check_holes
from .neutral import MESSAGE, ROLES
from .offers import ShapeFilter
from .wire import MessageShape, WireModel

# a path of two: the list of results; of three or four: the last message of a role, or a slot of it
RESULTS = ("messages", "results")
_LAST = ("messages", "last")


def find_last_places(body: Object) -> tuple[LastPlace, ...]:
    """Return the keys of the last messages, in the order of the conversation."""
    return tuple([place for entry in body.fields for place in _find_last_places(entry)])


def find_results(body: Object) -> KeyShape | None:
    """Return the key of the list of tool results."""
    return next((entry for entry in body.fields if entry.holds(*RESULTS)), None)


def find_beside_prompt(body: Object, slots: Collection[str]) -> tuple[KeyShape, ...]:
    """Return the keys that hold a slot of all messages, whose text is in the prompt."""
    return tuple([entry for entry in body.fields if any(entry.holds("messages", slot) for slot in slots)])


def check_places_of_body(body: Object, slots: Collection[str], notation: Notation) -> None:
    """Reject places of messages that are not the whole value of a body key, or do not exist.

    `slots` are those that may stand beside a prompt; empty for a list of messages.
    """
    whole = {id(hole) for entry in body.fields for hole in _find_whole_hole(entry.shape)}
    for hole in body.holes:
        if not hole.is_place:
            continue
        is_beside = len(hole.path) == 2 and hole.path[1] in slots  # messages and the slot
        if (
            hole.path != RESULTS
            and not is_beside
            and not (hole.path[:2] == _LAST and len(hole.path) in (3, 4))
        ):
            words = ("messages.last", "messages.results", *[f"messages.{slot}" for slot in slots])
            hint = did_you_mean(".".join(hole.path[:2]), words)
            hint = hint or "write $messages.last.user, $messages.last.user.content or $messages.results"
            message = f"{quote('$' + hole.name)} is no place of messages"
            notation.report(hole.span, "unknown-hole", message, hint)
        elif hole.filters or hole.guard is not None or hole.read_only or id(hole) not in whole:
            message = f"{quote('$' + hole.name)} is the whole value of a key of the body, without filters"
            hint = f"write key?: ${hole.name}, or key: {{or: [${hole.name}, constant]}}"
            notation.report(hole.span, "bad-hole", message, hint)


def check_places(model: WireModel, notation: Notation) -> None:
    """Reject places that are always empty, or that reading cannot distinguish."""
    for place in model.body.last:
        _check_last(place, model, notation)
    results = [part for part in model.parts if part.slot == "results"]
    field = model.body.results
    if field is not None and not results:
        message, hint = "no part lands in $messages.results", "write tool_result@tool>results"
        notation.report(field.span, "capability", message, hint)
    for part in results:
        keys = {path[0] for path in part.shape.required_keys}
        if model.speaker in keys or not keys:
            message = (
                f"a result beside the messages is told by the lack of {quote(model.speaker)}, and this has it"
            )
            notation.report(part.span, "capability", message, f"write an object without {model.speaker}")
    for part in [part for part in model.parts if results and part.slot == "messages"]:
        if (model.speaker,) not in part.shape.required_keys:
            message = (
                f"an item without {quote(model.speaker)} would be taken for a result beside the messages"
            )
            notation.report(part.span, "capability", message, f"write {model.speaker}: ...")


def _check_last(place: LastPlace, model: WireModel, notation: Notation) -> None:
    shape, span = model.messages.get(place.role), place.hole.span
    if shape is None:
        known = tuple(model.messages) or ROLES
        hint = did_you_mean(place.role, known) or f"write one of {', '.join(known)}"
        notation.report(span, "unknown-role", f"messages has no shape of {quote(place.role)}", hint)
        return
    if place.slot is None:
        return
    slots = dict(shape.slots)
    if place.slot not in slots:
        hint = did_you_mean(place.slot, slots) or f"write one of {', '.join(slots)}"
        text = f"the message of {quote(place.role)} has no slot {quote(place.slot)}"
        notation.report(span, "unknown-slot", text, hint)
    elif not isinstance(slots[place.slot].shape, Hole):
        text = f"{quote(place.slot)} is inside an object of its message, and cannot be alone under a key of the body"
        notation.report(span, "bad-hole", text, f"write $messages.last.{place.role}")
    elif place.every and not _is_list(shape, place.slot, model):
        text = f"{quote(place.slot)} is no list, and those of several messages would become one"
        notation.report(span, "bad-hole", text, "leave out the []")


def _is_list(shape: MessageShape, slot: str, model: WireModel) -> bool:
    entry = dict(shape.slots)[slot].shape
    listed = isinstance(entry, Hole) and entry.listed
    return model.slots[slot] == "list" and (slot != "content" or listed)


def _find_whole_hole(shape: Shape) -> tuple[Hole, ...]:
    """Return the hole that is the whole value of a key, perhaps with a constant for the empty case."""
    match shape:
        case Hole():
            return (shape,)
        case Alternatives(forms=(Hole() as hole, ConstantShape())):
            return (hole,)
        case _:
            return ()


def _find_last_places(entry: KeyShape) -> Iterator[LastPlace]:
    for hole in _find_whole_hole(entry.shape):
        if hole.path[:2] == _LAST and len(hole.path) in (3, 4):
            slot = hole.path[3] if len(hole.path) == 4 else None
            form = entry.shape.forms[1] if isinstance(entry.shape, Alternatives) else None
            otherwise = form if isinstance(form, ConstantShape) else None
            yield LastPlace(entry, hole, hole.path[2], slot, hole.listed, otherwise)


def lower_messages(
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
            hint = make_hint(role, ROLES, "roles")
            notation.report(key.span, "unknown-role", f"{quote(role)} is not a role", hint)
        elif not isinstance(node, Table):
            message = f"the message of {quote(role)} must be a mapping, not {describe_kind(node)}"
            notation.report(node.span, "wrong-type", message)
        else:
            messages[role] = _lower_message(role, key, node, (speaker, slots), filters, notation)
    own_words = {shape.wire_role for role, shape in messages.items() if shape.wire_role == role}
    return {
        role: replace(shape, twin=role != shape.wire_role and shape.wire_role in own_words)
        for role, shape in messages.items()
    }


def _lower_message(
    role: str,
    key: Scalar,
    node: Table,
    keys: tuple[str, Collection[str]],
    filters: Mapping[str, ShapeFilter],
    notation: Notation,
) -> MessageShape:
    speaker, slots = keys
    shape, other_roles = _keep_one_role(notation.parse_object(node), speaker)
    check_holes(shape, MESSAGE, frozenset(slots), filters, notation)
    if shape.extra_keys is not None:
        notation.report(
            shape.extra_keys.span,
            "bad-rest",
            'a message has no "...": name its keys, such as "key?: $vendor.key"',
        )
    by_slot: dict[str, KeyShape] = {}
    for entry in shape.fields:
        _check_entry(entry, slots, by_slot, notation)
    if slots and not any(hole.path[0] in slots for hole in shape.holes):
        message = f"the message of {quote(role)} has a place for none of the slots: {', '.join(slots)}"
        notation.report(key.span, "missing-hole", message, f"write a key with ${next(iter(slots))}")
    wire_role = next((entry.shape for entry in shape.fields if entry.key == speaker), None)
    if not isinstance(wire_role, ConstantShape) or not isinstance(wire_role.value, str):
        message = f"the message of {quote(role)} lacks its constant {quote(speaker)}"
        notation.report(key.span, "missing-key", message, f"write {speaker}: {role}")
    spoken = str(wire_role.value) if isinstance(wire_role, ConstantShape) else role
    ordered = tuple([(name, by_slot[name]) for name in slots if name in by_slot])
    return MessageShape(role, shape, spoken, ordered, False, key.span, other_roles)


def _keep_one_role(shape: Object, speaker: str) -> tuple[Object, tuple[str | None, ...]]:
    """Keep the first of several words for the role in the shape, and return the others."""
    fields: list[KeyShape] = []
    other_roles: list[str | None] = []
    for entry in shape.fields:
        words = _list_role_words(entry) if entry.key == speaker else []
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
            notation.report(entry.span, "bad-key", message, f'write "{entry.key}?"')
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
        notation.report(hole.span, "bad-hole", message, hint)
    elif name in by_slot:
        message = f"the slot {quote(name)} stands twice in this message"
        notation.report(hole.span, "bad-hole", message, f"it is the value of {by_slot[name].key} already")
    else:
        by_slot[name] = entry


def _holds_one_key(shape: Object) -> bool:
    """Return whether an object has one key, which is always there, and nothing else."""
    return len(shape.fields) == 1 and not (
        shape.fields[0].optional or shape.fields[0].aliases or shape.extra_keys or shape.fixed
    )


def _list_role_words(entry: KeyShape) -> list[str | None]:
    """Return the words of a role that has several; empty otherwise."""
    if not isinstance(entry.shape, Alternatives):
        return []
    words: list[str | None] = []
    for form in entry.shape.forms:
        if not isinstance(form, ConstantShape) or not (form.value is None or isinstance(form.value, str)):
            return []
        words.append(form.value)
    return words
