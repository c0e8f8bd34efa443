"""The command `promptwire convert`."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from promptwire_text.escaping import one_line

from .exits import DIFFERENT, FINE
from .options import From, ModelThere, PortablePolicies, Settings
from .program import answered

Files = Annotated[
    list[str],
    typer.Argument(
        metavar="FILE.jsonl...",
        help="Recorded requests, batch or fine-tuning lines; - is standard input.",
    ),
]
To = Annotated[str, typer.Option("--to", metavar="WIRE", help="The API to convert them for.")]
Form = Annotated[
    str | None,
    typer.Option("--form", metavar="FORM", help="body, batch or tuning; the form of the input by default."),
]
Out = Annotated[
    str, typer.Option("-o", "--out", metavar="FILE", help="Where to write; - is standard output.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")]
_STDIN, _STDOUT = 0, 1


@answered
def convert(
    files: Files,
    to: To,
    source: From = None,
    model: ModelThere = None,
    form: Form = None,
    policies: PortablePolicies = "portable",
    setting: Settings = None,
    out: Out = "-",
    as_json: AsJson = False,
) -> int:
    """Convert files of requests for another API, and report what was changed.

    Reads recorded requests, batch lines (OpenAI, Anthropic, Gemini, Bedrock) and fine-tuning lines. A line that cannot
    be converted, or is no request, is left out and counted. The report goes to standard error where the lines go to
    standard output.

    Exit codes: 1 if a line is left out; 2 if a file cannot be read or written.
    """
    from contextlib import nullcontext

    from promptwire_text.files import check_apart, replacing

    from .views.converting import FORMS, ConversionReport, convert_lines, source_lines
    from .views.generated import wire_aliases, wire_names
    from .views.preview import pretty

    if form is not None and form not in FORMS:
        raise typer.BadParameter(f'"{form}" is not a form; use one of {", ".join(FORMS)}')
    report = ConversionReport()
    names = {name: name for name in wire_names()} | dict(wire_aliases())
    lines = source_lines(files, source, names)
    check_apart([_STDOUT if out == "-" else out], [_STDIN if file == "-" else file for file in files])
    with nullcontext(sys.stdout.buffer) if out == "-" else replacing(out) as sink:
        for line in convert_lines(
            lines, to, model=model, policies=policies, settings=setting or (), form=form
        ):
            report.add(line)
            if line.text is not None:
                sink.write(line.text + b"\n")
        sink.flush()
    text = pretty(report.as_json()) if as_json else "\n".join(map(one_line, report.lines()))
    typer.echo(text, err=out == "-")
    return DIFFERENT if report.refused else FINE
