"""Request types of an SDK that are pydantic models, read strictly: an independent witness for built bodies.

Such SDKs let unknown keys pass, and open every enumeration by `Any`, by text of any kind, or by an "unknown" model.
This module walks the types over a JSON value and takes them at their word: an unknown key, a missing key, a word that
is not listed, a number written as text are findings. A key with a constant must be there, since it tells the members
of a union apart.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Final, Literal, Union, cast, get_args, get_origin

import pydantic
from typing_extensions import TypeAliasType

Fields = Mapping[str, tuple[Any, bool]]
"""The keys of an object: name to (type, whether it is required)."""

_SCALARS: Final[Mapping[Any, tuple[type, ...]]] = {
    str: (str,),
    int: (int,),
    float: (int, float),
    bool: (bool,),
    datetime: (str,),
    NoneType: (NoneType,),
}
_UNIONS: Final[tuple[Any, ...]] = (Union, UnionType)
_LISTS: Final[tuple[Any, ...]] = (list, Sequence, Iterable)
_OBJECTS: Final[tuple[Any, ...]] = (dict, Mapping)


def findings(fields: Fields, value: object, path: str = "") -> list[str]:
    """Return what the types of some keys reject in a JSON object, one line per finding.

    Args:
        fields: the keys that the object may have.
        value: plain JSON.
        path: where the object stands in the body; empty for the body itself.

    Returns:
        Lines `path: finding`, for instance `messages[0].text: unknown key`; none when the object is accepted.

    Raises:
        TypeError: a type uses a construct that this module has no rule for.
    """
    if not isinstance(value, dict):
        return [f"{path or 'body'}: {value!r} is not an object"]
    given = cast("dict[str, object]", value)
    found: list[str] = []
    for key, inner in given.items():
        place = f"{path}.{key}" if path else key
        found += _check(fields[key][0], inner, place) if key in fields else [f"{place}: unknown key"]
    missing = [key for key, (_, required) in fields.items() if required and key not in given]
    return found + [f"{f'{path}.{key}' if path else key}: missing" for key in missing]


@cache
def fields_of(model: type[pydantic.BaseModel]) -> Fields:
    """The keys of a model: those with a constant are required, whatever their default."""
    found: dict[str, tuple[Any, bool]] = {}
    for key, field in model.model_fields.items():
        constant = get_origin(field.annotation) is Literal or _is_tag(field.annotation, field.default)
        found[field.alias or key] = (field.annotation, constant or field.is_required())
    return found


def _is_tag(kind: Any, default: object) -> bool:
    """Return whether a type is one constant, which is its default as well."""
    words = [_bare(member) for member in (get_args(kind) if get_origin(kind) in _UNIONS else [kind])]
    return any(get_origin(word) is Literal and get_args(word) == (default,) for word in words)


def _check(kind: Any, value: object, path: str) -> list[str]:
    kind = _bare(kind)
    if kind is Any or kind is object:
        return [] if _is_json(value) else [f"{path}: {value!r} is not JSON"]
    if get_origin(kind) in _UNIONS:
        members = [member for member in map(_bare, get_args(kind)) if not _is_open(member)]
        if any(get_origin(member) is Literal for member in members):
            members = [member for member in members if member is not Any]
        found: list[list[str]] = []
        for member in members:
            found.append(_check(member, value, path))
            if not found[-1]:
                return []
        # the member that comes nearest: one of the value's own form and type, with the fewest findings
        apart = (f"{path}: ", f"{path}.type: ", f"{path}.role: ")
        return min(found, key=lambda rows: (any(row.startswith(apart) for row in rows), len(rows)))
    if get_origin(kind) is Literal:
        words = get_args(kind)
        fits = any(type(word) is type(value) and word == value for word in words)
        return [] if fits else [f"{path}: {value!r} is none of {', '.join(sorted(map(repr, words)))}"]
    if isinstance(kind, type) and issubclass(kind, pydantic.BaseModel):
        return findings(fields_of(kind), value, path)
    return _check_plain(kind, value, path)


def _check_plain(kind: Any, value: object, path: str) -> list[str]:
    """Walk a list, a mapping or a scalar."""
    origin = get_origin(kind)
    if origin in _LISTS:
        if not isinstance(value, list):
            return [f"{path}: {value!r} is not a list"]
        items = cast("list[object]", value)
        return [
            line for n, item in enumerate(items) for line in _check(get_args(kind)[0], item, f"{path}[{n}]")
        ]
    if origin in _OBJECTS:
        if not isinstance(value, dict):
            return [f"{path}: {value!r} is not an object"]
        entries = cast("dict[str, object]", value)
        return [
            line for key, item in entries.items() for line in _check(get_args(kind)[1], item, f"{path}.{key}")
        ]
    if kind not in _SCALARS:
        message = f"no rule for {kind!r}"
        raise TypeError(message)
    return (
        []
        if type(value) in _SCALARS[kind] and _is_json(value)
        else [f"{path}: {value!r} is not {kind.__name__}"]
    )


def _bare(kind: Any) -> Any:
    """Look behind annotations and names of types."""
    alias = get_origin(kind) if get_args(kind) else kind
    if isinstance(alias, TypeAliasType):
        value = alias.__value__
        return _bare(value[get_args(kind)] if get_args(kind) else value)
    return _bare(get_args(kind)[0]) if get_origin(kind) is Annotated else kind


def _is_open(kind: Any) -> bool:
    """Return whether a member of a union takes what no other member knows, or stands for a key that is not there."""
    if not isinstance(kind, type):
        return False
    return kind.__name__ in ("Unset", "UnrecognizedStr") or "is_unknown" in getattr(kind, "model_fields", {})


def _is_json(value: object) -> bool:
    if isinstance(value, dict):
        entries = cast("dict[object, object]", value)
        return all(type(key) is str and _is_json(item) for key, item in entries.items())
    if isinstance(value, list):
        return all(map(_is_json, cast("list[object]", value)))
    return type(value) in (str, int, bool, NoneType) or (type(value) is float and math.isfinite(value))
