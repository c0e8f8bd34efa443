"""The command `promptwire lint`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .annotations import Format, as_annotation
from .exits import DIFFERENT, FINE, WRONG, fail
from .options import AsJson, Wire
from .program import answered
from .terminal import bytes_of, measuring

if TYPE_CHECKING:
    from promptwire_runtime import Finding

    from .views.linted import Linted, Subject

_MOST_BROKEN = 10

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE...",
        show_default=False,
        help="A body as JSON, bodies or recorded requests one a line; - is standard input.",
    ),
]
ErrorText = Annotated[
    str | None, typer.Option("--error", metavar="TEXT", help="Name the rules that an API's message means.")
]
Url = Annotated[
    str | None, typer.Option("--url", metavar="URL", help="Where bodies were sent: it may name the model.")
]
Form = Annotated[Format, typer.Option("--format", help="How findings are printed.")]


@answered
def lint(
    wire: Wire,
    files: Files = None,
    error: ErrorText = None,
    url: Url = None,
    as_json: AsJson = False,
    form: Form = Format.TEXT,
) -> int:
    """Find mistakes in request bodies, before or after an API rejects them.

    Reports unknown keys with the nearest known key, values of a wrong type, missing keys, tool calls without results,
    and values that a rule of the spec rejects, with its source; each with its path in the body. With --error, prints
    the rules that an API's error message refers to, likeliest first.

    Exit codes: 1 if there is a finding, or no rule for the message; 2 if an input cannot be read.
    """
    form = Format.JSON if as_json else form
    if error is None and not files:
        raise typer.BadParameter("give a FILE, or the message of an API with --error")
    meant = None if error is None else _meant(wire, error, form)
    if not files:
        if form is Format.JSON:
            typer.echo(json.dumps({"rules": [asdict(rule) for rule in meant or ()]}))
        return FINE if meant else DIFFERENT
    return _lint(wire, files, url, form, meant)


def _meant(wire: str, message: str, form: Format) -> Sequence[Any]:
    """Print the rules that an error message refers to."""
    from .views.linted import rules_for

    rules = rules_for(wire, message)
    if form is not Format.JSON:
        typer.echo("\n".join([str(rule) for rule in rules]) or f"no rule of {wire} says anything like it")
    return rules


def _lint(wire: str, files: list[str], url: str | None, form: Format, meant: Sequence[Any] | None) -> int:
    from .views.generated import wire_aliases, wire_names
    from .views.linted import Linted
    from .views.row_wires import choose_wires

    wires = choose_wires(wire_names(), (), wire_aliases())
    with measuring("linting", bytes_of(files)) as advance:
        linted = Linted(wire=wire, wires=wires, url=url, advance=advance)
        rows = linted.each(files)
        if form is Format.JSON:
            findings = [_as_object(subject, finding) for subject, listed in rows for finding in listed]
            counts = {"bodies": linted.bodies, "flagged": linted.flagged, "skipped": dict(linted.skipped)}
            rules = {} if meant is None else {"rules": [asdict(rule) for rule in meant]}
            typer.echo(json.dumps({**counts, "findings": findings, **rules}))
        else:
            _print(rows, form)
    return _ended(linted, form)


def _print(rows: Iterable[tuple[Subject, Sequence[Finding]]], form: Format) -> None:
    for subject, findings in rows:
        for finding in findings:
            if form is Format.GITHUB:
                typer.echo(as_annotation(subject.file, subject.line_of(finding), finding.what, str(finding)))
            else:
                typer.echo(f"{subject.file}:{subject.line_of(finding)}: {finding}")


def _as_object(subject: Subject, finding: Finding) -> dict[str, Any]:
    found = {name: getattr(finding, name) for name in ("path", "what", "message", "source")}
    return {"file": subject.file, "line": subject.line_of(finding), **found}


def _ended(linted: Linted, form: Format) -> int:
    """Print the counts and unreadable lines; return the exit code."""
    for line in linted.broken[:_MOST_BROKEN]:
        fail(f"promptwire: {line}")
    if len(linted.broken) > _MOST_BROKEN:
        fail(f"promptwire: and {len(linted.broken) - _MOST_BROKEN} more lines that are no JSON")
    if form is Format.TEXT:
        others = ", ".join(f"{wire} ({count})" for wire, count in sorted(linted.skipped.items()))
        beside = f"; skipped, of other wires: {others}" if others else ""
        typer.echo(f"{linted.findings} findings in {linted.flagged} of {linted.bodies} bodies{beside}")
    if linted.broken:
        return WRONG
    if not linted.bodies:
        return fail("promptwire: no body is for this wire")
    return DIFFERENT if linted.findings else FINE
