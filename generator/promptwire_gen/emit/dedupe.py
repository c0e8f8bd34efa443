"""A dialect's module: its own whole text and tables, without what equals its parent's.

A definition is inherited if the parent's of the same name has the same text, docstrings and comments aside, and every
definition of the module that this text names is inherited too. It is then imported from the module of the wire that
defines it. Functions that are looked up in tables do not depend on each other.

A table is a merge patch of the parent's (RFC 7386), in its fields and in their rows.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeGuard

from ..model.wire import WireModel
from .literals import CodeName

# ends a definition in the text of a template; no literal and no docstring holds this character
CUT = "\0"
_NAME = re.compile(r"^(?:def |class )?(\w+)", re.MULTILINE)
_WORD = re.compile(r"[^\W\d]\w*")
_COMMENT = re.compile(r"^ *#.*\n", re.MULTILINE)
_DOCSTRING = re.compile(
    r'^((?:def|class) .*:\n)    """(?:[^"\\]|\\.|"(?!""))*"""\n?', re.MULTILINE | re.DOTALL
)


@dataclass(frozen=True, slots=True)
class Definition:
    """A class, function, table or constant of a generated module.

    code   what is compared: two definitions of one code do the same
    names  the words of the code, the names of other definitions among them
    """

    name: str
    text: str
    code: str
    names: frozenset[str]


Code = Callable[[str], str]


def strip_prose(text: str) -> str:
    """Return a definition without docstrings and comments."""
    return _COMMENT.sub("", _DOCSTRING.sub(r"\1", text.strip()))


def split_definitions(text: str, code: Code = strip_prose) -> list[Definition]:
    """Split a text at `CUT` into its definitions; two of them are compared by their `code`."""
    return [_parse_definition(piece, code) for piece in text.split(CUT) if piece.strip()]


def _parse_definition(text: str, code: Code) -> Definition:
    compared, found = code(text), _NAME.search(text)
    assert found is not None
    return Definition(found[1], text, compared, frozenset(_WORD.findall(compared)))


@dataclass(frozen=True, slots=True)
class WireNames:
    """Names, and the wire whose module defines them."""

    wire: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModuleText:
    """The definitions of a wire's module in order, and for each name the wire whose module defines it."""

    wire: str
    definitions: Sequence[Definition]
    origins: Mapping[str, str]

    @property
    def own_definitions(self) -> list[Definition]:
        """Return the definitions that the module itself has."""
        return [each for each in self.definitions if self.origins[each.name] == self.wire]

    @property
    def inherited_names(self) -> frozenset[str]:
        """Return the names that the modules of its parents define."""
        return frozenset([name for name, wire in self.origins.items() if wire != self.wire])

    def find_imports(self, definitions: Iterable[Definition]) -> list[WireNames]:
        """Return the inherited names that some definitions use."""
        used = frozenset[str]().union(*[each.names for each in definitions])
        return self.group_by_wire(self.inherited_names & used)

    def group_by_wire(self, names: Collection[str]) -> list[WireNames]:
        """Return some names by the wire whose module defines them."""
        wires: dict[str, list[str]] = {}
        for name, wire in self.origins.items():
            if name in names:
                wires.setdefault(wire, []).append(name)
        return [WireNames(wire, tuple(sorted(names))) for wire, names in wires.items()]


class ModuleTexts:
    """The texts of one module of all wires. Each is rendered once, for all comparisons with it."""

    def __init__(self, define: Callable[[WireModel], Sequence[Definition]]) -> None:
        """`define` returns the definitions of a wire; they are the same for a dialect with the same requests."""
        self._define = define
        self._made: dict[str, ModuleText] = {}

    def get_text(self, model: WireModel) -> ModuleText:
        """Return which definitions a wire's module has itself and which it imports from the wires that it extends."""
        if model.name not in self._made:
            self._made[model.name] = self._make_text(model)
        return self._made[model.name]

    def _make_text(self, model: WireModel) -> ModuleText:
        parent = None if model.parent is None else self.get_text(model.parent)
        if parent is not None and model.has_same_requests:
            return ModuleText(model.name, parent.definitions, parent.origins)
        return self._dedupe_text(model, parent)

    def _dedupe_text(self, model: WireModel, parent: ModuleText | None) -> ModuleText:
        """Return the text of a wire whose requests differ from its parent's."""
        return dedupe(model.name, self._define(model), parent)


def dedupe(wire: str, own: Sequence[Definition], parent: ModuleText | None) -> ModuleText:
    """Return which definitions a wire has itself and which it imports from its parent's module."""
    names = frozenset([each.name for each in own])
    if parent is None:
        return ModuleText(wire, own, dict.fromkeys([each.name for each in own], wire))
    above = {each.name: each.code for each in parent.definitions}
    same = {each.name for each in own if above.get(each.name) == each.code}
    while changed := {each.name for each in own if each.name in same and not each.names & names <= same}:
        same -= changed
    return ModuleText(
        wire, own, {each.name: parent.origins[each.name] if each.name in same else wire for each in own}
    )


def find_changed_names(own: Iterable[Definition], parent: ModuleText) -> set[str]:
    """Return the names whose definitions differ from the parent's."""
    above = {each.name: each.code for each in parent.definitions}
    return {each.name for each in own if each.name in above and above[each.name] != each.code}


def dedupe_tested(
    wire: str, own: Sequence[Definition], tested: Sequence[Definition], parent: ModuleText
) -> ModuleText:
    """Dedupe definitions that test whether a rule applies to a value.

    `tested` are the same definitions with the tests of the parent's rules as well. Additional tests do no harm, so a
    definition is inherited if it equals the parent's with them.
    """
    above, names = {each.name: each.code for each in parent.definitions}, {each.name for each in own}
    taken = {each.name: each for each in tested if each.name in names and above.get(each.name) == each.code}
    while True:
        content = dedupe(wire, [taken.get(each.name, each) for each in own], parent)
        left = taken.keys() - content.inherited_names
        if not left:
            return content
        taken = {name: each for name, each in taken.items() if name not in left}


# field -> value, or the rows of a mapping
Table: TypeAlias = Mapping[Any, Any]
REMOVED = CodeName("REMOVED")


def merge_patch(
    own: Table, parent: Table, is_same: Callable[[Any, Any], bool] = lambda own, parent: bool(own == parent)
) -> dict[Any, Any]:
    """Return the fields that differ from the parent's; of a mapping, the rows that differ, and `REMOVED` rows.

    Args:
        own: the table of a dialect.
        parent: the table of the same class that the dialect inherits.
        is_same: whether a value of the parent's may stand for an own one.
    """
    patch: dict[Any, Any] = {}
    for key, value in own.items():
        above = parent.get(key)
        if _has_rows(value) and _has_rows(above):
            rows = merge_patch(value, above, is_same)
            patch |= {key: rows} if rows else {}
        elif key not in parent or not is_same(value, above):
            patch[key] = value
    return patch | {key: REMOVED for key in parent if key not in own}


def keeps_order(own: object, parent: object) -> bool:
    """Return whether a patched field has its rows in order; a patch appends rows to the parent's."""
    if not _has_rows(own) or not _has_rows(parent):
        return True
    return [*own] == [key for key in {**parent, **own} if key in own]


def _has_rows(value: object) -> TypeGuard[Table]:
    return isinstance(value, Mapping)
