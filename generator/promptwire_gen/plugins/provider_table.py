"""Generate the table of capabilities of all wires, each cell derived from its spec."""

from __future__ import annotations

from collections.abc import Iterable

from ..emit.support_tables import LEGEND, topics
from ..plugin_api import Artifact, Plugin, Project

_TEMPLATE = "provider_table.md.j2"


class ProviderTable(Plugin):
    """`generated/README.md`."""

    name = "provider table"

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """Yield one page about all wires."""
        context = {
            "topics": topics([wire.row for wire in project.summaries]),
            "legend": LEGEND,
            "sources": ("provider_specs", f"templates/{_TEMPLATE}"),
        }
        yield Artifact(path="README.md", template=_TEMPLATE, context=context)
