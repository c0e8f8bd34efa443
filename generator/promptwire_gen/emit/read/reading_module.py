"""The reading module of one wire: all that it defines, and what it inherits."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment

from ...model.filters import ShapeFilter
from ...model.wire import Variant, WireModel
from ..dedupe import Definition, ModuleText, dedupe, split_definitions
from ..field_holder import FieldHolder
from ..write.node import node_of
from .body_changes import as_change, as_inherited
from .body_reader import BodyReaders, FieldsReader
from .definition import ReaderDefinition
from .message_readers import MessageReaders
from .reader_table import ReaderTable, reader_table
from .variant_choice import VariantChoice

# union -> the request field that it shapes, if the names differ
_PLACES = {"tool": "tools", "instruction": "instructions"}


@dataclass(frozen=True, slots=True)
class _Reading:
    """The readers of one wire: the functions, their texts and the table of them.

    stated  the table as a change of the parent's
    """

    functions: Sequence[ReaderDefinition]
    text: ModuleText
    table: ReaderTable
    stated: ReaderTable


class ReadingModules:
    """The reading modules of all wires."""

    def __init__(
        self, filters: Mapping[str, ShapeFilter], jinja: Environment, writing: Callable[[WireModel], str]
    ) -> None:
        """`filters` are those that shapes may name; `writing` says which wire defines all that writes a wire."""
        self._filters = filters
        self._jinja = jinja
        self._writing = writing
        self._made: dict[str, _Reading] = {}

    def names(self, model: WireModel) -> list[str]:
        """Return the names of all definitions of a wire."""
        return [*[each.name for each in self._of(model).text.definitions], "READERS"]

    def context(self, model: WireModel) -> dict[str, Any]:
        """Return the template context of the module of a wire."""
        reading = self._of(model)
        above = {} if model.parent is None else self._functions(model.parent)
        text = reading.text
        functions = {each.name: each for each in reading.functions}
        changes = {name: _beside(as_change, each, above) for name, each in functions.items()}
        own = text.own_definitions
        changed = [changes[each.name] for each in own if changes[each.name] is not functions[each.name]]
        *rewritten, table = self._texts([*changed, reading.stated])
        instead = {each.name: each for each in rewritten}
        written = [instead.get(each.name, each) for each in own]
        return {
            "definitions": [*written, table],
            "imported": text.find_imports([*written, table]),
            "parent": reading.stated.parent,
            "writes": bool(reading.stated.writing),
        }

    def _of(self, model: WireModel) -> _Reading:
        if model.name not in self._made:
            self._made[model.name] = self._make(model)
        return self._made[model.name]

    def _functions(self, model: WireModel) -> dict[str, ReaderDefinition]:
        return {each.name: each for each in self._of(model).functions}

    def _texts(self, functions: Sequence[ReaderDefinition]) -> list[Definition]:
        return split_definitions(
            self._jinja.get_template("reading/definitions.j2").render(definitions=functions)
        )

    def _make(self, model: WireModel) -> _Reading:
        parent = None if model.parent is None else self._of(model.parent)
        if parent is not None and model.has_same_requests:
            functions, table = parent.functions, parent.table
            text = ModuleText(model.name, parent.text.definitions, parent.text.origins)
        else:
            functions, table = self._definitions(model)
            if parent is not None and model.parent is not None:
                above = self._functions(model.parent)
                functions = [_beside(as_inherited, each, above) for each in functions]
            text = dedupe(model.name, self._texts(functions), None if parent is None else parent.text)
        stated = table
        if parent is not None and model.parent is not None:
            stated = table.changed_from(parent.table, model.parent.name, text.inherited_names)
        return _Reading(functions, text, table, stated)

    def _definitions(self, model: WireModel) -> tuple[Sequence[ReaderDefinition], ReaderTable]:
        """Return the functions, each before those that need it when the module is loaded, and the table of them."""
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
        named = {reader.table: reader.name for reader in fields}
        table = reader_table(model, choice, choices, messages, named, self._writing(model))
        return [*choice.readers.values(), *dict.fromkeys(messages.messages.values()), *fields], table

    def _place(self, variant: Variant, model: WireModel) -> FieldHolder:
        return node_of(variant, model, self._filters)


def _beside(
    made: Callable[[FieldsReader, FieldsReader], ReaderDefinition],
    definition: ReaderDefinition,
    above: Mapping[str, ReaderDefinition],
) -> ReaderDefinition:
    """Return a reader of fields, made from it and the parent's of the same name; return other definitions unchanged."""
    other = above.get(definition.name)
    if isinstance(definition, FieldsReader) and isinstance(other, FieldsReader):
        return made(definition, other)
    return definition
