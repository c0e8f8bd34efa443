"""The vendors' own request types, read strictly: an independent witness for built bodies.

The official Python SDKs describe a request body as a `TypedDict`. This module walks those types over a JSON
value and refuses what a type checker would: an unknown key at any depth, a missing required key, a wrong
constant, a number written as text. Nothing about a vendor is stated here, except the few places where the
SDK's type and the body on the wire differ (`HEADER_FIELDS`, `SAMPLING`).
"""

from __future__ import annotations

import io
import math
import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from types import NoneType, UnionType
from typing import (
    IO,
    Annotated,
    Any,
    Final,
    Literal,
    NotRequired,
    Required,
    TypeGuard,
    Union,
    cast,
    get_args,
    get_origin,
)

import pydantic
from anthropic.types.beta.message_create_params import MessageCreateParams as BetaMessageCreateParams
from anthropic.types.message_create_params import MessageCreateParams
from openai.types.chat.completion_create_params import CompletionCreateParams
from openai.types.responses.response_create_params import ResponseCreateParams
from typing_extensions import get_type_hints, is_typeddict

# A wire's params types: the plain one, then the beta one.
_ROOTS: Final[Mapping[str, tuple[Any, ...]]] = {
    "openai_chat": (CompletionCreateParams,),
    "openai_responses": (ResponseCreateParams,),
    "anthropic_messages": (MessageCreateParams, BetaMessageCreateParams),
}
WIRES: Final = tuple(_ROOTS)

SAMPLING: Final[Mapping[str, type]] = {"temperature": float, "top_p": float, "top_k": int}
"""Body fields of Anthropic's API version 2023-06-01 that 2026-10-21, spoken by anthropic 2.x, took away."""

HEADER_FIELDS: Final = frozenset({"betas", "user_profile_id", "workspace_id"})
"""Members of anthropic's params types that its client sends as headers, so that no body may carry them."""

_TAGS: Final = ("type", "role", "stream")
_LONGEST_SHOWN: Final = 40
_MOST_SHOWN: Final = 10
_SCALARS: Final[Mapping[Any, tuple[type, ...]]] = {
    str: (str,),
    int: (int,),
    float: (int, float),
    bool: (bool,),
    NoneType: (NoneType,),
}
_UNIONS: Final[tuple[Any, ...]] = (Union, UnionType)
_MARKS: Final[tuple[Any, ...]] = (Annotated, Required, NotRequired)
_LISTS: Final[tuple[Any, ...]] = (list, Iterable, Sequence)
# Values that a caller of the SDK may pass but JSON cannot carry: files, raw bytes, and response objects passed back.
_PYTHON_ONLY: Final[tuple[Any, ...]] = (bytes, os.PathLike, IO, io.IOBase, pydantic.BaseModel)


def problems(
    wire: str,
    body: object,
    *,
    api_version: str | None = None,
    beta: bool | None = None,
) -> list[str]:
    """Return what the vendor's types reject in a body, one line per finding, in the order of the body's keys.

    Args:
        wire: one of `WIRES`.
        body: the body as plain JSON values: dict, list, str, int, finite float, bool, None. Subclasses and
            tuples are refused.
        api_version: `anthropic_messages` only. "2023-06-01" accepts the three `SAMPLING` fields; any other
            value, or none, keeps to the installed SDK's types.
        beta: `anthropic_messages` only. True reads the beta types, False the plain ones, None both: the body
            is accepted when either does, and refused with the shorter list of findings.

    Returns:
        Lines `path: finding`, for instance `messages[0].content[1].type: 'txt' is none of 'file', 'text'`; an
        empty list when the body is accepted.

    Raises:
        KeyError: the wire has no witness.
        TypeError: the SDK's types use a construct that this module has no rule for.
    """
    found: list[str] = []
    if wire == "anthropic_messages" and _is_object(body):
        found += [f"{key}: is a header, not a field of the body" for key in body if key in HEADER_FIELDS]
        taken = SAMPLING if api_version == "2023-06-01" else {}
        found += [line for key in body if key in taken for line in _check(taken[key], body[key], key)]
        body = {key: value for key, value in body.items() if key not in {*taken, *HEADER_FIELDS}}
    roots = _ROOTS[wire]
    if beta is not None and len(roots) > 1:
        roots = (roots[beta],)
    return found + _fewest(_check(root, body, "") for root in roots)


def findings(kind: Any, body: object) -> list[str]:
    """Return what one type rejects in a body, as `problems` does; for wires whose types are elsewhere."""
    return _check(kind, body, "")


def _check(kind: Any, value: object, path: str) -> list[str]:
    """Walk one type over one value."""
    kind = _bare(kind)
    if kind in (object, Any):
        return _check_free(value, path)
    if get_origin(kind) in _UNIONS:
        return _check_choice(kind, value, path)
    if not _same_form(kind, value):
        return [f"{path or 'body'}: {_shown(value)} is not {_name(kind)}"]
    if get_origin(kind) is Literal:
        return [] if _among(value, get_args(kind)) else [_none_of(path, value, get_args(kind))]
    if is_typeddict(kind) and _is_object(value):
        return _check_record(kind, value, path)
    return _check_items(kind, value, path)


def _check_items(kind: Any, value: object, path: str) -> list[str]:
    """Walk a list's or a mapping's member type over its values; a scalar has none."""
    member = get_args(kind)[-1] if get_args(kind) else object
    if _is_list(value):
        return [line for n, item in enumerate(value) for line in _check(member, item, f"{path}[{n}]")]
    if _is_object(value):
        return [line for key, item in value.items() for line in _check(member, item, _join(path, key))]
    return []


def _check_record(kind: Any, value: dict[str, object], path: str) -> list[str]:
    fields = _fields(kind)
    found: list[str] = []
    for key, item in value.items():
        if key in fields:
            found += _check(fields[key][0], item, _join(path, key))
        else:
            found.append(f"{_join(path, key)}: unknown key of {kind.__name__}")
    missing = [key for key, (_, required) in fields.items() if required and key not in value]
    return found + [f"{_join(path, key)}: missing, {kind.__name__} requires it" for key in missing]


def _check_choice(kind: Any, value: object, path: str) -> list[str]:
    """Accept what any member accepts; otherwise report the member that came closest."""
    members = _members(kind)
    nearest = [member for member in members if _same_form(member, value)]
    if not nearest:
        # Python remembers a union with its members in the order in which some module first wrote them
        names = sorted(map(_name, members), key="null".__eq__)
        return [f"{path or 'body'}: {_shown(value)} is not {' or '.join(names)}"]
    if _is_object(value):
        for tag in _TAGS:
            agreeing = [member for member in nearest if _agrees(member, value, tag)]
            if not agreeing:
                return [_none_of(_join(path, tag), value[tag], _tag_values(nearest, tag))]
            nearest = agreeing
    if all(get_origin(member) is Literal for member in nearest):
        values = [option for member in nearest for option in get_args(member)]
        return [] if _among(value, values) else [_none_of(path, value, values)]
    return _fewest(_check(member, value, path) for member in nearest)


def _fewest(checked: Iterable[list[str]]) -> list[str]:
    """Return the shortest list of findings; an empty one ends the search."""
    shortest: list[str] | None = None
    for found in checked:
        if not found:
            return found
        shortest = found if shortest is None or len(found) < len(shortest) else shortest
    return shortest or []


def _check_free(value: object, path: str) -> list[str]:
    """Accept any JSON: schemas, arguments and other values that the vendor leaves open."""
    if _is_object(value) or _is_list(value):
        return _check_items(object, value, path)
    return (
        [] if any(_same_form(kind, value) for kind in _SCALARS) else [f"{path}: {_shown(value)} is not JSON"]
    )


def _same_form(kind: Any, value: object) -> bool:
    """Return whether a value has a type's JSON form: object, list, text, number, boolean or null."""
    if is_typeddict(kind) or get_origin(kind) is dict:
        return _is_object(value)
    if get_origin(kind) in _LISTS:
        return _is_list(value)
    if get_origin(kind) is Literal:
        return any(type(option) is type(value) for option in get_args(kind))
    if kind is object:
        return True
    if kind not in _SCALARS:
        message = f"no rule for {kind!r}"
        raise TypeError(message)
    return type(value) in _SCALARS[kind] and not (isinstance(value, float) and not math.isfinite(value))


def _is_object(value: object) -> TypeGuard[dict[str, object]]:
    return type(value) is dict and all(type(key) is str for key in cast("dict[object, object]", value))


def _is_list(value: object) -> TypeGuard[list[object]]:
    return type(value) is list


@cache
def _fields(kind: Any) -> Mapping[str, tuple[Any, bool]]:
    """Return a record's fields: name to (type, required)."""
    # `__required_keys__` alone misses a `Required` inside a string annotation; the resolved hint shows it.
    fields: dict[str, tuple[Any, bool]] = {}
    for key, hint in get_type_hints(kind, include_extras=True).items():
        mark: Any = get_origin(hint)
        required = mark is Required or (key in kind.__required_keys__ and mark is not NotRequired)
        fields[key] = (_bare(hint), required)
    return fields


@cache
def _members(kind: Any) -> tuple[Any, ...]:
    """Return a union's members that JSON can carry, nested unions opened."""
    kind = _bare(kind)
    if get_origin(kind) in _UNIONS:
        return tuple(member for choice in get_args(kind) for member in _members(choice))
    runtime = get_origin(kind) or kind
    return () if isinstance(runtime, type) and issubclass(runtime, _PYTHON_ONLY) else (kind,)


def _agrees(member: Any, value: Mapping[str, object], tag: str) -> bool:
    """Return whether a member's constants under a tag allow the value's; without constants any may pass."""
    if tag not in value or not is_typeddict(member):
        return True
    field = _fields(member).get(tag)
    constants = None if field is None else _constants(field[0])
    return field is not None and (constants is None or _among(value[tag], constants))


def _tag_values(members: Iterable[Any], tag: str) -> list[object]:
    fields = [_fields(member).get(tag) for member in members]
    return [value for field in fields if field for value in _constants(field[0]) or ()]


@cache
def _constants(kind: Any) -> tuple[object, ...] | None:
    """Return all values of a type made of constants only, else None."""
    values: list[object] = []
    for member in _members(kind):
        if get_origin(member) is not Literal and member is not NoneType:
            return None
        values += get_args(member) or (None,)
    return tuple(values)


def _bare(kind: Any) -> Any:
    while get_origin(kind) in _MARKS:
        kind = get_args(kind)[0]
    return kind


def _among(value: object, options: Iterable[object]) -> bool:
    # 1 == True in Python, not in JSON.
    return any(type(option) is type(value) and option == value for option in options)


def _join(path: str, key: object) -> str:
    return f"{path}.{key}" if path else str(key)


def _none_of(path: str, value: object, options: Iterable[object]) -> str:
    # the order of the words is that in which some module first wrote them, and not this one
    names = sorted({repr(option) for option in options if option is not None})
    more = ", ..." if len(names) > _MOST_SHOWN else ""
    return f"{path}: {_shown(value)} is none of {', '.join(names[:_MOST_SHOWN])}{more}"


def _shown(value: object) -> str:
    """Show a scalar as it is, and a container or a long text by its form."""
    if _is_object(value):
        return "an object"
    if isinstance(value, dict):
        return "an object with a key that is not text"
    if _is_list(value):
        return "a list"
    text = repr(value)
    return text if len(text) <= _LONGEST_SHOWN else f"a long {type(value).__name__}"


def _name(kind: Any) -> str:
    if get_origin(kind) is Literal:
        return " or ".join(repr(option) for option in get_args(kind))
    if get_origin(kind) in _LISTS:
        return "a list"
    if get_origin(kind) is dict:
        return "an object"
    return "null" if kind is NoneType else str(kind.__name__)
