"""Instructions that a pipeline wrote, with the layers of the request alone, so that its next turn writes them anew.

`dump_request` writes these layers too, and `load_request` reads them.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self, TypeAlias

from .model.options import Instruction
from .model.request import Message
from .model.wire_memory import Provenance
from .nodes.records import set_fields

Instructions: TypeAlias = "str | tuple[Instruction, ...] | None"


class PreparedText(str):
    """A system text that was written for a request.

    own   the layers of the request alone; None where no pipeline wrote the text
    bare  the instructions before toolkits added theirs, empty if there were none; None where toolkits added nothing
    """

    __slots__ = ("bare", "own")

    own: tuple[Instruction, ...] | None
    bare: Instructions

    def __new__(
        cls, text: str, own: tuple[Instruction, ...] | None = None, bare: Instructions = None
    ) -> Self:
        """Build the text with its memory."""
        prepared = super().__new__(cls, text)
        prepared.own, prepared.bare = own, bare
        return prepared

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle with the memory."""
        return type(self), (str(self), self.own, self.bare)


class PreparedLayers(tuple[Instruction, ...]):  # noqa: SLOT001  # a tuple has no slots for its memory
    """Layers of instructions that were written for a request: `own` and `bare` as in `PreparedText`."""

    own: tuple[Instruction, ...] | None
    bare: Instructions

    def __new__(
        cls,
        layers: Iterable[Instruction],
        own: tuple[Instruction, ...] | None = None,
        bare: Instructions = None,
    ) -> Self:
        """Build the layers with their memory."""
        prepared = super().__new__(cls, layers)
        prepared.own, prepared.bare = own, bare
        return prepared

    def __reduce__(self) -> tuple[Any, ...]:
        """Copy and pickle with the memory."""
        return type(self), (tuple(self), self.own, self.bare)


def with_memory(
    instructions: Instructions, own: tuple[Instruction, ...] | None, bare: Instructions = None
) -> Instructions:
    """Return instructions that remember the request's own layers and their state before toolkits added theirs."""
    if isinstance(instructions, tuple):
        return PreparedLayers(instructions, own, bare)
    if instructions or any(layer.text.strip() for layer in own or ()):
        # without any words, an empty text keeps the memory; no API is sent one
        return PreparedText(instructions or "", own, bare)
    return None


def own_of(instructions: Instructions) -> tuple[Instruction, ...] | None:
    """Return the request's own layers as prepared instructions remember them; None where they remember none."""
    return instructions.own if isinstance(instructions, PreparedText | PreparedLayers) else None


def bare_of(instructions: Instructions) -> Instructions:
    """Return instructions without what toolkits added."""
    if isinstance(instructions, PreparedText | PreparedLayers) and instructions.bare is not None:
        bare = instructions.bare
        return bare if bare or own_of(bare) else None
    return instructions


WRITER = "promptwire.context"


class Written(Provenance):
    """The mark of a system message that a pipeline wrote; it is never compared.

    own   the layers of the request alone
    bare  the message before toolkits added a text; None where they added nothing
    """

    __slots__ = ("bare", "own")

    own: tuple[Instruction, ...]
    bare: Message | None

    def __init__(self, own: tuple[Instruction, ...] = (), bare: Message | None = None) -> None:
        """Build the mark."""
        set_fields(self, wire=WRITER, model=None, api=None, own=own, bare=bare)


def is_written(message: Message) -> bool:
    """Return whether a pipeline wrote a message."""
    return isinstance(message.provenance, Written)


def own_of_message(message: Message) -> tuple[Instruction, ...]:
    """Return the request's own layers as the mark of a message remembers them; none where it has no mark."""
    return message.provenance.own if isinstance(message.provenance, Written) else ()
