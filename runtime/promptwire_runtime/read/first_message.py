"""Instructions that stand as the first message of a conversation."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, cast

from ..model.options import Instruction
from ..model.parts import Text
from ..model.request import Message
from ..nodes.node import changed
from ..reporting.notes import Note


def without_instructions(
    messages: tuple[Message, ...], role: str, reader: Any
) -> tuple[Any, tuple[Message, ...]]:
    """Return the instructions that the first message is, and the messages without it; None where it is none.

    `role` is that of instructions that state none, unless the model has another.
    """
    first = messages[0] if messages else None
    if first is None or first.role not in ("system", "developer") or not first.parts:
        return None, messages
    if first.name is not None or not all(type(part) is Text and part.text for part in first.parts):
        return None, messages
    texts = cast("tuple[Text, ...]", first.parts)
    if any(part.citations is not None or part.vendor is not None for part in texts):
        return None, messages
    reader.notes.append(_moved(first.role))
    default = reader.wire.decide(reader.origin.model, None).role or role
    if len(texts) == 1 and texts[0].is_plain and first.role == default:
        return texts[0].text, messages[1:]
    own = None if first.role == default else first.role
    layers = [changed(part, Instruction, text=part.text, role=own, cache=part.cache) for part in texts]
    return tuple(layers), messages[1:]


@lru_cache(maxsize=4)
def _moved(role: str) -> Note:
    """Return the note on a first message of this role that was read as instructions."""
    return Note("moved", "", "instructions", f"they were the first message, of role {role}")
