"""The command `gen roundtrip`."""

from __future__ import annotations

import json
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from promptwire_cli.exits import DIFFERENT, FINE, WRONG, fail
from promptwire_cli.options import AsJson
from promptwire_cli.terminal import bytes_of, measuring
from promptwire_gen.cli.program import answered

if TYPE_CHECKING:
    from promptwire_cli.views.inputs import Wires

    from ..recordings.corpus import RecordedRow
    from ..recordings.roundtrip import Tally

_MOST_PATHS = 20
_MOST_BROKEN = 10
_NOTHING = "gen: no row is for a wire that there is; --as WIRE says which to try"

Files = Annotated[
    list[str],
    typer.Argument(metavar="FILE.jsonl...", help="Recorded requests, one a line; - is standard input."),
]
Apis = Annotated[list[str] | None, typer.Option("--api", metavar="NAME", help="Only this API; repeatable.")]
Forced = Annotated[
    list[str] | None,
    typer.Option(
        "--as", metavar="[RECORDED=]WIRE", help="Try rows (recorded as RECORDED) on WIRE; repeatable."
    ),
]
Targets = Annotated[
    list[str] | None,
    typer.Option("--to", metavar="WIRE", help="Build them for this wire instead; repeatable."),
]
Worst = Annotated[int, typer.Option("--worst", min=0, metavar="N", help="How many rows to show.")]


@answered
def roundtrip(
    files: Files,
    api: Apis = None,
    forced: Forced = None,
    to: Targets = None,
    as_json: AsJson = False,
    worst: Worst = 10,
) -> int:
    """Read recorded bodies and build them again.

    Counts the rows that are rebuilt exactly and how many of their leaves are understood, worst cases first. With --to,
    counts what another wire carries completely, with notes, or not at all.

    Exit codes: 1 if a row is not rebuilt exactly, or a build for another wire crashes; 2 if a line is not a recorded
    request.
    """
    from promptwire_cli.views.generated import wire_aliases, wire_module, wire_names
    from promptwire_cli.views.inputs import choose_wires

    wires = choose_wires(wire_names(), forced or (), wire_aliases())
    for target in to or ():
        wire_module(target)
    with _rows(files, wires, api or ()) as (rows, broken):
        if to:
            code = _answer_crossing(rows, to, wires, worst, as_json=as_json)
        else:
            code = _answer_replay(rows, wires, worst, as_json=as_json)
    if code is None and not broken:
        return fail(_NOTHING)
    return WRONG if broken or code is None else code


@contextmanager
def _rows(
    files: list[str], wires: Wires, apis: Sequence[str]
) -> Generator[tuple[Iterator[RecordedRow], Sequence[str]]]:
    """Yield the rows and show the progress; collect invalid lines and print them at the end."""
    from ..recordings.corpus import read_rows

    broken: list[str] = []
    try:
        with measuring("reading and building", bytes_of(files)) as advance:
            yield read_rows(files, wires, apis, advance, broken), broken
    finally:
        for line in broken[:_MOST_BROKEN]:
            fail(f"gen: {line}")
        if len(broken) > _MOST_BROKEN:
            fail(f"gen: and {len(broken) - _MOST_BROKEN} more lines that are no recorded request")


def _answer_replay(rows: Iterator[RecordedRow], wires: Wires, worst: int, *, as_json: bool) -> int | None:
    """Return and print the round trip of the rows; None if there were no rows."""
    from promptwire_cli.views.generated import wire_module

    from ..recordings.roundtrip import replay

    tally = replay(rows, wire_module, wires.names)
    if as_json:
        typer.echo(json.dumps(tally.as_json()))
    else:
        _show(tally, worst)
    if not tally.outcomes:
        return None
    return FINE if tally.all_reproduced else DIFFERENT


def _answer_crossing(
    rows: Iterator[RecordedRow], targets: Sequence[str], wires: Wires, worst: int, *, as_json: bool
) -> int | None:
    """Return and print what other wires carry; None if there were no rows."""
    from promptwire_cli.views.generated import wire_module

    from ..recordings.crossing import cross
    from .tables import show_pairs

    crossings = cross(rows, targets, wire_module, wires.names)
    if as_json:
        typer.echo(json.dumps(crossings.as_json()))
    else:
        show_pairs(crossings.pairs())
        _show_skipped(crossings.skipped)
        crashed = [
            f"{crash.row.wire} {crash.row.name} -> {crash.to}: {crash.why}"
            for crash in crossings.crashes[:worst]
        ]
        _listed("crashed", crashed)
        common = crossings.reasons.most_common(worst)
        _listed("reasons", [f"{count:>6}  {to} {outcome}: {why}" for (to, outcome, why), count in common])
    if not crossings.counts:
        return None
    return DIFFERENT if crossings.crashes else FINE


def _listed(title: str, lines: Sequence[str]) -> None:
    if lines:
        typer.echo("\n".join([f"\n{title}:", *(f"  {line}" for line in lines)]))


def _show_skipped(skipped: Mapping[str, int]) -> None:
    if skipped:
        counts = ", ".join(f"{wire} ({count})" for wire, count in sorted(skipped.items()))
        typer.echo(f"\nskipped, no such wire: {counts}")


def _show(tally: Tally, worst: int) -> None:
    from .tables import show_results

    show_results(tally.apis())
    _show_skipped(tally.skipped)
    _listed("worst rows", [f"{row.wire} {row.name}: {trouble}" for row, trouble in _worst(tally, worst)])
    paths = tally.unknown_paths().most_common(_MOST_PATHS if worst else 0)
    _listed("not understood", [f"{count:>6}  {wire} {path}" for (wire, path), count in paths])


def _worst(tally: Tally, most: int) -> Iterator[tuple[RecordedRow, str]]:
    for outcome in tally.worst(most):
        missed = f"reproduced, {outcome.leaves - outcome.understood} leaves not understood"
        yield outcome.row, outcome.trouble or missed
