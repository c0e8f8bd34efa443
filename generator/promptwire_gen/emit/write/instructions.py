"""The function that writes instructions as the first messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...model.wire import WireModel
from ..field_access import FieldAccess
from ..python import Expression, frozen_words, literal


@dataclass(frozen=True, slots=True)
class InstructionsWriter:
    """`write_instructions`.

    role    the role of a layer that names none
    roles   the roles that layers may have here
    joined  whether the texts of several layers become one
    listed  whether a single layer stands in a list as well
    """

    role: Expression
    roles: Expression
    joined: bool
    listed: bool
    name: str = "write_instructions"
    uses: frozenset[str] = frozenset()
    macro: ClassVar[str] = "instructions_writer"


def instructions_writer(model: WireModel, access: FieldAccess) -> InstructionsWriter:
    """The function of one wire; `access` carries its imports."""
    access.imports.use("promptwire_runtime", "Instruction")
    access.imports.use("promptwire_runtime.build.instructions", "runs_of_role", "texts_of_layers")
    access.imports.use("promptwire_runtime.build.shape_filters", "write_join")
    return InstructionsWriter(
        role=literal(model.instructions.role),
        roles=frozen_words(sorted(set(model.messages) & {"system", "developer"})),
        joined=model.instructions.several == "join",
        listed=model.lists_instructions,
    )
