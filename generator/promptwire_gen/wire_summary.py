"""The summary of one wire for files about all wires: plain JSON, cached while the spec of the wire is unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from promptwire_text.nodes import Span


@dataclass(frozen=True, slots=True)
class WireSummary:
    """One wire, as files about all wires show it.

    Attributes:
        row: Its name, title and capabilities.
        recorded: Other names of the wire in recorded requests.
        carried: Node class -> the fields that the wire supports.
        chain: The wire and all specs that it extends.
        placed: The place of each family fact, and whether the wire has the field.
        alike: The wire that it extends and does exactly the same as, under another name; None if it does not.
    """

    row: Mapping[str, Any]
    recorded: Sequence[str]
    carried: Mapping[str, Sequence[str]]
    chain: Sequence[str]
    placed: Sequence[tuple[Span, bool]] = ()
    alike: str | None = None

    @property
    def name(self) -> str:
        """The wire's name."""
        return str(self.row["wire"])
