"""Tests of every wire: its examples, and what its capabilities claim."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any

from ..claims.cases import claims
from ..claims.claim import Claim
from ..emit.capabilities import capabilities
from ..plugin_api import Artifact, Plugin, Project, WireModel

_TEMPLATE = "tests.py.j2"


class ExampleTests(Plugin):
    """`tests/test_<wire>.py`."""

    name = "tests"

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """One test module a wire."""
        for wire in project.wires:
            yield Artifact(
                path=f"tests/test_{wire.name}.py",
                template=_TEMPLATE,
                context=partial(_context, wire),
                wire=wire.name,
            )


def _context(wire: WireModel) -> dict[str, Any]:
    bodies = [example for example in wire.examples if example.body is not None]
    errors = [example for example in wire.examples if example.error is not None]
    plain, *others = claims(wire)
    rows = [(claim, _claim(claim, plain)) for claim in others]
    return {
        "model": wire,
        "sources": (wire.file, f"templates/{_TEMPLATE}"),
        "bodies": [_row(example) for example in bodies],
        "errors": [_row(example) | {"error": example.error} for example in errors],
        "plain": plain,
        "claims": [row for claim, row in rows if claim.body is not None],
        "refusals": [row for claim, row in rows if claim.error is not None],
        "losses": [row for claim, row in rows if claim.lost],
        "capabilities": capabilities(wire),
    }


def _claim(claim: Claim, plain: Claim) -> dict[str, Any]:
    row = {"name": claim.name, "request": _beside(claim.request, plain.request)}
    if claim.lost:
        return row | {"lost": sorted(claim.lost)}
    if claim.body is None:
        return row | {"kind": claim.error, "field": claim.field}
    return row | {"body": _beside(claim.body, plain.body)}


def _beside(whole: Mapping[str, Any], plain: Mapping[str, Any] | None) -> dict[str, Any]:
    """What a request or a body says that the plain one does not."""
    return {
        key: value for key, value in whole.items() if plain is None or key not in plain or plain[key] != value
    }


def _row(example: Any) -> dict[str, Any]:
    return {
        "name": example.name,
        "request": example.request,
        "settings": example.settings or None,
        "policies": example.policies,
        "body": example.body,
        "headers": example.headers,
        "url": example.url,
    }
