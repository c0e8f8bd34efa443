"""What a value of a file may look like for each type hint, and how it becomes the Python value.

A shape reads one value, notes what is wrong with it, and then gives None: whoever builds a node looks at the
number of problems first. Shapes of classes with shorthands are entered into `SHORTHANDS` by `neutral`.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, is_dataclass
from functools import cache
from types import UnionType
from typing import TypeGuard, TypeVar, Union, get_args, get_origin

from promptwire_text.near_words import nearest

from ..errors import InvalidRequest
from ..model.kind_words import CALLED
from ..typed import Any
from .file_format import MEMORY, NeutralField, neutral_fields
from .problems import Path, Problems, describe, listed, quoted, unknown

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Shape:
    """expects: the accepted values in words; fits: whether a value is of that sort; read: how it is read."""

    expects: str
    fits: Callable[[Any], bool]
    read: Callable[[Any, Path, Problems], Any]


@dataclass(frozen=True, slots=True)
class Entry:
    """One key of a mapping (as the file has it), its value and the path of the value."""

    key: Any
    value: Any
    path: Path


def read_as(shape: Shape, value: Any, path: Path, problems: Problems) -> Any:
    """Read a value by a shape, or note that it is something else."""
    problems.enter(path)
    if shape.fits(value):
        return shape.read(value, path, problems)
    # a file that is one text is none of ours: what it says is not repeated
    what = describe(value) if path or not isinstance(value, str) else "text"
    problems.add(path, f"expected {shape.expects}, found {what}")
    return None


def is_text(value: object) -> bool:
    """Tell whether a value is text."""
    return isinstance(value, str)


def is_mapping(value: object) -> TypeGuard[Mapping[Any, Any]]:
    """Tell whether a value is a mapping."""
    return isinstance(value, Mapping)


def is_list(value: object) -> TypeGuard[Sequence[Any]]:
    """Tell whether a value is a list."""
    return isinstance(value, (list, tuple))


def is_text_or_mapping(value: object) -> bool:
    """Tell whether a value is text or a mapping."""
    return is_text(value) or is_mapping(value)


def _is_whole(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _is_number(value: object) -> bool:
    return _is_whole(value) or (isinstance(value, float) and math.isfinite(value))


def _is_json(value: object) -> bool:
    return value is None or isinstance(value, (str, bool, Mapping, list, tuple)) or _is_number(value)


def _as_it_is(value: Any, *_: object) -> Any:
    return value


def _check_json(value: Any, path: Path, problems: Problems) -> Any:
    """Check that a value is JSON all the way down; the value itself is passed on."""
    if is_mapping(value):
        for entry in entries(value, path, problems):
            read_as(JSON, entry.value, entry.path, problems)
    elif is_list(value):
        for index, item in enumerate(value):
            read_as(JSON, item, (*path, index), problems)
    return value


JSON = Shape("a JSON value", _is_json, _check_json)
TEXT = Shape("text", is_text, _as_it_is)
_SCALARS: dict[object, Shape] = {
    Any: JSON,
    str: TEXT,
    bool: Shape("true or false", lambda value: isinstance(value, bool), _as_it_is),
    int: Shape("a whole number", _is_whole, _as_it_is),
    float: Shape("a number", _is_number, _as_it_is),
}
SHORTHANDS: dict[object, Shape] = {}


def shape_of(hint: Any) -> Shape:
    """Give the shape of a type hint; hints are those of the neutral model, without None."""
    known = SHORTHANDS.get(hint) or _SCALARS.get(hint)
    return known or _built(hint)


@cache
def _built(hint: Any) -> Shape:
    origin, inner = get_origin(hint), get_args(hint)
    if origin in (Union, UnionType):
        return _either([shape_of(member) for member in inner])
    if origin is tuple:
        shapes = [shape_of(argument) for argument in inner if argument is not Ellipsis]
        return _row(shapes[0]) if Ellipsis in inner else _fixed_row(shapes)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return _by_key(shape_of(inner[1]), index=inner[0] is int)
    if is_dataclass(hint) and isinstance(hint, type):
        return class_shape(hint)
    raise TypeError(f"a request file has no form for {hint!r}")


def _row(item: Shape) -> Shape:
    """Make the shape of a list; a single text will do where the items are text."""

    def read(value: Any, path: Path, problems: Problems) -> Any:
        if not is_list(value):
            return (value,)
        return tuple(
            [read_as(item, element, (*path, index), problems) for index, element in enumerate(value)]
        )

    if item is TEXT:
        return Shape("text or a list of texts", lambda value: is_list(value) or is_text(value), read)
    return Shape("a list", is_list, read)


def _fixed_row(items: Sequence[Shape]) -> Shape:
    def fits(value: Any) -> bool:
        return is_list(value) and len(value) == len(items)

    def read(value: Any, path: Path, problems: Problems) -> Any:
        pairs = enumerate(zip(items, value, strict=True))
        return tuple([read_as(item, element, (*path, index), problems) for index, (item, element) in pairs])

    return Shape(f"a list of {len(items)} values", fits, read)


def _by_key(item: Shape, *, index: bool) -> Shape:
    """Make the shape of a mapping with any keys; with `index` they are whole numbers, written as text."""

    def fits(value: Any) -> bool:
        return is_mapping(value) and not (index and any(not str(key).isdecimal() for key in value))

    def read(value: Any, path: Path, problems: Problems) -> Any:
        if item is JSON:
            return _check_json(value, path, problems)
        rows = entries(value, path, problems)
        return {
            int(entry.key) if index else entry.key: read_as(item, entry.value, entry.path, problems)
            for entry in rows
        }

    return Shape("a mapping", fits, read)


def _either(shapes: Sequence[Shape]) -> Shape:
    """Make the shape of the first one that fits; of several classes the one whose fields the keys are."""

    def read(value: Any, path: Path, problems: Problems) -> Any:
        fitting = [shape for shape in shapes if shape.fits(value)]
        exact = [shape for shape in fitting if not isinstance(shape.fits, _Fits) or shape.fits.knows(value)]
        return (exact or fitting)[0].read(value, path, problems)

    words = listed(dict.fromkeys(shape.expects for shape in shapes))
    return Shape(words, lambda value: any(shape.fits(value) for shape in shapes), read)


@dataclass(frozen=True, slots=True)
class _Fits:
    """The test of a class without shorthands."""

    keys: frozenset[str]

    def __call__(self, value: Any) -> bool:
        """Tell whether the value is a mapping."""
        return is_mapping(value)

    def knows(self, value: Mapping[Any, Any]) -> bool:
        """Tell whether all keys are fields of the class."""
        return self.keys.issuperset(value)


def class_shape(cls: type[Any]) -> Shape:
    """Give the shape of a class that is written as a mapping of its fields."""
    keys = frozenset(field.key for field in neutral_fields(cls))

    def read(value: Any, path: Path, problems: Problems) -> Any:
        return read_fields(cls, entries(value, path, problems), path, problems)

    return Shape("a mapping", _Fits(keys), read)


def entries(value: Mapping[Any, Any], path: Path, problems: Problems) -> list[Entry]:
    """List the keys of a mapping; a key that is not text is a problem and left out."""
    rows: list[Entry] = []
    for key, inner in value.items():
        if isinstance(key, str):
            rows.append(Entry(key, inner, (*path, key)))
        else:
            problems.add(path, f"a key is text, found {describe(key)}")
    return rows


def read_fields(
    cls: type[T],
    rows: Iterable[Entry],
    path: Path,
    problems: Problems,
    *,
    known: Mapping[str, Any] | None = None,
) -> T | None:
    """Build a node from the entries of the file, and from `known` fields that follow from them."""
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
            problems.add(path, f"{quoted(entry.key)} is given twice", key=entry.key)
        else:
            values[field.name] = _field(field, entry, problems)
    meant = {nearest(word, by_key) for word in strange}
    for field in by_key.values():
        if field.must_stand and field.name not in values and field.key not in meant:
            problems.add(path, f"{quoted(field.key)} is missing: expected {shape_of(field.hint).expects}")
        elif field.required and field.nullable:
            values.setdefault(field.name, None)
    return make(cls, values, path, problems) if len(problems) == before else None


def _field(field: NeutralField, entry: Entry, problems: Problems) -> Any:
    if entry.value is None and field.nullable:
        return None
    return read_as(shape_of(field.hint), entry.value, entry.path, problems)


def _unknown_key(key: str, cls: type) -> str:
    """Word an unknown key; the key may be called otherwise in a file, or belong one level deeper."""
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
    return f'unknown key {quoted(key)}: did you mean "{meant}"?' if meant else unknown("key", key, keys)


def make(cls: type[T], values: Mapping[str, Any], path: Path, problems: Problems) -> T | None:
    """Call the class, and note what it refuses in the words of the file, at the field where it says so."""
    try:
        return cls(**values)
    except InvalidRequest as error:
        text = str(error).removeprefix(f"{cls.__name__}: ")
        for name, key in CALLED.items():
            text = re.sub(rf"\b{name}\b", key, text)
        field = error.field.rpartition(".")[2]
        problems.add((*path, CALLED.get(field, field)) if field in values else path, text)
        return None
