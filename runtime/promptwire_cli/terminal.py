"""Progress and tables on a terminal; progress is silent in a pipe. rich is imported only if something is shown."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Collection, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

from promptwire_text.escaping import printable

if TYPE_CHECKING:
    from rich.console import Console

_PIPE_COLUMNS = 120


@contextmanager
def working(text: str) -> Generator[Callable[[str], None] | None]:
    """Show a line on stderr; yield a function that changes its text, or None if stderr is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    # no spinner: its thread would prevent the compiler from forking
    with Live(Text(text), console=Console(stderr=True), auto_refresh=False, transient=True) as live:
        yield lambda step: live.update(Text(step), refresh=True)


@contextmanager
def measuring(text: str, total: int | None) -> Generator[Callable[[int], None] | None]:
    """Show a progress bar on stderr up to `total`; yield a function that advances it, or None without a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(text, total=total)
        yield lambda step: progress.advance(task, step)


def bytes_of(files: Sequence[str]) -> int | None:
    """Return the total size of files, or None if one cannot be determined; reading it reports the error."""
    try:
        return sum([Path(file).stat().st_size for file in files]) if all(map(os.path.isfile, files)) else None
    except OSError:
        return None


def lines_of(files: Sequence[str]) -> int | None:
    """Return the number of lines of files, or None if one is no regular file; reading it reports the error."""
    if bytes_of(files) is None:
        return None
    return sum([_count_lines(file) for file in files])


def _count_lines(file: str) -> int:
    with Path(file).open("rb") as stream:
        return sum([chunk.count(b"\n") for chunk in iter(partial(stream.read, 1 << 20), b"")])


def console() -> Console:
    """Return the console for tables: as wide as the terminal, 120 columns in a pipe."""
    from rich.console import Console

    return Console(width=None if sys.stdout.isatty() else _PIPE_COLUMNS, highlight=False)


def show_json(value: Any, default: Callable[[Any], Any] | None = None) -> None:
    """Print a value as indented JSON; `default` converts values of other types."""
    typer.echo(json.dumps(value, indent=2, ensure_ascii=False, default=default))


def show_side_by_side(texts: Mapping[str, str]) -> None:
    """Print one text as it is, or several in columns under their names."""
    if len(texts) == 1:
        typer.echo(printable(next(iter(texts.values()))))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), expand=True)
    for name in texts:
        table.add_column(name, overflow="fold", ratio=1)
    table.add_row(*[Text(printable(text)) for text in texts.values()])
    screen = console()
    with screen.capture() as printed:
        screen.print(table)
    # the last column of a table is padded
    typer.echo("\n".join(line.rstrip() for line in printed.get().splitlines()))


# between two columns of a table without padding at its edges
_GAP = 2
_COLOURS = {"yes": "green", "no": "red", "unknown": "yellow"}


def show_rows(titles: Sequence[str], rows: Sequence[Sequence[str]], *, rest: str) -> None:
    """Print rows under titles, the first column in bold on a terminal; words are never cut.

    The last columns are left out if their longest words do not fit, and named beside `rest`, which shows them.
    """
    from rich.table import Table
    from rich.text import Text

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
    """Print what a model supports, one line for each field: the answer, what is accepted, the repair, why, the source.

    Sources of the fields in `stale` are marked as older than a year.
    """
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=None, pad_edge=False)
    for title, ratio in (
        ("field", None),
        ("", None),
        ("accepted", 1),
        ("portable", None),
        ("why", 3),
        ("source", 2),
    ):
        shown.add_column(title, overflow="fold", ratio=ratio)
    for field, support in table.items():
        place = "" if support.answer == "yes" else "no place"
        conditions = [f"but {condition}" for condition in support.conditions]
        why = "; ".join(filter(None, [support.reason if support.by_rule else place, *conditions]))
        source = support.source if support.by_rule or conditions else ""
        source += " (older than a year)" if source and field in stale else ""
        answer = Text(support.answer, style=_COLOURS.get(support.answer, ""))
        accepted = support.accepted if support.accepted != support.answer else ""
        fix = support.fix.replace(": ", " ")
        shown.add_row(Text(field), answer, *map(Text, (accepted, fix, why, source)))
    console().print(shown)
