"""Convert values of a file to Python values, by type hint.

A ValueReader reads one value. For an invalid value it adds a problem and returns None, so callers that build a node
check the number of problems first. `neutral` registers the readers of classes with short forms in `SHORTHANDS`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cache
from types import UnionType
from typing import Any, TypeGuard, TypeVar, Union, get_args, get_origin

from promptwire_text.words import nearest

from ..errors import InvalidRequest
from ..model.kind_words import CALLED
from .problems import MEMORY, FileField, KeyPath, Problems, describe, listed, neutral_fields, quoted, unknown

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class ValueReader:
    """Reads one kind of value.

    Attributes:
        expects: The accepted values in words.
        fits: Returns whether a value is of this kind.
        read: Converts a value that fits.
    """

    expects: str
    fits: Callable[[Any], bool]
    read: Callable[[Any, KeyPath, Problems], Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a mapping as in the file, its value, and the path of the value."""

    key: Any
    value: Any
    path: KeyPath


def read_as(reader: ValueReader, value: Any, path: KeyPath, problems: Problems) -> Any:
    """Read a value, or add the problem that it is of another kind."""
    problems.enter(path)
    if reader.fits(value):
        return reader.read(value, path, problems)
    # a file that is a single text is not a request file; its text is not repeated
    what = describe(value) if path or not isinstance(value, str) else "text"
    problems.add(path, f"expected {reader.expects}, found {what}")
    return None


def is_text(value: object) -> bool:
    """Return whether a value is text."""
    return isinstance(value, str)


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Return whether a value is a mapping."""
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Return whether a value is a list."""
    return isinstance(value, (list, tuple))


def is_text_or_mapping(value: object) -> bool:
    """Return whether a value is text or a mapping."""
    return is_text(value) or is_mapping(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return _is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def _is_json(value: object) -> bool:
    return value is None or isinstance(value, (str, bool, Mapping, list, tuple)) or _is_number(value)


def _as_it_is(value: Any, *_: object) -> Any:
    return value


def _check_json(value: Any, path: KeyPath, problems: Problems) -> Any:
    """Check that a value is JSON at every level, and return it unchanged."""
    if is_mapping(value):
        for entry in entries(value, path, problems):
            read_as(JSON, entry.value, entry.path, problems)
    elif is_list(value):
        for index, item in enumerate(value):
            read_as(JSON, item, (*path, index), problems)
    return value


JSON = ValueReader("a JSON value", _is_json, _check_json)
TEXT = ValueReader("text", is_text, _as_it_is)
_SCALARS: dict[object, ValueReader] = {
    Any: JSON,
    # what Any is in modules of builders, which do not import typing
    object: JSON,
    str: TEXT,
    bool: ValueReader("true or false", lambda value: isinstance(value, bool), _as_it_is),
    int: ValueReader("a whole number", _is_whole, _as_it_is),
    float: ValueReader("a number", _is_number, _as_it_is),
}
SHORTHANDS: dict[object, ValueReader] = {}


def reader_of(hint: Any) -> ValueReader:
    """Return the reader for a type hint of the neutral model, without None."""
    known = SHORTHANDS.get(hint) or _SCALARS.get(hint)
    return known or _built(hint)


@cache
def _built(hint: Any) -> ValueReader:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _either([reader_of(member) for member in inner])
    if origin is tuple:
        readers = [reader_of(argument) for argument in inner if argument is not Ellipsis]
        return _row(readers[0]) if Ellipsis in inner else _fixed_row(readers)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _by_key(reader_of(inner[1]), index=inner[0] is int)
    if is_dataclass(hint) and isinstance(hint, type):
        return class_reader(hint)
    raise TypeError(f"request files have no form for {hint!r}")


def _row(item: ValueReader) -> ValueReader:
    """Return the reader of a list. A single text is accepted as a list of texts."""

    def read(value: Any, path: KeyPath, problems: Problems) -> Any:
        if not is_list(value):
            return (value,)
        return tuple(
            [read_as(item, element, (*path, index), problems) for index, element in enumerate(value)]
        )

    if item is TEXT:
        return ValueReader("text or a list of texts", lambda value: is_list(value) or is_text(value), read)
    return ValueReader("a list", is_list, read)


def _fixed_row(items: Sequence[ValueReader]) -> ValueReader:
    def fits(value: Any) -> bool:
        return is_list(value) and len(value) == len(items)

    def read(value: Any, path: KeyPath, problems: Problems) -> Any:
        pairs = enumerate(zip(items, value, strict=True))
        return tuple([read_as(item, element, (*path, index), problems) for index, (item, element) in pairs])

    return ValueReader(f"a list of {len(items)} values", fits, read)


def _by_key(item: ValueReader, *, index: bool) -> ValueReader:
    """Return the reader of a mapping with any keys; with `index`, the keys are integers written as text."""

    def fits(value: Any) -> bool:
        return is_mapping(value) and not (index and any(not str(key).isdecimal() for key in value))

    def read(value: Any, path: KeyPath, problems: Problems) -> Any:
        if item is JSON:
            return _check_json(value, path, problems)
        rows = entries(value, path, problems)
        return {
            int(entry.key) if index else entry.key: read_as(item, entry.value, entry.path, problems)
            for entry in rows
        }

    return ValueReader("a mapping", fits, read)


def _either(readers: Sequence[ValueReader]) -> ValueReader:
    """Return a reader that uses the first reader that fits, preferring a class whose fields include all keys."""

    def read(value: Any, path: KeyPath, problems: Problems) -> Any:
        fitting = [reader for reader in readers if reader.fits(value)]
        exact = [
            reader for reader in fitting if not isinstance(reader.fits, _Fits) or reader.fits.knows(value)
        ]
        return (exact or fitting)[0].read(value, path, problems)

    words = listed(dict.fromkeys(reader.expects for reader in readers))
    return ValueReader(words, lambda value: any(reader.fits(value) for reader in readers), read)


@dataclass(frozen=True, slots=True)
class _Fits:
    """The `fits` test of a class without a short form."""

    keys: frozenset[str]

    def __call__(self, value: Any) -> bool:
        """Return whether the value is a mapping."""
        return is_mapping(value)

    def knows(self, value: Mapping[Any, Any]) -> bool:
        """Return whether all keys are fields of the class."""
        return self.keys.issuperset(value)


def class_reader(cls: type[Any]) -> ValueReader:
    """Return the reader of a class that is written as a mapping of its fields."""
    keys = frozenset(field.key for field in neutral_fields(cls))

    def read(value: Any, path: KeyPath, problems: Problems) -> Any:
        return read_fields(cls, entries(value, path, problems), path, problems)

    return ValueReader("a mapping", _Fits(keys), read)


def entries(value: Mapping[Any, Any], path: KeyPath, problems: Problems) -> list[Entry]:
    """Return the entries of a mapping. A key that is not text is added to the problems and omitted."""
    rows: list[Entry] = []
    for key, inner in value.items():
        if isinstance(key, str):
            rows.append(Entry(key, inner, (*path, key)))
        else:
            problems.add(path, f"a key must be text, found {describe(key)}")
    return rows


def read_fields(
    cls: type[T],
    rows: Iterable[Entry],
    path: KeyPath,
    problems: Problems,
    *,
    known: Mapping[str, Any] | None = None,
) -> T | None:
    """Build a node from the entries of a file, and from `known` fields that they imply."""
    before = len(problems)
    by_key = {field.key: field for field in neutral_fields(cls)}
    values: dict[str, Any] = dict(known or {})
    strange: list[str] = []
    for entry in rows:
        field = by_key.get(entry.key)
        if field is None:
            strange.append(entry.key)
            problems.add(path, _unknown_key(entry.key, cls), key=entry.key)
        elif field.name in values:
            problems.add(path, f"{quoted(entry.key)} is set twice", key=entry.key)
        else:
            values[field.name] = _field(field, entry, problems)
    meant = {nearest(word, by_key) for word in strange}
    for field in by_key.values():
        if field.must_stand and field.name not in values and field.key not in meant:
            problems.add(path, f"{quoted(field.key)} is missing; expected {reader_of(field.hint).expects}")
        elif field.required and field.nullable:
            values.setdefault(field.name, None)
    return make(cls, values, path, problems) if len(problems) == before else None


def _field(field: FileField, entry: Entry, problems: Problems) -> Any:
    if entry.value is None and field.nullable:
        return None
    return read_as(reader_of(field.hint), entry.value, entry.path, problems)


def _unknown_key(key: str, cls: type) -> str:
    """Return the message for an unknown key, which may have another name in files or belong one level deeper."""
    keys = [field.key for field in neutral_fields(cls) if field.name not in MEMORY]
    meant = CALLED.get(key)
    if meant is None and nearest(key, keys) is None:
        deeper = [
            field
            for field in neutral_fields(cls)
            if isinstance(field.hint, type) and is_dataclass(field.hint)
        ]
        inside = [field.key for field in deeper if key in {inner.key for inner in neutral_fields(field.hint)}]
        meant = f"{inside[0]}.{key}" if inside else None
    return f'unknown key {quoted(key)}; did you mean "{meant}"?' if meant else unknown("key", key, keys)


def make(cls: type[T], values: Mapping[str, Any], path: KeyPath, problems: Problems) -> T | None:
    """Build a node. An InvalidRequest is added to the problems, at its field and with the keys of the file."""
    try:
        return cls(**values)
    except InvalidRequest as error:
        text = str(error).removeprefix(f"{cls.__name__}: ")
        for name, key in CALLED.items():
            text = re.sub(rf"\b{name}\b", key, text)
        field = error.field.rpartition(".")[2]
        problems.add((*path, CALLED.get(field, field)) if field in values else path, text)
        return None
