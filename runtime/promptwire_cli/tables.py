"""Tables for a terminal, or for 120 columns in a pipe."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

from rich.table import Table
from rich.text import Text

from .terminal import console

# between two columns of a table without padding at its edges
_GAP = 2
_COLOURS = {"yes": "green", "no": "red", "unknown": "yellow"}


def show_rows(titles: Sequence[str], rows: Sequence[Sequence[str]], *, rest: str) -> None:
    """Print rows under titles, the first column in bold on a terminal; words are never cut.

    The last columns are left out if their longest words do not fit, and named beside `rest`, which shows them.
    """
    screen = console()
    widths = _widths(titles, rows, screen.width)
    table = Table(box=None, pad_edge=False, header_style="dim")
    for index, width in enumerate(widths):
        table.add_column(titles[index], overflow="fold", style="bold" if index == 0 else "", width=width)
    for row in rows:
        table.add_row(*map(Text, row[: len(widths)]))
    screen.print(table)
    if len(widths) < len(titles):
        screen.print(Text(f"left out: {', '.join(titles[len(widths) :])}; {rest}"))


def _widths(titles: Sequence[str], rows: Sequence[Sequence[str]], width: int) -> list[int]:
    """Return the widths of the first columns whose longest words fit; the first column is not wrapped."""
    columns = [[title, *cells] for title, cells in zip(titles, zip(*rows, strict=True), strict=True)]
    whole = [max(map(len, cells)) for cells in columns]
    widths = [whole[0], *(max(len(word) for cell in cells for word in cell.split()) for cells in columns[1:])]
    while len(widths) > 1 and sum(widths) + _GAP * (len(widths) - 1) > width:
        widths.pop()
    for _ in range(width - sum(widths) - _GAP * (len(widths) - 1)):
        lacks = [full - given for full, given in zip(whole, widths, strict=False)]
        if max(lacks) > 0:
            widths[lacks.index(max(lacks))] += 1
    return widths


def show_support(table: Mapping[str, Any], stale: Collection[str]) -> None:
    """Print what a model supports, one line for each field: yes, no or unknown, the repair, why, and the source.

    Sources of the fields in `stale` are marked as older than a year.
    """
    shown = Table(box=None, pad_edge=False)
    for title, ratio in (("field", None), ("", None), ("portable", None), ("why", 3), ("source", 2)):
        shown.add_column(title, overflow="fold", ratio=ratio)
    for field, support in table.items():
        place = "" if support.answer == "yes" else "no place"
        conditions = [f"but {condition}" for condition in support.conditions]
        why = "; ".join(filter(None, [support.reason if support.by_rule else place, *conditions]))
        source = support.source if support.by_rule or conditions else ""
        source += " (older than a year)" if source and field in stale else ""
        answer = Text(support.answer, style=_COLOURS.get(support.answer, ""))
        shown.add_row(Text(field), answer, Text(support.fix.replace(": ", " ")), Text(why), Text(source))
    console().print(shown)
