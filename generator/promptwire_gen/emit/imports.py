"""Imports collected from use, so that none can be missing or unused."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TypeAlias

# module, name, and the local alias
Import: TypeAlias = tuple[str, str, str]


class Imports:
    """The imports of one generated module."""

    def __init__(self) -> None:
        """Start without imports."""
        self._rows: dict[str, set[str]] = {}
        self._renamed: dict[str, tuple[str, str]] = {}

    def use(self, module: str, *names: str) -> None:
        """Add names that the module needs."""
        self._rows.setdefault(module, set()).update(names)

    def function(self, reference: str) -> str:
        """Add a `module:function` and return the name under which code calls it."""
        module, _, function = reference.partition(":")
        self.use(module, function)
        return function

    def renamed(self, reference: str, alias: str) -> str:
        """Add a `module:function` of a plugin under a name of its own and return that name."""
        module, _, function = reference.partition(":")
        self._renamed[alias] = (module, function)
        return alias

    def rows(self) -> frozenset[Import]:
        """Return every import, for a definition that may stand in any module."""
        plain = [(module, name, name) for module, names in self._rows.items() for name in names]
        renamed = [(module, name, alias) for alias, (module, name) in self._renamed.items()]
        return frozenset([*plain, *renamed])

    def add(self, rows: Iterable[Import]) -> None:
        """Add the imports of a definition."""
        for module, name, alias in rows:
            if alias == name:
                self.use(module, name)
            else:
                self.renamed(f"{module}:{name}", alias)

    def names(self) -> set[str]:
        """Return every name that is imported."""
        return {name for names in self._rows.values() for name in names} | self._renamed.keys()

    def lines(self) -> list[str]:
        """Return the import statements, which ruff sorts."""
        rows = [
            f"from {module} import {', '.join(sorted(names))}" for module, names in sorted(self._rows.items())
        ]
        renamed = sorted(self._renamed.items())
        return rows + [f"from {module} import {name} as {alias}" for alias, (module, name) in renamed]
