"""The classes of the neutral model, complete: each with all its fields in the order of its constructor."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

from .declarations import FieldDeclaration, NodeDeclaration, PropertyDeclaration

# word for a type -> what Python says a field of it holds, None aside
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
# what a constructor takes -> as Python says it, None aside
TAKEN = {
    "parts": "PartsLike",
    "texts": "str | Iterable[str]",
    "names": "Iterable[str]",
    "tools": "Iterable[AnyTool | Callable[..., Any]]",
    "schema": "JsonObject | type[Any]",
    "messages": "Message | Iterable[Message]",
    "instructions": "InstructionsLike",
}


@dataclass(frozen=True)
class NodeField:
    """One field of a class. `inherited`: its base has the slot; `keyword`: it is given by name alone."""

    name: str
    declaration: FieldDeclaration
    keyword: bool
    inherited: bool = False

    @property
    def called(self) -> str:
        """What specs and request files call it."""
        return self.declaration.called or self.name

    @property
    def optional(self) -> bool:
        """Whether it is None when it is not given."""
        return not self.declaration.required and self.declaration.default is None

    @property
    def always(self) -> bool:
        """Whether every node has it."""
        return not (self.optional or self.declaration.nullable)

    @property
    def holds(self) -> str:
        """What the field holds, as Python says it."""
        if self.declaration.annotation is not None:
            return self.declaration.annotation
        bare = ANNOTATIONS[self.declaration.type or "json"]
        return bare if self.always or bare == "Any" else f"{bare} | None"

    @property
    def takes(self) -> str:
        """What the constructor takes, as Python says it."""
        if self.declaration.accepts is None:
            return self.holds
        return TAKEN[self.declaration.accepts] + ("" if self.always else " | None")

    @property
    def counts(self) -> bool:
        """Whether a node that has it is not plain."""
        return self.optional and not (self.declaration.free or self.declaration.looked_at)


@dataclass(frozen=True)
class NodeClass:
    """One class; `fields` are in the order of its constructor: its own first, then those that many classes share."""

    name: str
    module: str
    declaration: NodeDeclaration
    fields: tuple[NodeField, ...]

    @cached_property
    def by_name(self) -> Mapping[str, NodeField]:
        """Name -> field."""
        return {field.name: field for field in self.fields}

    @property
    def notes_plain(self) -> bool:
        """Whether a node notes that it carries nothing optional."""
        return bool(self.declaration.plain or self.declaration.plain_word)

    @property
    def properties(self) -> Mapping[str, PropertyDeclaration]:
        """Name -> value that follows from fields."""
        return self.declaration.properties

    @property
    def noted(self) -> tuple[NodeField, ...]:
        """The fields that a node notes as given: all, or those that most nodes leave out."""
        given = self.declaration.given
        fields = [field for field in self.fields if given == "all" or not field.declaration.common]
        return () if given is None else tuple(fields)

    @property
    def counted(self) -> tuple[NodeField, ...]:
        """The fields without which a node is plain."""
        looked_at = self.declaration.sources
        return tuple([field for field in self.fields if field.counts and field.name not in looked_at])


@dataclass(frozen=True)
class Module:
    """One module of classes. `before` and `after` are names for types, made before and after the classes."""

    name: str
    doc: str
    before: Mapping[str, str]
    after: Mapping[str, str]
    nodes: tuple[NodeClass, ...]


@dataclass(frozen=True)
class NeutralModel:
    """All modules, in the order in which they import one another."""

    modules: tuple[Module, ...]

    @cached_property
    def nodes(self) -> Mapping[str, NodeClass]:
        """Name of a class -> the class."""
        return {node.name: node for module in self.modules for node in module.nodes}

    def listed(self, table: str) -> tuple[NodeClass, ...]:
        """Give the classes of one table."""
        return tuple([node for node in self.nodes.values() if table_of(node) == table])


def table_of(node: NodeClass) -> str:
    """Tell where the compiler's table has a class: what is made of `Part` is a part."""
    if node.declaration.base == "Part" and node.declaration.kind != "opaque":
        return "parts"
    return node.declaration.table
