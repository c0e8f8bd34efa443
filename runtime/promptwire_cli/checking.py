"""The command `promptwire check`."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Annotated, Any

import typer

from promptwire_text.escaping import one_line

from .exits import DIFFERENT, FINE, WRONG, fail
from .options import AsJson, Format, Wire, as_annotation
from .program import answered
from .terminal import bytes_of, measuring

if TYPE_CHECKING:
    from promptwire_runtime import Problem

    from .views.checked import Checked, Subject

_MOST_BROKEN = 10

Files = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="FILE...",
        show_default=False,
        help="A body as JSON, bodies or recorded requests one a line, or a request as YAML; - is standard input.",
    ),
]
ErrorText = Annotated[
    str | None, typer.Option("--error", metavar="TEXT", help="Name the rules that an API's message means.")
]
Url = Annotated[
    str | None, typer.Option("--url", metavar="URL", help="Where bodies were sent; it may name the model.")
]
Day = Annotated[
    datetime | None,
    typer.Option(
        "--day",
        metavar="YYYY-MM-DD",
        formats=["%Y-%m-%d"],
        help="Check as on this day: some facts begin or end on one.",
    ),
]
Form = Annotated[Format, typer.Option("--format", help="How problems are printed.")]


@answered
def check(
    wire: Wire,
    files: Files = None,
    error: ErrorText = None,
    url: Url = None,
    day: Day = None,
    as_json: AsJson = False,
    form: Form = Format.TEXT,
) -> int:
    """Find mistakes in requests and request bodies, before or after an API rejects them.

    Of a body, reports unknown keys with the nearest known key, values of a wrong type, missing keys, tool calls without
    results, and values that a rule of the spec rejects, with its source; each with its path in the body. Of a request
    (a file that ends in .yaml or .yml), reports everything that a strict build refuses. With --error, prints the rules
    that an API's error message refers to, likeliest first.

    Exit codes: 1 if there is a problem, or no rule for the message; 2 if an input cannot be read.
    """
    form = Format.JSON if as_json else form
    if error is None and not files:
        raise typer.BadParameter("give a FILE, or the message of an API with --error")
    meant = None if error is None else _print_matching_rules(wire, error, form)
    if not files:
        if form is Format.JSON:
            typer.echo(json.dumps({"rules": [asdict(rule) for rule in meant or ()]}))
        return FINE if meant else DIFFERENT
    from .views.generated import on_day

    with on_day(None if day is None else day.date().isoformat()):
        return _check(wire, files, url, form, meant)


def _print_matching_rules(wire: str, message: str, form: Format) -> Sequence[Any]:
    """Print the rules that an error message refers to."""
    from .views.checked import rules_for

    rules = rules_for(wire, message)
    if form is not Format.JSON:
        typer.echo("\n".join([str(rule) for rule in rules]) or f"no rule of {wire} matches this message")
    return rules


def _check(wire: str, files: list[str], url: str | None, form: Format, meant: Sequence[Any] | None) -> int:
    from .views.checked import Checked
    from .views.generated import wire_aliases, wire_names
    from .views.inputs import choose_wires

    wires = choose_wires(wire_names(), (), wire_aliases())
    with measuring("checking", bytes_of(files)) as advance:
        checked = Checked(wire=wire, wires=wires, url=url, advance=advance)
        rows = checked.each(files)
        if form is Format.JSON:
            problems = [_as_object(subject, problem) for subject, listed in rows for problem in listed]
            counts = {
                "requests": checked.requests,
                "flagged": checked.flagged,
                "skipped": dict(checked.skipped),
            }
            rules = {} if meant is None else {"rules": [asdict(rule) for rule in meant]}
            typer.echo(json.dumps({**counts, "problems": problems, **rules}))
        else:
            _print(rows, form)
    return _ended(checked, form)


def _print(rows: Iterable[tuple[Subject, Sequence[Problem]]], form: Format) -> None:
    for subject, problems in rows:
        for problem in problems:
            line = subject.line_of(problem)
            if form is Format.GITHUB:
                typer.echo(as_annotation(subject.file, line, problem.what, str(problem)))
            else:
                typer.echo(one_line(f"{subject.file}:{line}: {problem}"))


def _as_object(subject: Subject, problem: Problem) -> dict[str, Any]:
    found = {name: getattr(problem, name) for name in ("path", "what", "reason", "source")}
    return {"file": subject.file, "line": subject.line_of(problem), **found}


def _ended(checked: Checked, form: Format) -> int:
    """Print the counts and unreadable lines; return the exit code."""
    for line in checked.broken[:_MOST_BROKEN]:
        fail(f"promptwire: {line}")
    if len(checked.broken) > _MOST_BROKEN:
        fail(f"promptwire: and {len(checked.broken) - _MOST_BROKEN} more lines that are not JSON")
    if form is Format.TEXT:
        others = ", ".join(f"{wire} ({count})" for wire, count in sorted(checked.skipped.items()))
        beside = f"; skipped, of other wires: {others}" if others else ""
        found = "1 problem" if checked.problems == 1 else f"{checked.problems} problems"
        typer.echo(f"{found} in {checked.flagged} of {checked.requests} requests{beside}")
    if checked.broken:
        return WRONG
    if not checked.requests:
        return fail("promptwire: no request is for this wire")
    return DIFFERENT if checked.problems else FINE
