"""Frozen records: compared, hashed, shown, copied and pickled by their fields.

A standard dataclass extends `Record`, or `CheckedRecord` of `checks`. What a builder's import loads extends
`LightRecord`, because importing `dataclasses` costs as much as a whole wire. `fields`, `replace` and `asdict` of the
standard library take both, and those of this module are quicker.
"""

from __future__ import annotations

from ..errors import InvalidRequest
from ..typed import TYPE_CHECKING
from ..wire_json.copies import MOST_CONTAINERS, MOST_LEVELS
from .record_fields import MISSING, RecordField, fields_of, shown

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import Field, fields, replace
    from typing import Any, ClassVar, TypeGuard, TypeVar

    RecordT = TypeVar("RecordT", bound="Record")

__all__ = [
    "LightRecord",
    "Record",
    "construct",
    "fields",
    "is_node",
    "plain_defaults",
    "replace",
    "set_fields",
]
# JSON as deep as a body may hold it, and the nodes around it
_MOST_LEVELS = 2 * MOST_LEVELS
_set = object.__setattr__
_COMPARED: dict[type, Callable[[Any], Any]] = {}
# class -> its defaults, the fields without one, and all fields; None if a default is made anew for each record
_DEFAULTS: dict[type, tuple[dict[str, Any], frozenset[str], frozenset[str]] | None] = {}
# the names that a constructor takes
_TAKEN: dict[type, tuple[str, ...]] = {}
_AS_DATACLASS: dict[type, dict[str, Any]] = {}


class Record:
    """Base of all records: compared, hashed, shown, copied and pickled by their fields."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        """Compare by class and fields."""
        cls = type(self)
        if cls is not type(other):
            return NotImplemented
        getter = _COMPARED.get(cls) or _make_getter(cls)
        try:
            return bool(getter(self) == getter(other))
        except RecursionError:
            raise InvalidRequest(f"{cls.__name__}: a value is nested too deep to be compared") from None

    def __hash__(self) -> int:
        """Hash by fields; a record that holds a dict or list has no hash."""
        cls = type(self)
        return hash((cls, (_COMPARED.get(cls) or _make_getter(cls))(self)))

    def __repr__(self) -> str:
        """Show what differs from the defaults."""
        rows = [
            f"{field.name}={shown(value)}"
            for field in fields_of(type(self))
            if field.repr and (value := getattr(self, field.name)) != field.default
        ]
        return f"{type(self).__name__}({', '.join(rows)})"

    def __getstate__(self) -> dict[str, Any]:
        """Return all fields, for copies and pickles. Raises InvalidRequest if they are nested too deeply."""
        _check_depth(self)
        return {field.name: getattr(self, field.name) for field in fields_of(type(self))}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Set all fields from a pickled state."""
        set_fields(self, **state)


class _Fields:
    """The `__dataclass_fields__` of a light record, computed when `dataclasses` first asks for them."""

    def __get__(self, record: object, cls: type) -> dict[str, Any]:
        return _AS_DATACLASS.get(cls) or _as_dataclass(cls)


class LightRecord(Record):
    """Base of nodes and of records that builders load: frozen without the `dataclasses` module."""

    __slots__ = ()

    if TYPE_CHECKING:
        __dataclass_fields__: ClassVar[dict[str, Field[Any]]]
    else:  # type checkers know frozen dataclasses
        __dataclass_fields__ = _Fields()

        def __setattr__(self, name: str, value: object) -> None:
            """Refuse: records are frozen."""
            from dataclasses import FrozenInstanceError

            raise FrozenInstanceError(f"cannot assign to field {name!r}")

        def __delattr__(self, name: str) -> None:
            """Refuse: records are frozen."""
            from dataclasses import FrozenInstanceError

            raise FrozenInstanceError(f"cannot delete field {name!r}")

    def __post_init__(self) -> None:
        """Do nothing. A class may check more than the types, which its constructor has checked."""


def set_fields(record: object, /, **values: Any) -> None:
    """Set fields of a record that is being made, which nobody else has yet."""
    for name, value in values.items():
        _set(record, name, value)


def construct(cls: type[RecordT], **values: Any) -> RecordT:
    """Build a record from values that are known to be valid; no default of the class may have a factory."""
    record = cls.__new__(cls)
    known = plain_defaults(cls)
    record.__dict__.update(known[0] if known else {}, **values)
    return record


def plain_defaults(cls: type) -> tuple[dict[str, Any], frozenset[str], frozenset[str]] | None:
    """Return the defaults of a class, the names without one, and all names; None if a factory makes a default."""
    if cls in _DEFAULTS:
        return _DEFAULTS[cls]
    rows = fields_of(cls)
    plain = all(field.init and field.default_factory is MISSING for field in rows)
    defaults = {field.name: field.default for field in rows if field.default is not MISSING}
    names = frozenset({field.name for field in rows})
    _DEFAULTS[cls] = (defaults, names - defaults.keys(), names) if plain else None
    return _DEFAULTS[cls]


def _check_depth(record: Record) -> None:
    """Refuse to copy what Python cannot: it goes down one call, or several, a level."""
    level: list[Any] = [record]
    count = 0
    for _ in range(_MOST_LEVELS):
        level = [inner for holder in level for inner in _list_containers(holder)]
        if not level:
            return
        count += len(level)
        if count > MOST_CONTAINERS:
            break
    why = "a value is nested too deep to be copied, holds itself, or unfolds without end"
    raise InvalidRequest(f"{type(record).__name__}: {why}")


def _list_containers(holder: Any) -> list[Any]:
    """Return the members of a container or record that may be containers themselves."""
    if is_node(holder):
        values: Any = [getattr(holder, field.name) for field in fields(holder)]
    else:
        # a dict has values, a list or tuple is them
        inside = getattr(holder, "values", None)
        values = holder if inside is None else inside()
    return [value for value in values if isinstance(value, (dict, list, tuple, Record))]


def is_node(value: object) -> TypeGuard[Any]:
    """Return whether a value is a record, as all nodes are."""
    return isinstance(value, Record)


def _make_getter(cls: type[Any]) -> Callable[[Any], Any]:
    from operator import attrgetter

    getter = attrgetter(*(field.name for field in fields(cls) if field.compare))
    _COMPARED[cls] = getter
    return getter


def _as_dataclass(cls: type) -> dict[str, Any]:
    import dataclasses

    rows: list[tuple[str, Any, Any]] = []
    for field in fields_of(cls):
        sources = {"default": field.default, "default_factory": field.default_factory}
        kept = {name: value for name, value in sources.items() if value is not MISSING}
        standard: Any = dataclasses.field(
            init=field.init, repr=field.repr, compare=field.compare, kw_only=field.kw_only, **kept
        )
        rows.append((field.name, field.annotation, standard))
    whole: Any = dataclasses.make_dataclass(cls.__name__, rows, frozen=True)
    table: dict[str, Any] = whole.__dataclass_fields__
    _AS_DATACLASS[cls] = table
    return table


if not TYPE_CHECKING:

    def fields(record: object) -> tuple[RecordField, ...]:
        """Return the fields of a record or of its class."""
        return fields_of(record if isinstance(record, type) else type(record))

    def replace(record: Any, /, **changes: Any) -> Any:
        """Return a copy of this record with some fields changed."""
        cls = type(record)
        for name in _TAKEN.get(cls) or _list_taken(cls):
            if name not in changes:
                changes[name] = getattr(record, name)
        return cls(**changes)

    def _list_taken(cls: type) -> tuple[str, ...]:
        names = _TAKEN[cls] = tuple([field.name for field in fields_of(cls) if field.init])
        return names
