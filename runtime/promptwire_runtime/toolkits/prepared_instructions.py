"""Instructions that a pipeline or toolkits wrote, and what they were made of.

A prepared request is prepared again on the next turn, when its agent may say something else. The text alone does not
tell which words are the request's own, so the instructions remember them. Copies and pickles keep the memory, a dump
does not.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, Self, TypeAlias

from ..model.options import Instruction

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
    """Return instructions that remember the request's own layers, and what they were before toolkits added theirs."""
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
