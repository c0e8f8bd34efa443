"""Progress display on a terminal; silent in a pipe. rich is imported only if something is shown."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import typer

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
        typer.echo(next(iter(texts.values())))
        return
    from rich.table import Table
    from rich.text import Text

    table = Table(box=None, padding=(0, 2, 0, 0), expand=True)
    for name in texts:
        table.add_column(name, overflow="fold", ratio=1)
    table.add_row(*[Text(text) for text in texts.values()])
    screen = console()
    with screen.capture() as printed:
        screen.print(table)
    # the last column of a table is padded
    typer.echo("\n".join(line.rstrip() for line in printed.get().splitlines()))
