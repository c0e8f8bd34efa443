"""The commands `promptwire batch`: write, split, send, fetch, read, status, retry and fix."""

from __future__ import annotations

import json
import os
import sys
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from promptwire_text.escaping import one_line

from .exits import DIFFERENT, FINE
from .options import Commands, From, ModelThere, PortablePolicies, Settings
from .program import answered
from .terminal import bytes_of, measuring

if TYPE_CHECKING:
    from promptwire_batch import Job, Manifest

app = Commands(help="Write the files of a batch, read the results, and send again what failed.")
# a process costs as much as the conversion of a few megabytes
_LITTLE = 4_000_000
_POLL_SECONDS = 60

Files = Annotated[list[str], typer.Argument(metavar="FILE.jsonl...", help="Requests, one a line.")]
Out = Annotated[str, typer.Option("-o", "--out", metavar="FOLDER", help="The folder of the batch.")]
Folder = Annotated[str, typer.Argument(metavar="FOLDER", help="The folder of the batch.")]
To = Annotated[str, typer.Option("--to", metavar="WIRE", help="The API that runs the batch.")]
Service = Annotated[
    str | None,
    typer.Option(
        "--service", metavar="NAME", help="The service, where several run this API: together, fireworks."
    ),
]
Deduplicate = Annotated[
    bool, typer.Option("--deduplicate", help="Write a body that was there before only once.")
]
Workers = Annotated[int | None, typer.Option("--workers", min=1, metavar="N", help="Processes; all cores.")]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="The address for the vendor's SDK.")
]
AnswersAs = Annotated[
    str | None, typer.Option("--as", metavar="WIRE", help="Write the answers for this API.")
]
MostAttempts = Annotated[
    int, typer.Option("--attempts", min=1, metavar="N", help="How often a request is sent at most.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Print the manifest as JSON.")]


@app.command(
    epilog="Example: promptwire batch write in.jsonl --to anthropic_messages --model claude-haiku-4-5 -o out"
)
@answered
def write(
    files: Files,
    to: To,
    out: Out,
    service: Service = None,
    source: From = None,
    model: ModelThere = None,
    policies: PortablePolicies = "portable",
    setting: Settings = None,
    deduplicate: Deduplicate = False,
    workers: Workers = None,
    as_json: AsJson = False,
) -> int:
    """Convert requests, and write the files of a batch within the limits of the service.

    A call that was killed is repeated with the same arguments: it goes on where the last one stopped. A line that
    cannot be converted is listed in FOLDER/refused.jsonl.

    Exit codes: 1 if a line cannot be converted; 2 if a file cannot be read or the folder holds another job.
    """
    from promptwire_batch import Job

    job = Job(
        to,
        service=service,
        source=source,
        model=model,
        policies=policies,
        settings=_settings(to, setting or ()),
        deduplicate=deduplicate,
    )
    return _write(files, out, job, workers, as_json=as_json)


@app.command(epilog="Example: promptwire batch split batch.jsonl --to openai_chat -o out")
@answered
def split(
    files: Files,
    to: To,
    out: Out,
    service: Service = None,
    setting: Settings = None,
    workers: Workers = None,
    as_json: AsJson = False,
) -> int:
    """Divide a batch file that is too large for its service. The lines stay as they are.

    Exit codes: 1 if a line does not have the form of this service; 2 if a file cannot be read or the folder holds
    another job.
    """
    from promptwire_batch import Job

    job = Job(to, service=service, settings=_settings(to, setting or ()), as_is=True)
    return _write(files, out, job, workers, as_json=as_json)


@app.command(epilog="Example: promptwire batch send out")
@answered
def send(
    folder: Folder,
    batches: Annotated[
        list[str] | None,
        typer.Option(
            "--batch", metavar="FILE=ID", help="The batch of a file that is sent already. Repeatable."
        ),
    ] = None,
    again: Annotated[
        list[str] | None,
        typer.Option(
            "--again", metavar="FILE", help="Send a file that a stopped call did not send. Repeatable."
        ),
    ] = None,
    base_url: BaseUrl = None,
) -> int:
    """Send the files of a batch with the vendor's own SDK: OpenAI, Anthropic, Gemini, Mistral.

    The SDK finds the key in the environment. A call that was killed is repeated: no file is sent twice.

    Exit codes: 2 if the folder has no batch, the SDK is not installed, or the service refuses a file.
    """
    from promptwire_batch import send

    known: dict[str, str] = {}
    for text in batches or ():
        file, equals, batch = text.partition("=")
        if not (file and equals and batch):
            raise typer.BadParameter(f'"{one_line(text)}": write --batch FILE=ID')
        known[file] = batch
    count = 0
    for sent in send(folder, known=known, again=again or (), base_url=base_url):
        typer.echo(one_line(f"{sent.file}: {sent.batch}"))
        count += 1
    if not count:
        typer.echo("all files are sent; ask for the results with promptwire batch fetch")
    return FINE


@app.command(epilog="Example: promptwire batch fetch out --wait --as openai_chat")
@answered
def fetch(
    folder: Folder,
    answers_as: AnswersAs = None,
    most_attempts: MostAttempts = 3,
    wait: Annotated[
        bool, typer.Option("--wait", help="Ask each minute until all batches have ended.")
    ] = False,
    base_url: BaseUrl = None,
) -> int:
    """Download the results of the batches that have ended, and read them as `batch read` does.

    Exit codes: 1 if a batch has not ended, or a line is no result of this batch; 2 if nothing was sent, the SDK is not
    installed, or the service fails.
    """
    from promptwire_batch import BatchError, fetch
    from promptwire_batch.vendor_clients import may_pass

    report, is_odd = None, False
    while report is None or (wait and report.waits):
        if report is not None:
            time.sleep(_POLL_SECONDS)
        try:
            report = fetch(folder, answers_as=answers_as, most_attempts=most_attempts, base_url=base_url)
        except BatchError as error:
            # a wait of hours does not end with a minute without the network
            if report is None or not may_pass(error):
                raise
            typer.echo(one_line(f"{error}; it is asked again"), err=True)
        else:
            is_odd = is_odd or bool(report.results.unknown or report.results.unreadable)
            typer.echo("\n".join(map(one_line, report.lines())))
    return DIFFERENT if report.waits or is_odd else FINE


@app.command(epilog="Example: promptwire batch read out results-1.jsonl results-2.jsonl --as openai_chat")
@answered
def read(
    folder: Folder,
    files: Annotated[
        list[str], typer.Argument(metavar="RESULTS...", help="The files that the service gave.")
    ],
    answers_as: AnswersAs = None,
    most_attempts: MostAttempts = 3,
) -> int:
    """Join the results of a batch with its requests: answers go to FOLDER/results.jsonl, errors are sorted.

    Exit codes: 1 if a line is no result of this batch; 2 if a file cannot be read.
    """
    from promptwire_batch import read

    with measuring("reading results", bytes_of(files)) as advance:
        report = read(folder, files, answers_as=answers_as, most_attempts=most_attempts, progress=advance)
    typer.echo("\n".join(map(one_line, report.lines())))
    return DIFFERENT if report.unknown or report.unreadable else FINE


@app.command(epilog="Example: promptwire batch status out --list fix")
@answered
def status(
    folder: Folder,
    verify: Annotated[bool, typer.Option("--verify", help="Compare the digests of all files.")] = False,
    listed: Annotated[
        str | None,
        typer.Option("--list", metavar="STATE", help="List the requests in a state, one JSON a line."),
    ] = None,
    as_json: AsJson = False,
) -> int:
    """Print how far a batch is: its files, and how many requests have an answer, failed, or have no result.

    Exit codes: 1 if a file is missing or was changed; 2 if the folder has no batch.
    """
    from promptwire_batch import STATES, entries, status

    if listed is not None:
        if listed not in STATES:
            raise typer.BadParameter(f'"{listed}" is not a state; use one of {", ".join(STATES)}')
        for entry in entries(folder, listed):
            row = {"name": entry.name, "id": entry.id, "attempts": entry.attempts, "error": entry.error}
            typer.echo(json.dumps(row, ensure_ascii=False))
        return FINE
    found = status(folder, verify=verify)
    if as_json:
        typer.echo(json.dumps({**found.manifest.as_json(), "counts": found.counts, "broken": found.broken}))
    else:
        typer.echo("\n".join(map(one_line, found.lines())))
    return DIFFERENT if found.broken else FINE


@app.command(epilog="Example: promptwire batch retry out --missing")
@answered
def retry(
    folder: Folder,
    missing: Annotated[bool, typer.Option("--missing", help="Send again what has no result, too.")] = False,
    as_json: AsJson = False,
) -> int:
    """Write the files of another round: the requests whose error may pass.

    Exit codes: 2 if the folder has no batch.
    """
    from promptwire_batch import retry

    manifest = retry(folder, missing=missing)
    _show(folder, manifest, as_json=as_json)
    return FINE


@app.command(epilog="Example: promptwire batch fix out -o fix.jsonl")
@answered
def fix(
    folder: Folder,
    out: Annotated[
        str, typer.Option("-o", "--out", metavar="FILE", help="Where to write; - is standard output.")
    ] = "-",
    states: Annotated[
        list[str] | None,
        typer.Option("--state", metavar="STATE", help="fix, give_up, ...; fix by default. Repeatable."),
    ] = None,
) -> int:
    """Write the requests whose error asks for a change: edit them, and write them as another batch.

    A row has the request under its id, and the error.

    Exit codes: 2 if the folder has no batch, or the file cannot be written.
    """
    from contextlib import nullcontext

    from promptwire_batch import STATES, failed_requests
    from promptwire_runtime.build.encoding import encoded
    from promptwire_text.files import replacing

    for state in states or ():
        if state not in STATES:
            raise typer.BadParameter(f'"{state}" is not a state; use one of {", ".join(STATES)}')
    count = 0
    with nullcontext(sys.stdout.buffer) if out == "-" else replacing(out) as sink:
        for row in failed_requests(folder, *(states or ())):
            sink.write(encoded(row) + b"\n")
            count += 1
        sink.flush()
    typer.echo(f"{count:,} requests", err=out == "-")
    return FINE


def _write(files: Sequence[str], out: str, job: Job, workers: int | None, *, as_json: bool) -> int:
    from promptwire_batch import write

    total = bytes_of(files)
    if workers is None:
        workers = 1 if total is not None and total < _LITTLE else os.cpu_count() or 1
    with measuring("writing the batch", total) as advance:
        manifest = write(files, out, job, workers=workers, progress=advance)
    _show(out, manifest, as_json=as_json)
    return DIFFERENT if manifest.refused else FINE


def _show(folder: str, manifest: Manifest, *, as_json: bool) -> None:
    from promptwire_batch import status

    if as_json:
        typer.echo(json.dumps(manifest.as_json()))
        return
    lines = list(status(folder).lines())
    lines += [f"{count:>6}  {action} {name}" for (action, name), count in manifest.changes.most_common()]
    lines += [f"{count:>6}  refused: {why}" for why, count in manifest.reasons.most_common()]
    typer.echo("\n".join(map(one_line, lines)))


def _settings(to: str, texts: Sequence[str]) -> dict[str, Any]:
    from .views.generated import wire_module
    from .views.preview import public_settings

    return public_settings(wire_module(to), texts) or {}
