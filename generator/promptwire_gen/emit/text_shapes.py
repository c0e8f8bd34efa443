"""The shape of plain text in a role, and the key by which its element is recognised."""

from __future__ import annotations

from typing import Any

from ..model.neutral import CONTAINERS
from ..model.wire import Variant, WireModel
from ..spec.shapes import ConstantShape, Hole, Object, Shape


def find_bare_text(model: WireModel, role: str) -> Variant | None:
    """Return the shape of plain text in this role, where text may collapse."""
    for part in model.list_parts_of(role):
        if (
            part.mode == "text"
            and part.written
            and part.slot == "content"
            and not (part.required_fields or part.required_options)
        ):
            return part
    return None


def get_text_type(bare: Variant) -> str:
    """Return the `type` constant of a text shape; empty where it has none."""
    if isinstance(bare.shape, Object):
        for entry in bare.shape.fields:
            if entry.key == "type" and isinstance(entry.shape, ConstantShape):
                return str(entry.shape.value)
    return ""


def get_text_mark(bare: Variant) -> str | tuple[str, dict[str, Any]]:
    """Return the discriminator of a text element that may be bare: its `type`, or its text key and constants."""
    shape = bare.shape
    if not isinstance(shape, Object) or get_text_type(bare):
        return get_text_type(bare)
    keys = [
        entry.key for entry in shape.required if isinstance(entry.shape, Hole) and not entry.shape.filters
    ]
    if len(keys) != 1 or len(shape.constants) != len(shape.required) - 1:
        return ""
    return keys[0], shape.constants


def is_joined(content: Shape) -> bool:
    """Return whether parts are joined to one text (`$content|join`)."""
    return any(hole.path == ("content",) and hole.filters for hole in content.holes)


def spell_role(role: str) -> str:
    """Return a role, or a kind of part that holds others, in words: `user message`, `tool result`."""
    return role.replace("_", " ") if role in CONTAINERS else f"{role} message"


def add_article(noun: str) -> str:
    """Return a noun with its article: `an assistant message`, `a user message`."""
    vowel = noun[0] in "aeiou" and not noun.startswith("user")
    return f"{'an' if vowel else 'a'} {noun}"
