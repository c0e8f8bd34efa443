"""The reading module of one wire: its own definitions, and what it inherits from the wires that it extends.

A function that reads fields of a body may be written as a change of the parent's. Both are compared by their text:
their template writes each step and each field on a line of its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from jinja2 import Environment

from ...model.offers import ShapeFilter
from ...model.wire import Variant, WireModel
from ..dedupe import Definition, ModuleText, dedupe, split_definitions
from ..write.node import ShapedNode, node_of
from .body_reader import BodyReaders
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


# a step of a function, or a field of the dict that it returns
_LINE = re.compile(
    r'^    (?:    "(?P<field>\w+)": (?P<value>.*),|(?:(?P<variables>[\w, ]+) = )?(?P<step>\w.*))$'
)
_DOC = re.compile(r'"""(.*?)\.?(?:"""|$)', re.MULTILINE)


@dataclass(frozen=True)
class FieldsText:
    """The text of a function of `read_options`, `read_vendor` and `read_body`.

    Attributes:
        steps: The statements before the fields: the variable that each assigns, empty for a bare call, and its value.
        fields: Field -> its value.
    """

    definition: Definition
    steps: tuple[tuple[str, str], ...]
    fields: dict[str, str]

    @property
    def table(self) -> str:
        """The field of the table of readers that holds the function."""
        return self.definition.name.removeprefix("read_")

    @cached_property
    def effects(self) -> dict[str, str]:
        """Field -> its value with the values of all variables in their place."""
        return {name: self.inline(value) for name, value in self.fields.items()}

    @cached_property
    def calls(self) -> frozenset[str]:
        """The statements that assign nothing: settings that the body states."""
        return frozenset([self.inline(value) for variable, value in self.steps if not variable])

    def inline(self, text: str) -> str:
        """Return a text with the values of all variables in their place."""
        for variables, value in reversed(self.steps):
            for variable in variables.split(", ") if variables else ():
                text = f"({value})".join(_word(variable).split(text))
        return text

    @property
    def own_fields(self) -> list[str]:
        """The fields that do not hold the conversation, which a change never states."""
        return [name for name, value in self.fields.items() if name not in ("messages", value)]

    def find_steps(self, values: Iterable[str], calls: Iterable[str]) -> list[tuple[str, str]]:
        """Return the steps whose variables some values use, and calls."""
        texts, needed = [*values, *calls], list[tuple[str, str]]()
        for variable, value in reversed(self.steps):
            if variable and any(_word(variable).search(text) for text in texts):
                texts.append(value)
                needed.append((variable, value))
            elif not variable and value in calls:
                needed.append((variable, value))
        return needed[::-1]


@dataclass(frozen=True, slots=True)
class ChangedFields:
    """A function that reads what the parent's does, except for some fields.

    Attributes:
        table: The field of the table of readers that holds both functions.
        steps: The steps before.
        fields: The fields that differ.
    """

    table: str
    doc: str
    steps: list[tuple[str, str]]
    fields: dict[str, str]


def parse_fields(definition: Definition) -> FieldsText | None:
    """Return the steps and fields of a function that reads a body; None for any other definition."""
    if definition.name not in ("read_options", "read_vendor", "read_body"):
        return None
    matches = [match for line in definition.code.splitlines() if (match := _LINE.match(line))]
    steps = [(match["variables"] or "", match["step"]) for match in matches if match["step"]]
    return FieldsText(
        definition,
        tuple([step for step in steps if step[1] != "return {"]),
        {match["field"]: match["value"] for match in matches if match["field"]},
    )


def as_inherited(own: Definition, parent: Definition) -> Definition:
    """Return the parent's function in place of one that reads the same.

    Options that only the API of the parent has do not count: `Reader` leaves unread what no key of the body writes.
    """
    mine, others = parse_fields(own), parse_fields(parent)
    if mine is None or others is None:
        return own
    if mine.table == "vendor":
        return parent if mine.effects.items() <= others.effects.items() else own
    return parent if (mine.effects, mine.calls) == (others.effects, others.calls) else own


def as_change(own: Definition, parent: Definition | None) -> ChangedFields | None:
    """Return the function as a change of the parent's; None where that is not shorter."""
    mine, others = parse_fields(own), None if parent is None else parse_fields(parent)
    if mine is None or others is None:
        return None
    if mine.effects.get("messages") != others.effects.get("messages") or others.calls - mine.calls:
        return None
    changed = {
        name: value for name, value in mine.fields.items() if mine.effects[name] != others.effects.get(name)
    }
    if mine.table != "vendor":
        changed |= {name: "None" for name in others.effects if name not in mine.effects}
    if len(changed) >= len(mine.own_fields):
        return None
    calls = [
        value for variable, value in mine.steps if not variable and mine.inline(value) not in others.calls
    ]
    doc = _DOC.search(own.text)
    assert doc is not None
    return ChangedFields(
        mine.table,
        f"{doc[1]}; what is not here is read as the parent does.",
        mine.find_steps(changed.values(), calls),
        changed,
    )


def _word(variable: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(variable)}\b")
