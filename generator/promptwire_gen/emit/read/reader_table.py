"""The table of all that reads a wire, by which the reader and the reading functions find each other."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ...model.wire import Variant, WireModel
from ...spec.shapes import Hole
from ..merge_patch import REMOVED, Table, merge_patch
from .bodies import plain_body, plain_messages
from .message_readers import MessageReaders, ReaderChoice, VariantChoice
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
    """The members of a set of words that only the parent's has, and those that it lacks."""

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
        """Whether the table states the module that writes: a patch does where it is not the parent's."""
        return "writing" in self.fields

    def whole(self) -> ReaderTable:
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
                return own.says_as(above.without(removed))
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
        keys = next((keys for keys, other in groups if _joins(row) and other == row), None)
        if keys is None:
            groups.append(([key], row))
        else:
            keys.append(key)
    return groups


def _joins(row: object) -> bool:
    return row is REMOVED or isinstance(row, ReaderChoice)


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
    readers = choice.readers
    fields = {
        "words": {
            field: tuple(getattr(model, field)) for field in ("keys", "constants", "aliases", "echoes")
        },
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
        "shapes": {
            variant.label: _shape_row(variant, readers[variant.label])
            for variant in model.variants
            if variant.label in readers
        },
        "choices": {**unions, **messages.choices},
        "messages": {word: reader.name for word, reader in messages.messages.items()},
        "writing": writing,
    }
    return ReaderTable(fields)


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


def _shape_row(variant: Variant, reader: ShapeReader) -> ShapeRow:
    alone = variant.roles[0] if variant.slot == "messages" else ""
    return ShapeRow(reader.name, alone, reader.needs, reader.near)
