"""The request-builder module of every wire."""

from __future__ import annotations

from collections.abc import Iterable

from ..emit.module import module_context
from ..plugin_api import Artifact, Plugin, Project

TEMPLATE = "module.py.j2"


class Modules(Plugin):
    """`promptwire/<wire>.py`."""

    name = "modules"

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """One module a wire."""
        for wire in project.wires:
            yield Artifact(
                path=f"promptwire/{wire.name}.py",
                template=TEMPLATE,
                context=module_context(wire, project.filters, f"templates/{TEMPLATE}"),
                wire=wire.name,
            )
