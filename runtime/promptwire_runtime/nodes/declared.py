"""Records that a class declares by its annotated names, as the standard library's dataclasses are declared."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from .checks import check_record
from .records import MISSING, Record, RecordField, annotations_of, fields_of, keep_fields

if TYPE_CHECKING:
    from collections.abc import Callable
    from dataclasses import dataclass, field
    from inspect import Signature
    from typing import Any

__all__ = ["dataclass", "field"]


class _Signature:
    """What `inspect.signature` looks for on a class whose constructor is shared."""

    def __get__(self, record: object, cls: Any) -> Signature:
        from inspect import Parameter, Signature, signature

        if cls.__init__ is not _take:
            return signature(cls.__init__).replace(
                parameters=tuple(signature(cls.__init__).parameters.values())[1:]
            )
        rows: list[Parameter] = []
        for each in sorted([each for each in fields_of(cls) if each.init], key=lambda each: each.kw_only):
            kind = Parameter.KEYWORD_ONLY if each.kw_only else Parameter.POSITIONAL_OR_KEYWORD
            default = each.fresh()
            rows.append(
                Parameter(
                    each.name,
                    kind,
                    default=Parameter.empty if default is MISSING else default,
                    annotation=each.annotation,
                )
            )
        return Signature(rows)


def _known(base: type) -> tuple[RecordField, ...]:
    return fields_of(base) if issubclass(base, Record) and base is not Record else ()


if not TYPE_CHECKING:
    field = RecordField

    def dataclass(*, kw_only: bool = False, **_: bool) -> Callable[[type], type]:
        """Complete a record class: its annotated names are its fields, its own keyword-only where the class says so."""

        def complete(cls: type) -> type:
            found = {each.name: each for base in cls.__bases__ for each in _known(base)}
            for name, annotation in annotations_of(cls).items():
                if annotation.startswith("ClassVar"):
                    continue
                value = vars(cls).get(name, MISSING)
                each = value if isinstance(value, RecordField) else RecordField(default=value)
                each.name, each.annotation, each.kw_only = name, annotation, each.kw_only or kw_only
                if value is not MISSING:
                    delattr(cls, name)
                found[name] = each
            keep_fields(cls, tuple(found.values()))
            cls.__match_args__ = tuple(
                [each.name for each in found.values() if each.init and not each.kw_only]
            )
            cls.__init__ = _take
            cls.__signature__ = _Signature()
            return cls

        return complete


def _take(self: Any, *args: Any, **given: Any) -> None:
    """Take the fields by position or name, as a dataclass does; a value that does not fit is an error of ours."""
    cls: Any = self.__class__
    names: tuple[str, ...] = cls.__match_args__
    if len(args) > len(names):
        raise TypeError(f"{cls.__name__}() takes at most {len(names)} arguments by position, not {len(args)}")
    held: dict[str, Any] = dict(zip(names, args, strict=False))
    twice = held.keys() & given.keys()
    if twice:
        raise TypeError(f"{cls.__name__}() got multiple values for argument {min(twice)!r}")
    held.update(given)
    state = self.__dict__
    for each in fields_of(cls):
        name = each.name
        if each.init and name in held:
            state[name] = held.pop(name)
        elif (default := each.fresh()) is not MISSING:
            state[name] = default
        elif each.init:
            raise TypeError(f"{cls.__name__}() lacks the argument {name!r}")
    if held:
        raise TypeError(f"{cls.__name__}() got an unexpected keyword argument {min(held)!r}")
    check_record(self, state)
    if hasattr(cls, "__post_init__"):
        self.__post_init__()
