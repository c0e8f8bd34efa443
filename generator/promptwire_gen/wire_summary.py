"""The summary of one wire for files about all wires: plain JSON, cached while the spec of the wire is unchanged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
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
        placed: Family facts: the place of each, as a span, and whether the wire has the field.
        alike: The wire that it extends and does exactly the same as, under another name; None if it does not.
    """

    row: Mapping[str, Any]
    recorded: Sequence[str]
    carried: Mapping[str, Sequence[str]]
    chain: Sequence[str]
    placed: Sequence[Sequence[Any]] = ()
    alike: str | None = None

    @property
    def plain(self) -> dict[str, Any]:
        """Its attributes by name, as JSON can hold them; the values are not copied."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @property
    def name(self) -> str:
        """The wire's name."""
        return str(self.row["wire"])

    @property
    def placed_facts(self) -> Mapping[Span, bool]:
        """Place of a family fact -> whether the wire has the field."""
        return {Span(*place): bool(fits) for *place, fits in self.placed}
