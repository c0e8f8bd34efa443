"""The public API for plugins: everything that a plugin may import.

Plugins are found through the entry-point group `promptwire.plugins`; the entry point names a subclass of Plugin.
A plugin returns artifacts and never writes: only the compiler writes, and only inside the output folder.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from .emit.artifact import Artifact
from .emit.header import commented, header
from .model.filters import ShapeFilter
from .model.offers import Pass, SchemaDialect
from .model.wire import Variant, WireModel
from .problems import Span, SpecProblem
from .wire_summary import WireSummary

__all__ = [
    "Artifact",
    "Pass",
    "Plugin",
    "Project",
    "SchemaDialect",
    "ShapeFilter",
    "Span",
    "SpecProblem",
    "Variant",
    "WireModel",
    "commented",
    "header",
]

# the name of earlier versions
Problem = SpecProblem


@dataclass(frozen=True, slots=True)
class Project:
    """The project as plugins see it.

    Attributes:
        wires: Every wire, sorted by name. Without installed plugins, wires whose files are known may be missing.
        filters: Every shape filter.
        summaries: What files about all wires contain of each.
        kept: Wires in the output folder without a sound spec; only the package names them.
    """

    wires: tuple[WireModel, ...]
    filters: Mapping[str, ShapeFilter]
    summaries: tuple[WireSummary, ...] = ()
    kept: tuple[str, ...] = ()


class Plugin:
    """Base class of plugins. Override the methods for the things that the plugin adds."""

    name: str = ""

    def spec_folders(self) -> Iterable[Path]:
        """Return absolute folders with more specs."""
        return ()

    def template_folders(self) -> Iterable[Path]:
        """Return absolute folders with the plugin's own templates."""
        return ()

    def filters(self) -> Iterable[ShapeFilter]:
        """Return additional shape filters."""
        return ()

    def passes(self) -> Iterable[Pass]:
        """Return passes that a spec can name in `passes`."""
        return ()

    def dialects(self) -> Iterable[SchemaDialect]:
        """Return JSON Schema dialects that a spec can name in `tools`."""
        return ()

    def check(self, project: Project) -> Iterable[Problem]:
        """Yield problems that only this plugin can detect."""
        del project
        return ()

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """Yield the plugin's files."""
        del project
        return ()
