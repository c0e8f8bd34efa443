"""Tables of named entries that plugins extend; names are unique."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from ..plugin_api import Plugin
from .plugin_calls import PluginError


class NamedEntry(Protocol):
    """An entry of such a table."""

    @property
    def name(self) -> str:
        """The name that specs use."""
        ...


RowT = TypeVar("RowT", bound=NamedEntry)


def extended_table(
    noun: str,
    builtin: Mapping[str, RowT],
    plugins: Iterable[Plugin],
    give: Callable[[Plugin], Sequence[RowT]],
) -> dict[str, RowT]:
    """Add every plugin's entries to the built-in ones. Raises PluginError for a duplicate name."""
    table = dict(builtin)
    for plugin in plugins:
        for row in give(plugin):
            if row.name in table:
                raise PluginError(f'plugin "{plugin.name}" redefines the {noun} "{row.name}"')
            table[row.name] = row
    return table
