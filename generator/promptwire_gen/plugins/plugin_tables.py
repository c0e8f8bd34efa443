"""Tables that the compiler begins and plugins go on with: a name is given once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Protocol, TypeVar

from ..plugin_api import Plugin
from .plugin_calls import PluginError


class Named(Protocol):
    """A row of such a table."""

    @property
    def name(self) -> str:
        """The word that specs use."""
        ...


RowT = TypeVar("RowT", bound=Named)


def extended_table(
    noun: str,
    builtin: Mapping[str, RowT],
    plugins: Iterable[Plugin],
    give: Callable[[Plugin], Sequence[RowT]],
) -> dict[str, RowT]:
    """Add what every plugin gives to what is known. Raises PluginError for a name that is there already."""
    table = dict(builtin)
    for plugin in plugins:
        for row in give(plugin):
            if row.name in table:
                raise PluginError(f'plugin "{plugin.name}" redefines the {noun} "{row.name}"')
            table[row.name] = row
    return table
