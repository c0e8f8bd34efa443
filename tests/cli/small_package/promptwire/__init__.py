"""A hand-written stand-in for the generated package: two wires, one faulty in every way a test needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any

WIRES = ("south_chat", "faulty_chat")
ALIASES = {"south": "south_chat"}


class PromptwireError(Exception):
    """Base of all errors."""


class InvalidRequest(PromptwireError):
    """A request that no wire could mean."""


class NoPlace(PromptwireError):
    """A value that a wire cannot carry."""

    field = "top_k"


@dataclass
class Note:
    """One row."""

    action: str
    path: str
    field: str
    why: str

    def __str__(self) -> str:
        """Show it as one line."""
        return f"{self.action} {self.field}: {self.why}"


@dataclass
class Setting:
    """One build setting."""

    listed: bool = False


@dataclass
class Wire:
    """The facts of a wire."""

    name: str
    settings: Mapping[str, Setting]
    secrets: frozenset[str] = frozenset({"api_key"})


@dataclass
class Signing:
    """The request that a caller must sign."""

    scheme: str
    service: str
    region: str


@dataclass
class Built:
    """One request."""

    url: str
    headers: dict[str, str]
    body: Any
    notes: list[Note] = field(default_factory=list)
    method: str = "POST"
    signing: Signing | None = None
    local: bool = False

    @property
    def shown_url(self) -> str:
        """Return the URL: it never holds a credential."""
        return self.url

    @property
    def shown_headers(self) -> dict[str, str]:
        """Return the headers: they never hold a credential."""
        return self.headers

    def curl(self) -> str:
        """Return a command."""
        return f"curl -X POST {self.url}"


@dataclass
class Reading:
    """One body, read."""

    request: Any
    leaves: int
    understood: int
    kept: int
    unknown: tuple[str, ...] = ()
    notes: list[Note] = field(default_factory=list)
    settings: dict[str, str] = field(default_factory=dict)
    deviations: list[Note] = field(default_factory=list)
    unread: list[Note] = field(default_factory=list)


def wire(name: str) -> Any:
    """Return the module of a wire."""
    return import_module(f"{__name__}.{name}")


def load_request(path: str) -> dict[str, Any]:
    """Load a request."""
    text = Path(path).read_text(encoding="utf-8")
    try:
        return dict(json.loads(text))
    except ValueError as error:
        raise PromptwireError(f"{path}:1:1: invalid JSON") from error


def dump_request(request: dict[str, Any], *, kept: bool = True) -> dict[str, Any]:
    """Return the request as plain data; `kept` is what it remembers."""
    return {key: value for key, value in request.items() if kept or key != "kept"}
