"""Tables for a terminal of 100 columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, cast

from rich.table import Table
from rich.text import Text

from .terminal import console

if TYPE_CHECKING:
    from ..trial.crossing import PairResult
    from ..trial.roundtrip import ApiResult

_MOST_COLUMNS = 6
_WIDEST_CELL = 24


def show_capabilities(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the capability table: the short columns together, then a table for each long or nested one."""
    names = list(dict.fromkeys(name for row in rows for name in row))
    apart = [name for name in names if any(_needs_room(row.get(name)) for row in rows)]
    short = [name for name in names if name not in apart]
    screen = console()
    screen.print(_table(None, short, [[row.get(name) for name in short] for row in rows]))
    for name in apart:
        screen.print()
        screen.print(_section(name, rows))


def show_results(results: Sequence[ApiResult]) -> None:
    """Print what a round trip gave, one row an API and wire, with a total where there are several.

    The last column is the share of URLs that came back to the letter, where there are any.
    """
    table = Table(box=None, pad_edge=False)
    for title in ("api", "wire"):
        table.add_column(title, overflow="fold")
    with_urls = any(result.urls for result in results)
    urls = ("URLs",) if with_urls else ()
    for title in ("rows", "reproduced", "shapes", "reproduced", "leaves", "understood", *urls):
        table.add_column(title, justify="right", no_wrap=True)
    for result in results:
        table.add_row(*map(Text, (result.api, result.wire)), *_counts([result], with_urls=with_urls))
    if len(results) > 1:
        table.add_row("all", "", *_counts(results, with_urls=with_urls))
    console().print(table)


def show_pairs(pairs: Sequence[PairResult]) -> None:
    """Print what other wires took, one row a pair of wires, with a total where there are several."""
    table = Table(box=None, pad_edge=False)
    for title in ("wire", "to"):
        table.add_column(title, overflow="fold")
    titles = ("rows", "built", "noted", "refused", "crashed")
    for title in titles:
        table.add_column(title, justify="right", no_wrap=True)
    for pair in pairs:
        table.add_row(pair.wire, pair.to, *(f"{getattr(pair, title):,}" for title in titles))
    if len(pairs) > 1:
        table.add_row("all", "", *(f"{sum(getattr(pair, title) for pair in pairs):,}" for title in titles))
    console().print(table)


def _counts(results: Sequence[ApiResult], *, with_urls: bool) -> list[str]:
    pairs = [("rows", "reproduced"), ("shapes", "shapes_reproduced"), ("leaves", "understood")]
    cells: list[str] = []
    for whole, part in [*pairs, ("urls", "urls_reproduced")] if with_urls else pairs:
        total, reached = (sum(getattr(result, name) for result in results) for name in (whole, part))
        share = _share(reached, total) if total else "-"
        cells += [share] if whole == "urls" else [f"{total:,}", share]
    return cells


def _share(reached: int, total: int) -> str:
    """Write a share so that only all of it reads as 100 %."""
    if reached == total:
        return "100 %"
    return f"{min(99.99, 100 * reached / total):.2f} %"


def _needs_room(value: Any) -> bool:
    return isinstance(value, Mapping) or len(_shown(value)) > _WIDEST_CELL


def _section(name: str, rows: Sequence[Mapping[str, Any]]) -> Table:
    """Lay out one column: the keys of its objects as columns, unless there are too many."""
    objects = [_as_object(row.get(name)) for row in rows]
    keys = list(dict.fromkeys(key for cells in objects for key in cells))
    if 0 < len(keys) <= _MOST_COLUMNS:
        cells = [[found.get(key) for key in keys] for found in objects]
    else:
        keys, cells = [name], [[row.get(name)] for row in rows]
    body = [[row.get("wire"), *line] for row, line in zip(rows, cells, strict=True)]
    return _table(None if keys == [name] else name, ["wire", *keys], body)


def _as_object(value: Any) -> Mapping[str, Any]:
    return cast("Mapping[str, Any]", value) if isinstance(value, Mapping) else {}


def _table(title: str | None, names: Sequence[str], body: Sequence[Sequence[Any]]) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False)
    for name in names:
        table.add_column(Text(name.replace("_", " ")), overflow="fold", no_wrap=name == "wire")
    for cells in body:
        table.add_row(*(Text(_shown(cell)) for cell in cells))
    return table


def _shown(value: Any) -> str:
    """Write a plain JSON value as a cell: an object as its keys, each with its value where it has one."""
    match value:
        case None | []:
            return "-"
        case bool():
            return "yes" if value else "no"
        case list() | tuple():
            return ", ".join(map(_shown, cast("Sequence[Any]", value)))
        case Mapping():
            inner = cast("Mapping[str, Any]", value)
            return (
                ", ".join(
                    key if _shown(member) in ("-", "yes") else f"{key} ({_shown(member)})"
                    for key, member in inner.items()
                )
                or "-"
            )
        case _:
            return str(value)
