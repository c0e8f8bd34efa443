"""The reading module of one wire: all that it defines, what it inherits, and its imports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...model.filters import ShapeFilter
from ...model.wire import Variant, WireModel
from ...spec.shapes import Hole
from ..field_access import FieldAccess
from ..imports import Imports
from ..inheritance import ModuleContent, inheriting
from ..python import Expression, call, literal, lookup, name
from .body_reader import BodyReaders
from .definition import Definition
from .message_readers import MessageReaders
from .reader_table import ReaderTable, reader_table
from .variant_choice import VariantChoice, VariantReader

# union -> the function that reads its nodes, the field of the table, and what the function gives
_UNIONS = {
    "tool": ("read_tool", "tool", "AnyTool"),
    "tool_choice": ("read_tool_choice", "tool_choice", "ToolChoice | None"),
    "response_format": ("read_response_format", "response_format", "ResponseFormat | None"),
    "reasoning": ("read_reasoning", "reasoning", "ReasoningOptions | None"),
    "instruction": ("read_layer", "layer", "Instruction | None"),
    "cache": ("read_cache", "cache", "Cache | None"),
}
# what the template of the module names by itself
_LAID_OUT = {
    "promptwire_runtime": ("Reading",),
    "promptwire_runtime.read.reader": ("Reader", "body_to_read"),
}


@dataclass(frozen=True)
class ReadingModule:
    """The definitions of a wire's reading module."""

    model: WireModel
    content: ModuleContent[Definition]

    def context(self) -> dict[str, Any]:
        """What its template sees."""
        own = self.content.own
        imports = Imports()
        for path, names in _LAID_OUT.items():
            imports.use(path, *names)
        for definition in own:
            imports.add(definition.imports)
        table = next(definition for definition in own if isinstance(definition, ReaderTable))
        if not table.parent:
            imports.use("promptwire_runtime.read.readers", "Readers")
        if table.words:
            imports.use("promptwire_runtime.read.form_memory", "Words")
        writers: dict[str, list[str]] = {}
        if table.writing:
            writers[table.writing] = ["WRITERS"]
        for row in table.writers:
            writers.setdefault(row.wire, []).append(row.function)
        entries = self.model.body.messages
        return {
            "definitions": own,
            "imports": imports.lines(),
            "names": imports.names(),
            "borrowed": self.content.borrowed,
            "parent": table.parent,
            "writers": {wire: sorted(names) for wire, names in sorted(writers.items())},
            "model_name": _model_name(self.model),
            "needs": [] if entries.optional else [entries.key, *entries.synonyms],
        }


class ReadingModules:
    """The reading modules of all wires; each is made once, since the dialects of a wire look at it too."""

    def __init__(
        self, filters: Mapping[str, ShapeFilter], homes: Callable[[WireModel], Mapping[str, str]]
    ) -> None:
        """`filters` are those that shapes may name; `homes` says which wire defines a function that writes."""
        self._filters = filters
        self._homes = homes
        self._made: dict[str, ReadingModule] = {}

    def of(self, model: WireModel) -> ReadingModule:
        """The module of a wire."""
        if model.name not in self._made:
            self._made[model.name] = ReadingModule(model, self._content(model))
        return self._made[model.name]

    def _content(self, model: WireModel) -> ModuleContent[Definition]:
        definitions = self._definitions(model)
        if model.parent is None:
            return inheriting(model.name, definitions, None)
        parent = self.of(model.parent).content
        content = inheriting(model.name, definitions, parent)
        table, parent_table = content.named["READERS"], parent.named["READERS"]
        assert isinstance(table, ReaderTable)
        assert isinstance(parent_table, ReaderTable)
        changes: dict[str, Definition] = {}
        if table.can_change(parent_table):
            changes["READERS"] = table.changed_from(parent_table, model.parent.name, content.inherited_names)
        return replace(content, origins={**content.origins, "READERS": model.name}, changes=changes)

    def _definitions(self, model: WireModel) -> list[Definition]:
        """Every definition, each before those that need it when the module is loaded."""
        lifted = model.instructions.placement != "top_level"
        unions = {
            union: variants
            for union, variants in model.unions.items()
            if variants and not (lifted and union == "instruction")
        }
        read = [*model.parts, *(variant for variants in unions.values() for variant in variants)]
        choice = VariantChoice(read, lambda variant: self._place(variant, model))
        nodes = {union: _node_reader(union, variants, choice) for union, variants in unions.items()}
        messages = MessageReaders(model, choice, self._filters)
        shapes = list(choice.readers.values())
        table = reader_table(
            model,
            shapes,
            {_UNIONS[union][1]: reader.name for union, reader in nodes.items()},
            messages,
            self._homes(model),
        )
        return [
            *shapes,
            *nodes.values(),
            *dict.fromkeys(messages.contents.values()),
            *messages.single.values(),
            *dict.fromkeys(messages.messages.values()),
            *([messages.item] if messages.item is not None else []),
            *BodyReaders(model, self._filters).functions(),
            table,
        ]

    def _place(self, variant: Variant, model: WireModel) -> FieldAccess:
        role = model.content_role(variant.mode)
        return FieldAccess("item", variant.kind, self._filters, Imports(), content=role)


def _node_reader(union: str, variants: tuple[Variant, ...], choice: VariantChoice) -> VariantReader:
    function, _, returns = _UNIONS[union]
    unknown = call("reader.opaque", name("item"), literal("tools")) if union == "tool" else None
    return choice.element(function, variants, returns, unknown, f"Read one {union.replace('_', ' ')}.")


def _model_name(model: WireModel) -> Expression:
    """The expression that looks the model's name up in a body."""
    for entry in model.body.shape.fields:
        if isinstance(entry.shape, Hole) and entry.shape.path == ("model",):
            return lookup("item", (entry.key, *entry.synonyms))
    return literal(None)
