"""The command `promptwire serve`."""

from __future__ import annotations

import asyncio
import logging
import os
import signal
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from .exits import FINE, fail
from .options import Settings, completed_wire
from .program import answered

if TYPE_CHECKING:
    import uvicorn

    from promptwire_http.gateway import Application, Gateway

    from .gateway_files import GatewayFile

_LENDING = (
    "promptwire: --host {host} lets other machines call the gateway, and all who reach it would spend your key."
    " Give --caller-key-env, so that only callers with a key of yours are served; or leave out --key-env and"
    " credentials in --setting and --base-url, so that each caller sends a key of its own."
)
_SHORTEST_KEY = 16
# the exit code of uvicorn for a port that is taken
_NOT_STARTED = 3

Fronts = Annotated[
    list[str] | None,
    typer.Option(
        "--as",
        metavar="WIRE",
        help="An API that clients speak; repeatable. By default those of Anthropic, OpenAI and Gemini.",
        autocompletion=completed_wire,
    ),
]
Configuration = Annotated[
    Path | None,
    typer.Option(
        "--config",
        metavar="FILE",
        help="Several servers behind, names of models, callers and limits, in YAML or JSON; see docs/gateway.md."
        " SIGHUP reads the file again.",
    ),
]
Check = Annotated[
    bool,
    typer.Option("--check", help="Print the names of the models and where they lead, and serve nothing."),
]
Back = Annotated[
    str | None,
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
    context: typer.Context,
    config: Configuration = None,
    check: Check = False,
    back: Back = None,
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
    """Serve clients of some APIs with the server of another one, or with several.

    Clients keep their SDK and change its address. Streams, tools, pictures and thinking are converted; what the API
    behind cannot carry is left out, and the response header promptwire-notes and the log name it. Errors come in the
    API of the client. Keys are passed on and never logged.
    """
    from promptwire_http.gateway import Caller, Gateway, digest_of
    from promptwire_http.gateway.configuration import LOOPBACK

    from .gateway_files import FRONTS, load_gateway
    from .views.generated import answering_module, own_errors

    if config is not None:
        beside = [name for name in _ONE_SERVER if _is_given(context, name)]
        if beside:
            return fail(f"promptwire: {_ONE_SERVER[beside[0]]} is part of --config FILE; write it there")
        with own_errors():
            configured = load_gateway(config)
        listen, limits = configured.file.listen, configured.file.limits
        if check:
            return _show(configured.gateway)
        server = _Served(
            configured.gateway, listen.host, listen.port, limits.connections, configured.file.log, config
        )
        return server.run(quiet=quiet)
    if back is None:
        return fail("promptwire: give the API of the server behind as --to WIRE, or a file as --config FILE")
    modules: Any = [answering_module(name) for name in fronts or FRONTS]
    behind: Any = answering_module(back)
    with own_errors():
        keys = () if caller_key_env is None else _caller_keys(caller_key_env)
        gateway = Gateway(
            fronts=tuple(modules),
            back=behind,
            settings=_settings(back, setting or (), base_url),
            models=_models(model or ()),
            key=None if key_env is None else _key(key_env),
            callers=tuple([Caller(digest_of(key), f"key {number}") for number, key in enumerate(keys, 1)]),
            policies=policies,
            max_body=max_body * 1024 * 1024,
            timeout=timeout,
            retries=retries,
            hosts=LOOPBACK if host in LOOPBACK else frozenset(),
        )
        gateway.check()
        if host not in LOOPBACK and gateway.lends_credential and not gateway.callers:
            return fail(_LENDING.format(host=host))
    if check:
        return _show(gateway)
    return _Served(gateway, host, port).run(quiet=quiet)


# what a configuration file says itself: parameter -> option
_ONE_SERVER = {
    "back": "--to",
    "fronts": "--as",
    "base_url": "--base-url",
    "setting": "--setting",
    "model": "--model",
    "key_env": "--key-env",
    "caller_key_env": "--caller-key-env",
    "policies": "--policies",
    "max_body": "--max-body",
    "timeout": "--timeout",
    "retries": "--retries",
    "host": "--host",
    "port": "--port",
}


def _is_given(context: typer.Context, name: str) -> bool:
    source = context.get_parameter_source(name)
    return source is not None and source.name not in ("DEFAULT", "DEFAULT_MAP")


def _show(gateway: Gateway) -> int:
    """Print where the names of models lead."""
    rows = [("name", "upstream", "API", "model", "fallbacks")]
    for name in gateway.models or ("*",):
        target = gateway.target(None if name == "*" else name)
        if target is not None:
            upstream = target.upstream
            model = target.model or "the name itself"
            rows.append((name, upstream.title, upstream.back.WIRE.name, model, ", ".join(target.fallbacks)))
    widths = [max(len(row[column]) for row in rows) for column in range(5)]
    lines = [
        "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
    sys.stdout.write("\n".join(lines) + "\n")
    return FINE


@dataclass
class _Served:
    """A gateway on a port, which reads its configuration file again on SIGHUP."""

    gateway: Gateway
    host: str
    port: int
    connections: int | None = None
    log: str = "text"
    file: Path | None = None

    def run(self, *, quiet: bool) -> int:
        """Serve until a signal ends it."""
        from promptwire_http.gateway import application
        from promptwire_http.gateway.reports import JsonFormatter, write_json, write_text

        from .listening import allow_descriptors, make_server

        handler = logging.StreamHandler(sys.stderr)
        handler.setFormatter(
            JsonFormatter() if self.log == "json" else logging.Formatter("%(asctime)s %(message)s")
        )
        logging.basicConfig(handlers=[handler], level=logging.WARNING if quiet else logging.INFO)
        # its own log of requests would show keys in URLs
        logging.getLogger("httpx").setLevel(logging.WARNING)
        app = application(self.gateway, observers=(write_json if self.log == "json" else write_text,))
        server = make_server(app, self.host, self.port, self.connections, allow_descriptors())
        with asyncio.Runner(loop_factory=server.config.get_loop_factory()) as runner:
            runner.run(self._serve(server, app))
        return FINE if server.started else _NOT_STARTED

    async def _serve(self, server: uvicorn.Server, app: Application) -> None:
        from .listening import ExhaustionLog

        loop = asyncio.get_running_loop()
        loop.set_exception_handler(ExhaustionLog())
        if self.file is not None and hasattr(signal, "SIGHUP"):
            loop.add_signal_handler(signal.SIGHUP, self.read_again, app, self.file)
        await server.serve()

    def read_again(self, app: Application, file: Path) -> None:
        """Serve what the configuration file says now; go on with what it said before where it has a mistake."""
        from .gateway_files import load_gateway

        log = logging.getLogger("promptwire.serve")
        try:
            configured = load_gateway(file)
            self._check_kept(configured.file)
            configured.gateway.load()
        except Exception as problem:  # noqa: BLE001  # a gateway that runs goes on with what it has
            log.error("%s was not read again, and the configuration before it holds:\n%s", file, problem)  # noqa: TRY400  # the text says where
            return
        app.serve(configured.gateway)
        log.info("%s was read again", file)

    def _check_kept(self, file: GatewayFile) -> None:
        """Raise CommandError for a change that only a new start makes: callers are checked for the host of the file."""
        from .views.generated import CommandError

        kept = {
            "listen.host": (self.host, file.listen.host),
            "listen.port": (self.port, file.listen.port),
            "limits.connections": (self.connections, file.limits.connections),
            "log": (self.log, file.log),
            "metrics": (self.gateway.metrics, file.metrics),
        }
        changed = [name for name, (before, after) in kept.items() if before != after]
        if changed:
            raise CommandError(
                f"{', '.join(changed)}: a change needs a new start; take it back, or start again"
            )


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
