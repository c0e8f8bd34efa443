"""The command `promptwire run`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from promptwire_text.escaping import one_line

from .exits import DIFFERENT, FINE
from .options import From, ModelThere, PortablePolicies, Settings, completed_wire
from .program import answered
from .terminal import lines_of, measuring

if TYPE_CHECKING:
    from promptwire_http import Outgoing

    from .views.live_runs import LiveRun, RunReport

Files = Annotated[
    list[str], typer.Argument(metavar="FILE.jsonl...", help="Requests, one a line; - is standard input.")
]
To = Annotated[
    str, typer.Option("--to", metavar="WIRE", help="The API that answers.", autocompletion=completed_wire)
]
Out = Annotated[str, typer.Option("-o", "--out", metavar="FILE.jsonl", help="The file of answers.")]
AnswersAs = Annotated[
    str | None,
    typer.Option("--as", metavar="WIRE", help="Write answers for this API; as they came by default."),
]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="The address of another host.")
]
Concurrency = Annotated[
    int, typer.Option("--concurrency", metavar="N", min=1, help="How many requests are open at once.")
]
Attempts = Annotated[
    int, typer.Option("--attempts", metavar="N", min=1, help="How often a request is sent at most.")
]
Timeout = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", min=0.001, help="The longest silence of the server.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the report as one JSON object.")]


@answered
def run(
    files: Files,
    to: To,
    out: Out,
    source: From = None,
    model: ModelThere = None,
    answers_as: AnswersAs = None,
    policies: PortablePolicies = "portable",
    base_url: BaseUrl = None,
    setting: Settings = None,
    concurrency: Concurrency = 8,
    attempts: Attempts = 5,
    timeout: Timeout = 600.0,
    as_json: AsJson = False,
) -> int:
    """Send files of requests to an API now, and write each answer as it comes.

    Reads what convert reads: recorded requests, batch lines, fine-tuning lines. A row of FILE.jsonl has the id of its
    request and the body of the answer; requests without one are in FILE.errors.jsonl. When the API says that it is
    asked too much, all wait as long as it says. A call that was killed, or that left errors, is repeated with the same
    arguments: what has an answer is not sent again.

    Exit codes: 1 if a request has no answer; 2 if a file cannot be read or written.
    """
    from promptwire_http import AsyncClient
    from promptwire_text.files import check_apart

    from .views.generated import answering_module, own_errors, wire_module
    from .views.live_runs import LiveRun, errors_file
    from .views.preview import parsed_settings, pretty

    if out == "-":
        raise typer.BadParameter("-o needs a file: the next call sends what has no answer in it")
    api = answering_module(to)
    form = None if answers_as is None else answering_module(answers_as)
    check_apart([out, errors_file(Path(out))], [file for file in files if file != "-"])
    with own_errors():
        client = AsyncClient(
            api,
            settings=parsed_settings(wire_module(to), setting or (), base_url),
            policies=policies,
            timeout=timeout,
            retries=0,
            on_send=_keep_notes,
        )
        live = LiveRun(
            client=client, answers_as=form, model=model, concurrency=concurrency, attempts=attempts
        )
        report = _send(files, source, live, out)
    typer.echo(pretty(report.as_json()) if as_json else "\n".join(map(one_line, report.lines())))
    return DIFFERENT if report.failed or report.refused else FINE


def _keep_notes(outgoing: Outgoing) -> None:
    from .views.live_runs import NOTES

    NOTES.get()[:] = outgoing.built.notes


def _send(files: Sequence[str], source: str | None, live: LiveRun, out: str) -> RunReport:
    import anyio

    from .views.converting import source_lines
    from .views.generated import wire_aliases, wire_names
    from .views.live_runs import send_lines

    names = {name: name for name in wire_names()} | dict(wire_aliases())
    with measuring("sending", lines_of(files)) as advance:

        async def inside() -> RunReport:
            async with live.client:
                return await send_lines(source_lines(files, source, names), live, out, advance)

        return anyio.run(inside)
