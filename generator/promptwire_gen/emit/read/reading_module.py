"""The reading module of one wire: all that it defines, what it inherits, and its imports."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from ...model.filters import ShapeFilter
from ...model.wire import Variant, WireModel
from ..field_access import FieldAccess
from ..imports import Imports
from ..inheritance import ModuleContent, inheriting
from .body_changes import as_change, as_inherited
from .body_reader import BodyReaders, FieldsReader
from .definition import ReaderDefinition
from .message_readers import MessageReaders
from .reader_table import ReaderTable, reader_table
from .variant_choice import VariantChoice

# union -> the request field that it shapes, if the names differ
_PLACES = {"tool": "tools", "instruction": "instructions"}


@dataclass(frozen=True)
class ReadingModule:
    """The definitions of a wire's reading module."""

    model: WireModel
    content: ModuleContent[ReaderDefinition]

    def context(self) -> dict[str, Any]:
        """Return the template context."""
        own = self.content.own
        imports = Imports()
        for definition in own:
            imports.add(definition.imports)
        table = next(definition for definition in own if isinstance(definition, ReaderTable))
        if not table.parent:
            imports.use("promptwire_runtime.read.readers", "Readers")
            imports.use("promptwire_runtime.read.form_memory", "MemoryWords")
        imports.use("promptwire_runtime.read.choices", "Choice", "Shape")
        stated = " ".join([value.text for _, value in table.stated])
        for word, module in (("PlainBody", "plain_reading"), ("PlainItem", "plain_messages")):
            if word in stated:
                imports.use(f"promptwire_runtime.read.{module}", word)
        return {
            "definitions": own,
            "imports": imports.lines(),
            "names": imports.names(),
            "borrowed": self.content.borrowed,
            "parent": table.parent,
            "writes": bool(table.writing),
        }


class ReadingModules:
    """The reading modules of all wires; each is made once, since the dialects of a wire look at it too."""

    def __init__(self, filters: Mapping[str, ShapeFilter], writing: Callable[[WireModel], str]) -> None:
        """`filters` are those that shapes may name; `writing` says which wire defines all that writes a wire."""
        self._filters = filters
        self._writing = writing
        self._made: dict[str, ReadingModule] = {}

    def of(self, model: WireModel) -> ReadingModule:
        """Return the module of a wire."""
        if model.name not in self._made:
            self._made[model.name] = ReadingModule(model, self._content(model))
        return self._made[model.name]

    def _content(self, model: WireModel) -> ModuleContent[ReaderDefinition]:
        if model.parent is None:
            return inheriting(model.name, self._definitions(model), None)
        parent = self.of(model.parent).content
        above = parent.named
        if model.has_same_requests:
            definitions, content = parent.definitions, parent.taken_over(model.name)
        else:
            definitions = [_inherited(definition, above) for definition in self._definitions(model)]
            content = inheriting(model.name, definitions, parent)
        table, parent_table = content.named["READERS"], above["READERS"]
        assert isinstance(table, ReaderTable)
        assert isinstance(parent_table, ReaderTable)
        table = table.changed_from(parent_table, model.parent.name, content.inherited_names)
        changes = {definition.name: _changed(definition, above) for definition in definitions}
        origins = {**content.origins, "READERS": model.name}
        return replace(content, origins=origins, changes={**changes, "READERS": table})

    def _definitions(self, model: WireModel) -> list[ReaderDefinition]:
        """Return every definition, each before those that need it when the module is loaded."""
        lifted = model.instructions.placement != "top_level"
        unions = {
            union: variants
            for union, variants in model.unions.items()
            if variants and not (lifted and union == "instruction")
        }
        read = [*model.parts, *(variant for variants in unions.values() for variant in variants)]
        choice = VariantChoice(read, lambda variant: self._place(variant, model))
        choices = {
            _PLACES.get(union, union): choice.of(variants, "tools" if union == "tool" else "")
            for union, variants in unions.items()
        }
        messages = MessageReaders(model, choice, self._filters)
        fields = BodyReaders(model, self._filters).functions()
        functions = {reader.table: reader.name for reader in fields}
        return [
            *choice.readers.values(),
            *dict.fromkeys(messages.messages.values()),
            *fields,
            reader_table(model, choice, choices, messages, functions, self._writing(model)),
        ]

    def _place(self, variant: Variant, model: WireModel) -> FieldAccess:
        role = model.content_role(variant.mode)
        return FieldAccess("item", variant.kind, self._filters, Imports(), content=role)


def _inherited(definition: ReaderDefinition, above: Mapping[str, ReaderDefinition]) -> ReaderDefinition:
    """Return the parent's definition in place of one that reads the same."""
    other = above.get(definition.name)
    if isinstance(definition, FieldsReader) and isinstance(other, FieldsReader):
        return as_inherited(definition, other)
    return definition


def _changed(definition: ReaderDefinition, above: Mapping[str, ReaderDefinition]) -> ReaderDefinition:
    """Return a definition as a change of the parent's, where that says less."""
    other = above.get(definition.name)
    if isinstance(definition, FieldsReader) and isinstance(other, FieldsReader):
        return as_change(definition, other)
    return definition
