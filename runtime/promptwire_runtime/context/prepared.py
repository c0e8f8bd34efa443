"""The result of the pipeline: a request that is ready to be built, and the data that later calls need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.request import Request
from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import Record, replace
from ..reporting.notes import Note
from ..toolkits.session import Session
from .history import Reduction
from .layers import Origin


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ContextReport(Record):
    """One report.

    text       the system text that is sent; empty when there is none
    origins    which characters of it came from which layer or section
    notes      every layer that was dropped, and why; a tool choice that lost its tools
    reduction  what the history lost; None when it was not reduced
    stages     what ran, in order
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
class Prepared(Record):
    """A request that is ready to be built.

    request   for the next model call
    unscoped  the same with all tools, from which the call after it is made
    report    what it is made of
    properties  as given to `prepare`
    session   of the agent's toolkits, which knows what they show and keeps their state; None where it has none
    """

    request: Request
    unscoped: Request
    report: ContextReport
    properties: Mapping[str, Any] = field(default_factory=dict[str, Any])
    session: Session | None = None
