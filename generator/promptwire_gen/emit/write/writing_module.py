"""The writing module of one wire: all that it defines, and what it inherits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from jinja2 import Environment

from ...model.filters import ShapeFilter
from ...model.wire import Variant, WireModel
from ..dedupe import Definition, ModuleText, ModuleTexts, dedupe_tested, definitions
from ..field_access import FieldAccess
from ..python import call, literal, name
from ..text_shapes import bare_text_shape, with_article
from .body import BodyEmitter
from .body_row import unconditional
from .choosers import Chooser, chooser
from .displays import part_displays
from .instructions import instructions_writer
from .message_items import ItemEmitter
from .message_loop import message_loop
from .place_table import place_table
from .placing import Placing
from .plain_messages import PlainForms
from .rows import WriterRow
from .shape_fields import subject_of
from .shape_writers import BareWriter, ObjectWriter, ShapeEmitter, Writer
from .sources import MediumDefinition, Sources, medium_writers
from .unions import UnionDefinition, direct_writers, union_writers
from .writer_tables import Tables, WritersTable, WriterTable

# holes of the body that fill fields of a union's node
_ELSEWHERE = ("tool_choice", "reasoning")
_UNIONS = ("cache", "layer", "reasoning", "response_format", "tool", "tool_choice", "tools")


class WritingEmitter:
    """Makes all definitions of one wire's writing module."""

    def __init__(self, model: WireModel, filters: Mapping[str, ShapeFilter]) -> None:
        """`filters` are those that shapes may name."""
        self.model = model
        self.filters = filters
        self.request = FieldAccess("request", None, filters, marks=model.marks_cache)
        self.placing = Placing(model)

    def definitions(self) -> list[object]:
        """Return every definition, each before those that need it when the module is loaded."""
        model = self.model
        accesses = {variant.label: node_place(variant, self.filters, model) for variant in model.variants}
        shapes = self._shapes(accesses)
        writers = {shape.name: shape for shape in shapes if isinstance(shape, (ObjectWriter, BareWriter))}
        forms = PlainForms(self.placing, self.request, part_displays(model, accesses, writers))
        plain = forms.plain()
        unions = union_writers(model, self.request, accesses)
        tables = Tables(self.placing, self.request)
        roles, contents = tables.roles(), tables.contents()
        choosers = self._choosers()
        sources = [table for table in choosers if isinstance(table, Sources)]
        items = ItemEmitter(model, self.request)
        definitions: list[object] = [
            *shapes,
            *unions,
            *choosers,
            *[definition for shape in model.messages.values() for definition in items.definitions(shape)],
            *([plain.shown] if plain.shown is not None else []),
            *tables.functions.values(),
            *roles.values(),
            *contents.values(),
            message_loop(model, plain),
        ]
        if model.instructions.placement == "first_message":
            definitions.append(instructions_writer(model))
        places = place_table(model)
        definitions += [places] if places is not None else []
        body = BodyEmitter(model, self.request)
        definitions += body.definitions(forms.texts_alone(), forms.shown_alone(plain.shown))
        pages = [page.name for page in body.pages]
        named = {"media": plain.shown.name} if plain.shown is not None else {}
        return [*definitions, self._writers(unions, roles, contents, sources, pages, named)]

    def _shapes(self, accesses: Mapping[str, FieldAccess]) -> list[WriterRow | Writer]:
        model = self.model
        emitters = [
            ShapeEmitter(variant, accesses[variant.label], _elsewhere(model, variant), model)
            for variant in model.variants
        ]
        return [definition for emitter in emitters for definition in emitter.definitions()]

    def _choosers(self) -> list[Chooser | MediumDefinition]:
        """Return the functions that choose among several shapes of a kind, and the tables of those with sources."""
        choosers: list[Chooser | MediumDefinition] = []
        for function, variants in self.placing.choosers.values():
            doc = f"Write {with_article(variants[0].mode.replace('_', ' '))} by the shape that takes it."
            access = FieldAccess("part", variants[0].kind, self.filters)
            if variants[0].kind.sources:
                choosers += medium_writers(function, variants, access)
                continue
            nothing = call("build.lost", name(access.subject), literal(""))
            choosers.append(chooser(function, variants, access, doc, nothing))
        return choosers

    def _writers(
        self,
        unions: Sequence[UnionDefinition],
        roles: Mapping[str, WriterTable],
        contents: Mapping[str, WriterTable],
        sources: Sequence[Sources],
        pages: Sequence[str],
        named: Mapping[str, str],
    ) -> WritersTable:
        names = {union.name for union in unions}
        values = {union: f"write_{union}" for union in _UNIONS if f"write_{union}" in names}
        values |= direct_writers(self.model, self.request)
        values |= {"messages": "write_messages", "body": "BODY", **named}
        values |= {"places": "PLACES"} if self.model.body.messages_apart else {}
        values |= {"signed": "True"} if self.placing.signed else {}
        values |= {"blank": "True"} if self.model.drops_blank else {}
        values |= {"merges": "True"} if self.model.merges else {}
        tables = {
            "roles": tuple([(role, table.name) for role, table in roles.items()]),
            "contents": tuple([(kind, table.name) for kind, table in contents.items()]),
            "sources": tuple([(table.key, table.name) for table in sources]),
        }
        return WritersTable(tables, tuple(pages), tuple(values.items()))


def node_place(variant: Variant, filters: Mapping[str, ShapeFilter], model: WireModel) -> FieldAccess:
    """Return the access to field values for the functions of a shape."""
    role = model.content_role(variant.mode)
    return FieldAccess(
        subject_of(variant.kind), variant.kind, filters, role,
        bare_text_shape(model, role) is not None, model.marks_cache, keyed=variant.keyed is not None,
        dialect=model.dialect if (variant.union, variant.mode) == ("tool", "function") else None,
    )  # fmt: skip


def _elsewhere(model: WireModel, variant: Variant) -> frozenset[str]:
    """Return the fields of a union's node that the body writes in another place whenever they are there."""
    if variant.union not in _ELSEWHERE:
        marked = model.marks_cache and variant.union in ("part", "tool", "instruction")
        return frozenset({"cache"} if marked else ())
    return frozenset(
        hole.path[1]
        for hole in unconditional(model.body.shape)
        if hole.path[0] == variant.union and len(hole.path) == 2
    )


class WritingModules(ModuleTexts):
    """The writing modules of all wires."""

    def __init__(self, filters: Mapping[str, ShapeFilter], jinja: Environment) -> None:
        """`filters` are those that shapes may name."""
        super().__init__(self._definitions)
        self.filters = filters
        self._jinja = jinja

    def _definitions(self, model: WireModel) -> list[Definition]:
        template = self._jinja.get_template("writing/definitions.j2")
        return definitions(template.render(definitions=WritingEmitter(model, self.filters).definitions()))

    def _deduped(self, model: WireModel, parent: ModuleText | None) -> ModuleText:
        tested = with_inherited_rules(model)
        if parent is None or tested.rules == model.rules:
            return super()._deduped(model, parent)
        return dedupe_tested(model.name, self._define(model), self._define(tested), parent)

    def context(self, model: WireModel) -> dict[str, Any]:
        """Return the template context of the module of a wire."""
        content = self.of(model)
        own = content.own
        return {
            "definitions": own,
            "borrowed": content.borrowed,
            "functions": any(each.code.startswith("def ") for each in own),
        }


def with_inherited_rules(model: WireModel) -> WireModel:
    """Return a wire with the rules of all wires that it extends, for the tests that their functions have."""
    rules, wire = [*model.rules], model.parent
    while wire is not None:
        rules += [rule for rule in wire.rules if rule not in rules]
        wire = wire.parent
    return replace(model, rules=tuple(rules))
