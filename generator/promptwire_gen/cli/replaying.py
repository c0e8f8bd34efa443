"""Commands that try generated modules: preview, read, roundtrip."""

from __future__ import annotations

import json
import os
from collections.abc import Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from .exits import DIFFERENT, FINE, WRONG, answered, fail
from .terminal import measuring

if TYPE_CHECKING:
    from ..replay.corpus import Row, Wires
    from ..replay.roundtrip import Tally

_MOST_PATHS = 20
_MOST_BROKEN = 10
_NOTHING = "gen: no row is for a wire that there is; --as WIRE says which to try"

Wire = Annotated[str, typer.Argument(metavar="WIRE", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]


@answered
def preview(
    wire: Wire,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A request or an evaluation case as YAML or JSON; - is standard input."
        ),
    ],
    curl: Annotated[bool, typer.Option("--curl", help="Print a curl command.")] = False,
    notes: Annotated[bool, typer.Option("--notes", help="Print only what was moved or dropped.")] = False,
    as_json: AsJson = False,
    setting: Annotated[
        list[str] | None, typer.Option("--setting", metavar="NAME=VALUE", help="Repeatable.")
    ] = None,
    policies: Annotated[
        str,
        typer.Option("--policies", metavar="NAME", help="A preset, or choices: orphans=keep,blank=error."),
    ] = "strict",
    case: Annotated[
        str | None, typer.Option("--case", metavar="ID", help="Which case of a file that holds several.")
    ] = None,
    root: Annotated[
        str | None,
        typer.Option("--root", metavar="FOLDER", help="Where a case's files are; else the folder of FILE."),
    ] = None,
) -> int:
    """Show a request, or an evaluation case, as one wire would get it.

    Method, URL, headers, body and notes; credentials are always placeholders. A file whose keys are input_messages or
    cases is an evaluation case: its files are read below one folder only.
    """
    from ..replay.inputs import request_from
    from ..replay.preview import as_curl, as_object, as_text, build_one, pretty

    if curl + notes + as_json > 1:
        raise typer.BadParameter("--curl, --notes and --json exclude each other")
    loaded = request_from(file, case=case, root=root)
    built = build_one(wire, loaded.request, settings=setting or (), policies=policies)
    if curl:
        typer.echo(as_curl(built))
    elif notes:
        typer.echo("\n".join(map(str, [*loaded.notes, *built.notes])) or "no notes")
    elif as_json:
        typer.echo(pretty(as_object(built, loaded.notes)))
    else:
        typer.echo(as_text(built, loaded.notes))
    return FINE


@answered
def read(
    wire: Wire,
    file: Annotated[
        str,
        typer.Argument(
            metavar="FILE", help="A body as JSON, or an object with body and url; - is standard input."
        ),
    ],
    to: Annotated[str | None, typer.Option("--to", metavar="WIRE", help="Build it on this wire.")] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="With --to: the model there.")
    ] = None,
    max_tokens: Annotated[
        int | None,
        typer.Option("--max-tokens", min=1, metavar="N", help="With --to: where that wire needs one."),
    ] = None,
    policies: Annotated[
        str | None,
        typer.Option(
            "--policies", metavar="NAME", help="With --to: a preset, or choices; by default losses are notes."
        ),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Read a wire's body, or move it to another.

    Prints the neutral request as YAML; with --to, the body on the other wire and what was lost.
    """
    from ..replay.inputs import body_from
    from ..replay.preview import pretty
    from ..replay.readout import (
        CROSSING,
        as_object,
        as_yaml,
        build_on,
        built_as_object,
        built_as_text,
        read_one,
    )

    if to is None and (model, max_tokens, policies) != (None, None, None):
        raise typer.BadParameter("--model, --max-tokens and --policies go with --to")
    reading = read_one(wire, *body_from(file))
    if to is None:
        typer.echo(pretty(as_object(reading)) if as_json else as_yaml(reading))
    else:
        built = build_on(to, reading, model=model, max_tokens=max_tokens, policies=policies or CROSSING)
        typer.echo(pretty(built_as_object(reading, built)) if as_json else built_as_text(reading, built))
    return FINE


@answered
def roundtrip(
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILE.jsonl...", help="Recorded requests, one a line; - is standard input."),
    ],
    api: Annotated[
        list[str] | None, typer.Option("--api", metavar="NAME", help="Only this API; repeatable.")
    ] = None,
    forced: Annotated[
        list[str] | None,
        typer.Option(
            "--as", metavar="[RECORDED=]WIRE", help="Try rows (recorded as RECORDED) on WIRE; repeatable."
        ),
    ] = None,
    to: Annotated[
        list[str] | None,
        typer.Option("--to", metavar="WIRE", help="Build them for this wire instead; repeatable."),
    ] = None,
    as_json: AsJson = False,
    worst: Annotated[int, typer.Option("--worst", min=0, metavar="N", help="How many rows to show.")] = 10,
) -> int:
    """Read recorded bodies and build them again.

    Counts which rows come back exactly and how many of their leaves are understood, worst cases first.
    Exits 1 when a row does not come back, 2 when a line is no recorded request. With --to, counts what another
    wire takes whole, with notes, or not at all; exits 1 when a build breaks instead of saying what is wrong.
    """
    from ..replay.corpus import choose_wires
    from ..replay.generated import wire_aliases, wire_module, wire_names

    wires = choose_wires(wire_names(), forced or (), wire_aliases())
    for target in to or ():
        wire_module(target)
    broken: list[str] = []
    try:
        with _rows(files, wires, api or (), broken) as rows:
            if to:
                code = _answer_crossing(rows, to, wires, worst, as_json=as_json)
            else:
                code = _answer_replay(rows, wires, worst, as_json=as_json)
    finally:
        for line in broken[:_MOST_BROKEN]:
            fail(f"gen: {line}")
        if len(broken) > _MOST_BROKEN:
            fail(f"gen: and {len(broken) - _MOST_BROKEN} more lines that are no recorded request")
    if code is None and not broken:
        return fail(_NOTHING)
    return WRONG if broken or code is None else code


@contextmanager
def _rows(files: list[str], wires: Wires, apis: Sequence[str], broken: list[str]) -> Generator[Iterator[Row]]:
    """Give the rows, and show how far they are read; what is said of lines that are none goes to `broken`."""
    from ..replay.corpus import read_rows

    with measuring("reading and building", _bytes_of(files)) as advance:
        yield read_rows(files, wires, apis, advance, broken)


def _bytes_of(files: Sequence[str]) -> int | None:
    """Add up the sizes of files; None where one has none, or cannot be asked: who reads it says why."""
    try:
        return sum([Path(file).stat().st_size for file in files]) if all(map(os.path.isfile, files)) else None
    except OSError:
        return None


def _answer_replay(rows: Iterator[Row], wires: Wires, worst: int, *, as_json: bool) -> int | None:
    """Print what came of the rows; None where there were none."""
    from ..replay.generated import wire_module
    from ..replay.roundtrip import replay

    tally = replay(rows, wire_module, wires.names)
    if as_json:
        typer.echo(json.dumps(tally.as_json()))
    else:
        _show(tally, worst)
    if not tally.outcomes:
        return None
    return FINE if tally.all_reproduced else DIFFERENT


def _answer_crossing(
    rows: Iterator[Row], targets: Sequence[str], wires: Wires, worst: int, *, as_json: bool
) -> int | None:
    """Print what other wires took; None where there were no rows."""
    from ..replay.crossing import cross
    from ..replay.generated import wire_module
    from .tables import show_pairs

    crossings = cross(rows, targets, wire_module, wires.names)
    if as_json:
        typer.echo(json.dumps(crossings.as_json()))
    else:
        show_pairs(crossings.pairs())
        _show_skipped(crossings.skipped)
        _listed(
            "crashed",
            [
                f"{crash.row.wire} {crash.row.name} -> {crash.to}: {crash.why}"
                for crash in crossings.crashes[:worst]
            ],
        )
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
    flawed = tally.worst(worst)
    if flawed:
        typer.echo("\nworst rows:")
    for outcome in flawed:
        trouble = (
            outcome.trouble or f"reproduced, {outcome.leaves - outcome.understood} leaves not understood"
        )
        typer.echo(f"  {outcome.row.wire} {outcome.row.name}: {trouble}")
    paths = tally.unknown_paths().most_common(_MOST_PATHS)
    if paths and worst:
        typer.echo("\nnot understood:")
    for (wire, path), count in paths if worst else ():
        typer.echo(f"  {count:>6}  {wire} {path}")
