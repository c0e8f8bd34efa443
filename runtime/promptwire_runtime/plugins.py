"""What plugins are given: the report of a build, the context of a repair, and facts, rules and form memory.

`on_day` decides rules as they hold on another day.
"""

from __future__ import annotations

from .build.wire import Signing, Wire
from .model.wire_memory import Form, Kept, Provenance
from .repairs.edits import RepairContext
from .reporting.day import on_day
from .reporting.facts import Setting
from .reporting.report import Report
from .rules.rule import Rule

__all__ = [
    "Form", "Kept", "Provenance", "RepairContext", "Report", "Rule", "Setting", "Signing", "Wire", "on_day",
]  # fmt: skip
