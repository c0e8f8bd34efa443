"""What the pipeline gives: a request that is ready to be built, and what the calls after it need."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.request import Request
from ..nodes.light_dataclasses import dataclass, field
from ..nodes.records import Record
from ..toolkits.session import Session
from .report import ContextReport


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
