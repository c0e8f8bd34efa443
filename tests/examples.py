"""The examples of every wire as its generated tests hold them: request, settings, policies, and the exact body."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from typing import Any

import promptwire
from promptwire import Built, load_request
from tests.checkout import ROOT


@dataclass(frozen=True, slots=True, kw_only=True)
class Example:
    """One example that builds: `settings` and `policies` are arguments of `build`."""

    wire: str
    name: str
    request: dict[str, Any]
    settings: dict[str, Any] | None
    policies: dict[str, Any]
    body: dict[str, Any]

    def build(self, **settings: Any) -> Built[Any]:
        """Build the example's request, with more settings than its own where they are given."""
        module = getattr(promptwire, self.wire)
        built: Built[Any] = module.build(
            load_request(self.request),
            settings={**(self.settings or {}), **settings} or None,
            policies=self.policies,
        )
        return built

    def said(self) -> dict[str, Any]:
        """The settings as a caller of the vendor's client must give them: it adds no betas by itself."""
        betas = (self.build().settings or {}).get("betas")
        return {**(self.settings or {}), **({"betas": [*betas]} if betas else {})}

    def __str__(self) -> str:
        """Name wire and example."""
        return f"{self.wire}: {self.name}"


@cache
def examples() -> tuple[Example, ...]:
    """Every example of every wire, in the order of the specs."""
    return tuple(Example(wire=wire, **row) for wire in promptwire.WIRES for row in _rows(wire))


def _rows(wire: str) -> list[dict[str, Any]]:
    """Read the bodies that a wire's generated tests expect; what most examples lack is not said there."""
    cases = json.loads((ROOT / "generated" / "tests" / "cases" / f"{wire}.json").read_text("utf-8"))
    lacking: dict[str, Any] = {"settings": None, "policies": {}}
    fields = Example.__dataclass_fields__
    return [
        {key: value for key, value in (lacking | row).items() if key in fields} for row in cases["bodies"]
    ]


def of_wire(wire: str) -> list[Example]:
    """Return the examples of one wire that build."""
    return [example for example in examples() if example.wire == wire]
