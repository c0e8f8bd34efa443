"""The function that writes instructions as the first messages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from ...model.neutral import LAYER_ROLES
from ...model.wire import WireModel
from ..python import Expression, display, frozen_words, literal, name


@dataclass(frozen=True, slots=True)
class FirstMessage:
    """A message of instructions: `{speaker: word, content: ...}`."""

    speaker: Expression
    word: Expression
    content: Expression


def first_message(model: WireModel, role: Expression) -> FirstMessage:
    """Return the keys of a first message, and the wire's word for its `role`."""
    own = model.instructions.role
    assigned = [str(rule.set["instructions.role"]) for rule in model.rules if "instructions.role" in rule.set]
    roles = [known for known in dict.fromkeys((own, *assigned, *LAYER_ROLES)) if known in model.messages]
    words = [(known, model.messages[known].wire_role) for known in roles]
    word = role
    if any(known != spoken for known, spoken in words):
        word = Expression(f"{display([(known, literal(spoken)) for known, spoken in words])}[{role}]")
    return FirstMessage(literal(model.speaker), word, literal(model.content_key(own)))


@dataclass(frozen=True, slots=True)
class InstructionsWriter:
    """`write_instructions`.

    role    the role of a layer that names none
    message  how the message of a run of layers is written
    roles   the roles that layers may have here
    joined  whether the texts of several layers become one
    listed  whether a single layer stands in a list as well
    """

    role: Expression
    message: FirstMessage
    roles: Expression
    joined: bool
    listed: bool
    name: str = "write_instructions"
    macro: ClassVar[str] = "instructions_writer"


def instructions_writer(model: WireModel) -> InstructionsWriter:
    """Return the function of one wire."""
    return InstructionsWriter(
        role=literal(model.instructions.role),
        message=first_message(model, name("run_role")),
        roles=frozen_words(sorted(set(model.messages) & {"system", "developer"})),
        joined=model.instructions.several == "join",
        listed=model.lists_instructions,
    )
