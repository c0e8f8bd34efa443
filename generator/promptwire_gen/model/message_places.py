"""The keys of a body that hold one conversation together: the message list, last messages, and results."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from ..problems import did_you_mean, quote
from ..spec.notation import Notation
from ..spec.shapes import Alternatives, ConstantShape, Hole, KeyShape, Object, Shape
from .body_model import LastPlace
from .neutral import ROLES
from .wire import MessageShape, WireModel

# a path of two: the list of results; of three or four: the last message of a role, or a slot of it
RESULTS = ("messages", "results")
_LAST = ("messages", "last")


def is_place(entry: KeyShape) -> bool:
    """Return whether a key of the body takes messages out of their list."""
    return any(_is_apart(hole) for hole in entry.shape.holes)


def last_places(body: Object) -> tuple[LastPlace, ...]:
    """Return the keys of the last messages, in the order of the conversation."""
    return tuple([place for entry in body.fields for place in _places(entry)])


def results_of(body: Object) -> KeyShape | None:
    """Return the key of the list of tool results."""
    return next((entry for entry in body.fields if _path(entry.shape) == RESULTS), None)


def beside_prompt(body: Object, slots: Collection[str]) -> tuple[KeyShape, ...]:
    """Return the keys that hold a slot of all messages, beside the prompt that holds their text."""
    paths = {("messages", slot) for slot in slots}
    return tuple([entry for entry in body.fields if _path(entry.shape) in paths])


def check_places_of_body(body: Object, slots: Collection[str], notation: Notation) -> None:
    """Reject places of messages that are not the whole value of a body key, or do not exist.

    `slots` are those that may stand beside a prompt; empty for a list of messages.
    """
    whole = {id(hole) for entry in body.fields for hole in _whole(entry.shape)}
    for hole in body.holes:
        if not _is_apart(hole):
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
            notation.problem(hole.span, "unknown-hole", message, hint)
        elif hole.filters or hole.guard is not None or hole.read_only or id(hole) not in whole:
            message = f"{quote('$' + hole.name)} is the whole value of a key of the body, without filters"
            hint = f"write key?: ${hole.name}, or key: {{or: [${hole.name}, constant]}}"
            notation.problem(hole.span, "bad-hole", message, hint)


def check_places(model: WireModel, notation: Notation) -> None:
    """Reject places that are always empty, or that reading cannot distinguish."""
    for place in model.body.last:
        _check_last(place, model, notation)
    results = [part for part in model.parts if part.slot == "results"]
    field = model.body.results
    if field is not None and not results:
        message, hint = "no part lands in $messages.results", "write tool_result@tool>results"
        notation.problem(field.span, "capability", message, hint)
    for part in results:
        keys = {path[0] for path in part.shape.required_keys}
        if model.speaker in keys or not keys:
            message = (
                f"a result beside the messages is told by the lack of {quote(model.speaker)}, and this has it"
            )
            notation.problem(part.span, "capability", message, f"write an object without {model.speaker}")
    for part in [part for part in model.parts if results and part.slot == "messages"]:
        if (model.speaker,) not in part.shape.required_keys:
            message = (
                f"an item without {quote(model.speaker)} would be taken for a result beside the messages"
            )
            notation.problem(part.span, "capability", message, f"write {model.speaker}: ...")


def _check_last(place: LastPlace, model: WireModel, notation: Notation) -> None:
    shape, span = model.messages.get(place.role), place.hole.span
    if shape is None:
        known = tuple(model.messages) or ROLES
        hint = did_you_mean(place.role, known) or f"write one of {', '.join(known)}"
        notation.problem(span, "unknown-role", f"messages has no shape of {quote(place.role)}", hint)
        return
    if place.slot is None:
        return
    slots = dict(shape.slots)
    if place.slot not in slots:
        hint = did_you_mean(place.slot, slots) or f"write one of {', '.join(slots)}"
        text = f"the message of {quote(place.role)} has no slot {quote(place.slot)}"
        notation.problem(span, "unknown-slot", text, hint)
    elif not isinstance(slots[place.slot].shape, Hole):
        text = f"{quote(place.slot)} is inside an object of its message, and cannot be alone under a key of the body"
        notation.problem(span, "bad-hole", text, f"write $messages.last.{place.role}")
    elif place.every and not _is_list(shape, place.slot, model):
        text = f"{quote(place.slot)} is no list, and those of several messages would become one"
        notation.problem(span, "bad-hole", text, "leave out the []")


def _is_list(shape: MessageShape, slot: str, model: WireModel) -> bool:
    entry = dict(shape.slots)[slot].shape
    listed = isinstance(entry, Hole) and entry.listed
    return model.slots[slot] == "list" and (slot != "content" or listed)


def _is_apart(hole: Hole) -> bool:
    return hole.path[0] == "messages" and len(hole.path) > 1


def _path(shape: Shape) -> tuple[str, ...] | None:
    return shape.path if isinstance(shape, Hole) else None


def _whole(shape: Shape) -> tuple[Hole, ...]:
    """Return the hole that is the whole value of a key, alone or with a constant for the empty case."""
    match shape:
        case Hole():
            return (shape,)
        case Alternatives(forms=(Hole() as hole, ConstantShape())):
            return (hole,)
        case _:
            return ()


def _places(entry: KeyShape) -> Iterator[LastPlace]:
    for hole in _whole(entry.shape):
        if hole.path[:2] == _LAST and len(hole.path) in (3, 4):
            slot = hole.path[3] if len(hole.path) == 4 else None
            form = entry.shape.forms[1] if isinstance(entry.shape, Alternatives) else None
            otherwise = form if isinstance(form, ConstantShape) else None
            yield LastPlace(entry, hole, hole.path[2], slot, hole.listed, otherwise)
