"""Convert Python declarations to kinds: TypedDicts, pydantic models, dataclasses, and the parameters of a method."""

from __future__ import annotations

import dataclasses
import enum
import inspect
import types
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import (
    Annotated,
    Any,
    ForwardRef,
    Literal,
    NotRequired,
    Required,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel
from pydantic.fields import FieldInfo

from .kinds import ANY, SCALAR, Alternative, Kind, ListKind, MappingKind, RecordKey, RecordKind, SdkError

_MARKS = (Annotated, Required, NotRequired)
_LISTS = (list, tuple, set, frozenset, Sequence, Iterable)
_OBJECTS = (dict, Mapping)
_UNIONS = (Union, types.UnionType)


class Declarations:
    """Converts declared types to kinds; each type is visited once and becomes one record."""

    def __init__(self) -> None:
        self._records: dict[Any, RecordKind] = {}

    def kind(self, declared: Any) -> Kind:
        """Return the kind of a declared type."""
        members = [*_members(declared)]
        # a model next to TypedDicts is a type of answers that the SDK also accepts
        if any(map(_is_typed_dict, members)):
            members = [member for member in members if not _is_model(member)]
        return tuple(dict.fromkeys([row for member in members for row in self._alternatives(member)]))

    def _alternatives(self, member: Any) -> Kind:
        origin, arguments = get_origin(member) or member, get_args(member)
        if member is Any or member is object:
            return ANY
        if origin in _LISTS:
            return (ListKind(self.kind(arguments[0] if arguments else Any)),)
        if origin in _OBJECTS:
            return (MappingKind(self.kind(arguments[1] if arguments else Any)),)
        if _is_model(origin) and "is_unknown" in origin.model_fields:
            # the SDK's placeholder for types that it does not know
            return SCALAR
        if _is_typed_dict(origin) or _is_model(origin) or dataclasses.is_dataclass(origin):
            return (self._record(origin),)
        return SCALAR

    def _record(self, declared: Any) -> Alternative:
        if declared not in self._records:
            self._records[declared] = RecordKind(declared.__name__, lambda: self._keys(declared))
        return self._records[declared]

    def _keys(self, declared: Any) -> Mapping[str, RecordKey]:
        if _is_model(declared):
            declared.model_rebuild()
            return {
                _alias(name, field): self._key(field.annotation, required=field.is_required())
                for name, field in declared.model_fields.items()
                if not field.exclude
            }
        hints = _hints(declared)
        return {
            name: self._key(hint, required=_is_required(declared, name, hint)) for name, hint in hints.items()
        }

    def _key(self, declared: Any, *, required: bool) -> RecordKey:
        return RecordKey(self.kind(declared), _words(declared), required)

    def parameters(self, method: Any) -> Mapping[str, RecordKey]:
        """Return the parameters of a method as a record, without `**kwargs`."""
        hints = _hints(method)
        return {
            name: self._key(hints.get(name, Any), required=parameter.default is parameter.empty)
            for name, parameter in inspect.signature(method).parameters.items()
            if name != "self" and parameter.kind not in (parameter.VAR_KEYWORD, parameter.VAR_POSITIONAL)
        }


def _hints(declared: Any) -> Mapping[str, Any]:
    try:
        return get_type_hints(declared, include_extras=True)
    except NameError as error:
        raise SdkError(f"{declared.__module__}.{declared.__qualname__} cannot be read: {error}") from error


def _members(declared: Any) -> Iterator[Any]:
    """Yield the members of a union, flattened; any other type is its own only member."""
    if get_origin(declared) in _MARKS:
        yield from _members(get_args(declared)[0])
    elif get_origin(declared) in _UNIONS:
        for member in get_args(declared):
            yield from _members(member)
    elif hasattr(get_origin(declared) or declared, "__value__"):
        alias = get_origin(declared) or declared
        yield from _members(alias.__value__[get_args(declared)] if get_args(declared) else alias.__value__)
    elif isinstance(declared, TypeVar):
        yield declared.__bound__ or Any
    elif isinstance(declared, (str, ForwardRef)):
        raise SdkError(f"the types name {declared}, and do not say what it is")
    else:
        yield declared


def _words(declared: Any) -> tuple[str, ...]:
    """Return the texts allowed as a value of a type; empty if any text is allowed."""
    members = [*_members(declared)]
    if str in members or any(
        get_origin(member) or _is_typed_dict(member)
        for member in members
        if get_origin(member) is not Literal
    ):
        return ()
    words = [word for member in members for word in _listed(member)]
    return tuple(dict.fromkeys(words))


def _listed(member: Any) -> Iterator[str]:
    if get_origin(member) is Literal:
        yield from (word for word in get_args(member) if isinstance(word, str))
    elif isinstance(member, type) and issubclass(member, enum.Enum):
        yield from (word.value for word in member if isinstance(word.value, str))


def _is_typed_dict(declared: Any) -> bool:
    return isinstance(declared, type) and hasattr(declared, "__required_keys__")


def _is_model(declared: Any) -> bool:
    return isinstance(declared, type) and issubclass(declared, BaseModel)


def _is_required(declared: Any, name: str, hint: Any) -> bool:
    if _is_typed_dict(declared):
        mark = get_origin(hint)
        return mark is Required or (mark is not NotRequired and name in declared.__required_keys__)
    field = declared.__dataclass_fields__[name]
    return field.default is dataclasses.MISSING and field.default_factory is dataclasses.MISSING


def _alias(name: str, field: FieldInfo) -> str:
    """Return the JSON key of a model's field."""
    told = [getattr(row, "alias", None) for row in field.metadata]
    aliases = [field.serialization_alias, field.alias, *told]
    return next((alias for alias in aliases if isinstance(alias, str)), name)
