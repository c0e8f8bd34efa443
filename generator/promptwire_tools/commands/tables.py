"""Tables of compared and replayed requests, for a terminal, or for 120 columns in a pipe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from rich.table import Table
from rich.text import Text

from promptwire_cli.terminal import console

if TYPE_CHECKING:
    from ..recordings.crossing import PairResult
    from ..recordings.roundtrip import ApiResult
    from ..replay.model_tables import TableStatement
    from ..sdk_types.verified import Verified

_GAP = 2


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
