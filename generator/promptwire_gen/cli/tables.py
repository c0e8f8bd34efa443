"""Tables for a terminal of 100 columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from rich.table import Table
from rich.text import Text

from .terminal import console

if TYPE_CHECKING:
    from ..trial.roundtrip import ApiResult

_MOST_COLUMNS = 6


def show_capabilities(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the capability table: one table of the plain columns, then one for each nested column."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    nested = [name for name in names if any(isinstance(row.get(name), Mapping) for row in rows)]
    plain = [name for name in names if name not in nested]
    screen = console()
    screen.print(_table(None, plain, [[row.get(name) for name in plain] for row in rows]))
    for name in nested:
        screen.print()
        screen.print(_section(name, rows))


def show_results(results: Sequence[ApiResult]) -> None:
    """Print what a round trip gave, one row an API and wire, with a total where there are several."""
    table = Table(box=None, pad_edge=False)
    for title in ("api", "wire"):
        table.add_column(title, overflow="fold")
    for title in ("rows", "reproduced", "shapes", "reproduced", "leaves", "understood"):
        table.add_column(title, justify="right", no_wrap=True)
    for result in results:
        table.add_row(*map(Text, (result.api, result.wire)), *_counts([result]))
    if len(results) > 1:
        table.add_row("all", "", *_counts(results))
    console().print(table)


def _counts(results: Sequence[ApiResult]) -> list[str]:
    pairs = (("rows", "reproduced"), ("shapes", "shapes_reproduced"), ("leaves", "understood"))
    cells: list[str] = []
    for whole, part in pairs:
        total, reached = (sum(getattr(result, name) for result in results) for name in (whole, part))
        cells += [f"{total:,}", _share(reached, total)]
    return cells


def _share(reached: int, total: int) -> str:
    """Write a share so that only all of it reads as 100 %."""
    if reached == total:
        return "100 %"
    return f"{min(99.99, 100 * reached / total):.2f} %"


def _section(name: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Lay out one nested column: its keys as columns, or grouped by value where there are too many."""
    cells = [_as_mapping(row.get(name)) for row in rows]
    keys = list(dict.fromkeys(key for cell in cells for key in cell))
    wires = [row.get("wire") for row in rows]
    if len(keys) <= _MOST_COLUMNS:
        body = [[wire, *(cell.get(key) for key in keys)] for wire, cell in zip(wires, cells, strict=True)]
        return _table(name, ["wire", *keys], body)
    grouped = [[wire, _by_value(cell)] for wire, cell in zip(wires, cells, strict=True)]
    return _table(name, ["wire", name], grouped)


def _as_mapping(value: Any) -> Mapping[str, Any]:
    if isinstance(value, Mapping):
        return cast("Mapping[str, Any]", value)
    return {} if value is None else {"": value}


def _by_value(cell: Mapping[str, Any]) -> str:
    groups: dict[str, list[str]] = {}
    for key, value in cell.items():
        groups.setdefault(_shown(value), []).append(key)
    return "\n".join(f"{value}: {', '.join(keys)}" for value, keys in groups.items())


def _table(title: str | None, names: Sequence[str], body: Sequence[Sequence[Any]]) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for name in names:
        table.add_column(Text(name.replace("_", " ")), overflow="fold", no_wrap=name == "wire")
    for cells in body:
        table.add_row(*(Text(_shown(cell)) for cell in cells))
    return table


def _shown(value: Any) -> str:
    """Write a plain JSON value as a cell."""
    match value:
        case None | []:
            return "-"
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return ", ".join(map(_shown, cast("Sequence[Any]", value)))
        case Mapping():
            inner = cast("Mapping[str, Any]", value)
            return ", ".join(f"{key}: {_shown(member)}" for key, member in inner.items())
        case _:
            return str(value)
