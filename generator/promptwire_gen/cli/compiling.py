"""Commands of the compiler: build, check, diff, schema."""

from __future__ import annotations

import json
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from promptwire_cli.exits import DIFFERENT, FINE, fail
from promptwire_cli.options import Format
from promptwire_cli.terminal import show_json

from .compiled import compile_or_exit, exit_on_problems, judge_wires, print_drift, shorten_diff
from .program import answered

if TYPE_CHECKING:
    from ..compilation import Compilation
    from ..layout import Layout
    from ..sink import Drift

_MOST_WHOLE = 5

Wires = Annotated[
    list[str] | None, typer.Argument(metavar="[WIRE]...", help="Only these wires; all by default.")
]
ProblemFormat = Annotated[Format, typer.Option("--format", help="How to print problems.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]
Requests = Annotated[
    list[str] | None,
    typer.Option("--requests", metavar="FILE.jsonl", help="Recorded requests, one a line; repeatable."),
]
Against = Annotated[
    str,
    typer.Option(
        "--against", metavar="VERSION", help="With --requests: a git reference, a folder, a wheel, or 0.1.0."
    ),
]


Package = Annotated[
    str | None,
    typer.Option("--package", metavar="NAME", help="A package of these wires alone, beside promptwire."),
]
Out = Annotated[
    Path | None, typer.Option("--out", metavar="DIR", help="With --package: its folder; this one by default.")
]


@answered
def build(
    wires: Wires = None,
    form: ProblemFormat = Format.TEXT,
    as_json: AsJson = False,
    package: Package = None,
    out: Out = None,
) -> int:
    """Write generated/ from specs and templates.

    Every example of the wires whose files change is built, read and compared first: if one differs, the differences are
    printed, and nothing is written. Unchanged files are not touched; files that are no longer produced are removed.

    With --package, writes a package with these wires and those that they extend, which uses the installed promptwire.
    """
    from ..sink import write

    form = Format.JSON if as_json else form
    if package is not None:
        from promptwire_tools.commands.packaging import build_package

        return build_package(package, wires or (), out, form)
    _reject_out_alone(out)
    layout, compilation = compile_or_exit(wires or None, form)
    with exit_on_problems(layout, form, compilation.sources):
        drift = write(
            compilation.files,
            layout.output,
            partial=bool(wires),
            model=layout.model,
            approve=partial(_judge, layout, compilation),
        )
    if form is Format.JSON:
        print_drift(drift, form, layout.output.name, problems=compilation.problems)
    else:
        kept = len(compilation.files) - len(drift.missing) - len(drift.stale)
        written = f"{len(drift.missing)} new, {len(drift.stale)} changed"
        typer.echo(f"{layout.output.name}/: {written}, {len(drift.orphan)} removed, {kept} unchanged")
    return FINE


def _reject_out_alone(out: Path | None) -> None:
    """Reject --out without the package that it belongs to."""
    if out is not None:
        raise typer.BadParameter("--out goes with --package")


@answered
def check(
    wires: Wires = None,
    form: ProblemFormat = Format.TEXT,
    as_json: AsJson = False,
    package: Package = None,
    out: Out = None,
) -> int:
    """Check that generated/ is current.

    Compiles without the cache and writes nothing. Prints the differences and exits 1 if there are any.
    """
    from ..sink import compare, diff

    form = Format.JSON if as_json else form
    if package is not None:
        from promptwire_tools.commands.packaging import check_package

        return check_package(package, wires or (), out, form)
    _reject_out_alone(out)
    layout, compilation = compile_or_exit(wires or None, form, anew=True)
    drift = compare(compilation.files, layout.output, partial=bool(wires), model=layout.model)
    name = layout.output.name
    if drift.current and form is not Format.JSON:
        typer.echo(f"{name}/ is current ({len(compilation.files)} files)")
        return FINE
    diffs: list[str] = []
    if form is Format.TEXT:
        diffs += diff(compilation.files, layout.output, drift.stale, model=layout.model)
        # the full text of new and removed files would hide the changed lines
        others = diff(
            compilation.files,
            layout.output,
            (*drift.missing, *drift.orphan)[:_MOST_WHOLE],
            model=layout.model,
        )
        diffs += [shorten_diff(text) for text in others]
    command = " ".join(["gen build", *(wires or ())])
    print_drift(drift, form, name, problems=compilation.problems, diffs=diffs, command=command)
    return FINE if drift.current else DIFFERENT


@answered
def diff(
    wires: Wires = None,
    form: ProblemFormat = Format.TEXT,
    as_json: AsJson = False,
    requests: Requests = None,
    against: Against = "HEAD",
) -> int:
    """Show what a build would change, also for recorded requests.

    Writes nothing. Prints unified diffs, including new and removed files, and exits 1 if there are any.

    With --requests, builds recorded requests with the generated code as it is, and with that of another version, and
    prints which of them are built differently, refused now or allowed now.
    """
    from ..sink import compare, diff as unified

    form = Format.JSON if as_json else form
    if requests:
        from promptwire_tools.commands.request_diffs import diff_requests

        return diff_requests(requests, against, form)
    layout, compilation = compile_or_exit(wires or None, form)
    drift = compare(compilation.files, layout.output, partial=bool(wires), model=layout.model)
    texts = unified(compilation.files, layout.output, drift.changed, model=layout.model)
    if form is Format.JSON:
        diffs = [{"path": path, "diff": text} for path, text in zip(drift.changed, texts, strict=True)]
        typer.echo(json.dumps({"diffs": diffs, "foreign": list(drift.foreign)}, indent=2))
        return FINE if drift.current else DIFFERENT
    for text in texts:
        typer.echo(text, nl=False)
    for path in drift.foreign:
        fail(f"gen: {layout.output.name}/{path} does not belong there, and a build would refuse to touch it")
    return FINE if drift.current else DIFFERENT


@answered
def schema() -> int:
    """Print the JSON Schema of specs, for editors."""
    from ..spec.editor_schema import make_editor_schema

    show_json(make_editor_schema())
    return FINE


def _judge(layout: Layout, compilation: Compilation, drift: Drift) -> None:
    """Raise SpecError if a wire whose files differ builds or reads one of its examples differently."""
    from promptwire_tools.replay.judging import changed_wires

    judge_wires(layout, compilation, changed_wires(compilation, drift.changed))
