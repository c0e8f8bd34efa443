"""The result of the pipeline: a request that is ready to be built, and the data that later calls need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from ..model.request import Request
from ..nodes.checks import CheckedRecord
from ..nodes.records import replace
from ..reporting.notes import Note
from ..toolkits.session import Session
from .history import Reduction
from .layers import Origin


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
        """Add a stage, and what it noted that was not noted before."""
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
