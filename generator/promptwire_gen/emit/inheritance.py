"""What a dialect's module holds: the definitions that differ from those of the wire it extends.

A definition is inherited when the parent has an equal one of its name, and all that it names is inherited as well: then
it is imported from the module of the wire that defines it. Functions that call each other through tables are not tied.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Protocol


class Definition(Protocol):
    """A function, table or constant of a generated module; equal ones are laid out alike.

    uses   other names of the same module that its code has
    macro  lays it out
    """

    @property
    def name(self) -> str:
        """What it is called."""
        ...

    @property
    def uses(self) -> frozenset[str]:
        """Names of the same module."""
        ...


@dataclass(frozen=True)
class Module:
    """The definitions of one module of a wire, whole, and where each of them is written.

    definers  name -> the wire in whose module it is written
    changes   definitions that are written as a change of the parent's, which says less
    """

    wire: str
    whole: Mapping[str, Definition]
    definers: Mapping[str, str]
    changes: Mapping[str, Definition] = field(default_factory=dict[str, Definition])

    @property
    def own(self) -> list[Definition]:
        """The definitions that are written in this module, as they are written."""
        names = [name for name in self.whole if self.definers[name] == self.wire]
        return [self.changes.get(name, self.whole[name]) for name in names]

    @property
    def inherited(self) -> frozenset[str]:
        """The names that another module defines."""
        return frozenset(name for name, wire in self.definers.items() if wire != self.wire)

    def imported(self, names: frozenset[str]) -> dict[str, list[str]]:
        """Wire -> those of these names that its module defines, for another module of this wire."""
        wires: dict[str, list[str]] = {}
        for name in sorted(names & self.definers.keys()):
            wires.setdefault(self.definers[name], []).append(name)
        return wires

    def borrowed(self) -> dict[str, list[str]]:
        """Wire -> names that the definitions written here take from its module."""
        named = frozenset[str]().union(*[each.uses for each in self.own])
        rows = self.imported(named & self.inherited)
        return {wire: names for wire, names in rows.items() if wire != self.wire}


def module(wire: str, definitions: Sequence[Definition], parent: Module | None = None) -> Module:
    """Find out which definitions a wire writes itself, and which it inherits."""
    whole = {each.name: each for each in definitions}
    if parent is None:
        return Module(wire, whole, dict.fromkeys(whole, wire))
    inherited = {name for name, each in whole.items() if parent.whole.get(name) == each}
    # what names something of its own is written again
    while tied := {name for name in inherited if not (whole[name].uses & whole.keys()) <= inherited}:
        inherited -= tied
    definers = {name: parent.definers[name] if name in inherited else wire for name in whole}
    return Module(wire, whole, definers)
