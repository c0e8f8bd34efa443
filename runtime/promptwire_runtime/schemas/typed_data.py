"""Convert JSON to a declared type: plain types directly, all others with pydantic if it is installed."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin, is_typeddict

from ..wire_json.kinds import class_of, json_kind
from .of_types import NotPlain, members, name_of

_SCALARS: Mapping[Any, tuple[type, ...]] = {
    str: (str,),
    bool: (bool,),
    int: (int,),
    float: (int, float),
    None: (NoneType,),
    NoneType: (NoneType,),
    list: (list,),
    dict: (dict,),
}


class TypeMismatch(ValueError):
    """JSON does not match the declared type. The message names the path."""


def data_as(data: Any, kind: Any) -> Any:
    """Convert JSON to a pydantic model, a TypedDict, a dataclass or any annotated type.

    Raises:
        ValueError: the JSON does not match the type. The message names the path.
        NotPlain: only pydantic can convert to the type, and it is not installed or does not know the type.
    """
    own = getattr(kind, "model_validate", None)
    if own is not None:
        return own(data)
    try:
        return _convert(data, kind, "")
    except NotPlain:
        return _convert_by_pydantic(data, kind)


def _convert_by_pydantic(data: Any, kind: Any) -> Any:
    """Convert JSON with pydantic. Raises NotPlain if it is not installed or does not know the type."""
    try:
        from pydantic import PydanticUserError, TypeAdapter
    except ImportError:
        raise NotPlain(kind) from None
    try:
        return TypeAdapter(kind).validate_python(data)
    except (PydanticUserError, NameError, RecursionError):
        raise NotPlain(kind) from None


def _convert(data: Any, hint: Any, path: str) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if hint in (Any, object):
        return data
    if origin is None:
        return _of_class(data, hint, path)
    if origin is Annotated:
        return _convert(data, inner[0], path)
    if origin is Literal:
        return _word(data, inner, path)
    if origin in (Union, UnionType):
        return _member(data, inner, hint, path)
    if origin is list:
        return [
            _convert(item, inner[0], f"{path}[{n}]")
            for n, item in enumerate(_checked(data, list, hint, path))
        ]
    if origin in (dict, Mapping) and inner[0] is str:
        return {
            key: _convert(item, inner[1], f"{path}.{key}")
            for key, item in _checked(data, dict, hint, path).items()
        }
    raise NotPlain(hint)


def _checked(data: Any, kind: type, hint: Any, path: str) -> Any:
    if class_of(data) is not kind:
        raise _mismatch(data, hint, path)
    return data


def _mismatch(data: Any, hint: Any, path: str) -> TypeMismatch:
    return TypeMismatch(f"{path.lstrip('.') or 'the JSON'} is {json_kind(data)}, not {name_of(hint)}")


def _word(data: Any, words: tuple[Any, ...], path: str) -> Any:
    for word in words:
        if class_of(data) is class_of(word) and data == word:
            return word
    shown = ", ".join(map(repr, words))
    raise TypeMismatch(f"{path.lstrip('.') or 'the JSON'} is {data!r:.80}, not one of {shown}")


def _member(data: Any, hints: tuple[Any, ...], whole: Any, path: str) -> Any:
    for hint in hints:
        try:
            return _convert(data, hint, path)
        except TypeMismatch:
            continue
    raise _mismatch(data, whole, path)


def _of_class(data: Any, kind: Any, path: str) -> Any:
    try:
        scalars = _SCALARS.get(kind)
    except TypeError:
        raise NotPlain(kind) from None
    if scalars is not None:
        if class_of(data) not in scalars:
            raise _mismatch(data, kind, path)
        return data
    if isinstance(kind, type) and issubclass(kind, Enum):
        return kind(_word(data, tuple(member.value for member in kind), path))
    rows = members(kind) if isinstance(kind, type) else None
    if rows is None:
        raise NotPlain(kind)
    return _object(cast("dict[str, Any]", _checked(data, dict, kind, path)), kind, rows, path)


def _object(data: dict[str, Any], kind: type, rows: dict[str, tuple[Any, bool]], path: str) -> Any:
    missing = [name for name, (_, required) in rows.items() if required and name not in data]
    unknown = [name for name in data if name not in rows]
    if missing or unknown:
        what = (
            f"lacks {missing[0]!r}" if missing else f"has the unknown key {unknown[0]!r} for {kind.__name__}"
        )
        raise TypeMismatch(f"{path.lstrip('.') or 'the JSON'} {what}")
    values = {
        name: _convert(data[name], hint, f"{path}.{name}") for name, (hint, _) in rows.items() if name in data
    }
    return values if is_typeddict(kind) else kind(**values)
