"""The table of all that reads a wire, by which the reader and the reading functions find each other."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import ClassVar, TypeVar

from ...model.wire import Variant, WireModel
from ...spec.shapes import Hole
from ..python import (
    Expression,
    display,
    frozen_pairs,
    frozen_words,
    literal,
    literal_tuple,
    name,
    tuple_of,
    word_set,
)
from .definition import ReaderDefinition
from .message_readers import MessageReaders
from .plain_bodies import plain_body, plain_messages
from .shape_readers import ShapeReader
from .variant_choice import ReaderChoice, VariantChoice

KeyT = TypeVar("KeyT")
# default values of a reader table
_UNSAID = (literal(False), tuple_of([]), literal("role"), literal(None), literal(""), display([]))


@dataclass(frozen=True, slots=True)
class ShapeRow:
    """The reader of one shape.

    alone  for a standalone item: the role of the turn that it belongs to
    needs  a key, with its aliases, without which an object must be of another shape
    near   the required keys of the shape; an object that lacks some of them is read as the nearest shape
    """

    label: str
    read: str
    alone: str
    needs: str
    near: str


@dataclass(frozen=True, slots=True)
class ChoiceRow:
    """The shapes of an element that stands in any of some places; None where the parent's have no place here."""

    places: tuple[str, ...]
    choice: ReaderChoice | None

    @property
    def expression(self) -> Expression:
        """The call of the runtime's class."""
        return literal(None) if self.choice is None else self.choice.expression


@dataclass(frozen=True, slots=True)
class WordSet:
    """A field of `MemoryWords`: all its members, or what it has less and more than the same field of the parent."""

    field: str
    members: tuple[object, ...]
    whole: Expression
    less: Expression | None = None
    more: Expression | None = None

    def changed_from(self, other: WordSet) -> WordSet:
        """Return the same set as a change of another one."""
        less = [member for member in other.members if member not in self.members]
        more = [member for member in self.members if member not in other.members]
        return replace(self, less=word_set(less) if less else None, more=word_set(more) if more else None)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderTable(ReaderDefinition):
    """`READERS`.

    fields    field of the table -> its value
    words     what the wire's own words are
    shapes    what reads each shape
    choices   the shapes of an element, by place
    messages  the `role` of a message -> its reader; None of one that only the parent reads
    writing   the wire whose module defines all that writes; empty where it is the parent's
    parent    the wire of whose table this one is a change; empty where it is whole
    without   the shapes that only the parent has; gone: the places whose elements only the parent reads
    """

    fields: tuple[tuple[str, Expression], ...]
    words: tuple[WordSet, ...]
    shapes: tuple[ShapeRow, ...]
    choices: tuple[tuple[str, ReaderChoice], ...]
    messages: tuple[tuple[Expression, Expression], ...]
    writing: str
    parent: str = ""
    without: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()
    macro: ClassVar[str] = "readers"

    @property
    def stated(self) -> list[tuple[str, Expression]]:
        """The fields that must be said."""
        return [row for row in self.fields if self.parent or row[1] not in _UNSAID]

    @property
    def choice_rows(self) -> list[ChoiceRow]:
        """The choices, those of places that have the same in one row, and the places that only the parent has."""
        places: dict[ReaderChoice, list[str]] = {}
        for place, choice in self.choices:
            places.setdefault(choice, []).append(place)
        rows = [ChoiceRow(tuple(names), choice) for choice, names in places.items()]
        return rows + ([ChoiceRow(self.gone, None)] if self.gone else [])

    @property
    def removed(self) -> Expression:
        """The shapes that only the parent has, as a set."""
        return word_set(self.without)

    @property
    def less(self) -> list[WordSet]:
        """The sets of words of which the parent has more."""
        return [words for words in self.words if words.less is not None]

    @property
    def more(self) -> list[WordSet]:
        """The sets of words of which the parent has less."""
        return [words for words in self.words if words.more is not None]

    def changed_from(self, other: ReaderTable, wire: str, inherited: Collection[str]) -> ReaderTable:
        """Return the same table as a change of another wire's, for functions of which some are inherited from it."""
        labels = {row.label for row in self.shapes}
        without = tuple([row.label for row in other.shapes if row.label not in labels])
        theirs = dict(other.choices)
        choices = [
            (place, choice)
            for place, choice in self.choices
            if place not in theirs or not choice.says_as(theirs[place].without(without))
        ]
        above = {row.label: row for row in other.shapes}
        shapes = [row for row in self.shapes if row.read not in inherited or row != above.get(row.label)]
        messages = _changed(self.messages, other.messages, inherited)
        spoken = dict(self.messages)
        messages += [(word, literal(None)) for word, _ in other.messages if word not in spoken]
        fields = _changed(self.fields, other.fields, inherited)
        return replace(
            self,
            fields=tuple(fields),
            words=tuple(
                [words.changed_from(old) for words, old in zip(self.words, other.words, strict=True)]
            ),
            shapes=tuple(shapes),
            choices=tuple(choices),
            messages=tuple(messages),
            writing=self.writing if self.writing != other.writing else "",
            parent=wire,
            without=without,
            gone=tuple([place for place in theirs if place not in dict(self.choices)]),
        )


def _changed(
    rows: Iterable[tuple[KeyT, Expression]],
    others: Iterable[tuple[KeyT, Expression]],
    inherited: Collection[str],
) -> list[tuple[KeyT, Expression]]:
    """Return the rows that differ from others, or name a function that is not inherited."""
    theirs = dict(others)
    return [
        (key, value)
        for key, value in rows
        if theirs.get(key) != value or (value.text.startswith("read_") and value.text not in inherited)
    ]


def reader_table(
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
    shapes = [_shape_row(variant, choice) for variant in model.variants if variant.label in choice.readers]
    return ReaderTable(
        name="READERS",
        doc="",
        fields=_fields(model, functions, messages, choice.readers),
        words=_words(model),
        shapes=tuple(shapes),
        choices=(*unions.items(), *messages.choices.items()),
        messages=tuple([(literal(word), name(reader.name)) for word, reader in messages.messages.items()]),
        writing=writing,
    )


def _fields(
    model: WireModel,
    functions: Mapping[str, str],
    messages: MessageReaders,
    readers: Mapping[str, ShapeReader],
) -> tuple[tuple[str, Expression], ...]:
    """Return the fields that hold no rows, in the order of the table."""
    fields = {
        "needs": literal_tuple(_needed_keys(model)),
        "model": literal_tuple(_model_keys(model)),
        **{field: name(function) for field, function in functions.items()},
        "marks": literal(model.marks_cache),
        "groups": literal(model.flat_items),
        "listed": literal_tuple(_listed_keys(model)),
        "speaker": literal(model.speaker),
        "lifts": literal(model.instructions.role if model.instructions.placement == "first_message" else ""),
        "plain_body": plain_body(model, messages.filters),
        "plain_messages": plain_messages(model, messages.choices, readers),
    }
    return tuple(fields.items())


def _needed_keys(model: WireModel) -> list[str]:
    """Return the keys of a body, one of which holds the conversation."""
    places = [place for place in model.body.last if place.slot is not None or place.every]
    # a nullable key does not discriminate
    needed = [place.entry for place in places if place.otherwise is None or place.otherwise.value is not None]
    entries = [entry for entry in (model.body.messages, *needed) if not entry.optional]
    return [key for entry in entries for key in entry.spellings]


def _listed_keys(model: WireModel) -> tuple[str, ...]:
    """Return the keys of a list of messages in whose place no text may stand."""
    return () if model.lone_message or model.body.as_text else model.body.messages.spellings


def _model_keys(model: WireModel) -> tuple[str, ...]:
    """Return the keys of a body under which the model is named."""
    for entry in model.body.shape.fields:
        if isinstance(entry.shape, Hole) and entry.shape.path == ("model",):
            return entry.spellings
    return ()


def _shape_row(variant: Variant, choice: VariantChoice) -> ShapeRow:
    reader = choice.readers[variant.label]
    alone = variant.roles[0] if variant.slot == "messages" else ""
    return ShapeRow(variant.label, reader.name, alone, reader.needs, reader.near)


def _words(model: WireModel) -> tuple[WordSet, ...]:
    return (
        WordSet("keys", tuple(model.keys), frozen_words(model.keys)),
        WordSet("constants", tuple(model.constants), frozen_words(model.constants)),
        WordSet("aliases", tuple(model.aliases), frozen_pairs(model.aliases)),
        WordSet("echoes", tuple(model.echoes), frozen_pairs(model.echoes)),
    )
