"""The configuration of a gateway as a YAML or JSON file: its upstreams, the names of models, callers and limits."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from promptwire_http.gateway import Caller, Gateway, ModelTarget, Upstream
from promptwire_http.gateway.configuration import ANY, LOOPBACK
from promptwire_runtime import Api
from promptwire_runtime.errors import InvalidRequest, PolicyError, PromptwireError
from promptwire_runtime.loading.problems import KeyPath, Problems, unknown
from promptwire_runtime.loading.source import open_document, read_with
from promptwire_runtime.loading.value_readers import ValueReader, class_reader, is_mapping
from promptwire_runtime.reporting.policies import policies_of

from .views.generated import CommandError, answering_module

FRONTS = ("anthropic_messages", "openai_chat", "openai_responses", "gemini_generate")
_DIGEST = re.compile(r"[0-9a-f]{64}")
_LOGS = ("text", "json")
_MEGABYTE = 1024 * 1024


def _positive(entry: object, *names: str) -> None:
    for name in names:
        value = getattr(entry, name)
        if value is not None and value <= 0:
            raise InvalidRequest(f"{name} must be more than 0", field=name)


@dataclass(frozen=True, kw_only=True)
class Listen:
    """Where the gateway listens, and the host names that clients may call it by; those of this machine by default."""

    host: str = "127.0.0.1"
    port: int = 8000
    names: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check the port."""
        if not 0 <= self.port <= 65535:
            raise InvalidRequest("port must be from 0 to 65535", field="port")


@dataclass(frozen=True, kw_only=True)
class UpstreamEntry:
    """A server behind: `api` is the name of a wire, `key_env` the environment variable that holds its key."""

    api: str
    base_url: str | None = None
    settings: Mapping[str, Any] = field(default_factory=dict[str, Any])
    key_env: str | None = None
    policies: str = "portable"
    timeout_seconds: float = 600.0
    retries: int = 0

    def __post_init__(self) -> None:
        """Check numbers, the address and the key."""
        _positive(self, "timeout_seconds")
        if self.retries < 0:
            raise InvalidRequest("retries must be 0 or more", field="retries")
        if self.base_url is not None and "base_url" in self.settings:
            raise InvalidRequest("base_url is given here and among the settings; give one", field="base_url")
        try:
            policies_of(self.policies)
        except PolicyError as error:
            raise InvalidRequest(str(error), field="policies") from None
        if self.key_env is not None and not os.environ.get(self.key_env):
            raise InvalidRequest(f"the environment variable {self.key_env} is not set", field="key_env")

    def upstream(self, name: str) -> Upstream:
        """Return the server.

        Raises:
            CommandError: there is no such API, or it has no answers.
            PromptwireError: settings, policies or the address cannot work.
        """
        address = {} if self.base_url is None else {"base_url": self.base_url}
        upstream = Upstream(
            back=answering_module(self.api),
            settings={**self.settings, **address},
            key=None if self.key_env is None else os.environ[self.key_env],
            policies=self.policies,
            timeout=self.timeout_seconds,
            retries=self.retries,
            name=name,
        )
        upstream.check_address()
        return upstream


@dataclass(frozen=True, kw_only=True)
class ModelEntry:
    """Where the requests for a name go; see `ModelTarget`."""

    upstream: str
    model: str | None = None
    fallbacks: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class CallerEntry:
    """Someone who may call, by the SHA-256 of the key; see `Caller`."""

    sha256: str
    models: tuple[str, ...] = ()
    requests_per_minute: int | None = None

    def __post_init__(self) -> None:
        """Check the digest and the number."""
        _positive(self, "requests_per_minute")
        if not _DIGEST.fullmatch(self.sha256):
            raise InvalidRequest(
                "sha256 must be 64 digits 0-9 and a-f, as `printf %s KEY | sha256sum` prints them",
                field="sha256",
            )


@dataclass(frozen=True, kw_only=True)
class Limits:
    """The limits of the gateway itself; `connections` counts all that are open at once."""

    body_megabytes: int = 32
    body_seconds: float = 60.0
    connections: int | None = None

    def __post_init__(self) -> None:
        """Check the numbers."""
        _positive(self, "body_megabytes", "body_seconds", "connections")


@dataclass(frozen=True, kw_only=True)
class GatewayFile:
    """A configuration file, as it is written."""

    upstreams: Mapping[str, UpstreamEntry]
    models: Mapping[str, ModelEntry]
    fronts: tuple[str, ...] = FRONTS
    callers: Mapping[str, CallerEntry] = field(default_factory=dict[str, CallerEntry])
    listen: Listen = Listen()
    limits: Limits = Limits()
    log: str = "text"
    metrics: bool = False

    def __post_init__(self) -> None:
        """Check the word of the log."""
        if self.log not in _LOGS:
            raise InvalidRequest(unknown("form of the log", self.log, _LOGS), field="log")


@dataclass(frozen=True)
class Configured:
    """A gateway of a configuration file, and what its server needs beside it."""

    gateway: Gateway
    file: GatewayFile


def load_gateway(path: str | os.PathLike[str]) -> Configured:
    """Load a gateway from the .yaml, .yml or .json file at a path.

    Keys are read from the environment variables that the file names. Names of models that the file does not list are
    refused, unless it has an entry `*`.

    Raises:
        LoadError: the file is no valid configuration. The message has all problems, one per line:
            `file:line:column: path: what was expected and what was found`.
    """
    configured: Configured = read_with(_CONFIGURATION, open_document(path, "gateway"))
    return configured


def _read(value: Any, path: KeyPath, problems: Problems) -> Configured | None:
    file: GatewayFile | None = class_reader(GatewayFile).read(value, path, problems)
    if file is None:
        return None
    _check_names(file, problems)
    fronts: list[Api] = []
    for index, front in enumerate(file.fronts):
        try:
            fronts.append(answering_module(front))
        except CommandError as error:
            problems.add(("fronts", index), str(error))
    upstreams: dict[str, Upstream] = {}
    for name, entry in file.upstreams.items():
        try:
            upstreams[name] = entry.upstream(name)
        except CommandError as error:
            problems.add(("upstreams", name, "api"), str(error))
        except PromptwireError as error:
            text, missing, _ = str(error).partition("; pass ")
            problems.add(("upstreams", name), f"{text}; add it here or to its settings" if missing else text)
    if problems:
        return None
    gateway = Gateway(
        fronts=tuple(fronts),
        back=next(iter(upstreams.values())).back,
        models={
            name: ModelTarget(upstreams[entry.upstream], entry.model, entry.fallbacks)
            for name, entry in file.models.items()
        },
        only_listed=True,
        callers=tuple(
            [
                Caller(entry.sha256, name, frozenset(entry.models), entry.requests_per_minute)
                for name, entry in file.callers.items()
            ]
        ),
        max_body=file.limits.body_megabytes * _MEGABYTE,
        body_seconds=file.limits.body_seconds,
        hosts=_hosts(file.listen),
        metrics=file.metrics,
    )
    if file.listen.host not in LOOPBACK and not file.callers:
        lending = [upstream.name for upstream in gateway.upstreams if upstream.lends_credential]
        for name in lending:
            problems.add(
                ("upstreams", name),
                f"listen.host {file.listen.host} lets other machines call, and all who reach the gateway would spend"
                " your credential; list `callers`, or leave it out, so that each caller sends a key of its own",
            )
    return Configured(gateway, file)


def _check_names(file: GatewayFile, problems: Problems) -> None:
    """Add a problem for each name that nothing has."""
    for name, section in (("upstreams", file.upstreams), ("models", file.models), ("fronts", file.fronts)):
        if not section:
            problems.add((name,), "must have at least one entry")
    for name, entry in file.models.items():
        if entry.upstream not in file.upstreams and file.upstreams:
            message = unknown("upstream", entry.upstream, file.upstreams)
            problems.add(("models", name, "upstream"), message)
        path = ("models", name, "fallbacks")
        _check_listed(entry.fallbacks, file.models, path, problems)
        for index, fallback in enumerate(entry.fallbacks):
            if fallback in (name, ANY):
                what = "the model itself" if fallback == name else "no name of a model"
                problems.add((*path, index), f'"{fallback}" is {what}; name another model')
    owners: dict[str, str] = {}
    for name, caller in file.callers.items():
        owner = owners.setdefault(caller.sha256, name)
        if owner != name:
            problems.add(("callers", name, "sha256"), f"{owner} has the same key; give each caller its own")
        if ANY not in file.models:
            _check_listed(caller.models, file.models, ("callers", name, "models"), problems)


def _check_listed(
    names: Iterable[str], models: Mapping[str, ModelEntry], path: KeyPath, problems: Problems
) -> None:
    for index, name in enumerate(names):
        if name not in models and models:
            problems.add((*path, index), unknown("model", name, models))


def _hosts(listen: Listen) -> frozenset[str]:
    if listen.names:
        return frozenset({name.lower() for name in listen.names}) | LOOPBACK
    return LOOPBACK if listen.host in LOOPBACK else frozenset()


_CONFIGURATION = ValueReader("a mapping (the configuration)", is_mapping, _read)
