"""Tests of every wire: its examples, and what must hold by its capabilities."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from ..emit.capabilities import capabilities
from ..model.neutral import OPTIONS
from ..plugin_api import Artifact, Plugin, Project, WireModel

_TEMPLATE = "tests.py.j2"
_SAMPLES: dict[str, Any] = {
    "int": 7, "number": 0.25, "str": "word", "bool": True, "strings": ["one", "two"], "object": {"50256": 1},
}  # fmt: skip


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
    carried = wire.body.carried_options
    return {
        "model": wire,
        "sources": (wire.file, f"templates/{_TEMPLATE}"),
        "bodies": [_row(example) for example in bodies],
        "errors": [_row(example) | {"error": example.error} for example in errors],
        "refused": [(name, _SAMPLES[field.type]) for name, field in OPTIONS.items() if name not in carried],
        "capabilities": capabilities(wire),
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
