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

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from ..errors import ContextError
from ..model.options import Instruction
from ..model.parts import Text
from ..model.request import Message, Request
from ..nodes.checks import CheckedRecord
from ..nodes.record_fields import shown
from ..nodes.records import replace
from ..nodes.type_errors import check_class
from ..prepared import Written, with_memory
from ..reporting.notes import Note
from ..toolkits.session import Session
from ..toolkits.viewing import with_messages_first
from .history import Reduction
from .layers import Merged, Origin
from .policies import PLAN

Path = Literal["native", "message"]
_NATIVE = {True: True, False: False, "true": True, "false": False, "unknown": False}


def instruction_path(native: bool | str) -> Path:
    """Choose the path by a capability of the API (`WIRE.capabilities["instructions"]["native"]`).

    What is unknown takes the path that works everywhere: a message.

    Raises:
        ContextError: `native` is none of true, false, unknown.
    """
    if not isinstance(native, bool | str) or native not in _NATIVE:  # pyright: ignore[reportUnnecessaryIsInstance]
        raise ContextError(
            f'native is true, false or "unknown", not {shown(native)}', where="instruction path"
        )
    return "native" if _NATIVE[native] else "message"


def place(
    merged: Merged, request: Request, path: Path = "native", own: tuple[Instruction, ...] = ()
) -> Request:
    """Write merged instructions into a request: its field, or a system message before all messages that are sent.

    The system text is the same on both paths. The result remembers the layers of the request alone (`own`), so that the
    next turn writes it anew. A request that continues one on the server gets its message where the new messages
    start, so that it is sent.
    """
    check_class(merged, Merged, "merged")
    check_class(request, Request, "request")
    instructions = merged.instructions
    if path == "native" or not instructions:
        return replace(request, instructions=with_memory(instructions, own))
    request = replace(request, instructions=None)
    layers = (Instruction(instructions),) if isinstance(instructions, str) else instructions
    written = Written(own)
    return with_messages_first(request, tuple([_message(layer, written) for layer in layers]))


def _message(layer: Instruction, written: Written) -> Message:
    part = Text(layer.text, cache=layer.cache, vendor=layer.vendor, extra=layer.extra)
    return Message(layer.role or "system", (part,), provenance=written)


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ContextReport(CheckedRecord):
    """A report of a pipeline's steps.

    Attributes:
        text: The system text that is sent. Empty if there is none.
        origins: The source layer or section of each range of the text.
        notes: Every layer that was left out, with the reason; a tool choice without tools.
        reduction: How the history was reduced. None if it was not.
        stages: The stages that ran, in order.
    """

    text: str = ""
    origins: tuple[Origin, ...] = ()
    notes: tuple[Note, ...] = ()
    reduction: Reduction | None = None
    stages: tuple[str, ...] = ()

    def with_stage(self, stage: str, notes: tuple[Note, ...]) -> ContextReport:
        """Add a stage, and its new notes."""
        new = [note for note in notes if note not in self.notes]
        return replace(self, notes=(*self.notes, *new), stages=(*self.stages, stage))

    def __str__(self) -> str:
        """Return the report as text: one line per layer, note and reduction."""
        lines = [f"{origin.source}: {self.text[origin.start : origin.end]!r}" for origin in self.origins]
        lines += map(str, self.notes)
        if self.reduction is not None:
            lines.append(f"history: {self.reduction.after} of {self.reduction.before} messages kept")
        return "\n".join(lines)


@dataclass(frozen=True, eq=False, repr=False)
class Prepared(CheckedRecord):
    """A request that is ready to be built.

    Attributes:
        request: The request of the next model call.
        unscoped: The same request with all tools, from which the following call is prepared.
        report: A report of its layers, notes and stages.
        properties: The properties that were passed to `prepare`.
        session: The session of the agent's toolkits. None if it has none.
    """

    request: Request
    unscoped: Request
    report: ContextReport
    properties: Mapping[str, Any] = field(default_factory=dict[str, Any])
    session: Session | None = None


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
