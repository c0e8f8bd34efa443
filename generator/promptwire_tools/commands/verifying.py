"""The command `gen verify`."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from promptwire_cli.exits import DIFFERENT, FINE, WRONG, fail
from promptwire_cli.terminal import show_json, working
from promptwire_gen.cli.compiled import exit_on_problems
from promptwire_gen.cli.program import answered

if TYPE_CHECKING:
    from promptwire_gen.plugin_api import Project

    from ..sdk_types.compare import ComparedField
    from ..sdk_types.verified import Reasons, Verified

Wires = Annotated[
    list[str] | None,
    typer.Argument(metavar="[WIRE]...", help="Only these wires, in detail; by default all that name an SDK."),
]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print JSON: an object a wire and SDK, with every field.")
]
Models = Annotated[
    Path | None,
    typer.Option(
        "--models",
        metavar="PAGE",
        help="Compare what `supports` says of models with a table; PAGE names its vendors and the settled differences.",
    ),
]
TableFile = Annotated[
    Path | None,
    typer.Option("--table", metavar="FILE", help="With --models: the table, by default litellm's."),
]


@answered
def verify(
    wires: Wires = None, as_json: AsJson = False, models: Models = None, table: TableFile = None
) -> int:
    """Compare specs with the types of the installed SDKs.

    A spec names the types of its API's SDK under sdks.NAME.types. Each field of a request body in those types, also
    inside messages and tools, has a path. Brackets in a path name the alternative:
    messages[user].content[image_url].image_url.detail. A field is

    known     a shape of the spec names it;
    kept      it is inside JSON that a hole takes whole (...: $config): sent and read, but not interpreted;
    excluded  no request body has it; sdks.NAME.excluded says why (a header, a type that is too wide);
    omitted   the API has it and the spec leaves it out; sdks.NAME.omitted says why;
    missing   none of these.

    Coverage is known / (known + omitted + missing). With a WIRE, all reasons are printed, and the keys that only the
    spec has.

    With --models, compares facts about models with the price file of litellm instead, or with a table of its form or
    that of models.dev (api.json): tokens, tools, forced calls,
    schemas, pictures, temperatures and efforts. Differences that PAGE settles are counted apart, so that a run shows
    only what is new.

    Exit codes: 1 if a field is missing, a reason matches no field, or a difference is not settled; 2 if an SDK is not
    installed.
    """
    if models is not None:
        return _verify_models(models, table)
    from promptwire_gen.layout import find_layout
    from promptwire_gen.pipeline import read_project

    layout = find_layout()
    with exit_on_problems(layout):
        project = read_project(layout, wires or ())
    with working("comparing") as say:
        rows, broken = _compare(project, wires, say or (lambda _: None))
    if as_json:
        show_json([_as_object(row) for row in rows])
    else:
        _print(rows, detailed=bool(wires))
    for line in broken:
        fail(f"gen: {line}")
    if broken:
        return WRONG
    return FINE if all(row.sound for row in rows) else DIFFERENT


def _verify_models(page: Path, table: Path | None) -> int:
    """Print how many statements of a table agree by vendor, and each difference that is new."""
    from ..replay.model_tables import (
        TableError,
        compare,
        installed_table,
        read_page,
        read_table,
    )
    from .tables import show_compared

    path = table or installed_table()
    if path is None:
        return fail("gen: litellm is not installed; install it, or name its price file with --table")
    try:
        compared = compare(read_table(path), read_page(page))
    except TableError as error:
        return fail(f"gen: {error}")
    show_compared(compared.rows)
    new = [row for row in compared.rows if row.outcome == "differs"]
    for row in new:
        typer.echo(
            f"differs  {row.vendor} {row.model} {row.field}: the table says {row.theirs}, promptwire {row.ours}"
        )
    for settled in compared.stale:
        typer.echo(
            f"stale    {settled.vendor} {', '.join(settled.models)} {settled.field}: nothing differs any more"
        )
    return DIFFERENT if new or compared.stale else FINE


def _compare(
    project: Project, wires: Sequence[str] | None, say: Callable[[str], None]
) -> tuple[list[Verified], list[str]]:
    """Compare wires with their SDKs; return the comparisons, and messages about those that failed."""
    from ..sdk_types.kinds import SdkError
    from ..sdk_types.verified import verify as verified

    rows: list[Verified] = []
    broken: list[str] = []
    for wire in project.wires:
        if wires and wire.name not in wires:
            continue
        if wires and not wire.sdks:
            broken.append(f"{wire.name}: its spec names the types of no SDK (sdks.NAME.types)")
        for sdk in wire.sdks:
            say(f"comparing {wire.name} with {sdk}")
            try:
                rows.append(verified(wire, project.filters, sdk))
            except SdkError as error:
                broken.append(f"{wire.name}: {error}")
    return rows, broken


def _print(rows: Sequence[Verified], *, detailed: bool) -> None:
    from .tables import show_verified

    if rows:
        show_verified(rows)
    for row in rows:
        lines = [*_missing_lines(row), *(_in_detail(row) if detailed else ())]
        if lines:
            typer.echo("\n".join(["", f"{row.wire} beside {row.sdk} {row.installed}", *lines]))


def _missing_lines(row: Verified) -> Iterator[str]:
    """Yield lines about missing fields and stale reasons."""
    for field, count in _select_outermost(row.missing):
        hint = f': is it "{field.near}" of the spec?' if field.near else ""
        yield f"  missing   {field.top}{_and_inside(count)}{hint}"
    for path in row.stale:
        yield f"  stale     {path}: the SDK has no such field, or the spec knows it: take the reason out"


def _in_detail(row: Verified) -> Iterator[str]:
    """Yield lines about excluded and omitted fields, and keys that the SDK lacks."""
    for word, reasons in (("omitted", row.omitted), ("excluded", row.excluded)):
        for because, fields in reasons.items():
            for field, count in _select_outermost(fields):
                yield f"  {word:<9} {field.top}{_and_inside(count)}: {because}"
    for field, count in _select_outermost(row.gone):
        yield f"  spec only {field.top}{_and_inside(count)}"


def _select_outermost(fields: Sequence[ComparedField]) -> list[tuple[ComparedField, int]]:
    """Return the outermost fields, each with the number of fields that it stands for."""
    counts = Counter([field.top for field in fields])
    first: dict[str, ComparedField] = {}
    for field in fields:
        first.setdefault(field.top, field)
    return [(field, counts[top]) for top, field in first.items()]


def _and_inside(count: int) -> str:
    return f" ({count} fields)" if count > 1 else ""


def _as_object(row: Verified) -> dict[str, Any]:
    told = {name: getattr(row, name) for name in ("wire", "sdk", "read", "installed", "known", "kept")}
    return {
        **told,
        "coverage": round(row.coverage, 4),
        "missing": [field.path for field in row.missing],
        "omitted": _paths(row.omitted),
        "excluded": _paths(row.excluded),
        "stale": list(row.stale),
        "gone": [field.path for field in row.gone],
        "fields": {field.path: field.state for field in row.fields},
    }


def _paths(reasons: Reasons) -> dict[str, list[str]]:
    return {because: [field.path for field in fields] for because, fields in reasons.items()}
