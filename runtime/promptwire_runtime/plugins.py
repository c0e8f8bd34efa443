"""What plugins are given: the context of a build or a repair, and the records of facts, rules and form memory.

`on_day` decides rules as they hold on another day.
"""

from __future__ import annotations

from .build.context import BuildContext
from .build.wire import Signing, Wire
from .model.wire_memory import Form, Kept, Provenance
from .repairs.edits import RepairContext
from .reporting.day import on_day
from .reporting.facts import Setting
from .rules.rule import Rule

__all__ = [
    "BuildContext", "Form", "Kept", "Provenance", "RepairContext", "Rule", "Setting", "Signing", "Wire",
    "on_day",
]  # fmt: skip
