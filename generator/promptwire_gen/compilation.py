"""What a compilation gives, and the one error of asking for a part of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from .problems import Problem, did_you_mean


class UnknownWire(Exception):
    """A wire that no spec describes."""


@dataclass(frozen=True, slots=True)
class Compilation:
    """What a compilation gives: `files` maps paths in the output folder to text; nothing is written yet.

    `owners` maps the path of a file that belongs to one wire to that wire; `table` has a row for each wire; `extended`
    maps a dialect to the wires that it extends, whose modules its own modules import.
    """

    files: Mapping[str, str]
    sources: Mapping[str, str]
    table: Sequence[Mapping[str, Any]]
    owners: Mapping[str, str]
    extended: Mapping[str, Sequence[str]] = field(default_factory=dict[str, Sequence[str]])
    problems: Sequence[Problem] = ()

    def part(self, wires: Collection[str] | None) -> Compilation:
        """Give the files of these wires, of those that they extend, and the shared ones; all for None.

        Raises UnknownWire.
        """
        if wires is None:
            return self
        check_wires(wires, [str(row["wire"]) for row in self.table])
        needed = {"", *with_extended(wires, self.extended)}
        files = {path: text for path, text in self.files.items() if self.owners.get(path, "") in needed}
        return replace(self, files=files)


def with_extended(wires: Collection[str], extended: Mapping[str, Sequence[str]]) -> set[str]:
    """Give these wires and all that they extend."""
    return {*wires, *(parent for wire in wires for parent in extended.get(wire, ()))}


def check_wires(wires: Collection[str], names: Sequence[str]) -> None:
    """Refuse a name that is no wire's, with the nearest one."""
    for name in wires:
        if name not in names:
            hint = did_you_mean(name, names) or f"the wires are {', '.join(names)}"
            raise UnknownWire(f'"{name}" is not a wire: {hint}')
