"""Imports collected from use, so that none can be missing or unused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

# a module, a name in it, and what the importing module calls it
Import: TypeAlias = tuple[str, str, str]


class Imports:
    """The imports of one generated module."""

    def __init__(self) -> None:
        """Start with none."""
        self._rows: dict[str, set[str]] = {}
        self._renamed: dict[str, tuple[str, str]] = {}

    def use(self, module: str, *names: str) -> None:
        """Note names that the module needs."""
        self._rows.setdefault(module, set()).update(names)

    def function(self, reference: str) -> str:
        """Note a `module:function` and give the name under which code calls it."""
        module, _, function = reference.partition(":")
        self.use(module, function)
        return function

    def renamed(self, reference: str, given: str) -> str:
        """Note a `module:function` of others under a name that no code here has; give that name."""
        module, _, function = reference.partition(":")
        self._renamed[given] = (module, function)
        return given

    def keep(self, words: Iterable[str]) -> None:
        """Forget the names that are not among the words of the finished code."""
        used = set(words)
        rows = {module: names & used for module, names in self._rows.items()}
        self._rows = {module: names for module, names in rows.items() if names}

    def rows(self) -> frozenset[Import]:
        """Every import, for a definition that may stand in any module."""
        used = [(module, name, name) for module, names in self._rows.items() for name in names]
        renamed = [(module, name, given) for given, (module, name) in self._renamed.items()]
        return frozenset([*used, *renamed])

    def add(self, rows: Iterable[Import]) -> None:
        """Note what a definition needs."""
        for module, name, given in rows:
            if given == name:
                self.use(module, name)
            else:
                self.renamed(f"{module}:{name}", given)

    def names(self) -> set[str]:
        """Every name that is imported."""
        return {name for names in self._rows.values() for name in names} | self._renamed.keys()

    def lines(self) -> list[str]:
        """Give the import statements, sorted."""
        return [
            f"from {module} import {', '.join(sorted(names, key=_order))}"
            for module, names in sorted(self._rows.items())
        ] + [
            f"from {module} import {function} as {given}"
            for given, (module, function) in sorted(self._renamed.items())
        ]


def _order(name: str) -> tuple[int, str]:
    """Constants, then classes, then functions, as the linter wants them."""
    return (0 if name.isupper() else 1 if name[0].isupper() else 2, name.lower())
