"""The command `promptwire serve`."""

from __future__ import annotations

import logging
import os
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .exits import FINE, fail
from .options import Settings, completed_wire
from .program import answered

if TYPE_CHECKING:
    from promptwire_http.gateway import Gateway

_LENDING = (
    "promptwire: --host {host} lets other machines call the gateway, and all who reach it would spend your key."
    " Give --caller-key-env, so that only callers with a key of yours are served; or leave out --key-env and"
    " credentials in --setting and --base-url, so that each caller sends a key of its own."
)
_SHORTEST_KEY = 16
_FRONTS = ("anthropic_messages", "openai_chat", "openai_responses", "gemini_generate")

Fronts = Annotated[
    list[str] | None,
    typer.Option(
        "--as",
        metavar="WIRE",
        help="An API that clients speak; repeatable. By default those of Anthropic, OpenAI and Gemini.",
        autocompletion=completed_wire,
    ),
]
Back = Annotated[
    str,
    typer.Option("--to", metavar="WIRE", help="The API of the server behind.", autocompletion=completed_wire),
]
BaseUrl = Annotated[str | None, typer.Option("--base-url", metavar="URL", help="The address of that server.")]
Models = Annotated[
    list[str] | None,
    typer.Option(
        "--model",
        metavar="[NAME=]MODEL",
        help="The model behind for a name that clients use; without a name, for all others. Repeatable.",
    ),
]
KeyVariable = Annotated[
    str | None,
    typer.Option(
        "--key-env",
        metavar="VARIABLE",
        help="Send the key in this environment variable; by default the client's own is passed on.",
    ),
]
CallerKeys = Annotated[
    str | None,
    typer.Option(
        "--caller-key-env",
        metavar="VARIABLE",
        help="Serve only callers that send one of the keys in this environment variable, separated by commas.",
    ),
]
Policies = Annotated[
    str, typer.Option("--policies", metavar="NAME", help="What to do about values that API does not support.")
]
MaxBody = Annotated[
    int, typer.Option("--max-body", metavar="MB", min=1, help="The largest body of a request.")
]
Timeout = Annotated[
    float, typer.Option("--timeout", metavar="SECONDS", min=0.001, help="The longest silence of that server.")
]
Retries = Annotated[
    int, typer.Option("--retries", metavar="N", min=0, help="How often a request is sent again.")
]
Host = Annotated[
    str, typer.Option("--host", metavar="HOST", help="Where to listen; by default on this machine only.")
]
Port = Annotated[int, typer.Option("--port", metavar="PORT", min=0, max=65535, help="0 takes a free one.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Log only errors.")]


@answered
def serve(
    back: Back,
    fronts: Fronts = None,
    base_url: BaseUrl = None,
    setting: Settings = None,
    model: Models = None,
    key_env: KeyVariable = None,
    caller_key_env: CallerKeys = None,
    policies: Policies = "portable",
    max_body: MaxBody = 32,
    timeout: Timeout = 600.0,
    retries: Retries = 0,
    host: Host = "127.0.0.1",
    port: Port = 8000,
    quiet: Quiet = False,
) -> int:
    """Serve clients of some APIs with the server of another one.

    Clients keep their SDK and change its address. Streams, tools, pictures and thinking are converted; what the API
    behind cannot carry is left out, and the response header promptwire-notes and the log name it. Errors come in the
    API of the client. Keys are passed on and never logged.
    """
    from promptwire_http.gateway import Gateway
    from promptwire_http.gateway.configuration import LOOPBACK

    from .views.generated import answering_module, own_errors

    modules: Any = [answering_module(name) for name in fronts or _FRONTS]
    behind: Any = answering_module(back)
    with own_errors():
        gateway = Gateway(
            fronts=tuple(modules),
            back=behind,
            settings=_settings(back, setting or (), base_url),
            models=_models(model or ()),
            key=None if key_env is None else _key(key_env),
            caller_keys=() if caller_key_env is None else _caller_keys(caller_key_env),
            policies=policies,
            max_body=max_body * 1024 * 1024,
            timeout=timeout,
            retries=retries,
            hosts=LOOPBACK if host in LOOPBACK else frozenset(),
        )
        gateway.check()
        if host not in LOOPBACK and gateway.lends_credential and not gateway.caller_keys:
            return fail(_LENDING.format(host=host))
    return _run(gateway, host, port, quiet=quiet)


def _run(gateway: Gateway, host: str, port: int, *, quiet: bool) -> int:
    import uvicorn

    from promptwire_http.gateway import application

    level = logging.WARNING if quiet else logging.INFO
    logging.basicConfig(stream=sys.stderr, level=level, format="%(asctime)s %(message)s")
    # its own log of requests would show keys in URLs
    logging.getLogger("httpx").setLevel(logging.WARNING)
    uvicorn.run(
        application(gateway), host=host, port=port, access_log=False, log_config=None, server_header=False
    )
    return FINE


def _settings(back: str, texts: Sequence[str], base_url: str | None) -> dict[str, Any]:
    from .views.generated import wire_module
    from .views.preview import parsed_settings

    return parsed_settings(wire_module(back), texts, base_url)


def _key(variable: str) -> str:
    from .views.generated import CommandError

    key = os.environ.get(variable)
    if not key:
        raise CommandError(f"the environment variable {variable} is not set")
    return key


def _caller_keys(variable: str) -> tuple[str, ...]:
    """Return the keys in an environment variable. Raises CommandError for one that could be guessed."""
    from .views.generated import CommandError

    keys = tuple(_key(variable).replace(",", " ").split())
    if not keys or min(map(len, keys)) < _SHORTEST_KEY:
        raise CommandError(f"the keys in {variable} must have at least {_SHORTEST_KEY} characters each")
    return keys


def _models(texts: Sequence[str]) -> dict[str, str]:
    """Parse NAME=MODEL texts; one without a name is for all other names. Raises CommandError for a second of a name."""
    from .views.generated import CommandError

    models: dict[str, str] = {}
    for text in texts:
        name, equals, target = text.rpartition("=")
        name = name if equals else "*"
        if name in models:
            named = "all other names" if name == "*" else f"the name {name}"
            raise CommandError(f"--model gives two models for {named}: {models[name]} and {target}; give one")
        models[name] = target
    return models
