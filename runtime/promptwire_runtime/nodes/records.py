"""Frozen records: compared, hashed, shown, copied and pickled by their fields, without the `dataclasses` module.

To type checkers `fields` and `replace` are those of the standard library, and its own `fields`, `replace` and
`asdict` take records as they take dataclasses: importing that module costs as much as a whole wire.
"""

from __future__ import annotations

from ..errors import InvalidRequest
from ..typed import TYPE_CHECKING
from ..wire_json.bounds import MOST_CONTAINERS, MOST_LEVELS

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import Field, fields, replace
    from typing import Any, ClassVar, TypeGuard

__all__ = [
    "MISSING",
    "Record",
    "RecordField",
    "annotations_of",
    "fields",
    "fields_of",
    "is_node",
    "keep_fields",
    "replace",
    "set_fields",
    "shown",
]
MISSING: Any = object()
# JSON as deep as a body may hold it, and the nodes around it
_MOST_LEVELS = 2 * MOST_LEVELS
_set = object.__setattr__
_FIELDS: dict[type, tuple[RecordField, ...]] = {}
_COMPARED: dict[type, Callable[[Any], Any]] = {}
# the names that a constructor takes
_TAKEN: dict[type, tuple[str, ...]] = {}
_AS_DATACLASS: dict[type, dict[str, Any]] = {}


class RecordField:
    """One field: its name, its default or what makes one, and what it takes part in."""

    __slots__ = ("annotation", "compare", "default", "default_factory", "init", "kw_only", "name", "repr")

    def __init__(
        self,
        *,
        default: Any = MISSING,
        default_factory: Any = MISSING,
        init: bool = True,
        repr: bool = True,  # noqa: A002  # as dataclasses.field names it
        compare: bool = True,
        kw_only: bool = False,
    ) -> None:
        self.name = ""
        self.annotation = ""
        self.default = default
        self.default_factory = default_factory
        self.init = init
        self.repr = repr
        self.compare = compare
        self.kw_only = kw_only

    def fresh(self) -> Any:
        """Return the default; MISSING if there is none."""
        return self.default if self.default_factory is MISSING else self.default_factory()


class _Fields:
    """The `__dataclass_fields__` of a record, computed when `dataclasses` first asks for them."""

    def __get__(self, record: object, cls: type) -> dict[str, Any]:
        return _AS_DATACLASS.get(cls) or _as_dataclass(cls)


class Record:
    """Base of all records: compared, hashed and shown by their fields, and never changed."""

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

    def __eq__(self, other: object) -> bool:
        """Compare by class and fields."""
        cls = type(self)
        if cls is not type(other):
            return NotImplemented
        getter = _COMPARED.get(cls) or _compared(cls)
        try:
            return bool(getter(self) == getter(other))
        except RecursionError:
            raise InvalidRequest(f"{cls.__name__}: a value is nested too deep to be compared") from None

    def __hash__(self) -> int:
        """Hash by fields; a record that holds a dict or list has no hash."""
        cls = type(self)
        return hash((cls, (_COMPARED.get(cls) or _compared(cls))(self)))

    def __repr__(self) -> str:
        """Show what differs from the defaults."""
        rows = [
            f"{field.name}={shown(value)}"
            for field in fields(self)
            if field.repr and (value := getattr(self, field.name)) != field.default
        ]
        return f"{type(self).__name__}({', '.join(rows)})"

    def __getstate__(self) -> dict[str, Any]:
        """Return all fields, for copies and pickles. Raises InvalidRequest if they are nested too deeply."""
        _check_depth(self)
        return {field.name: getattr(self, field.name) for field in fields(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        """Take all fields back."""
        set_fields(self, **state)


def set_fields(record: object, /, **values: Any) -> None:
    """Set fields of a record that is being made, which nobody else has yet."""
    for name, value in values.items():
        _set(record, name, value)


def _check_depth(record: Record) -> None:
    """Refuse to copy what Python cannot: it goes down one call, or several, a level."""
    level: list[Any] = [record]
    count = 0
    for _ in range(_MOST_LEVELS):
        level = [inner for holder in level for inner in _held(holder)]
        if not level:
            return
        count += len(level)
        if count > MOST_CONTAINERS:
            break
    why = "a value is nested too deep to be copied, holds itself, or unfolds without end"
    raise InvalidRequest(f"{type(record).__name__}: {why}")


def _held(holder: Any) -> list[Any]:
    """Return the members of a container or record that may be containers themselves."""
    if is_node(holder):
        values: Any = [getattr(holder, field.name) for field in fields(holder)]
    else:
        # a dict has values, a list or tuple is them
        inside = getattr(holder, "values", None)
        values = holder if inside is None else inside()
    return [value for value in values if isinstance(value, (dict, list, tuple, Record))]


def shown(value: object) -> str:
    """Show a value as Python does; one that Python cannot show, by its class and the reason."""
    try:
        return repr(value)
    except RecursionError:
        return f"<{type(value).__name__}: nested too deep>"
    except ValueError:
        return f"<{type(value).__name__}: a number of too many digits>"


def is_node(value: object) -> TypeGuard[Any]:
    """Return whether a value is a record, as all nodes are."""
    return isinstance(value, Record)


def keep_fields(cls: type, known: tuple[RecordField, ...]) -> None:
    """Remember the fields of a class."""
    _FIELDS[cls] = known


def fields_of(cls: Any) -> tuple[RecordField, ...]:
    """Return the fields of a class; those of a generated one are what its constructor takes, and its other slots."""
    known = _FIELDS.get(cls)
    if known is None:
        known = _FIELDS[cls] = tuple(_of_constructor(cls))
    return known


def _of_constructor(cls: Any) -> list[RecordField]:
    annotations = {key: word for base in reversed(cls.__mro__) for key, word in annotations_of(base).items()}
    init = cls.__init__
    code: Any = getattr(init, "__code__", None)
    if code is None:
        return []
    taken: tuple[str, ...] = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    positional, named = taken[1 : code.co_argcount], taken[code.co_argcount :]
    defaults: dict[str, Any] = dict(init.__kwdefaults__ or {})
    values = init.__defaults__ or ()
    defaults.update(zip(positional[len(positional) - len(values) :], values, strict=True))
    rows: list[RecordField] = []
    for name, annotation in annotations.items():
        if annotation.startswith("ClassVar"):
            continue
        default = defaults.get(name, MISSING)
        noted = {} if name in taken else {"init": False, "repr": False, "compare": False}
        # an empty dict in a signature stands for one of the node's own
        source = {"default_factory": dict} if type(default) is dict else {"default": default}
        field = RecordField(kw_only=name in named, **source, **noted)
        field.name, field.annotation = name, annotation
        rows.append(field)
    return rows


def annotations_of(cls: type) -> dict[str, str]:
    """Return the annotations of a class, without inherited ones."""
    known: dict[str, str] = vars(cls).get("__annotations__", {})
    return known


def _compared(cls: type[Any]) -> Callable[[Any], Any]:
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
        """Make a record like this one, but for some fields."""
        cls = type(record)
        for name in _TAKEN.get(cls) or _taken(cls):
            if name not in changes:
                changes[name] = getattr(record, name)
        return cls(**changes)

    def _taken(cls: type) -> tuple[str, ...]:
        names = _TAKEN[cls] = tuple([field.name for field in fields_of(cls) if field.init])
        return names
