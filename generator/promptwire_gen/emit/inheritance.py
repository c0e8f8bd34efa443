"""Definitions that a dialect imports from its parent's module instead of defining them again.

A definition is inherited if the parent has an equal one of the same name and every name that it uses is inherited too.
It is then imported from the module of the wire that defines it. A function of the parent may test more than what the
rules of the dialect look at. Functions that are looked up in tables do not depend on each other. A table that differs
is written as a change of the parent's table, if that is shorter.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Generic, Protocol, TypeVar, runtime_checkable

from ..model.wire import WireModel


class Definition(Protocol):
    """A class, function, table or constant of a generated module; equal ones do the same.

    name  what it is called
    uses  the definitions of the same module that its code names
    """

    @property
    def name(self) -> str:
        """Return the name of the definition."""
        ...

    @property
    def uses(self) -> frozenset[str]:
        """The definitions of the same module that its code names."""
        ...


DefinitionT = TypeVar("DefinitionT", bound=Definition)


@runtime_checkable
class Changeable(Definition, Protocol):
    """A table that a dialect may write as a change of its parent's."""

    def changed_from(self, other: Any, wire: str, inherited: frozenset[str]) -> Any:
        """Return the table as a change of `other`, which `wire` defines; itself where that says no less.

        `inherited` are the names that stand for the same in both modules.
        """
        ...


@runtime_checkable
class Change(Definition, Protocol):
    """A table as a change of another wire's; `parent` is that wire, empty where the table is written whole."""

    @property
    def parent(self) -> str:
        """The wire whose table is changed."""
        ...


@dataclass(frozen=True, slots=True)
class Inherited:
    """Names that a module takes from the module of one of its parents."""

    wire: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModuleContent(Generic[DefinitionT]):
    """The content of a wire's module: definitions in order, and for each name the wire whose module defines it.

    changes  definitions that are written as a change of the parent's, because that is shorter
    """

    wire: str
    definitions: Sequence[DefinitionT]
    origins: Mapping[str, str]
    changes: Mapping[str, DefinitionT] = field(default_factory=dict[str, DefinitionT])

    @property
    def named(self) -> dict[str, DefinitionT]:
        """Name -> the whole definition, wherever it is written."""
        return {definition.name: definition for definition in self.definitions}

    @property
    def own(self) -> list[DefinitionT]:
        """Return the definitions that the module itself writes."""
        return [
            self.changes.get(definition.name, definition)
            for definition in self.definitions
            if self.origins[definition.name] == self.wire
        ]

    @property
    def inherited(self) -> list[Inherited]:
        """Return the definitions that its parents hold, nearest parent first."""
        return [home for home in self.homes(self.origins) if home.wire != self.wire]

    @property
    def inherited_names(self) -> frozenset[str]:
        """The names that its parents define."""
        return frozenset(name for name, wire in self.origins.items() if wire != self.wire)

    @property
    def borrowed(self) -> list[Inherited]:
        """Return the definitions of its parents that its own definitions use."""
        names = frozenset[str]().union(*[definition.uses for definition in self.own])
        return [home for home in self.homes(names) if home.wire != self.wire]

    def taken_over(self, wire: str) -> ModuleContent[DefinitionT]:
        """Return the content of a dialect that imports every definition."""
        return ModuleContent(wire, self.definitions, self.origins)

    def homes(self, names: Collection[str]) -> list[Inherited]:
        """Return the wires whose modules define some names."""
        wires: dict[str, list[str]] = {}
        for name, wire in self.origins.items():
            if name in names:
                wires.setdefault(wire, []).append(name)
        return [Inherited(wire, tuple(sorted(names))) for wire, names in wires.items()]


class Contents(Generic[DefinitionT]):
    """The content of the modules of all wires; each is made once, because the dialects of a wire look at it too."""

    def __init__(self, define: Callable[[WireModel], Sequence[DefinitionT]]) -> None:
        """`define` returns the definitions of a wire; they are the same for a dialect with the same requests."""
        self._define = define
        self._made: dict[str, ModuleContent[DefinitionT]] = {}

    def of(self, model: WireModel) -> ModuleContent[DefinitionT]:
        """Return which definitions a wire's module has itself and which it imports from the wires that it extends."""
        if model.name not in self._made:
            self._made[model.name] = self._make(model)
        return self._made[model.name]

    def _make(self, model: WireModel) -> ModuleContent[DefinitionT]:
        parent = None if model.parent is None else self.of(model.parent)
        if parent is not None and model.has_same_requests:
            return parent.taken_over(model.name)
        return with_changes(self._inheriting(model, parent), parent)

    def _inheriting(
        self, model: WireModel, parent: ModuleContent[DefinitionT] | None
    ) -> ModuleContent[DefinitionT]:
        return inheriting(model.name, self._define(model), parent)


def inheriting(
    wire: str, definitions: Sequence[DefinitionT], parent: ModuleContent[DefinitionT] | None
) -> ModuleContent[DefinitionT]:
    """Return which definitions a wire has itself and which it imports from its parent's module."""
    names = [definition.name for definition in definitions]
    if parent is None:
        return ModuleContent(wire, definitions, dict.fromkeys(names, wire))
    above = {definition.name: definition for definition in parent.definitions}
    same = {definition.name for definition in definitions if above.get(definition.name) == definition}
    defined = frozenset(names)
    while changed := {
        definition.name
        for definition in definitions
        if definition.name in same and not definition.uses & defined <= same
    }:
        same -= changed
    return ModuleContent(
        wire, definitions, {name: parent.origins[name] if name in same else wire for name in names}
    )


def inheriting_tests(
    wire: str,
    definitions: Sequence[DefinitionT],
    tested: Sequence[DefinitionT],
    parent: ModuleContent[DefinitionT],
) -> ModuleContent[DefinitionT]:
    """Return the same as `inheriting`, of definitions that test whether the rules look at a value.

    `tested` are the definitions with the tests of the parent's rules as well. More tests do no harm: a definition that
    equals the parent's with them is inherited.
    """
    above, names = parent.named, {definition.name for definition in definitions}
    taken = {each.name: each for each in tested if each.name in names and above.get(each.name) == each}
    while True:
        content = inheriting(wire, [taken.get(each.name, each) for each in definitions], parent)
        own = taken.keys() - content.inherited_names
        if not own:
            return content
        taken = {name: each for name, each in taken.items() if name not in own}


def with_changes(
    content: ModuleContent[DefinitionT], parent: ModuleContent[DefinitionT] | None
) -> ModuleContent[DefinitionT]:
    """Write the tables that a wire has otherwise than its parent as changes of the parent's, where that says less."""
    if parent is None:
        return content
    above = parent.named
    inherited = content.inherited_names
    changes = {
        table.name: table.changed_from(above[table.name], parent.origins[table.name], inherited)
        for table in content.own
        if isinstance(table, Changeable) and type(above.get(table.name)) is type(table)
    }
    return replace(content, changes=changes)
