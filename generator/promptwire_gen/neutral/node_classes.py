"""The resolved classes of the neutral model: each with all its fields in constructor order."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .declarations import FieldDeclaration, NodeDeclaration, PropertyDeclaration

# type word -> the annotation of a field of that type, without None
ANNOTATIONS: dict[str, str] = {
    "str": "str",
    "int": "int",
    "number": "float",
    "bool": "bool",
    "json": "Any",
    "object": "JsonObject",
    "text_object": "Mapping[str, str]",
    "number_object": "Mapping[str, float]",
    "arguments": "JsonObject | str",
    "strings": "tuple[str, ...]",
    "parts": "tuple[Part, ...]",
    "tools": "tuple[AnyTool, ...]",
    "messages": "tuple[Message, ...]",
    "instructions": "str | tuple[Instruction, ...]",
    "options": "Options",
    "tool_choice": "ToolChoice",
    "response_format": "ResponseFormat",
    "reasoning": "ReasoningOptions",
    "continuation": "Continuation",
    "cache": "Cache",
    "per_wire": "PerWire",
    "provenance": "Provenance",
    "kept": "Kept",
}
# constructor input -> its annotation, without None
TAKEN = {
    "parts": "PartsLike",
    "texts": "str | Iterable[str]",
    "names": "Iterable[str]",
    "tools": "Iterable[AnyTool | Callable[..., Any]]",
    "schema": "JsonObject | type[Any]",
    "format": "ResponseFormat | type[Any]",
    "messages": "Message | Iterable[Message]",
    "instructions": "InstructionsLike",
}


@dataclass(frozen=True)
class NodeField:
    """One field of a class. `inherited`: a base class has the slot; `keyword`: it is keyword-only."""

    name: str
    declaration: FieldDeclaration
    keyword: bool
    inherited: bool = False

    @property
    def called(self) -> str:
        """The name in specs and request files."""
        return self.declaration.called or self.name

    @property
    def optional(self) -> bool:
        """Return whether it is None when not given."""
        return not self.declaration.required and self.declaration.default is None

    @property
    def always(self) -> bool:
        """Return whether every node has a value for it."""
        return not (self.optional or self.declaration.nullable)

    @property
    def holds(self) -> str:
        """The annotation of the field."""
        if self.declaration.annotation is not None:
            return self.declaration.annotation
        bare = ANNOTATIONS[self.declaration.type or "json"]
        return bare if self.always or bare == "Any" else f"{bare} | None"

    @property
    def takes(self) -> str:
        """The annotation of the constructor parameter."""
        if self.declaration.accepts is None:
            return self.holds
        return TAKEN[self.declaration.accepts] + ("" if self.always else " | None")

    @property
    def counts(self) -> bool:
        """Return whether a node with this field set is not plain."""
        return self.optional and not (self.declaration.free or self.declaration.looked_at)


@dataclass(frozen=True)
class NodeClass:
    """One class; `fields` are in constructor order: its own first, then the shared ones."""

    name: str
    module: str
    declaration: NodeDeclaration
    fields: tuple[NodeField, ...]

    @cached_property
    def by_name(self) -> Mapping[str, NodeField]:
        """Name -> field."""
        return {field.name: field for field in self.fields}

    @property
    def maker(self) -> str:
        """The name of the function that makes a node of values that fit."""
        return "make" + re.sub("[A-Z]", lambda found: f"_{found[0].lower()}", self.name)

    @property
    def notes_plain(self) -> bool:
        """Return whether a node records whether it is plain."""
        return bool(self.declaration.plain or self.declaration.plain_word)

    @property
    def properties(self) -> Mapping[str, PropertyDeclaration]:
        """Name -> computed property."""
        return self.declaration.properties

    @property
    def noted(self) -> tuple[NodeField, ...]:
        """The fields whose presence a node records: all, or those that most nodes leave out."""
        given = self.declaration.given
        fields = [field for field in self.fields if given == "all" or not field.declaration.common]
        return () if given is None else tuple(fields)

    @property
    def counted(self) -> tuple[NodeField, ...]:
        """The fields that make a node not plain when they are set."""
        looked_at = self.declaration.sources
        return tuple([field for field in self.fields if field.counts and field.name not in looked_at])


@dataclass(frozen=True)
class Module:
    """One module of classes. `before` and `after` are type aliases, defined before and after the classes."""

    name: str
    doc: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    nodes: tuple[NodeClass, ...]


@dataclass(frozen=True)
class NeutralModel:
    """All modules, in import order."""

    modules: tuple[Module, ...]

    @cached_property
    def nodes(self) -> Mapping[str, NodeClass]:
        """Class name -> class."""
        return {node.name: node for module in self.modules for node in module.nodes}

    def list_classes(self, table: str) -> tuple[NodeClass, ...]:
        """Return the classes of one table."""
        return tuple([node for node in self.nodes.values() if find_table(node) == table])


def find_table(node: NodeClass) -> str:
    """Return the compiler table of a class: subclasses of `Part` are parts."""
    if node.declaration.base == "Part" and node.declaration.kind != "opaque":
        return "parts"
    return node.declaration.table
