"""Commands that try a generated module on one input: preview, read."""

from __future__ import annotations

from typing import Annotated

import typer

from .exits import FINE, answered

Wire = Annotated[str, typer.Argument(metavar="WIRE", show_default=False)]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object.")]
RequestFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A request or an evaluation case as YAML or JSON; - is standard input."
    ),
]
BodyFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A body as JSON, or an object with body and url; - is standard input."
    ),
]
Curl = Annotated[bool, typer.Option("--curl", help="Print a curl command.")]
OnlyNotes = Annotated[bool, typer.Option("--notes", help="Print only what was moved or dropped.")]
Settings = Annotated[list[str] | None, typer.Option("--setting", metavar="NAME=VALUE", help="Repeatable.")]
Policies = Annotated[
    str, typer.Option("--policies", metavar="NAME", help="A preset, or choices: orphans=keep,blank=error.")
]
CaseId = Annotated[
    str | None, typer.Option("--case", metavar="ID", help="Which case of a file that holds several.")
]
Root = Annotated[
    str | None,
    typer.Option("--root", metavar="FOLDER", help="Where a case's files are; else the folder of FILE."),
]
Target = Annotated[str | None, typer.Option("--to", metavar="WIRE", help="Build it on this wire.")]
Model = Annotated[str | None, typer.Option("--model", metavar="NAME", help="With --to: the model there.")]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", min=1, metavar="N", help="With --to: where that wire needs one.")
]
TargetPolicies = Annotated[
    str | None,
    typer.Option(
        "--policies", metavar="NAME", help="With --to: a preset, or choices; by default losses are notes."
    ),
]


@answered
def preview(
    wire: Wire,
    file: RequestFile,
    curl: Curl = False,
    notes: OnlyNotes = False,
    as_json: AsJson = False,
    setting: Settings = None,
    policies: Policies = "strict",
    case: CaseId = None,
    root: Root = None,
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
    file: BodyFile,
    to: Target = None,
    model: Model = None,
    max_tokens: MaxTokens = None,
    policies: TargetPolicies = None,
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
