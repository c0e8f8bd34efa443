"""The text of a whole conversation, for rules about words; loaded when a wire has such a rule."""

from __future__ import annotations

from typing import Any

from ..model.media import Document
from ..model.parts import Compaction, ItemReference, Opaque, Text
from ..model.request import Request
from ..nodes.records import fields, is_node
from ..wire_json.kinds import is_mapping

# parts that may hold text which is not visible here
_HIDING = (Compaction, Document, ItemReference, Opaque)
# fields without text for the model
_SILENT = frozenset(
    {"data", "media_type", "signature", "encrypted", "redacted", "provenance", "kept", "extra"}
)


def all_text(request: Request, *, instructions: bool) -> str | None:
    """Join all texts, arguments and results of the messages, each on a line; instructions come first if asked for.

    None where a part may hold more than is known here.
    """
    texts: list[str] = []
    left: list[Any] = [part for message in reversed(request.messages) for part in reversed(message.parts)]
    if instructions and (layers := request.instructions):
        left += [layers] if isinstance(layers, str) else reversed(layers)
    # JSON of a caller may hold itself
    seen: set[int] = set()
    while left:
        value = left.pop()
        if isinstance(value, _HIDING):
            return None
        if type(value) is Text:
            texts.append(value.text)
        elif isinstance(value, str):
            texts.append(value)
        elif id(value) not in seen:
            seen.add(id(value))
            left += reversed(_inside(value))
    return "\n".join(texts)


def _inside(value: Any) -> list[Any]:
    """Return what a value holds: the fields of a node, keys and values of an object, the elements of a list."""
    if is_node(value):
        return [getattr(value, field.name) for field in fields(value) if field.name not in _SILENT]
    if is_mapping(value):
        return [text for pair in value.items() for text in pair]
    return [*value] if isinstance(value, (list, tuple)) else []  # pyright: ignore[reportUnknownVariableType]
