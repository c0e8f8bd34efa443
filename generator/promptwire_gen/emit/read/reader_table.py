"""The table of a wire's reading functions, by which the reader and these functions find each other."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ...model.wire import WireModel
from ..python import Expression, literal, name, tuple_of
from .definition import Definition
from .message_readers import MessageReaders
from .shape_readers import ShapeReader


@dataclass(frozen=True, slots=True)
class Row:
    """What reads something: `key` says what, `wire` names the wire whose module defines the function."""

    key: Expression
    function: str
    wire: str = ""


@dataclass(frozen=True, slots=True)
class WordSet:
    """A field of `Words`: all its members, or what it has less and more than the same field of the parent."""

    field: str
    members: tuple[Expression, ...]
    changed: bool = False
    less: tuple[Expression, ...] = ()
    more: tuple[Expression, ...] = ()

    def changed_from(self, other: WordSet) -> WordSet:
        """The same set as a change of another one, where that says less."""
        less = tuple([member for member in other.members if member not in self.members])
        more = tuple([member for member in self.members if member not in other.members])
        if len(less) + len(more) >= len(self.members):
            return self
        return replace(self, members=(), changed=True, less=less, more=more)


@dataclass(frozen=True, slots=True, kw_only=True)
class ReaderTable(Definition):
    """`READERS`.

    mappings  field of the table -> its rows
    fields    field of the table -> its value
    words     what the wire's own words are; empty where they are the parent's
    writers   label of a shape -> what writes it
    writing   the wire whose module defines the table of all that writes; empty where it is the parent's
    parent    the wire of whose table this one is a change; empty where it is whole
    """

    mappings: tuple[tuple[str, tuple[Row, ...]], ...]
    fields: tuple[tuple[str, Expression], ...]
    words: tuple[WordSet, ...]
    writers: tuple[Row, ...]
    writing: str
    parent: str = ""
    macro: ClassVar[str] = "readers"

    def changed_from(self, other: ReaderTable, wire: str, inherited: frozenset[str]) -> ReaderTable:
        """The same table as a change of another wire's, for functions of which some are inherited from it.

        What only the other has is nothing that this wire's functions ask for, messages aside: these are listed whole.
        """
        mappings = dict(other.mappings)
        changed: list[tuple[str, tuple[Row, ...]]] = []
        for field, rows in self.mappings:
            inherited_rows = mappings.get(field, ())
            new_rows = [row for row in rows if row not in inherited_rows or row.function not in inherited]
            if new_rows:
                changed.append((field, tuple(new_rows)))
        fields = [
            (field, value)
            for field, value in self.fields
            if (field, value) not in other.fields or not (value.text in inherited or value.text == "True")
        ]
        writers = [row for row in self.writers if row not in other.writers]
        functions = [row.function for _, rows in changed for row in rows]
        functions += [value.text for _, value in fields]
        return replace(
            self,
            mappings=tuple(changed),
            fields=tuple(fields),
            words=()
            if self.words == other.words
            else tuple([words.changed_from(old) for words, old in zip(self.words, other.words, strict=True)]),
            writers=tuple(writers),
            writing=self.writing if self.writing != other.writing else "",
            uses=self.uses & frozenset(functions),
            parent=wire,
        )

    def can_change(self, other: ReaderTable) -> bool:
        """Whether this table says the same as another one with changes: it lacks no message and no flag of it."""
        spoken = [{row.key for row in dict(table.mappings).get("messages", ())} for table in (self, other)]
        return spoken[1] <= spoken[0] and {field for field, _ in other.fields} <= {
            field for field, _ in self.fields
        }


def reader_table(
    model: WireModel,
    shapes: list[ShapeReader],
    nodes: Mapping[str, str],
    messages: MessageReaders,
    homes: Mapping[str, str],
) -> ReaderTable:
    """The table of one wire.

    `nodes` maps fields of the table to functions, `homes` each function that writes to the wire that defines it.
    """
    mappings: dict[str, dict[Any, str]] = {
        "contents": {place: reader.name for place, reader in messages.contents.items()},
        "single": {place: reader.name for place, reader in messages.single.items()},
        "messages": {word: reader.name for word, reader in messages.messages.items()},
    }
    item = {} if messages.item is None else {"item": messages.item.name}
    functions = {"body": "read_body", **nodes, **item}
    flags = {"marks": model.marks_cache, "groups": model.group}
    remembered = [shape.remembers for shape in shapes if shape.remembers is not None]
    return ReaderTable(
        name="READERS",
        doc="",
        uses=frozenset(functions.values()).union(*(rows.values() for rows in mappings.values())),
        mappings=tuple(
            [
                (field, tuple([Row(literal(key), function) for key, function in rows.items()]))
                for field, rows in mappings.items()
            ]
        ),
        fields=(
            *((field, name(function)) for field, function in functions.items()),
            *((field, literal(True)) for field, is_set in flags.items() if is_set),
        ),
        words=_words(model),
        writing=homes["WRITERS"],
        writers=tuple(
            [Row(literal(label), f"write_{label}", homes[f"write_{label}"]) for label in remembered]
        ),
    )


def _words(model: WireModel) -> tuple[WordSet, ...]:
    return (
        WordSet("keys", tuple(map(literal, model.keys))),
        WordSet("constants", tuple(map(literal, model.constants))),
        WordSet("synonyms", _pairs(model.synonyms)),
        WordSet("echoes", _pairs(model.echoes)),
    )


def _pairs(rows: Iterable[tuple[str, str]]) -> tuple[Expression, ...]:
    return tuple([tuple_of([literal(first), literal(second)]) for first, second in rows])
