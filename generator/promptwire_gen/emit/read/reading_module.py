"""The reading module of one wire: its own definitions, and the table by which reading functions find each other."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

from jinja2 import Environment

from ...model.offers import ShapeFilter
from ...model.wire import Variant, WireModel
from ...spec.shapes import Hole
from ..dedupe import REMOVED, Definition, ModuleTexts, Table, merge_patch, split_definitions
from ..write.node import ShapedNode, make_node
from .bodies import BodyReaders, find_plain_keys, find_plain_messages
from .message_readers import MessageReader, MessageReaders, ReaderChoice, VariantChoice
from .shape_readers import ShapeReader

# values of fields that a whole table does not state, and the fields that it always states
_DEFAULTS: tuple[Any, ...] = (False, (), "role", None, "", {})
_REQUIRED = ("words", "shapes", "choices", "messages")


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """The reader of one shape.

    alone  for a standalone item: the role of the turn that it belongs to
    needs  a key, with its aliases, without which an object must be of another shape
    near   the required keys of the shape; an object that lacks some of them is read as the nearest shape
    """

    read: str
    alone: str
    needs: str
    near: str


class WordChanges(NamedTuple):
    """The words of the parent's set that a wire leaves out, and those that it adds."""

    less: list[object]
    more: list[object]


@dataclass(frozen=True, slots=True)
class ReaderTable:
    """`READERS`: its fields, whole or as a merge patch of the table of the wire `parent`.

    words    the words of the wire itself, by field of `MemoryWords`; in a patch, `WordChanges`
    shapes   label -> the reader of the shape
    choices  place of an element -> its shapes
    messages  the `role` of a message -> its reader
    writing  the wire whose module defines all that writes
    """

    fields: Table
    parent: str = ""

    @property
    def writing(self) -> bool:
        """Whether the table names the module that writes. A patch names it only if it differs from the parent's."""
        return "writing" in self.fields

    def drop_defaults(self) -> ReaderTable:
        """Return the table without fields that have their default."""
        fields = self.fields.items()
        return ReaderTable(
            {key: value for key, value in fields if key in _REQUIRED or value not in _DEFAULTS}
        )

    def patch(self, other: ReaderTable, wire: str, inherited: Collection[str]) -> ReaderTable:
        """Return the table as a merge patch of the table of another wire, of whose functions some are inherited."""
        removed = other.fields["shapes"].keys() - self.fields["shapes"].keys()

        def is_same(own: Any, above: Any) -> bool:
            if isinstance(own, ReaderChoice):
                return own.tries_the_same(above.drop_shapes(removed))
            read = own.read if isinstance(own, ShapeRow) else own
            is_own_function = isinstance(read, str) and read.startswith("read_") and read not in inherited
            return bool(own == above) and not is_own_function

        patch = merge_patch(self.fields, other.fields, is_same)
        # a wire without options of its own keeps the function that reads the parent's
        fields = {field: value for field, value in patch.items() if value is not REMOVED}
        if "words" in fields:
            fields["words"] = {
                field: WordChanges(
                    [each for each in other.fields["words"][field] if each not in members],
                    [each for each in members if each not in other.fields["words"][field]],
                )
                for field, members in fields["words"].items()
            }
        return ReaderTable(fields, wire)


def group_rows(rows: Mapping[Any, Any]) -> list[tuple[list[Any], Any]]:
    """Return the rows of a mapping with the keys of equal choices in one row, and all `REMOVED` keys in the last."""
    groups: list[tuple[list[Any], Any]] = []
    for key, row in rows.items():
        keys = next((keys for keys, other in groups if _may_share_row(row) and other == row), None)
        if keys is None:
            groups.append(([key], row))
        else:
            keys.append(key)
    return groups


def _may_share_row(row: object) -> bool:
    return row is REMOVED or isinstance(row, ReaderChoice)


def make_reader_table(
    model: WireModel,
    choice: VariantChoice,
    unions: Mapping[str, ReaderChoice],
    messages: MessageReaders,
    functions: Mapping[str, str],
    writing: str,
) -> ReaderTable:
    """Return the table of one wire.

    `functions` maps fields of the table to functions; `writing` is the wire whose module defines all that writes.
    """
    readers = choice.readers
    fields = {
        "words": {
            field: tuple(getattr(model, field)) for field in ("keys", "constants", "aliases", "echoes")
        },
        "needs": tuple(_find_needed_keys(model)),
        "model": tuple(_find_model_keys(model)),
        **functions,
        "marks": model.marks_cache,
        "groups": model.flat_items,
        "listed": tuple(_find_listed_keys(model)),
        "speaker": model.speaker,
        "lifts": model.instructions.speaker if model.instructions.placement == "first_message" else "",
        "plain_body": find_plain_keys(model, messages.filters),
        "plain_messages": find_plain_messages(model, messages.choices, readers),
        "shapes": {
            variant.label: _make_shape_row(variant, readers[variant.label])
            for variant in model.variants
            if variant.label in readers
        },
        "choices": {**unions, **messages.choices},
        "messages": {word: reader.name for word, reader in messages.messages.items()},
        "writing": writing,
    }
    return ReaderTable(fields)


def _find_needed_keys(model: WireModel) -> list[str]:
    """Return the keys of a body, one of which holds the conversation."""
    places = [place for place in model.body.last if place.slot is not None or place.every]
    # a nullable key does not discriminate
    needed = [place.entry for place in places if place.otherwise is None or place.otherwise.value is not None]
    entries = [entry for entry in (model.body.messages, *needed) if not entry.optional]
    return [key for entry in entries for key in entry.spellings]


def _find_listed_keys(model: WireModel) -> tuple[str, ...]:
    """Return the keys of the messages, if their value must be a list and not text."""
    return () if model.lone_message or model.body.as_text else model.body.messages.spellings


def _find_model_keys(model: WireModel) -> tuple[str, ...]:
    """Return the keys of a body under which the model is named."""
    for entry in model.body.shape.fields:
        if isinstance(entry.shape, Hole) and entry.shape.path == ("model",):
            return entry.spellings
    return ()


def _make_shape_row(variant: Variant, reader: ShapeReader) -> ShapeRow:
    alone = variant.roles[0] if variant.slot == "messages" else ""
    return ShapeRow(reader.name, alone, reader.needs, reader.near)


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
        choice = VariantChoice(read, self._make_node)
        choices = {
            _PLACES.get(union, union): choice.choose(variants, "tools" if union == "tool" else "")
            for union, variants in unions.items()
        }
        messages = MessageReaders(wire, choice, filters)
        self.shapes: Sequence[ShapeReader] = [*choice.readers.values()]
        self.messages: Sequence[MessageReader] = [*dict.fromkeys(messages.messages.values())]
        self.body = BodyReaders(wire, filters)
        self.table = make_reader_table(wire, choice, choices, messages, self.body.names, writing)

    def _make_node(self, variant: Variant) -> ShapedNode:
        return make_node(variant, self.wire, self._filters)


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

    def make_context(self, model: WireModel) -> dict[str, Any]:
        """Return the template context of the module of a wire."""
        text, table = self.get_text(model), self._get_table(model)
        if model.parent is None:
            stated = table.drop_defaults()
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
