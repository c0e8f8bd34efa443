"""The configuration of a gateway."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from hmac import compare_digest
from typing import Any

from promptwire_runtime import Api, Built, PromptwireError, Request, user
from promptwire_runtime.answers.api_error import ApiError
from promptwire_runtime.errors import SettingError
from promptwire_runtime.reporting.policies import policies_of

LOOPBACK = frozenset({"localhost", "127.0.0.1", "[::1]", "::1"})


def _no_settings() -> dict[str, Any]:
    return {}


@dataclass(frozen=True, slots=True, kw_only=True)
class Gateway:
    """The configuration of a gateway: the APIs it serves, and the API behind it.

    Attributes:
        fronts: The APIs that clients may speak.
        back: The API of the server behind.
        settings: The settings of that API: `base_url`, `region`, ...
        models: Name that a client asks for -> name of the model behind; `*` is every other name.
        key: The credential for the server behind. None passes on the one that the client sends, unless the settings
            hold one.
        caller_keys: The keys of which each caller must send one. They are not passed on. Empty lets all call.
        policies: What to do about values that the API behind does not support.
        max_body: The largest body of a request in bytes.
        timeout: The longest silence of the server behind, in seconds.
        retries: How often a request is sent again.
        hosts: The names by which clients may call the gateway, without a port; empty allows all.
    """

    fronts: tuple[Api, ...]
    back: Api
    settings: Mapping[str, Any] = field(default_factory=_no_settings, repr=False)
    models: Mapping[str, str] = field(default_factory=dict[str, str])
    key: str | None = field(default=None, repr=False)
    caller_keys: tuple[str, ...] = field(default=(), repr=False)
    policies: str = "portable"
    max_body: int = 32 * 1024 * 1024
    timeout: float = 600.0
    retries: int = 0
    hosts: frozenset[str] = LOOPBACK

    def model_behind(self, name: str | None) -> str | None:
        """Return the model behind for the name that a client asks for."""
        if name is None:
            return self.models.get("*")
        return self.models.get(name) or self.models.get("*") or name

    def check(self) -> None:
        """Raise PromptwireError if the settings or policies are invalid, before the first request."""
        policies_of(self.policies)
        if not self._build_probe().url.startswith("http"):
            raise SettingError(f"{self.back.WIRE.name}: the address of the server behind is missing")

    def admits(self, key: str | None) -> bool:
        """Return whether a caller with this key may call."""
        sent = (key or "").encode()
        # all are compared, so that the time says nothing about them
        same = [compare_digest(sent, known.encode()) for known in self.caller_keys]
        return not same or True in same

    @property
    def keys(self) -> tuple[str, ...]:
        """The credentials of the operator: `key`, and those in the settings."""
        given = (self.key, *[self.settings.get(name) for name in self.back.WIRE.secrets])
        return tuple([key for key in given if key])

    @property
    def lends_credential(self) -> bool:
        """Whether all who call send a credential of the operator: a key, or one in the address."""
        built = self._build_probe()
        return bool(self.keys) or (built.url, built.headers) != (built.shown_url, built.shown_headers)

    def _build_probe(self) -> Built[Any]:
        probe = Request(self.model_behind(None) or "m", [user("Hello")])
        return self.back.build(probe, settings=self.settings, policies="verbatim")

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
        self._build_probe()
        self.back.stream()

    @property
    def names(self) -> tuple[str, ...]:
        """The names of models that clients may ask for, as far as they are known."""
        named = [name for name in self.models if name != "*"]
        return tuple(dict.fromkeys([*named, *([self.models["*"]] if "*" in self.models else [])]))
