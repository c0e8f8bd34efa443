"""Generate the reference page of the neutral model."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from typing import Any

from ..emit.neutral.reference import reference
from ..neutral.source import neutral_model
from ..plugin_api import Artifact, Plugin, Project

_TEMPLATE = "neutral/reference.md.j2"


class NeutralReference(Plugin):
    """`generated/REFERENCE.md`."""

    name = "neutral reference"

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """Yield one page about all nodes."""
        yield Artifact(path="REFERENCE.md", template=_TEMPLATE, context=partial(_context, project))


def _context(project: Project) -> dict[str, Any]:
    return {
        "modules": reference(neutral_model(), {wire.name: wire.carried for wire in project.summaries}),
        "count": len(project.summaries),
        "sources": ("generator/promptwire_gen/neutral", f"templates/{_TEMPLATE}"),
    }
