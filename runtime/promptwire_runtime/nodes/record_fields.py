"""The fields of nodes and records: those of a standard dataclass, of a light one, or of a node's constructor."""

from __future__ import annotations

from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from typing import Any

__all__ = ["MISSING", "RecordField", "annotations_of", "fields_of", "keep_fields", "shown"]
MISSING: Any = object()
_FIELDS: dict[type, tuple[RecordField, ...]] = {}


class RecordField:
    """One field: its name, its default or default factory, and the generated methods that use it."""

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


def shown(value: object) -> str:
    """Show a value as Python does; one that Python cannot show, by its class and the reason."""
    try:
        return repr(value)
    except RecursionError:
        return f"<{type(value).__name__}: nested too deep>"
    except ValueError:
        return f"<{type(value).__name__}: a number of too many digits>"


def keep_fields(cls: type, known: tuple[RecordField, ...]) -> None:
    """Remember the fields of a class."""
    _FIELDS[cls] = known


def fields_of(cls: Any) -> tuple[RecordField, ...]:
    """Return the fields of a class.

    Those of a generated class are the parameters of its constructor, and its other slots.
    """
    known = _FIELDS.get(cls)
    if known is None:
        rows = _of_dataclass(cls) if "__dataclass_params__" in vars(cls) else _of_constructor(cls)
        known = _FIELDS[cls] = tuple(rows)
    return known


def _of_dataclass(cls: Any) -> list[RecordField]:
    import dataclasses

    rows: list[RecordField] = []
    for field in dataclasses.fields(cls):
        sources = {"default": field.default, "default_factory": field.default_factory}
        given = {name: value for name, value in sources.items() if value is not dataclasses.MISSING}
        row = RecordField(
            **given,
            init=field.init,
            repr=field.repr,
            compare=bool(field.compare),
            kw_only=bool(field.kw_only),
        )
        row.name, row.annotation = field.name, str(field.type)
        rows.append(row)
    return rows


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
        # an empty dict in a signature means a new one for each node
        source = {"default_factory": dict} if type(default) is dict else {"default": default}
        field = RecordField(kw_only=name in named, **source, **noted)
        field.name, field.annotation = name, annotation
        rows.append(field)
    return rows


def annotations_of(cls: type) -> dict[str, str]:
    """Return the annotations of a class, without inherited ones."""
    known: dict[str, str] = vars(cls).get("__annotations__", {})
    return known
