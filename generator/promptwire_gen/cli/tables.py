"""Tables for a terminal, or for 120 columns in a pipe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.table import Table
from rich.text import Text

from promptwire_cli.terminal import console

from ..emit.support_tables import LEGEND, NO, Topic, topics

if TYPE_CHECKING:
    from promptwire_tools.recordings.crossing import PairResult
    from promptwire_tools.recordings.roundtrip import ApiResult
    from promptwire_tools.replay.model_tables import TableStatement
    from promptwire_tools.sdk_types.verified import Verified

_WIDEST_CELL = 40  # longer cells are folded
_GAP = 2


def show_wires(tables: Sequence[Mapping[str, Any]], abstract: Sequence[str] = ()) -> None:
    """Print one table for each topic; drop the widest columns that do not fit, and name them.

    `abstract` are specs that are only extended; they come last.
    """
    screen = console()
    for word, meaning in LEGEND:
        screen.print(Text(f"{word:<8} {meaning}"))
    for topic in topics(tables):
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
    for topic in topics([row]):
        (cells,) = topic.rows
        screen.print()
        screen.print(_pairs(topic.title, zip(topic.columns[1:], cells[1:], strict=True)))
    lines = [("vendor", ", ".join(row["vendor"]) or NO)]
    if "passes" in row:
        lines.append(("passes", ", ".join(row["passes"])))
    screen.print()
    screen.print(_pairs("Options and passes of its own" if "passes" in row else "Options of its own", lines))


def _pairs(title: str, pairs: Iterable[tuple[str, str]]) -> Table:
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


def show_verified(rows: Sequence[Verified]) -> None:
    """Print how much of an SDK's types the specs know, one line for each wire and SDK."""
    table = Table(box=None, pad_edge=False)
    for title in ("wire", "SDK", "read", "installed"):
        table.add_column(title, overflow="fold")
    for title in ("fields", "known", "kept", "left out", "missing", "coverage"):
        table.add_column(title, justify="right", no_wrap=True)
    for row in rows:
        left_out = row.named - row.known - len(row.missing)
        counts = (len(row.fields), row.known, row.kept, left_out, len(row.missing))
        share = share_of(row.known, row.named) if row.named else "-"
        table.add_row(row.wire, row.sdk, row.read, row.installed, *(f"{count:,}" for count in counts), share)
    console().print(table)


def show_compared(rows: Iterable[TableStatement]) -> None:
    """Print how many statements of a table of models agree, by vendor."""
    counts: dict[str, Counter[str]] = {}
    for row in rows:
        counts.setdefault(row.vendor, Counter())[row.outcome] += 1
    table = Table(box=None, pad_edge=False, padding=(0, _GAP, 0, 0))
    table.add_column(Text("vendor"))
    for outcome in ("agrees", "settled", "differs", "unknown"):
        table.add_column(Text(outcome), justify="right")
    table.add_column(Text("agreed or settled"), justify="right")
    for vendor, count in counts.items():
        sound = count["agrees"] + count["settled"]
        shares = share_of(sound, sound + count["differs"])
        table.add_row(
            *map(
                Text,
                (vendor, *(str(count[key]) for key in ("agrees", "settled", "differs", "unknown")), shares),
            )
        )
    console().print(table)


def show_results(results: Sequence[ApiResult]) -> None:
    """Print the result of a round trip, one row for each API and wire, with a total if there are several.

    The last column is the share of URLs that were rebuilt exactly, if there are any.
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
    """Print what other wires carry, one row for each pair of wires, with a total if there are several."""
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
    for total_name, part in [*pairs, ("urls", "urls_reproduced")] if with_urls else pairs:
        total, reached = (sum(getattr(result, name) for result in results) for name in (total_name, part))
        share = share_of(reached, total) if total else "-"
        cells += [share] if total_name == "urls" else [f"{total:,}", share]
    return cells


def share_of(reached: int, total: int) -> str:
    """Format a share; only a complete one is shown as 100 %."""
    if reached == total:
        return "100 %"
    return f"{min(99.99, 100 * reached / total):.2f} %"
