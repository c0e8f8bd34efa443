"""The reading module of one wire: all that it defines, and what it inherits."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any

from ...model.filters import ShapeFilter
from ...model.wire import Variant, WireModel
from ..field_access import FieldAccess
from ..inheritance import Contents, ModuleContent, inheriting
from .body_changes import as_change, as_inherited
from .body_reader import BodyReaders, FieldsReader
from .definition import ReaderDefinition
from .message_readers import MessageReaders
from .reader_table import ReaderTable, reader_table
from .variant_choice import VariantChoice

# union -> the request field that it shapes, if the names differ
_PLACES = {"tool": "tools", "instruction": "instructions"}


class ReadingModules(Contents[ReaderDefinition]):
    """The reading modules of all wires."""

    def __init__(self, filters: Mapping[str, ShapeFilter], writing: Callable[[WireModel], str]) -> None:
        """`filters` are those that shapes may name; `writing` says which wire defines all that writes a wire."""
        super().__init__(self._definitions)
        self._filters = filters
        self._writing = writing

    def context(self, model: WireModel) -> dict[str, Any]:
        """Return the template context of the module of a wire."""
        content = self.of(model)
        table = content.changes.get("READERS", content.named["READERS"])
        assert isinstance(table, ReaderTable)
        return {
            "definitions": content.own,
            "borrowed": content.borrowed,
            "parent": table.parent,
            "writes": bool(table.writing),
        }

    def _make(self, model: WireModel) -> ModuleContent[ReaderDefinition]:
        if model.parent is None:
            return super()._make(model)
        parent = self.of(model.parent)
        above = parent.named
        if model.has_same_requests:
            definitions, content = parent.definitions, parent.taken_over(model.name)
        else:
            definitions = [_beside(as_inherited, each, above) for each in self._definitions(model)]
            content = inheriting(model.name, definitions, parent)
        table, parent_table = content.named["READERS"], above["READERS"]
        assert isinstance(table, ReaderTable)
        assert isinstance(parent_table, ReaderTable)
        table = table.changed_from(parent_table, model.parent.name, content.inherited_names)
        changes = {each.name: _beside(as_change, each, above) for each in definitions}
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
        return FieldAccess("item", variant.kind, self._filters, content=model.content_role(variant.mode))


def _beside(
    made: Callable[[FieldsReader, FieldsReader], ReaderDefinition],
    definition: ReaderDefinition,
    above: Mapping[str, ReaderDefinition],
) -> ReaderDefinition:
    """Return what is made of a function of fields and the parent's; any other definition as it is."""
    other = above.get(definition.name)
    if isinstance(definition, FieldsReader) and isinstance(other, FieldsReader):
        return made(definition, other)
    return definition
