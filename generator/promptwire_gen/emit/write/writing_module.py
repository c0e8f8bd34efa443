"""The writing module of one wire: its own definitions, and the names that it imports from its parents."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from jinja2 import Environment

from ...model.neutral import MESSAGE
from ...model.offers import ShapeFilter
from ...model.wire import Variant, WireModel
from ..dedupe import (
    Definition,
    ModuleText,
    ModuleTexts,
    dedupe,
    dedupe_tested,
    find_changed_names,
    split_definitions,
)
from ..field_holder import FieldHolder
from .body import find_unconditional_holes, make_body_table, make_body_writer
from .choosers import Choosers
from .displays import find_displays, make_tools_writer
from .node import ShapedNode, make_node
from .placing import Placing
from .plain_messages import MessageLoop, PlainForms
from .writer_tables import Tables, find_first_messages, make_place_table

# holes of the body that fill fields of a union's node
_ELSEWHERE = ("tool_choice", "reasoning")
_UNIONS = ("cache", "layer", "reasoning", "response_format", "tool", "tool_choice", "tools")


class Writing:
    """The writers of one wire, as the context of `templates/writing/definitions.j2`."""

    def __init__(
        self, wire: WireModel, filters: Mapping[str, ShapeFilter], wanted: frozenset[str] | None = None
    ) -> None:
        """`filters` are those that shapes may name. `wanted` names the definitions to lay out; None for all."""
        self.wire = wire
        self.wanted = wanted
        self.request = FieldHolder(wire, filters)
        self.message = FieldHolder(wire, filters, "message", MESSAGE)
        self.nodes = [
            make_node(each, wire, filters, _find_fields_elsewhere(wire, each)) for each in wire.variants
        ]
        self.placing = Placing(wire)
        self.choosers = Choosers(wire, filters, self.placing)
        tools = [node for node in self.nodes if node.variant.union == "tool"]
        self.tools = make_tools_writer(wire, tools) if tools else None
        forms = PlainForms(self.placing, filters, find_displays(self.nodes))
        self.plain = forms.find_all()
        self.loop = MessageLoop(wire, self.plain)
        self.tables = Tables(self.placing, filters)
        self.first = find_first_messages(wire)
        self.layer = self._find_text_layer()
        self.places = make_place_table(wire)
        self.row = make_body_table(wire)
        self.body = make_body_writer(wire, forms.find_lone_texts(), forms.find_lone_parts(self.plain.shown))

    def wants(self, name: str) -> bool:
        """Return whether a definition must be laid out."""
        return self.wanted is None or name in self.wanted

    @property
    def unions(self) -> dict[str, str]:
        """Slot of the table of writers -> the function that writes a union."""
        names = {each.name for each in self.choosers.unions} | ({"write_tools"} if self.tools else set[str]())
        return {
            word: f"write_{word}" for word in _UNIONS if f"write_{word}" in names
        } | self.choosers.list_direct_writers()

    def _find_text_layer(self) -> ShapedNode | None:
        """Return the layer of instructions that are one text, if its shape needs no more than the text."""
        plain = [
            node for node in self.nodes if node.variant.union == "instruction" and node.variant.for_plain
        ]
        holes = [hole for node in plain[:1] for hole in node.shape.required_holes]
        if [(hole.path, hole.filters) for hole in holes] != [(("text",), ())]:
            return None
        return replace(plain[0], variable="request", text="request.instructions")


def _find_fields_elsewhere(wire: WireModel, variant: Variant) -> frozenset[str]:
    """Return the fields of a node that its shape never writes: the body does, or a cache mark after the node."""
    if variant.union not in _ELSEWHERE:
        marked = wire.marks_cache and variant.union in ("part", "tool", "instruction")
        return frozenset({"cache"} if marked else ())
    return frozenset(
        hole.path[1]
        for hole in find_unconditional_holes(wire.body.shape)
        if hole.path[0] == variant.union and len(hole.path) == 2
    )


class WritingModules(ModuleTexts):
    """The writing modules of all wires."""

    def __init__(self, filters: Mapping[str, ShapeFilter], jinja: Environment) -> None:
        """`filters` are those that shapes may name."""
        super().__init__(self._define)
        self.filters = filters
        self._jinja = jinja

    def _define(self, model: WireModel, wanted: frozenset[str] | None = None) -> list[Definition]:
        template = self._jinja.get_template("writing/definitions.j2")
        return split_definitions(template.render(writing=Writing(model, self.filters, wanted)))

    def _dedupe_text(self, model: WireModel, parent: ModuleText | None) -> ModuleText:
        own, tested = self._define(model), add_inherited_rules(model)
        if parent is None or tested.rules == model.rules:
            return dedupe(model.name, own, parent)
        wanted = frozenset(find_changed_names(own, parent))
        return dedupe_tested(model.name, own, self._define(tested, wanted) if wanted else (), parent)

    def make_context(self, model: WireModel) -> dict[str, Any]:
        """Return the template context of the module of a wire."""
        text = self.get_text(model)
        own = text.own_definitions
        return {
            "definitions": own,
            "imported": text.find_imports(own),
            "functions": any(each.code.startswith("def ") for each in own),
        }


def add_inherited_rules(model: WireModel) -> WireModel:
    """Return a wire with the rules of all wires that it extends, for the tests that their functions have."""
    rules, wire = [*model.rules], model.parent
    while wire is not None:
        rules += [rule for rule in wire.rules if rule not in rules]
        wire = wire.parent
    return replace(model, rules=tuple(rules))
