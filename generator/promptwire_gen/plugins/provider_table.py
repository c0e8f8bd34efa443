"""The table of what every wire can do, each cell derived from its spec."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ..emit.capabilities import capabilities
from ..plugin_api import Artifact, Plugin, Project

_TEMPLATE = "provider_table.md.j2"


class ProviderTable(Plugin):
    """`generated/README.md`."""

    name = "provider table"

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """One page about all wires."""
        context = {
            "rows": [_cells(row) for row in rows(project)],
            "details": rows(project),
            "sources": ("provider_specs", f"templates/{_TEMPLATE}"),
        }
        yield Artifact(path="README.md", template=_TEMPLATE, context=context)


def rows(project: Project) -> list[dict[str, Any]]:
    """One row of plain JSON a wire: name, title and capabilities."""
    return [{"wire": wire.name, "title": wire.title, **capabilities(wire)} for wire in project.wires]


def _cells(row: Mapping[str, Any]) -> dict[str, str]:
    instructions = row["instructions"]
    parts = [kind + (f" ({', '.join(sources)})" if sources else "") for kind, sources in row["parts"].items()]
    return {
        "wire": row["wire"],
        "native": _support(instructions["native"]),
        "placement": str(instructions["placement"] or "none").replace("_", " "),
        "several": str(instructions["several"] or "one"),
        "mid": _support(instructions["mid_conversation"]),
        "continuation": row["continuation"]["mode"],
        "tools": ", ".join(row["tools"]["kinds"]) or "none",
        "choice": ", ".join(row["tools"]["choice"]) or "none",
        "parts": ", ".join(parts),
        "formats": ", ".join(row["response_formats"]) or "none",
    }


def _support(value: object) -> str:
    return {"true": "native", "false": "none", "none": "none", "None": "unknown"}.get(str(value), str(value))
