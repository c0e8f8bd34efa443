"""A function that reads a body's fields as a change of the parent's, which says only what a dialect reads otherwise."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from ..python import Expression, literal
from .body_reader import BodyReader, FieldsReader
from .definition import ReaderDefinition
from .field_values import ReadStep


@dataclass(frozen=True, slots=True, kw_only=True)
class ChangedReader(ReaderDefinition):
    """A function that reads what the parent's does, but for some fields.

    table   the field of the table of readers that holds both
    values  steps before
    fields  the fields that differ
    """

    table: str
    values: tuple[ReadStep, ...]
    fields: tuple[tuple[str, Expression], ...]
    macro: ClassVar[str] = "changed_fields"


def as_inherited(reader: FieldsReader, other: FieldsReader) -> FieldsReader:
    """Return the parent's function in place of one that reads the same.

    Options that only the API of the parent has do not count: `Reader` leaves unread what no key of the body writes.
    """
    mine, others = _effects(reader), _effects(other)
    if reader.table == "vendor":
        return other if mine.items() <= others.items() else reader
    same = mine == others and _calls(reader) == _calls(other) and _comes_alike(reader, other)
    return other if same else reader


def as_change(reader: FieldsReader, other: FieldsReader) -> ReaderDefinition:
    """Return the function as a change of the parent's, where that says less."""
    mine, others = _effects(reader), _effects(other)
    if not _comes_alike(reader, other) or _calls(other) - _calls(reader):
        return reader
    fields = {name: value for name, value in reader.fields if mine[name] != others.get(name)}
    if reader.table != "vendor":
        fields |= {name: literal(None) for name in others if name not in mine}
    if len(fields) >= len(reader.fields):
        return reader
    known = _calls(other)
    calls = [
        step for step in reader.values if not step.variable and _inlined(reader, step.value) not in known
    ]
    return ChangedReader(
        name=reader.name,
        doc=f"{reader.doc.partition(chr(10))[0].removesuffix('.')}; what is not here is read as the parent does.",
        table=reader.table,
        values=_needed(reader, [*fields.values(), *[step.value for step in calls]], calls),
        fields=tuple(fields.items()),
    )


def _comes_alike(reader: FieldsReader, other: FieldsReader) -> bool:
    """Return whether both read the conversation alike."""
    if not isinstance(reader, BodyReader) or not isinstance(other, BodyReader):
        return True
    return (reader.messages, reader.lifted) == (other.messages, other.lifted)


def _effects(reader: FieldsReader) -> dict[str, str]:
    """Field -> its value with all that variables hold in their place, and what is only called."""
    return {name: _inlined(reader, value) for name, value in reader.fields}


def _calls(reader: FieldsReader) -> frozenset[str]:
    """Return the steps that hold nothing: settings that the body says."""
    return frozenset([_inlined(reader, step.value) for step in reader.values if not step.variable])


def _inlined(reader: FieldsReader, value: Expression) -> str:
    text = value.text
    for step in reversed(reader.values):
        if step.variable:
            text = f"({step.value})".join(_word(step.variable).split(text))
    return text


def _needed(
    reader: FieldsReader, values: Iterable[Expression], calls: Iterable[ReadStep]
) -> tuple[ReadStep, ...]:
    """Return the steps of which some values need what they hold, and calls."""
    texts = [value.text for value in values]
    needed: list[ReadStep] = []
    for step in reversed(reader.values):
        if step.variable and any(_word(step.variable).search(text) for text in texts):
            texts.append(step.value.text)
            needed.append(step)
        elif step in calls:
            needed.append(step)
    return tuple(reversed(needed))


def _word(variable: str) -> re.Pattern[str]:
    return re.compile(rf"\b{re.escape(variable)}\b")
