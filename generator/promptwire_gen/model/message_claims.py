"""Checks of assumptions in the message loop: the first message of instructions, and joined content."""

from __future__ import annotations

from ..problems import quote
from ..spec.load import LoadedSpec
from ..spec.notation import Notation
from ..spec.shapes import ConstantShape, Hole, Object
from .wire import MessageShape, WireModel


def check_first_message(model: WireModel, notation: Notation) -> None:
    """Reject a first message of instructions that has more than a role and its content."""
    if model.instructions.placement != "first_message":
        return
    assigned = [rule.set["instructions.role"] for rule in model.rules if "instructions.role" in rule.set]
    listed = model.lists_instructions
    speakers = [model.instructions.role, *map(str, assigned), *(("system", "developer") if listed else ())]
    speaker, key = model.speaker, model.content_key(model.instructions.role)
    for role in dict.fromkeys(speakers):
        message = model.messages.get(role)
        if message is not None and not _is_role_and_content(message, speaker, key, listed=listed):
            word = message.wire_role
            shown = f"{{{speaker}: {word}, {key}: ...}}"
            text = f"instructions are written as {shown}, and messages.{role} is another shape"
            content = '"$content[]"' if listed else "$content"
            hint = f"write {role}: {{{speaker}: {word}, {key}: {content}}}, further keys with ?"
            notation.problem(message.span, "capability", text, hint)


def _is_role_and_content(message: MessageShape, speaker: str, key: str, *, listed: bool) -> bool:
    entries = {entry.key: entry.shape for entry in message.shape.fields if not entry.optional}
    content = entries.get(key)
    if set(entries) != {speaker, key} or not isinstance(entries[speaker], ConstantShape):
        return False
    return isinstance(content, Hole) and content.path == ("content",) and content.listed is listed


def check_merging(model: WireModel, spec: LoadedSpec, notation: Notation) -> None:
    """Reject merging if content is under several keys, or if a text element is not just its type and text."""
    if not model.merges:
        return
    holes = {
        entry.key: hole
        for message in model.messages.values()
        for entry in message.shape.fields
        for hole in entry.shape.holes
        if hole.path == ("content",)
    }
    place = spec.span_of(("passes", 0))
    if len(holes) > 1:
        keys = " and ".join(map(quote, holes))
        message = f"messages are joined under one key, and their content stands under {keys}"
        notation.problem(place, "capability", message, "write one key for all roles, or leave out passes")
    bare = [hole for hole in holes.values() if not hole.listed]
    if bare and (any(hole.filters for hole in bare) or not _has_typed_text(model)):
        message = "messages are joined as lists, and text alone is no {type: ..., text: $text} in them"
        notation.problem(place, "capability", message, 'write content: "$content[]", or leave out passes')


def _has_typed_text(model: WireModel) -> bool:
    """Return whether text in a list is an object with its type and the text."""
    texts = [
        part for part in model.parts if part.mode == "text" and part.for_plain and part.slot == "content"
    ]
    for part in texts:
        entries = part.shape.fields if isinstance(part.shape, Object) else ()
        needed = {entry.key: entry.shape for entry in entries if not entry.optional}
        text, kind = needed.pop("text", None), needed.pop("type", None)
        if needed or not isinstance(kind, ConstantShape) or not (isinstance(text, Hole) and not text.filters):
            return False
    return True
