"""The table of all that reads a wire, by which the reader and the reading functions find each other."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ...model.wire import Variant, WireModel
from ...spec.shapes import Hole
from .message_readers import MessageReaders
from .plain_bodies import plain_body, plain_messages
from .shape_readers import ShapeReader
from .variant_choice import ReaderChoice, VariantChoice

KeyT = TypeVar("KeyT")
# default values of the facts of a table
_DEFAULTS: tuple[Any, ...] = (False, (), "role", None, "", {})


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


@dataclass(frozen=True, slots=True)
class WordSet:
    """A field of `MemoryWords`: all its members, or what it has less and more than the same field of the parent."""

    field: str
    members: tuple[object, ...]
    less: tuple[object, ...] = ()
    more: tuple[object, ...] = ()

    def changed_from(self, other: WordSet) -> WordSet:
        """Return the same set as a change of another one."""
        less = [member for member in other.members if member not in self.members]
        more = [member for member in self.members if member not in other.members]
        return replace(self, less=tuple(less), more=tuple(more))


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderTable:
    """`READERS`.

    facts     field of the table -> its value, a name for a field that holds a function
    words     what the wire's own words are
    shapes    what reads each shape
    choices   the shapes of an element, by place
    messages  the `role` of a message -> its reader; None of one that only the parent reads
    writing   the wire whose module defines all that writes; empty where it is the parent's
    parent    the wire of whose table this one is a change; empty where it is whole
    without   the shapes that only the parent has; gone: the places whose elements only the parent reads
    """

    facts: dict[str, Any]
    words: tuple[WordSet, ...]
    shapes: tuple[ShapeRow, ...]
    choices: tuple[tuple[str, ReaderChoice], ...]
    messages: dict[str | None, str | None]
    writing: str
    parent: str = ""
    without: tuple[str, ...] = ()
    gone: tuple[str, ...] = ()

    @property
    def stated(self) -> dict[str, Any]:
        """The facts that must be stated."""
        return {field: value for field, value in self.facts.items() if self.parent or value not in _DEFAULTS}

    @property
    def choice_rows(self) -> list[ChoiceRow]:
        """The choices, those of places that have the same in one row, and the places that only the parent has."""
        places: dict[ReaderChoice, list[str]] = {}
        for place, choice in self.choices:
            places.setdefault(choice, []).append(place)
        rows = [ChoiceRow(tuple(names), choice) for choice, names in places.items()]
        return rows + ([ChoiceRow(self.gone, None)] if self.gone else [])

    @property
    def less(self) -> list[WordSet]:
        """The sets of words of which the parent has more."""
        return [words for words in self.words if words.less]

    @property
    def more(self) -> list[WordSet]:
        """The sets of words of which the parent has less."""
        return [words for words in self.words if words.more]

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
        messages: dict[str | None, str | None] = _changed(self.messages, other.messages, inherited)
        messages |= {word: None for word in other.messages if word not in self.messages}
        return replace(
            self,
            facts=_changed(self.facts, other.facts, inherited),
            words=tuple(
                [words.changed_from(old) for words, old in zip(self.words, other.words, strict=True)]
            ),
            shapes=tuple(shapes),
            choices=tuple(choices),
            messages=messages,
            writing=self.writing if self.writing != other.writing else "",
            parent=wire,
            without=without,
            gone=tuple([place for place in theirs if place not in dict(self.choices)]),
        )


def _changed(
    rows: Mapping[KeyT, Any], others: Mapping[KeyT, Any], inherited: Collection[str]
) -> dict[KeyT, Any]:
    """Return the rows that differ from others, or name a function that is not inherited."""
    return {
        key: value
        for key, value in rows.items()
        if key not in others
        or others[key] != value
        or (isinstance(value, str) and value.startswith("read_") and value not in inherited)
    }


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
        facts=_facts(model, functions, messages, choice.readers),
        words=_words(model),
        shapes=tuple(shapes),
        choices=(*unions.items(), *messages.choices.items()),
        messages={word: reader.name for word, reader in messages.messages.items()},
        writing=writing,
    )


def _facts(
    model: WireModel,
    functions: Mapping[str, str],
    messages: MessageReaders,
    readers: Mapping[str, ShapeReader],
) -> dict[str, Any]:
    """Return the fields that hold no rows, in the order of the table."""
    return {
        "needs": tuple(_needed_keys(model)),
        "model": tuple(_model_keys(model)),
        **functions,
        "marks": model.marks_cache,
        "groups": model.flat_items,
        "listed": tuple(_listed_keys(model)),
        "speaker": model.speaker,
        "lifts": model.instructions.role if model.instructions.placement == "first_message" else "",
        "plain_body": plain_body(model, messages.filters),
        "plain_messages": plain_messages(model, messages.choices, readers),
    }


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
        WordSet("keys", tuple(model.keys)),
        WordSet("constants", tuple(model.constants)),
        WordSet("aliases", tuple(model.aliases)),
        WordSet("echoes", tuple(model.echoes)),
    )
