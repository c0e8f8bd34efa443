"""The command `promptwire ask`: send one question to an API, and print the answer as it arrives."""

from __future__ import annotations

import importlib
import json
import mimetypes
import os
import stat
import sys
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .exits import FINE, fail
from .options import Policies, Settings, Wire
from .program import answered
from .terminal import show_json

if TYPE_CHECKING:
    from promptwire_http import Client, EventStream, Outgoing, Run
    from promptwire_runtime import Answer, Event, Part, Request
    from promptwire_runtime.toolkits.declaring import Call

Question = Annotated[
    str | None,
    typer.Argument(
        metavar="[QUESTION]", show_default=False, help="The question; text on standard input goes before it."
    ),
]
Model = Annotated[
    str | None, typer.Option("--model", "-m", metavar="NAME", help="The model; instead of that of --request.")
]
RequestFile = Annotated[
    str | None,
    typer.Option("--request", metavar="FILE", help="A request as YAML or JSON, to which QUESTION is added."),
]
System = Annotated[str | None, typer.Option("--system", metavar="TEXT", help="The system prompt.")]
Images = Annotated[
    list[str] | None, typer.Option("--image", metavar="FILE", help="An image file or URL; repeatable.")
]
Tools = Annotated[
    list[str] | None,
    typer.Option("--tool", metavar="MODULE:FUNCTION", help="A function that the model may call; repeatable."),
]
MaxTokens = Annotated[
    int | None, typer.Option("--max-tokens", min=1, metavar="N", help="The longest answer in tokens.")
]
BaseUrl = Annotated[
    str | None, typer.Option("--base-url", metavar="URL", help="The address of another host.")
]
Seconds = Annotated[
    float | None, typer.Option("--limit", min=0.001, metavar="SECONDS", help="The longest time of an answer.")
]
Show = Annotated[
    bool, typer.Option("--show", help="Print each request on stderr as it is sent, without keys.")
]
Whole = Annotated[bool, typer.Option("--no-stream", help="Wait for the whole answer.")]
AsJson = Annotated[
    bool, typer.Option("--json", help="Print one JSON object: text, finish reason, usage, messages.")
]


@answered
def ask(
    wire: Wire,
    question: Question = None,
    model: Model = None,
    request: RequestFile = None,
    system: System = None,
    image: Images = None,
    tool: Tools = None,
    max_tokens: MaxTokens = None,
    base_url: BaseUrl = None,
    setting: Settings = None,
    policies: Policies = "portable",
    limit: Seconds = None,
    show: Show = False,
    no_stream: Whole = False,
    as_json: AsJson = False,
) -> int:
    """Send a question to an API and print the answer as it arrives.

    The key comes from the environment variable that the API's own client reads (promptwire preview shows its name).
    Functions of --tool are imported from the current folder and called until the model answers; calls and results go to
    stderr. A function that requires permission is asked about on the terminal; without one, it is not called.
    """
    from .views.generated import answering_module, own_errors, wire_module
    from .views.preview import parsed_settings

    api: Any = answering_module(wire)
    functions = [_function(place) for place in tool or ()]
    with own_errors():
        from promptwire_http import Client

        asked = _with_model(_request(question, request, system, image or ()), model)
        if max_tokens is not None:
            asked = asked.replace(options=asked.options.replace(max_tokens=max_tokens))
        client = Client(
            api,
            settings=parsed_settings(wire_module(wire), setting or (), base_url),
            policies=policies,
            limit=limit,
            on_send=_print_request if show else _print_notes,
        )
    return _asked(client, asked, functions, streamed=not (no_stream or as_json), as_json=as_json)


def _asked(
    client: Client,
    request: Request,
    functions: Sequence[Callable[..., Any]],
    *,
    streamed: bool,
    as_json: bool,
) -> int:
    from promptwire_http import ApiStatusError

    with client:
        try:
            return _answer(client, request, functions, streamed=streamed, as_json=as_json)
        except ApiStatusError as error:
            if error.error.kind != "auth":
                raise
            names = " or ".join([f"${name}" for name in client.api.WIRE.secrets.values()])
            return fail(f"promptwire: {error}\nthe key is read from {names}, or --setting NAME=VALUE")


def _answer(
    client: Client,
    request: Request,
    functions: Sequence[Callable[..., Any]],
    *,
    streamed: bool,
    as_json: bool,
) -> int:
    if streamed:
        with client.run_stream(request, functions, approve=_is_approved) as stream:
            run = _print_events(stream)
    else:
        run = client.run(request, functions, approve=_is_approved)
    if as_json:
        show_json(_as_object(run))
    elif not streamed:
        typer.echo(run.text)
    return _ended(run.answer)


def _is_approved(call: Call) -> bool | str:
    """Ask on the terminal whether a call may run. Without a terminal, it is refused."""
    from promptwire_runtime.parts import CustomToolCall

    if not _has_terminal():
        sys.stderr.write(
            f"promptwire: {call.name} was not called: it requires permission; ask on a terminal\n"
        )
        return "there is no terminal to ask on"
    given = call.input if isinstance(call, CustomToolCall) else call.parsed_arguments
    # as ASCII, so that nothing in the arguments changes what the terminal shows
    return typer.confirm(f"call {call.name} with {json.dumps(given)}?", err=True)


def _has_terminal() -> bool:
    return sys.stdin.isatty()


def _ended(answer: Answer) -> int:
    """Return the exit code, and say on stderr why an answer is not a usual one."""
    if answer.finish in ("stop", None):
        return FINE
    if answer.calls:
        names = ", ".join([call.name for call in answer.calls])
        return fail(f"promptwire: the model called {names}; pass --tool MODULE:FUNCTION to answer it")
    sys.stderr.write(f"promptwire: the answer ended by {answer.finish}\n")
    return FINE


def _print_events(stream: EventStream[Run]) -> Run:
    """Print text on stdout as it arrives, and calls and results on stderr."""
    written = False
    for event in stream:
        if event.kind == "text":
            written = True
            sys.stdout.write(event.text)
            sys.stdout.flush()
        else:
            _print_aside(event)
    if written:
        sys.stdout.write("\n")
    return stream.result()


def _print_aside(event: Event) -> None:
    if event.kind == "call":
        typer.secho(f"{event.name} ", dim=True, nl=False, err=True)
    elif event.kind == "arguments":
        typer.secho(event.text, dim=True, nl=False, err=True)
    elif event.kind == "part" and event.data.role == "tool":
        for part in event.data.parts:
            typer.secho(f" -> {_text_of(part.parts)}", dim=True, err=True)


def _text_of(parts: Iterable[Any]) -> str:
    pieces = [
        part.text
        if part.KIND == "text"
        else json.dumps(part.value)
        if part.KIND == "json"
        else f"[{part.KIND}]"
        for part in parts
    ]
    return " ".join(pieces)


def _as_object(run: Run) -> dict[str, Any]:
    from .views.generated import plain_message

    usage = run.usage
    counts = {name: getattr(usage, name) for name in ("input", "output", "cache_read", "reasoning", "total")}
    return {
        "text": run.text,
        "finish": run.answer.finish,
        "model": run.answer.model,
        "usage": {name: count for name, count in counts.items() if count is not None},
        "messages": [plain_message(message, kept=False) for message in run.request.messages],
    }


def _print_request(outgoing: Outgoing) -> None:
    again = "" if outgoing.after is None else f"attempt {outgoing.attempt}, after {outgoing.after}\n"
    sys.stderr.write(f"{again}{outgoing.built.curl()}\n")
    _print_notes(outgoing)


def _print_notes(outgoing: Outgoing) -> None:
    for note in outgoing.built.notes:
        sys.stderr.write(f"note: {note}\n")


# ---- the request


def _request(question: str | None, file: str | None, system: str | None, images: Sequence[str]) -> Request:
    from promptwire_runtime import Request, user

    from .views.inputs import request_from

    if file != "-":
        question = _with_piped(question)
    if question is None and file is None:
        raise typer.BadParameter("give a QUESTION, or a request with --request")
    if images and question is None:
        raise typer.BadParameter("--image goes with a QUESTION")
    request: Request = Request(None) if file is None else request_from(file).request
    if question is not None:
        message = user(question, *map(_image, images))
        request = request.replace(messages=(*request.messages, message))
    return request if system is None else request.replace(instructions=system)


def _with_piped(question: str | None) -> str | None:
    """Return the question behind the text that is piped in; `-` stands for that text alone."""
    from .views.inputs import bytes_from

    if question != "-" and not _is_piped():
        return question
    piped = bytes_from("-").decode("utf-8", "replace").strip()
    asked = "" if question in (None, "-") else question
    return "\n\n".join(filter(None, (piped, asked))) or None


def _is_piped() -> bool:
    """Return whether standard input is a pipe or a file, whose end comes; a terminal or a socket may stay open."""
    try:
        mode = os.fstat(sys.stdin.fileno()).st_mode
    except (OSError, ValueError):
        return False
    return stat.S_ISFIFO(mode) or stat.S_ISREG(mode)


def _with_model(request: Request, model: str | None) -> Request:
    if model is None and request.model is None:
        raise typer.BadParameter("name the model with --model")
    return request if model is None else request.replace(model=model)


def _image(place: str) -> Part:
    from promptwire_runtime.parts import image_data, image_url

    from .views.inputs import bytes_from

    if place.startswith(("http://", "https://", "data:")):
        return image_url(place)
    kind = mimetypes.guess_type(place)[0]
    if kind is None or not kind.startswith("image/"):
        raise typer.BadParameter(f"{place} is not named like an image: .png, .jpg, .webp or .gif")
    return image_data(bytes_from(place), kind)


def _function(place: str) -> Callable[..., Any]:
    """Import a function by its place, MODULE:FUNCTION, also from the current folder."""
    name, colon, attribute = place.partition(":")
    if not (name and colon and attribute):
        raise typer.BadParameter(f"{place} is not MODULE:FUNCTION")
    if os.getcwd() not in sys.path:  # noqa: PTH109  # entries of the path are text
        sys.path.insert(0, os.getcwd())  # noqa: PTH109
    try:
        function: Any = importlib.import_module(name)
        for step in attribute.split("."):
            function = getattr(function, step)
    except (ImportError, AttributeError) as error:
        raise typer.BadParameter(f"{place} cannot be imported: {error}") from None
    if not callable(function):
        raise typer.BadParameter(f"{place} is not a function")
    called: Callable[..., Any] = function
    return called
