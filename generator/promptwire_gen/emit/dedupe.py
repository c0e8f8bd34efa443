"""A dialect's module: its own whole text, without the definitions that its parent's module has.

A definition is inherited if the parent's of the same name has the same text, docstrings and comments aside, and every
definition of the module that this text names is inherited too. It is then imported from the module of the wire that
defines it. Functions that are looked up in tables do not depend on each other.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from ..model.wire import WireModel

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


def without_prose(text: str) -> str:
    """Return a definition without docstrings and comments."""
    return _COMMENT.sub("", _DOCSTRING.sub(r"\1", text.strip()))


def definitions(text: str, code: Code = without_prose) -> list[Definition]:
    """Return the definitions of a text that `CUT` separates; `code` returns what is compared of one."""
    return [_definition(piece, code) for piece in text.split(CUT) if piece.strip()]


def _definition(text: str, code: Code) -> Definition:
    compared, found = code(text), _NAME.search(text)
    assert found is not None
    return Definition(found[1], text, compared, frozenset(_WORD.findall(compared)))


@dataclass(frozen=True, slots=True)
class Inherited:
    """Names that a module takes from the module of one of its parents."""

    wire: str
    names: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ModuleText:
    """The definitions of a wire's module in order, and for each name the wire whose module defines it."""

    wire: str
    definitions: Sequence[Definition]
    origins: Mapping[str, str]

    @property
    def own(self) -> list[Definition]:
        """Return the definitions that the module itself has."""
        return [each for each in self.definitions if self.origins[each.name] == self.wire]

    @property
    def inherited(self) -> list[Inherited]:
        """Return the definitions that its parents have, nearest parent first."""
        return self._elsewhere(self.origins)

    @property
    def inherited_names(self) -> frozenset[str]:
        """The names that its parents define."""
        return frozenset([name for name, wire in self.origins.items() if wire != self.wire])

    @property
    def borrowed(self) -> list[Inherited]:
        """Return the definitions of its parents that its own definitions name."""
        return self.borrowed_by(self.own)

    def borrowed_by(self, own: Iterable[Definition]) -> list[Inherited]:
        """Return the definitions of its parents that some definitions name."""
        return self._elsewhere(frozenset[str]().union(*[each.names for each in own]))

    def homes(self, names: Collection[str]) -> list[Inherited]:
        """Return the wires whose modules define some names."""
        wires: dict[str, list[str]] = {}
        for name, wire in self.origins.items():
            if name in names:
                wires.setdefault(wire, []).append(name)
        return [Inherited(wire, tuple(sorted(names))) for wire, names in wires.items()]

    def _elsewhere(self, names: Collection[str]) -> list[Inherited]:
        return [home for home in self.homes(names) if home.wire != self.wire]


class ModuleTexts:
    """The texts of one module of all wires; each is made once, because the dialects of a wire look at it too."""

    def __init__(self, define: Callable[[WireModel], Sequence[Definition]]) -> None:
        """`define` returns the definitions of a wire; they are the same for a dialect with the same requests."""
        self._define = define
        self._made: dict[str, ModuleText] = {}

    def of(self, model: WireModel) -> ModuleText:
        """Return which definitions a wire's module has itself and which it imports from the wires that it extends."""
        if model.name not in self._made:
            self._made[model.name] = self._make(model)
        return self._made[model.name]

    def _make(self, model: WireModel) -> ModuleText:
        parent = None if model.parent is None else self.of(model.parent)
        if parent is not None and model.has_same_requests:
            return ModuleText(model.name, parent.definitions, parent.origins)
        return self._deduped(model, parent)

    def _deduped(self, model: WireModel, parent: ModuleText | None) -> ModuleText:
        """Return the same for a wire whose requests differ from its parent's."""
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


def differing(own: Iterable[Definition], parent: ModuleText) -> set[str]:
    """Return the names that the parent defines otherwise."""
    above = {each.name: each.code for each in parent.definitions}
    return {each.name for each in own if each.name in above and above[each.name] != each.code}


def dedupe_tested(
    wire: str, own: Sequence[Definition], tested: Sequence[Definition], parent: ModuleText
) -> ModuleText:
    """Return the same as `dedupe`, of definitions that test whether the rules look at a value.

    `tested` are the definitions with the tests of the parent's rules as well. More tests do no harm: a definition that
    equals the parent's with them is inherited.
    """
    above, names = {each.name: each.code for each in parent.definitions}, {each.name for each in own}
    taken = {each.name: each for each in tested if each.name in names and above.get(each.name) == each.code}
    while True:
        content = dedupe(wire, [taken.get(each.name, each) for each in own], parent)
        left = taken.keys() - content.inherited_names
        if not left:
            return content
        taken = {name: each for name, each in taken.items() if name not in left}
