"""The command `gen list`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from promptwire_cli.exits import FINE
from promptwire_cli.options import Format
from promptwire_cli.terminal import show_json

from .compiled import compile_or_exit, exit_on_problems
from .program import answered

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@answered
def list_wires(
    wire: Annotated[str | None, typer.Argument(metavar="[WIRE]", help="All about this wire.")] = None,
    model: Annotated[
        str | None, typer.Option("--model", metavar="NAME", help="What this model takes, on WIRE or on all.")
    ] = None,
    stale: Annotated[bool, typer.Option("--stale", help="Facts that somebody should look up again.")] = False,
    coming: Annotated[bool, typer.Option("--coming", help="Facts that begin or end soon.")] = False,
    days: Annotated[
        int, typer.Option("--days", min=0, help="With --stale: the age of a source; with --coming: how soon.")
    ] = 365,
    hosts: Annotated[bool, typer.Option("--hosts", help="The hosts with addresses of their own.")] = False,
    as_json: AsJson = False,
) -> int:
    """List the wires and what each supports.

    Prints a table for each topic. Columns that do not fit the terminal are left out; name one wire to see all of them.
    With --model, prints every request field: yes, no or unknown for this model, with the reason and its source;
    sources older than a year are marked. Without a WIRE, prints what it accepts on each that has rules about it.

    With --stale, prints the facts that somebody should look up again: their newest source is older than so many days or
    has no date, they hold no more, or they began after their source was written. With --coming, prints the facts that
    begin (from) or end (until) within so many days. With --hosts, prints the hosts that speak the API of another at
    addresses of their own, and how many facts are known about each.
    """
    if hosts:
        return _list_hosts(as_json=as_json)
    if stale or coming:
        return _list_dated(wire, days, coming=coming, as_json=as_json)
    if model is not None:
        from promptwire_cli.listing import list_model

        return list_model(wire, model, as_json=as_json)
    compilation = compile_or_exit((wire,) if wire else (), Format.TEXT)[1]
    tables = [row for row in compilation.table if wire is None or row["wire"] == wire]
    if as_json:
        show_json(tables)
        return FINE
    from .tables import show_one_wire, show_wires

    if wire is None:
        from ..spec.pages import find_files_of_wires

        show_wires(
            tables,
            [name for name in find_files_of_wires(compilation.sources) if name not in compilation.names],
        )
    else:
        show_one_wire(tables[0])
    return FINE


def _list_dated(wire: str | None, days: int, *, coming: bool, as_json: bool) -> int:
    """Print the facts of one wire, or of all, that are old, or that begin or end soon."""
    from promptwire_cli.views.generated import dated_facts, wire_names

    facts = dated_facts(wire_names() if wire is None else (wire,), days, coming=coming)
    if as_json:
        show_json([asdict(fact) for fact in facts])
        return FINE
    for fact in facts:
        models = f" [{', '.join(fact.models)}]" if fact.models else ""
        dates = [("from", fact.since), ("until", fact.until)] if coming else [("", fact.date or "no date")]
        when = ", ".join([f"{word} {day}".strip() for word, day in dates if day])
        typer.echo(f"{when}: {', '.join(fact.fields)}{models}: {fact.because} ({fact.source})")
        typer.echo(f"  {', '.join(fact.wires)}")
    begin = f"begin or end within {days} days" if coming else f"to look up again, after {days} days"
    typer.echo(f"{len(facts)} facts {begin}")
    return FINE


def _list_hosts(*, as_json: bool) -> int:
    """Print each host with its addresses and the number of its facts."""
    from ..layout import find_layout
    from ..plugins import find_plugins, plugin_calls
    from ..problems import SpecError, SpecProblem
    from ..spec.pages import is_shared
    from ..spec.shared_pages import read_shared
    from .tables import show_hosts

    layout = find_layout()
    problems: list[SpecProblem] = []
    with exit_on_problems(layout):
        files = layout.read_specs(plugin_calls.list_spec_folders(find_plugins()))
        shared = read_shared(files, filter(is_shared, files), problems)
        if problems:
            raise SpecError(problems)
    rows = [
        {"host": name, "title": page.host.title, "facts": page.host.count_facts(), "urls": [*page.host.urls]}
        for name, page in sorted(shared.hosts.items())
        if page is not None
    ]
    if as_json:
        show_json(rows)
    else:
        show_hosts(rows)
    return FINE
