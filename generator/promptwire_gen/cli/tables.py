"""Tables of what wires support, for a terminal, or for 120 columns in a pipe."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from promptwire_cli.terminal import console

from ..emit.support_tables import LEGEND, NO, Topic, make_topics

_WIDEST_CELL = 40  # longer cells are folded
_GAP = 2


def show_wires(tables: Sequence[Mapping[str, Any]], abstract: Sequence[str] = ()) -> None:
    """Print one table for each topic; drop the widest columns that do not fit, and name them.

    `abstract` are specs that are only extended; they come last.
    """
    screen = console()
    for word, meaning in LEGEND:
        screen.print(Text(f"{word:<8} {meaning}"))
    for topic in make_topics(tables):
        columns, left_out = _select_columns(topic, screen.width)
        table = Table(
            title=topic.title, title_justify="left", box=None, pad_edge=False, padding=(0, _GAP, 0, 0)
        )
        for index in columns:
            name = topic.columns[index]
            table.add_column(
                Text(name.replace("_", " ")), overflow="fold", width=_measure_column(topic, index)
            )
        for cells in topic.rows:
            table.add_row(*(Text(cells[index]) for index in columns))
        screen.print()
        screen.print(table)
        if left_out:
            screen.print(Text(f"left out: {', '.join(left_out)}; gen list WIRE shows them"))
    if abstract:
        screen.print()
        screen.print(Text(f"specs to extend only: {', '.join(abstract)}; gen new WIRE --like {abstract[0]}"))


def show_one_wire(row: Mapping[str, Any]) -> None:
    """Print every topic for one wire, one line for each column, and the options that only it has."""
    screen = console()
    screen.print(Text(f"{row['wire']}: {row['title']}"))
    for topic in make_topics([row]):
        (cells,) = topic.rows
        screen.print()
        screen.print(_make_table_of_pairs(topic.title, zip(topic.columns[1:], cells[1:], strict=True)))
    lines = [("vendor", ", ".join(row["vendor"]) or NO)]
    if "passes" in row:
        lines.append(("passes", ", ".join(row["passes"])))
    screen.print()
    screen.print(
        _make_table_of_pairs(
            "Options and passes of its own" if "passes" in row else "Options of its own", lines
        )
    )


def _make_table_of_pairs(title: str, pairs: Iterable[tuple[str, str]]) -> Table:
    table = Table(title=title, title_justify="left", box=None, pad_edge=False, show_header=False)
    table.add_column(min_width=20, no_wrap=True)
    table.add_column(overflow="fold")
    for name, cell in pairs:
        table.add_row(Text(name.replace("_", " ")), Text(cell))
    return table


def _select_columns(topic: Topic, width: int) -> tuple[list[int], list[str]]:
    """Return the indexes of the columns that fit, and the names of the others."""
    widths = [_measure_column(topic, index) for index in range(len(topic.columns))]
    columns = list(range(len(widths)))
    while len(columns) > 2 and sum(widths[index] + _GAP for index in columns) - _GAP > width:
        columns.remove(max(columns[1:], key=lambda index: (widths[index], index)))
    return columns, [name for index, name in enumerate(topic.columns) if index not in columns]


def _measure_column(topic: Topic, index: int) -> int:
    """Return the width that a column needs: its widest cell, or the longest word of its heading."""
    heading = max(map(len, topic.columns[index].replace("_", " ").split()))
    return max(heading, *(min(len(cells[index]), _WIDEST_CELL) for cells in topic.rows))


def show_hosts(rows: Sequence[Mapping[str, Any]]) -> None:
    """Print the hosts with the numbers of their facts and their addresses; a host without facts says so."""
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    for title in ("host", "title", "facts", "addresses"):
        table.add_column(Text(title), overflow="fold")
    for row in rows:
        facts = str(row["facts"] or "none known")
        table.add_row(*map(Text, (row["host"], row["title"], facts, "\n".join(row["urls"]))))
    console().print(table)
