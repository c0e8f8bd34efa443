"""The reading module of one wire: its own definitions, and what it inherits from the wires that it extends."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from jinja2 import Environment

from ...model.offers import ShapeFilter
from ...model.wire import Variant, WireModel
from ..dedupe import Definition, ModuleText, dedupe, split_definitions
from ..write.node import ShapedNode, node_of
from .body_reader import BodyReaders
from .changed_fields import as_change, as_inherited
from .message_readers import MessageReader, MessageReaders
from .reader_table import ReaderTable, reader_table
from .shape_readers import ShapeReader
from .variant_choice import VariantChoice

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


@dataclass(frozen=True, slots=True)
class _ReadingText:
    """The definitions of a wire and its table of readers, whole and as the module states it."""

    text: ModuleText
    table: ReaderTable
    stated: ReaderTable


class ReadingModules:
    """The reading modules of all wires."""

    def __init__(
        self, filters: Mapping[str, ShapeFilter], jinja: Environment, writing: Callable[[WireModel], str]
    ) -> None:
        """`filters` are those that shapes may name; `writing` returns which wire defines all that writes a wire."""
        self._filters = filters
        self._jinja = jinja
        self._writing = writing
        self._made: dict[str, _ReadingText] = {}

    def names(self, model: WireModel) -> list[str]:
        """Return the names of all definitions of a wire."""
        return [*[each.name for each in self._of(model).text.definitions], "READERS"]

    def context(self, model: WireModel) -> dict[str, Any]:
        """Return the template context of the module of a wire."""
        reading = self._of(model)
        above = {} if model.parent is None else self._definitions(model.parent)
        text = reading.text
        own = [self._as_change(each, above.get(each.name)) for each in text.own_definitions]
        (table,) = self._render("table", table=reading.stated)
        return {
            "definitions": [*own, table],
            "imported": text.find_imports([*own, table]),
            "parent": reading.stated.parent,
            "writes": reading.stated.writing,
        }

    def _of(self, model: WireModel) -> _ReadingText:
        if model.name not in self._made:
            self._made[model.name] = self._make(model)
        return self._made[model.name]

    def _definitions(self, model: WireModel) -> dict[str, Definition]:
        return {each.name: each for each in self._of(model).text.definitions}

    def _render(self, template: str, **context: object) -> list[Definition]:
        return split_definitions(self._jinja.get_template(f"reading/{template}.j2").render(context))

    def _as_change(self, own: Definition, parent: Definition | None) -> Definition:
        change = as_change(own, parent)
        return own if change is None else self._render("changed_fields", function=change)[0]

    def _make(self, model: WireModel) -> _ReadingText:
        parent = None if model.parent is None else self._of(model.parent)
        if parent is not None and model.has_same_requests:
            text, table = ModuleText(model.name, parent.text.definitions, parent.text.origins), parent.table
        else:
            readers = WireReaders(model, self._filters, self._writing(model))
            definitions, table = self._render("definitions", reading=readers), readers.table
            if model.parent is not None:
                above = self._definitions(model.parent)
                definitions = [
                    as_inherited(each, above[each.name]) if each.name in above else each
                    for each in definitions
                ]
            text = dedupe(model.name, definitions, None if parent is None else parent.text)
        if parent is None or model.parent is None:
            return _ReadingText(text, table, table.whole())
        stated = table.patch(parent.table, model.parent.name, text.inherited_names)
        return _ReadingText(text, table, stated)
