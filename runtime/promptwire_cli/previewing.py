"""Commands that use a generated module on one input: preview, explain, read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from promptwire_text.escaping import printable

from .exits import FINE, WRONG, fail
from .options import AsJson, Policies, Settings, Wire, completed_wires
from .program import answered
from .terminal import show_side_by_side

if TYPE_CHECKING:
    from promptwire_runtime import Reading

    from .views.inputs import Loaded
    from .views.readout import CrossingOptions
    from .views.recorded_file import RecordedAnswer, RecordedError

Wires = Annotated[
    str,
    typer.Argument(
        metavar="WIRE[,WIRE...]",
        show_default=False,
        help="Several stand side by side.",
        autocompletion=completed_wires,
    ),
]
RequestFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A request or an evaluation case as YAML or JSON; - is standard input."
    ),
]
BodyFile = Annotated[
    str,
    typer.Argument(
        metavar="FILE", help="A body as JSON, an object with body and url, or a stream; - is standard input."
    ),
]
Curl = Annotated[bool, typer.Option("--curl", help="Print a curl command.")]
OnlyNotes = Annotated[bool, typer.Option("--notes", help="Print only what was moved or dropped.")]
Explain = Annotated[
    bool, typer.Option("--explain", help="Print where each value goes: sent, renamed, moved, made, dropped.")
]
CaseId = Annotated[
    str | None, typer.Option("--case", metavar="ID", help="Which case of a file that holds several.")
]
Root = Annotated[
    str | None,
    typer.Option("--root", metavar="FOLDER", help="Where a case's files are; else the folder of FILE."),
]
Channel = Annotated[
    str | None,
    typer.Option(
        "--channel", metavar="CHANNEL", help="How a case is sent: structured (its messages) or transcript."
    ),
]
Target = Annotated[str | None, typer.Option("--to", metavar="WIRE", help="Write it as this wire's.")]
TargetModel = Annotated[
    str | None, typer.Option("--model", metavar="NAME", help="With --to: the model there.")
]
Model = Annotated[str | None, typer.Option("--model", metavar="NAME", help="Instead of the one in FILE.")]
TargetSettings = Annotated[
    list[str] | None, typer.Option("--setting", metavar="NAME=VALUE", help="With --to: repeatable.")
]
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
    wires: Wires,
    file: RequestFile,
    model: Model = None,
    curl: Curl = False,
    notes: OnlyNotes = False,
    explain: Explain = False,
    as_json: AsJson = False,
    setting: Settings = None,
    policies: Policies = "strict",
    case: CaseId = None,
    root: Root = None,
    channel: Channel = None,
) -> int:
    """Show a request, a case or an agent call as one wire gets it.

    Prints method, URL, headers, body and notes; credentials are always placeholders. A file with the key
    input_messages or cases is an evaluation case, which reads files below one folder only. A file with the keys context
    and request is the call of an agent. If a request has toolkits, the visible tools and their token costs are printed
    too.
    """
    from .views.inputs import request_from
    from .views.preview import as_curl, as_notes, as_object, as_text, settings_of_each

    if curl + notes + as_json > 1 or curl + notes + explain > 1:
        raise typer.BadParameter("--curl, --notes, --explain and --json exclude each other")
    show = as_object if as_json else as_curl if curl else as_notes if notes else as_text
    names = list(dict.fromkeys(wires.split(",")))
    loaded = request_from(file, case=case, root=root, channel=channel, wires=names)
    settings = settings_of_each(names, setting or ())
    if explain:
        return _explain_each(loaded, settings, model=model, policies=policies, as_json=as_json)
    return _show_previews(loaded, show, settings, model=model, policies=policies)


@answered
def explain(
    wires: Wires,
    file: RequestFile,
    model: Model = None,
    as_json: AsJson = False,
    setting: Settings = None,
    policies: Annotated[
        str,
        typer.Option("--policies", metavar="NAME", help="A preset, or choices such as answer_media=drop."),
    ] = "portable",
    case: CaseId = None,
    root: Root = None,
    channel: Channel = None,
) -> int:
    """Show where each value of a request goes on one or more APIs.

    Prints a row for each value: sent, renamed, moved, made or dropped, and why. A value that an API refuses is listed
    as a problem, and the exit code is 2. The preset is "portable", which repairs what an API would refuse; with
    `--policies strict`, the table shows everything that would have to be repaired.
    """
    from .views.inputs import request_from
    from .views.preview import settings_of_each

    names = list(dict.fromkeys(wires.split(",")))
    loaded = request_from(file, case=case, root=root, channel=channel, wires=names)
    settings = settings_of_each(names, setting or ())
    return _explain_each(loaded, settings, model=model, policies=policies, as_json=as_json)


def _explain_each(
    loaded: Loaded,
    settings: Mapping[str, Sequence[str]],
    *,
    model: str | None,
    policies: str,
    as_json: bool,
) -> int:
    """Print where each value of the request goes on each wire."""
    from .views.preview import explain_one, pretty, seen_by

    found = {
        name: explain_one(name, seen_by(name, loaded, model).request, settings=own, policies=policies)
        for name, own in settings.items()
    }
    if as_json:
        rows = {name: each.as_json() for name, each in found.items()}
        typer.echo(pretty(rows if len(rows) > 1 else next(iter(rows.values()))))
    else:
        typer.echo(printable("\n\n".join([f"{name}\n{each}" for name, each in found.items()])))
    return WRONG if any(each.problems for each in found.values()) else FINE


def _show_previews(
    loaded: Loaded,
    show: Callable[..., Any],
    settings: Mapping[str, Sequence[str]],
    *,
    model: str | None,
    policies: str,
) -> int:
    """Print the request as each wire gets it; beside others, a wire that cannot carry it shows its error."""
    from .views.generated import CommandError
    from .views.preview import as_object, as_text, build_one, pretty, seen_by

    shown: dict[str, Any] = {}
    code = FINE
    for name, own in settings.items():
        try:
            seen = seen_by(name, loaded, model)
            built = build_one(name, seen.request, settings=own, policies=policies)
            shown[name] = show(built, seen.notes)
            if show is as_text:
                shown[name] += seen.below
        except CommandError as error:
            if len(settings) == 1:
                raise
            shown[name] = {"error": str(error)} if show is as_object else f"error: {error}"
            code = WRONG
    if show is as_object:
        typer.echo(pretty(shown if len(shown) > 1 else next(iter(shown.values()))))
    else:
        show_side_by_side(shown)
    return code


@answered
def read(
    wire: Wire,
    file: BodyFile,
    to: Target = None,
    model: TargetModel = None,
    max_tokens: MaxTokens = None,
    setting: TargetSettings = None,
    policies: TargetPolicies = None,
    as_json: AsJson = False,
) -> int:
    """Read a recorded request, answer, stream or error.

    FILE is JSON, or the raw bytes of a stream (server-sent events, JSON lines, a JSON array, an AWS event stream);
    its kind is detected from the content. Prints YAML: the neutral request, or the answer with its finish reason and
    token usage; comments list what was kept without being interpreted. With --to, prints the same for another wire,
    and what is lost.
    """
    from .views.preview import pretty
    from .views.readout import CROSSING, CrossingOptions
    from .views.recorded_file import RecordedAnswer, RecordedError, read_recorded

    if to is None and (model, max_tokens, policies, setting or None) != (None, None, None, None):
        raise typer.BadParameter("--model, --max-tokens, --setting and --policies go with --to")
    reading = read_recorded(wire, file)
    options = CrossingOptions(to, model, max_tokens, setting or (), policies or CROSSING)
    if isinstance(reading, RecordedError):
        shown, trouble = _show_error(reading, options, as_json=as_json), None
    elif isinstance(reading, RecordedAnswer):
        shown, trouble = _show_answer(reading, options, as_json=as_json), reading.trouble
    else:
        shown, trouble = _show_request(reading, options, as_json=as_json), None
    typer.echo(pretty(shown) if as_json else printable(shown))
    return FINE if trouble is None else fail(f"promptwire: {trouble}")


def _show_request(reading: Reading, options: CrossingOptions, *, as_json: bool) -> Any:
    from .views.readout import as_object, as_yaml, build_on, built_as_object, built_as_text

    if options.to is None:
        return as_object(reading) if as_json else as_yaml(reading)
    built = build_on(options.to, reading, options)
    return built_as_object(reading, built) if as_json else built_as_text(reading, built)


def _show_answer(reading: RecordedAnswer, options: CrossingOptions, *, as_json: bool) -> Any:
    from .views.readout import answer_as_object, answer_as_text, written_as_object, written_as_text
    from .views.recorded_file import written_answer

    if options.to is None:
        return answer_as_object(reading) if as_json else answer_as_text(reading)
    for option, given in (("--max-tokens", options.max_tokens), ("--setting", options.settings)):
        if given:
            raise typer.BadParameter(f"{option} is for requests, and the file holds an answer")
    written = written_answer(options.to, reading, model=options.model, policies=options.policies)
    return written_as_object(*written) if as_json else written_as_text(*written)


def _show_error(reading: RecordedError, options: CrossingOptions, *, as_json: bool) -> Any:
    from .views.readout import error_as_object, error_as_text

    if options.to is not None:
        raise typer.BadParameter("--to writes requests and answers, and the file holds an error")
    return error_as_object(reading) if as_json else error_as_text(reading)
