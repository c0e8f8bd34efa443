"""Plan mode: a layer of instructions that comes and goes, and the turn on which the model is told that it went.

phase        the model is told
off          nothing: never was in plan mode
entered      the plan text
active       the plan text, again on every turn: a text that was sent once fades
left         once, that plan mode is over
over         nothing
reentered    the plan text, as on the first entry
"""

from __future__ import annotations

from dataclasses import dataclass

from ..errors import ContextError
from ..model.options import Instruction
from ..nodes.checks import CheckedRecord
from ..nodes.record_fields import shown
from .policies import PLAN

DEFAULT_PLAN_TEXT = """\
Plan mode is on.
Find out what you need to know, without changing anything: read, search, and ask where the task is unclear.
Then write down your plan: the steps in their order, what each one changes, and how its success is checked.
Carry out no step before the user has agreed to the plan."""
DEFAULT_EXIT_TEXT = """\
Plan mode is off. What was said about it before no longer holds: carry out what was agreed."""

# phase -> (the next one while plan mode is off, the next one while it is on)
_NEXT = {
    "off": ("off", "entered"),
    "entered": ("left", "active"),
    "active": ("left", "active"),
    "left": ("over", "reentered"),
    "over": ("over", "reentered"),
    "reentered": ("left", "active"),
}
PHASES = tuple(_NEXT)
_ON = ("entered", "active", "reentered")


def next_phase(phase: str, active: bool) -> str:
    """Return the phase of the next turn: a word that is kept with the conversation.

    Raises:
        ContextError: the phase does not exist.
    """
    return _NEXT[_known(phase)][active]


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class PlanMode(CheckedRecord):
    """The texts of plan mode. `text` and `exit_text` replace the default texts, even if they are empty."""

    enabled: bool = True
    text: str | None = None
    exit_text: str | None = None

    def layer(self, phase: str = "active") -> Instruction | None:
        """Return the layer of a phase; none while plan mode is disabled, was never on, or is over.

        Raises:
            ContextError: the phase does not exist.
        """
        _known(phase)
        if not self.enabled:
            return None
        if phase in _ON:
            return Instruction(DEFAULT_PLAN_TEXT if self.text is None else self.text, source=PLAN)
        if phase == "left":
            return Instruction(DEFAULT_EXIT_TEXT if self.exit_text is None else self.exit_text, source=PLAN)
        return None


def _known(phase: str) -> str:
    if type(phase) is not str or phase not in _NEXT:
        raise ContextError(
            f'"{phase if type(phase) is str else shown(phase)}" is not a phase: use one of {", ".join(PHASES)}',
            where="plan mode",
        )
    return phase
