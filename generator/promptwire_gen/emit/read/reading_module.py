"""The reading module of one wire: its own definitions, and its table of readers as a merge patch of the parent's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jinja2 import Environment

from ...model.offers import ShapeFilter
from ...model.wire import Variant, WireModel
from ..dedupe import Definition, ModuleTexts, split_definitions
from ..write.node import ShapedNode, node_of
from .bodies import BodyReaders
from .message_readers import MessageReader, MessageReaders, VariantChoice
from .reader_table import ReaderTable, reader_table
from .shape_readers import ShapeReader

# union -> the request field that it shapes, if the names differ
_PLACES = {"tool": "tools", "instruction": "instructions"}


class WireReaders:
    """The readers of one wire, as the context of `templates/reading/definitions.j2`."""

    def __init__(self, wire: WireModel, filters: Mapping[str, ShapeFilter], writing: str) -> None:
        """`filters` are those that shapes may name; `writing` is the wire whose module defines all that writes."""
        self.wire = wire
        self._filters = filters
        lifted = wire.instructions.placement != "top_level"
        unions = {
            union: variants
            for union, variants in wire.unions.items()
            if variants and not (lifted and union == "instruction")
        }
        read = [*wire.parts, *(variant for variants in unions.values() for variant in variants)]
        choice = VariantChoice(read, self._node)
        choices = {
            _PLACES.get(union, union): choice.of(variants, "tools" if union == "tool" else "")
            for union, variants in unions.items()
        }
        messages = MessageReaders(wire, choice, filters)
        self.shapes: Sequence[ShapeReader] = [*choice.readers.values()]
        self.messages: Sequence[MessageReader] = [*dict.fromkeys(messages.messages.values())]
        self.body = BodyReaders(wire, filters)
        self.table = reader_table(wire, choice, choices, messages, self.body.names, writing)

    def _node(self, variant: Variant) -> ShapedNode:
        return node_of(variant, self.wire, self._filters)


class ReadingModules(ModuleTexts):
    """The reading modules of all wires."""

    def __init__(
        self, filters: Mapping[str, ShapeFilter], jinja: Environment, writing: Callable[[WireModel], str]
    ) -> None:
        """`filters` are those that shapes may name; `writing` returns which wire defines all that writes a wire."""
        super().__init__(self._define_readers)
        self._filters = filters
        self._jinja = jinja
        self._writing = writing
        self._tables: dict[str, ReaderTable] = {}

    def list_names(self, model: WireModel) -> list[str]:
        """Return the names of all definitions of a wire."""
        return [*[each.name for each in self.get_text(model).definitions], "READERS"]

    def context(self, model: WireModel) -> dict[str, Any]:
        """Return the template context of the module of a wire."""
        text, table = self.get_text(model), self._get_table(model)
        if model.parent is None:
            stated = table.whole()
        else:
            stated = table.patch(self._get_table(model.parent), model.parent.name, text.inherited_names)
        definitions = [*text.own_definitions, *self._render("table", table=stated)]
        return {
            "definitions": definitions,
            "imported": text.find_imports(definitions),
            "parent": stated.parent,
            "writes": stated.writing,
        }

    def _define_readers(self, model: WireModel) -> list[Definition]:
        readers = WireReaders(model, self._filters, self._writing(model))
        self._tables[model.name] = readers.table
        return self._render("definitions", reading=readers)

    def _get_table(self, model: WireModel) -> ReaderTable:
        """Return the whole table of a wire: its parent's if it has the same requests."""
        self.get_text(model)
        if model.parent is not None and model.name not in self._tables:
            return self._get_table(model.parent)
        return self._tables[model.name]

    def _render(self, template: str, **context: object) -> list[Definition]:
        return split_definitions(self._jinja.get_template(f"reading/{template}.j2").render(context))
