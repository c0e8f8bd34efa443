"""The place of a value whose type its field does not take: searched when a value may not fit, or a build broke."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from types import NoneType, UnionType
from typing import Any, Union, cast, get_args, get_origin, get_type_hints

from ..errors import InvalidRequest
from ..wire_json.kinds import class_of
from ..wire_json.places import unwritable
from .node import is_deferred
from .record_fields import RecordField, fields_of
from .records import Record, is_node

# node classes are annotated with `object` in place of Any
_ANYTHING = (Any, object)


def broken(requests: Iterable[object], cls: type, error: Exception, wire: str) -> InvalidRequest:
    """Return the error for an unexpected exception of a build: it names the first value of a wrong type.

    `cls` is the class that every request must have.
    """
    try:
        for path, value, hint in (row for request in requests for row in _mismatches(request, cls, "")):
            node, _, field = path.rpartition(".")
            text = f"{field or 'the request'} is {_a(value)}, not {_shown(hint, value)}"
            return InvalidRequest(f"{text}{_way_out(hint, value)}", wire=wire, path=node, field=field)
    except RecursionError as too_deep:
        error = too_deep
    if isinstance(error, RecursionError):
        return InvalidRequest("a node of the request contains itself, or is nested too deeply", wire=wire)
    return InvalidRequest(f"the request cannot be built: {type(error).__name__}: {error}", wire=wire)


def check_type(cls: type, name: str, value: object) -> None:
    """Refuse a value that a field does not take, before its node is made. Raises InvalidRequest."""
    wanted = dict(_hints(cls))[name]
    for path, actual, hint in _mismatches(value, wanted, name):
        raise InvalidRequest(
            f"{cls.__name__}: {path} is {_a(actual)}, not {_shown(hint, actual)}", field=name
        )
    odd = unwritable({name: value}) if _has_floats(wanted) else None
    if odd is not None:
        raise InvalidRequest(f"{cls.__name__}: {odd[0]}: {odd[1]}", field=name)


def check_class(value: object, kind: type, what: str) -> None:
    """Refuse an argument of another class; `what` names it. Raises InvalidRequest."""
    if not isinstance(value, kind):
        raise InvalidRequest(f"{what} is {_a(value)}, not {kind.__name__}", field=what)


def _has_floats(hint: Any) -> bool:
    return hint is float or any(map(_has_floats, get_args(hint)))


def _mismatches(value: Any, hint: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    """Return path, value and expected type of every value of a wrong type."""
    origin, inner = get_origin(hint), get_args(hint)
    if hint in _ANYTHING:
        return
    if origin in (Union, UnionType):
        yield from _member(value, hint, path)
    elif origin is tuple and class_of(value) is tuple:
        for index, item in enumerate(value):
            yield from _mismatches(item, inner[0], f"{path}[{index}]")
    elif not _is(value, origin or hint):
        yield path, value, hint
    elif is_node(value):
        kind: type = class_of(value)
        for name, below in _hints(kind):
            # what derives a memory makes what fits
            if name != "kept" or not is_deferred(value):
                yield from _mismatches(getattr(value, name), below, f"{path}.{name}" if path else name)
    elif origin is not None and isinstance(value, Mapping) and inner[1] not in _ANYTHING:
        yield from _in_mapping(cast("Mapping[object, Any]", value), inner[1], path)


def _in_mapping(value: Mapping[object, Any], hint: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    for key, item in value.items():
        if isinstance(key, str):
            yield from _mismatches(item, hint, f"{path}.{key!s:.40}")
        else:
            yield f"a key of {path}", key, str


def _member(value: Any, hint: Any, path: str) -> Iterator[tuple[str, Any, Any]]:
    members = get_args(hint)
    rows = [list(_mismatches(value, member, path)) for member in members]
    if all(rows):
        inside = [
            row for row in rows if row[0][0] != path
        ]  # a member of the right kind says what is wrong in it
        yield from inside[0] if inside else [(path, value, hint)]


def _is(value: Any, kind: Any) -> bool:
    if kind is float:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    if kind is int:
        return isinstance(value, int) and not isinstance(value, bool)
    return isinstance(value, kind)


@cache
def _hints(cls: type) -> tuple[tuple[str, Any], ...]:
    known: type[Any] = cls
    try:
        hints = get_type_hints(known)
    except (NameError, TypeError):  # a name that only type checkers know
        hints = {field.name: _resolve_type(known, field) for field in fields_of(known)}
    return tuple([(field.name, hints[field.name]) for field in fields_of(known) if field.init])


def _resolve_type(cls: type, field: RecordField) -> Any:
    """Return the type of one field, or Any if its annotation has a name that exists only for type checkers."""
    alone: Any = type(cls.__name__, (), {"__annotations__": {field.name: field.annotation}})
    alone.__module__ = cls.__module__
    try:
        return get_type_hints(alone)[field.name]
    except (NameError, TypeError):
        return Any


def _a(value: object) -> str:
    kind = class_of(value)
    name = kind.__name__ if kind.__module__ == "builtins" else f"{kind.__module__}.{kind.__qualname__}"
    return "None" if value is None else f"an {name}" if name[0].lower() in "aeiou" else f"a {name}"


def _way_out(hint: Any, value: object) -> str:
    """Return how a node is written, for another value in its place."""
    kinds = [
        kind for kind in get_args(hint) or (hint,) if isinstance(kind, type) and issubclass(kind, Record)
    ]
    if not kinds or is_node(value):
        return ""
    read = ", or read the whole body with the wire whose JSON it is" if isinstance(value, Mapping) else ""
    return f"; write {kinds[0].__name__}(...){read}"


def _shown(hint: Any, value: object) -> str:
    """Return the expected type in words, for a value that is not of it."""
    if get_origin(hint) in (Union, UnionType):
        return " or ".join([_shown(member, value) for member in get_args(hint)])
    if get_origin(hint) is tuple:
        # most nodes make a tuple of any list
        kind = "tuple" if class_of(value) is list else "list"
        return f"a {kind} of {_shown(get_args(hint)[0], value)}"
    if get_origin(hint) is not None:
        return "a mapping"
    return "None" if hint is NoneType else str(getattr(hint, "__name__", hint))
