"""Records that a class declares by its annotated names, as the standard library's dataclasses are declared."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from .checks import check_fields, check_given
from .record_fields import MISSING, RecordField, annotations_of, fields_of, keep_fields
from .records import LightRecord, plain_defaults

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass, field
    from inspect import Signature
    from typing import Any

__all__ = ["dataclass", "field"]


class _Signature:
    """The `__signature__` of a class with a shared constructor, for `inspect.signature`."""

    def __get__(self, record: object, cls: Any) -> Signature:
        from inspect import Parameter, Signature, signature

        own = getattr(cls.__init__, "__wrapped__", cls.__init__)
        if own is not _init_fast:
            return signature(cls.__init__).replace(
                parameters=tuple(signature(cls.__init__).parameters.values())[1:]
            )
        rows: list[Parameter] = []
        for field in sorted(
            [field for field in fields_of(cls) if field.init], key=lambda field: field.kw_only
        ):
            kind = Parameter.KEYWORD_ONLY if field.kw_only else Parameter.POSITIONAL_OR_KEYWORD
            default = field.fresh()
            rows.append(
                Parameter(
                    field.name,
                    kind,
                    default=Parameter.empty if default is MISSING else default,
                    annotation=field.annotation,
                )
            )
        return Signature(rows)


def _known(base: type) -> tuple[RecordField, ...]:
    return fields_of(base) if issubclass(base, LightRecord) and base is not LightRecord else ()


if not TYPE_CHECKING:
    field = RecordField

    def dataclass(*, kw_only: bool = False, **_: bool) -> Callable[[type], type]:
        """Complete a record class: its annotated names are its fields, new ones keyword-only if the class says so."""

        def complete(cls: type) -> type:
            declared = {field.name: field for base in cls.__bases__ for field in _known(base)}
            for name, annotation in annotations_of(cls).items():
                if annotation.startswith("ClassVar"):
                    continue
                value = vars(cls).get(name, MISSING)
                field = value if isinstance(value, RecordField) else RecordField(default=value)
                field.name, field.annotation, field.kw_only = name, annotation, field.kw_only or kw_only
                if value is not MISSING:
                    delattr(cls, name)
                declared[name] = field
            keep_fields(cls, tuple(declared.values()))
            cls.__match_args__ = tuple(
                [field.name for field in declared.values() if field.init and not field.kw_only]
            )
            cls.__init__ = _init_fast
            cls.__signature__ = _Signature()
            return cls

        return complete


def _init_fast(self: Any, *args: Any, **named: Any) -> None:
    """Set the fields by position or name, as a dataclass does. An invalid value raises an error that names it."""
    cls: Any = self.__class__
    known = plain_defaults(cls)
    if args and len(args) <= len(cls.__match_args__) and named.keys().isdisjoint(cls.__match_args__):
        named.update(zip(cls.__match_args__, args, strict=False))
        args = ()
    if known is None or args or not known[1] <= named.keys() <= known[2]:
        _init_checked(self, cls, args, named)
    else:
        self.__dict__.update(known[0], **named)
        check_given(self, cls, named)
    self.__post_init__()


def _init_checked(self: Any, cls: Any, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    """Set fields by position or name, and check each for every kind of mistake."""
    names: tuple[str, ...] = cls.__match_args__
    if len(args) > len(names):
        raise TypeError(f"{cls.__name__}() takes at most {len(names)} arguments by position, not {len(args)}")
    values: dict[str, Any] = dict(zip(names, args, strict=False))
    repeated = values.keys() & named.keys()
    if repeated:
        raise TypeError(f"{cls.__name__}() got multiple values for argument {min(repeated)!r}")
    values.update(named)
    state = self.__dict__
    for field in fields_of(cls):
        name = field.name
        if field.init and name in values:
            state[name] = values.pop(name)
        elif (default := field.fresh()) is not MISSING:
            state[name] = default
        elif field.init:
            raise TypeError(f"{cls.__name__}() lacks the argument {name!r}")
    if values:
        raise TypeError(f"{cls.__name__}() got an unexpected keyword argument {min(values)!r}")
    check_fields(cls, state)
