"""The public API for plugins: everything that a plugin may import.

Plugins are found through the entry-point group `promptwire.plugins`; the entry point names a subclass of Plugin.
A plugin returns artifacts and never writes: only the compiler writes, and only inside the output folder.

`Project.wires` are the models. A model's shapes (`Shape`: `Object`, `Listing`, `Hole`, ...) are the JSON of a spec with
its holes; `Project.types` are the types of that JSON, as trees of annotations for any language.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from jinja2 import Environment

from .emit.artifact import Artifact, commented, header
from .emit.types import (
    Alias,
    Annotation,
    HoleTypes,
    ListOf,
    LiteralOf,
    MapOf,
    Named,
    TypedDictClass,
    TypeDefinition,
    TypedKey,
    UnionOf,
    define_types,
)
from .model.body_model import Body
from .model.neutral import Kind
from .model.offers import Pass, SchemaDialect, ShapeFilter
from .model.wire import MessageShape, Variant, WireModel
from .problems import Span, SpecProblem
from .spec.shapes import (
    Alternatives,
    ConstantShape,
    Hole,
    HoleFilter,
    Interpolation,
    KeyShape,
    Listing,
    Object,
    Shape,
    Tolerated,
)
from .wire_summary import WireSummary

__all__ = [
    "Alias",
    "Alternatives",
    "Annotation",
    "Artifact",
    "Body",
    "ConstantShape",
    "Hole",
    "HoleFilter",
    "Interpolation",
    "KeyShape",
    "Kind",
    "ListOf",
    "Listing",
    "LiteralOf",
    "MapOf",
    "MessageShape",
    "Named",
    "Object",
    "Pass",
    "Plugin",
    "Project",
    "SchemaDialect",
    "Shape",
    "ShapeFilter",
    "Span",
    "SpecProblem",
    "Tolerated",
    "TypeDefinition",
    "TypedDictClass",
    "TypedKey",
    "UnionOf",
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
        templates: The environment in which templates are rendered.
    """

    wires: tuple[WireModel, ...]
    filters: Mapping[str, ShapeFilter]
    templates: Environment
    summaries: tuple[WireSummary, ...] = ()
    kept: tuple[str, ...] = ()

    def types(self, wire: WireModel) -> Sequence[TypeDefinition]:
        """Return the types of the JSON of a wire's requests, objects first; `Body` is the whole body.

        They are complete: those that a dialect has in common with its parent are among them.
        """
        return define_types(wire, self.filters)

    def hole_type(self, wire: WireModel, hole: Hole, kind: Kind | None = None) -> str:
        """Return the neutral type of a hole before its filters: `str`, `int`, `number`, `strings`, `json`, `parts`, ...

        Args:
            wire: The model that contains the hole.
            hole: The hole.
            kind: The kind of node whose shape contains it (`Variant.kind`); None for a hole of the body.
        """
        return HoleTypes(wire, self.filters).get_type(hole, kind)


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
