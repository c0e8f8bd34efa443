"""The result of a compilation, and the error for an unknown wire."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from promptwire_text.words import names_meant

from .problems import SpecProblem
from .wire_summary import WireSummary


class UnknownWire(Exception):
    """Raised for a wire that no spec describes."""


@dataclass(frozen=True, slots=True)
class Compilation:
    """The result of a compilation: `files` maps paths in the output folder to text. Nothing is written yet.

    Attributes:
        owners: Path of a file that belongs to one wire, or to a family of models -> that owner.
        summaries: The summary of each wire, for files about all wires.
        imported: Wire -> the owners whose modules its own import: families, and the wires that it extends.
    """

    files: Mapping[str, str]
    sources: Mapping[str, str]
    summaries: Sequence[WireSummary]
    owners: Mapping[str, str]
    imported: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    problems: Sequence[SpecProblem] = ()

    @property
    def table(self) -> list[Mapping[str, Any]]:
        """One row of capabilities for each wire."""
        return [wire.row for wire in self.summaries]

    @property
    def names(self) -> frozenset[str]:
        """The names of all wires."""
        return frozenset(wire.name for wire in self.summaries)


def with_imported(wires: Collection[str], imported: Mapping[str, Sequence[str]]) -> set[str]:
    """Return these wires and the owners of all modules that theirs import."""
    return {*wires, *(owner for wire in wires for owner in imported.get(wire, ()))}


def check_wires(wires: Collection[str], names: Sequence[str]) -> None:
    """Raise UnknownWire for a name that is not a wire, with the nearest known name."""
    for name in wires:
        if name not in names:
            hint = names_meant(name, names) or f"the wires are {', '.join(names)}"
            raise UnknownWire(f'"{name}" is not a wire: {hint}')
