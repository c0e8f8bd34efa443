"""The configuration of a gateway: the servers behind it, the names of their models, who may call, and limits."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hashlib import sha256
from hmac import compare_digest
from typing import Any

from promptwire_runtime import Api, Built, PromptwireError, Request, user
from promptwire_runtime.answers.api_error import ApiError
from promptwire_runtime.errors import SettingError
from promptwire_runtime.reporting.policies import policies_of

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})
ANY = "*"
"""In `models`, every name that has no entry of its own."""


def _no_settings() -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Upstream:
    """A server behind the gateway, and how it is asked.

    Attributes:
        back: The API of the server.
        settings: The settings of that API: `base_url`, `region`, ...
        key: The credential for the server. None passes on the one that the client sends, unless the settings hold one.
        policies: What to do about values that the API does not support.
        timeout: The longest silence of the server, in seconds.
        retries: How often a request is sent again.
        name: Its name in the log and in metrics; by default that of its API.
    """

    back: Api
    settings: Mapping[str, Any] = field(default_factory=_no_settings, repr=False)
    key: str | None = field(default=None, repr=False)
    policies: str = "portable"
    timeout: float = 600.0
    retries: int = 0
    name: str = ""

    @property
    def title(self) -> str:
        """The name in the log and in metrics."""
        return self.name or self.back.WIRE.name

    @property
    def keys(self) -> tuple[str, ...]:
        """The credentials of the operator: `key`, and those in the settings."""
        given = (self.key, *[self.settings.get(name) for name in self.back.WIRE.secrets])
        return tuple([key for key in given if key])

    @property
    def lends_credential(self) -> bool:
        """Whether all who call send a credential of the operator: a key, or one in the address."""
        built = self.build_probe()
        return bool(self.keys) or (built.url, built.headers) != (built.shown_url, built.shown_headers)

    def check_address(self) -> None:
        """Raise PromptwireError if the settings or policies are invalid, before the first request."""
        policies_of(self.policies)
        if not self.build_probe().url.startswith("http"):
            raise SettingError(f"{self.back.WIRE.name}: the address of the server behind is missing")

    def build_probe(self) -> Built[Any]:
        """Build the smallest request."""
        probe = Request("m", [user("Hello")])
        return self.back.build(probe, settings=self.settings, policies="verbatim")


@dataclass(frozen=True, slots=True)
class ModelTarget:
    """Where the requests for a name go.

    Attributes:
        upstream: The server.
        model: The model there; None passes on the name that the client asks for.
        fallbacks: Names of `Gateway.models` to try, in this order, where the server fails, is overloaded, cannot be
            reached, or has reached a limit, before the first piece of an answer.
    """

    upstream: Upstream
    model: str | None = None
    fallbacks: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Caller:
    """Someone who may call.

    Attributes:
        digest: The SHA-256 of the key, in hexadecimal; the key itself is kept nowhere.
        name: The name in the log and in metrics.
        models: The names of models that this caller may ask for; empty allows all.
        requests_per_minute: The most requests in any minute; None sets no limit.
    """

    digest: str = field(repr=False)
    name: str = ""
    models: frozenset[str] = frozenset()
    requests_per_minute: int | None = None

    def may_ask(self, model: str | None) -> bool:
        """Return whether this caller may ask for a model."""
        return not self.models or model in self.models


def digest_of(key: str) -> str:
    """Return the digest of a caller's key."""
    return sha256(key.encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway(Upstream):
    """The configuration of a gateway: the APIs it serves, and the servers behind it.

    Its own attributes as an `Upstream` are the server for models that name no other one.

    Attributes:
        fronts: The APIs that clients may speak.
        models: Name that a client asks for -> the model behind it: a name at this server, or a `ModelTarget`. The name
            `*` stands for all others.
        only_listed: Whether names without an entry are refused.
        callers: Those who may call, each with a key of its own, which is not passed on. Empty lets all call.
        max_body: The largest body of a request in bytes.
        body_seconds: The longest time in which a body must arrive; `promptwire serve` gives heads as much.
        hosts: The names by which clients may call the gateway, without a port; empty allows all.
        metrics: Whether `/metrics` tells counts and times to Prometheus.
    """

    fronts: tuple[Api, ...]
    models: Mapping[str, str | ModelTarget] = field(default_factory=dict[str, "str | ModelTarget"])
    only_listed: bool = False
    callers: tuple[Caller, ...] = ()
    max_body: int = 32 * 1024 * 1024
    body_seconds: float = 60.0
    hosts: frozenset[str] = LOOPBACK
    metrics: bool = False

    def target(self, name: str | None) -> ModelTarget | None:
        """Return where requests for a name go; None for a name that is not served."""
        found = self.models.get(ANY if name is None else name, self.models.get(ANY))
        if found is None:
            return None if self.only_listed else ModelTarget(self, name)
        target = ModelTarget(self, found) if isinstance(found, str) else found
        return target if target.model is not None else ModelTarget(target.upstream, name, target.fallbacks)

    def targets(self, name: str | None) -> list[ModelTarget]:
        """Return where requests for a name go: the first target, then its fallbacks."""
        first = self.target(name)
        if first is None:
            return []
        others = [self.target(fallback) for fallback in first.fallbacks]
        return [first, *[target for target in others if target is not None]]

    def model_behind(self, name: str | None) -> str | None:
        """Return the model behind for the name that a client asks for."""
        target = self.target(name)
        return None if target is None else target.model

    @property
    def upstreams(self) -> tuple[Upstream, ...]:
        """The servers behind, each once."""
        others = [found.upstream for found in self.models.values() if isinstance(found, ModelTarget)]
        used = [*others] if self.only_listed and others else [self, *others]
        return tuple({id(upstream): upstream for upstream in used}.values())

    def check(self) -> None:
        """Raise PromptwireError if settings, policies or fallbacks are invalid, before the first request."""
        for upstream in self.upstreams:
            upstream.check_address()
        for name, found in self.models.items():
            for fallback in found.fallbacks if isinstance(found, ModelTarget) else ():
                if fallback not in self.models:
                    raise SettingError(
                        f"the model {name} falls back to {fallback}, which is not among the models"
                    )

    def caller_of(self, key: str | None) -> Caller | None:
        """Return the caller with this key."""
        sent = digest_of(key or "")
        # all are compared, so that the time says nothing about them
        known = [caller for caller in self.callers if compare_digest(sent, caller.digest)]
        return known[0] if known else None

    def load(self) -> None:
        """Load all that a request needs, so that the first one does not wait for it."""
        probe = Request("m", [user("Hello")])
        for front in self.fronts:
            # the settings of an API are for its clients; the gateway only reads its requests
            with suppress(PromptwireError):
                built = front.build(probe, policies="verbatim")
                front.read(built.body)
            front.write_stream(id="", model="", created=0, policies="lenient").close()
            front.write_error(ApiError(kind="server", message="none"))
        for upstream in self.upstreams:
            upstream.build_probe()
            upstream.back.stream()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of models that clients may ask for, as far as they are known."""
        named = [name for name in self.models if name != ANY]
        others = self.models.get(ANY)
        return tuple(dict.fromkeys([*named, *([others] if isinstance(others, str) else [])]))
