"""The choice of how tools are deferred: by the API itself, by containers, or not at all."""

from __future__ import annotations

from collections.abc import Mapping, Sized
from typing import Any, NamedTuple, Protocol

from ..errors import InvalidRequest
from ..model.tools import HostedTool
from ..reporting.facts import WireFacts
from ..reporting.notes import Note
from ..wire_json.values import fits
from .catalogue import Toolkits
from .config import AUTO, CONTAINERS, NATIVE, NONE


class Target(Protocol):
    """The module of a wire, as far as toolkits ask it."""

    @property
    def WIRE(self) -> WireFacts:  # noqa: N802  # its name in the module
        """The facts of the wire."""
        ...


class DeferralMode(NamedTuple):
    """The chosen way to defer functions.

    word    `native`, `containers` or `none`
    why     the reason, in words
    search  the tool of the API that finds what is deferred
    groups  whether the API takes functions in groups
    """

    word: str
    why: str
    search: HostedTool | None = None
    groups: bool = False

    def note(self, catalogue: Toolkits) -> Note:
        """Return a note with the chosen mode and its reason."""
        functions, toolkits = _count(catalogue.members, "function"), _count(catalogue.kits, "toolkit")
        action, what = {
            NATIVE: ("replaced", f"native: the API finds {functions} of {toolkits} itself"),
            CONTAINERS: ("replaced", f"containers: {toolkits} for {functions}"),
            NONE: ("added", f"none: {functions} shown"),
        }[self.word]
        return Note(action, "", "tools", f"{what}; {self.why}")


def _count(things: Sized, what: str) -> str:
    return f"{len(things)} {what}{'' if len(things) == 1 else 's'}"


def mode_of(catalogue: Toolkits, wire: Target | None, model: str | None) -> DeferralMode:
    """Choose the deferral mode for one API and model; without an API, containers."""
    config = catalogue.config
    if not config.enabled:
        return DeferralMode(NONE, "toolkits are not enabled")
    if config.deferral in (NONE, CONTAINERS):
        return DeferralMode(config.deferral, f'deferral is "{config.deferral}"')
    count, least = len(catalogue.members), config.deferral_threshold
    if config.deferral == AUTO and count < least:
        return DeferralMode(NONE, f"the threshold is {least} functions")
    if wire is None:
        return DeferralMode(CONTAINERS, "no API is named")
    known, name = _deferral(wire), wire.WIRE.name
    if known is None:
        return DeferralMode(CONTAINERS, f"{name} does not defer tools itself")
    if config.deferral == AUTO and not _fits(model, known):
        return DeferralMode(CONTAINERS, f"it is not known that {name} defers tools for the model {model}")
    groups = "group" in wire.WIRE.capabilities["tools"]["kinds"]
    return DeferralMode(NATIVE, f"{name} defers tools", HostedTool(**known["search"]), groups)


def _deferral(wire: Target) -> Mapping[str, Any] | None:
    """Return the deferral facts of the spec, or None."""
    try:
        known: Mapping[str, Any] | None = wire.WIRE.capabilities["tools"].get("deferral")
    except (AttributeError, TypeError, KeyError):
        kind = getattr(wire, "__name__", type(wire).__name__)
        raise InvalidRequest(
            f"{kind} is not the module of an API: pass promptwire.openai_responses or another"
        ) from None
    return known


def _fits(model: str | None, known: Mapping[str, Any]) -> bool:
    return any(fits(model, glob) for glob in known.get("model", ())) and not any(
        fits(model, glob) for glob in known.get("not_model", ())
    )
