"""`gen diff --requests`: which recorded requests become something else."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING

import typer

from promptwire_cli.exits import DIFFERENT, FINE, WRONG, fail
from promptwire_cli.options import Format, as_annotation
from promptwire_cli.terminal import working

if TYPE_CHECKING:
    from ..recordings.corpus import RecordedRow
    from ..replay.request_changes import RequestChange

_MOST_BROKEN = 10
_MOST_SHOWN = 50


def diff_requests(files: Sequence[str], against: str, form: Format) -> int:
    """Print the requests that become something else than under `against`; return the exit code."""
    from promptwire_cli.views.generated import wire_aliases, wire_names
    from promptwire_cli.views.inputs import choose_wires
    from promptwire_gen.layout import find_layout

    from ..recordings.corpus import read_rows
    from ..replay.request_changes import request_changes

    broken: list[str] = []
    wires = choose_wires(wire_names(), (), wire_aliases())
    rows = list(read_rows(files, wires, broken=broken))
    for problem in broken[:_MOST_BROKEN]:
        fail(f"gen: {problem}")
    if not rows:
        return fail("gen: the files hold no recorded request")
    with working("building") as say:
        changes = request_changes(rows, against, find_layout().root, say or _show_nothing)
    if form is Format.JSON:
        typer.echo(json.dumps({"requests": len(rows), "changes": [_as_object(change) for change in changes]}))
    elif form is Format.GITHUB:
        for change in changes:
            name, number = _place(change.row)
            typer.echo(as_annotation(name, number, change.kind, "; ".join(change.differences)))
    else:
        _print(rows, changes, against)
    return WRONG if broken else DIFFERENT if changes else FINE


def _show_nothing(_text: str) -> None:
    """Show no progress, because there is no terminal."""


def _print(rows: Sequence[RecordedRow], changes: Sequence[RequestChange], against: str) -> None:
    """Print like changes once: the first request with its differences, and how many others have the same."""
    groups: dict[tuple[str, str, tuple[str, ...]], list[RequestChange]] = {}
    for change in changes:
        groups.setdefault((change.row.wire, change.kind, change.differences), []).append(change)
    for alike in sorted(groups.values(), key=len, reverse=True)[:_MOST_SHOWN]:
        typer.echo(str(alike[0]))
        if len(alike) > 1:
            typer.echo(f"  the same in {len(alike) - 1} more")
    if len(groups) > _MOST_SHOWN:
        typer.echo(f"... {len(groups) - _MOST_SHOWN} more kinds of changes: --json shows all")
    counts = Counter(change.kind for change in changes)
    said = ", ".join(f"{count} {kind}" for kind, count in sorted(counts.items())) or "none differs"
    typer.echo(f"{len(rows)} requests against {against}: {said}")


def _as_object(change: RequestChange) -> dict[str, object]:
    row = {"name": change.row.name, "wire": change.row.wire}
    return {**row, **{name: value for name, value in asdict(change).items() if name != "row"}}


def _place(row: RecordedRow) -> tuple[str, int]:
    """Return file and line of a row."""
    file, _, line = row.place.rpartition(":")
    return file, int(line)
