"""Everything that a plugin may import.

A plugin is found through the entry-point group `promptwire.plugins`; the entry point names a subclass of Plugin.
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
from .problems import Problem, Span

__all__ = [
    "Artifact",
    "Pass",
    "Plugin",
    "Problem",
    "Project",
    "SchemaDialect",
    "ShapeFilter",
    "Span",
    "Variant",
    "WireModel",
    "commented",
    "header",
]


@dataclass(frozen=True, slots=True)
class Project:
    """What plugins see: every wire, sorted by name, and every shape filter."""

    wires: tuple[WireModel, ...]
    filters: Mapping[str, ShapeFilter]


class Plugin:
    """A target, more specs, templates, filters, passes, dialects: override what the plugin adds."""

    name: str = ""

    def spec_folders(self) -> Iterable[Path]:
        """Absolute folders with more specs."""
        return ()

    def template_folders(self) -> Iterable[Path]:
        """Absolute folders with the plugin's own templates."""
        return ()

    def filters(self) -> Iterable[ShapeFilter]:
        """More shape filters."""
        return ()

    def passes(self) -> Iterable[Pass]:
        """Passes that a spec names in `passes`."""
        return ()

    def dialects(self) -> Iterable[SchemaDialect]:
        """Dialects of JSON Schema that a spec names in `tools`."""
        return ()

    def check(self, project: Project) -> Iterable[Problem]:
        """Find problems that only this plugin knows."""
        del project
        return ()

    def artifacts(self, project: Project) -> Iterable[Artifact]:
        """Make the plugin's files."""
        del project
        return ()
