"""JSON as what a class declares: plain ones checked and made here, all others by pydantic where it is installed."""

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


class Unlike(ValueError):
    """JSON that is not what a class declares: the message names the place."""


def data_as(data: Any, kind: Any) -> Any:
    """Give JSON as a value of a class: a pydantic model, a TypedDict, a dataclass or any annotation.

    Raises ValueError, which names the place, for JSON of another form, and NotPlain for what only pydantic knows where
    that is not installed.
    """
    own = getattr(kind, "model_validate", None)
    if own is not None:
        return own(data)
    try:
        return _made(data, kind, "")
    except NotPlain:
        try:
            from pydantic import TypeAdapter
        except ImportError:
            raise NotPlain(kind) from None
        return TypeAdapter(kind).validate_python(data)


def _made(data: Any, hint: Any, path: str) -> Any:
    origin, inner = get_origin(hint), get_args(hint)
    if hint in (Any, object):
        return data
    if origin is None:
        return _of_class(data, hint, path)
    if origin is Annotated:
        return _made(data, inner[0], path)
    if origin is Literal:
        return _word(data, inner, path)
    if origin in (Union, UnionType):
        return _member(data, inner, hint, path)
    if origin is list:
        return [
            _made(item, inner[0], f"{path}[{n}]") for n, item in enumerate(_checked(data, list, hint, path))
        ]
    if origin in (dict, Mapping) and inner[0] is str:
        return {
            key: _made(item, inner[1], f"{path}.{key}")
            for key, item in _checked(data, dict, hint, path).items()
        }
    raise NotPlain(hint)


def _checked(data: Any, kind: type, hint: Any, path: str) -> Any:
    if class_of(data) is not kind:
        raise _unlike(data, hint, path)
    return data


def _unlike(data: Any, hint: Any, path: str) -> Unlike:
    return Unlike(f"{path.lstrip('.') or 'the JSON'} is {json_kind(data)}, not {name_of(hint)}")


def _word(data: Any, words: tuple[Any, ...], path: str) -> Any:
    for word in words:
        if class_of(data) is class_of(word) and data == word:
            return word
    shown = ", ".join(map(repr, words))
    raise Unlike(f"{path.lstrip('.') or 'the JSON'} is {data!r:.80}, none of {shown}")


def _member(data: Any, hints: tuple[Any, ...], whole: Any, path: str) -> Any:
    for hint in hints:
        try:
            return _made(data, hint, path)
        except Unlike:
            continue
    raise _unlike(data, whole, path)


def _of_class(data: Any, kind: Any, path: str) -> Any:
    try:
        scalars = _SCALARS.get(kind)
    except TypeError:
        raise NotPlain(kind) from None
    if scalars is not None:
        if class_of(data) not in scalars:
            raise _unlike(data, kind, path)
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
            f"lacks {missing[0]!r}" if missing else f"has {unknown[0]!r}, which {kind.__name__} does not know"
        )
        raise Unlike(f"{path.lstrip('.') or 'the JSON'} {what}")
    values = {
        name: _made(data[name], hint, f"{path}.{name}") for name, (hint, _) in rows.items() if name in data
    }
    return values if is_typeddict(kind) else kind(**values)
