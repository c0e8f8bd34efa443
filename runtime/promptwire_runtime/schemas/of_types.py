"""JSON Schema for annotations: plain ones directly, all others with pydantic if it is installed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import MISSING, fields, is_dataclass
from enum import Enum
from inspect import cleandoc
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Literal,
    NotRequired,
    Required,
    Union,
    cast,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

from ..errors import InvalidRequest
from ..wire_json.kinds import class_of, is_list, is_object

JsonSchema = dict[str, Any]
_PLAIN: Mapping[Any, JsonSchema] = {
    str: {"type": "string"},
    bool: {"type": "boolean"},
    int: {"type": "integer"},
    float: {"type": "number"},
    None: {"type": "null"},
    NoneType: {"type": "null"},
    list: {"type": "array"},
    dict: {"type": "object"},
    Any: {},
    object: {},
}
_LISTS = (list, Sequence, set, frozenset)
# keywords whose value is a schema or a list of schemas, and those whose value maps names to schemas
_WITH_SCHEMAS = ("items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties")
_WITH_NAMED_SCHEMAS = ("properties", "$defs", "definitions")


class NotPlain(Exception):
    """An annotation is not plain, so only a library can describe it."""

    def __init__(self, hint: Any) -> None:
        super().__init__(name_of(hint))


def name_of(hint: Any) -> str:
    """Return an annotation as it is written in code."""
    return hint.__name__ if isinstance(hint, type) and not get_args(hint) else str(hint)


def schema_of_class(kind: type) -> JsonSchema:
    """Return the JSON Schema of a pydantic model, a TypedDict, a dataclass or any other class.

    Raises:
        InvalidRequest: no JSON Schema is known for the class.
    """
    own = getattr(kind, "model_json_schema", None)
    if own is not None:
        schema: JsonSchema = own()
        return schema
    try:
        return plain_schema(kind)
    except NotPlain as odd:
        return by_pydantic(kind, f"{kind.__name__}: no JSON Schema is known for {odd}")


def by_pydantic(kind: Any, problem: str) -> JsonSchema:
    """Return the JSON Schema from pydantic. Raises InvalidRequest if it is missing or cannot describe the type."""
    try:
        from pydantic import PydanticUserError, TypeAdapter
    except ImportError:
        raise InvalidRequest(f"{problem}; install pydantic, or pass a schema") from None
    try:
        schema: JsonSchema = TypeAdapter(kind).json_schema()
    except (PydanticUserError, NameError, RecursionError) as error:
        raise InvalidRequest(f"{problem}: {str(error).splitlines()[0]}") from None
    return schema


def plain_schema(hint: Any, within: tuple[Any, ...] = ()) -> JsonSchema:
    """Return the JSON Schema of an annotation. `within` are the classes that contain it. Raises NotPlain."""
    origin, inner = get_origin(hint), get_args(hint)
    if origin is None:
        return _of_class(hint, within)
    if origin is Annotated:
        return _annotated(inner[0], inner[1:], within)
    if origin is Literal:
        return _words(inner)
    if origin in (Union, UnionType):
        return {"anyOf": [plain_schema(member, within) for member in inner]}
    if origin in _LISTS:
        unique = {"uniqueItems": True} if origin in (set, frozenset) else {}
        return {"type": "array", "items": plain_schema(inner[0], within), **unique}
    if origin is tuple:
        return _tuple(inner, within)
    if origin in (dict, Mapping) and inner[0] is str:
        return {"type": "object", "additionalProperties": plain_schema(inner[1], within)}
    raise NotPlain(hint)


def _annotated(hint: Any, notes: tuple[Any, ...], within: tuple[Any, ...]) -> JsonSchema:
    """Return the schema with the texts of `Annotated` as description. Raises NotPlain for other metadata."""
    if not all(isinstance(note, str) for note in notes):
        raise NotPlain(Annotated[hint, *notes])
    return {**plain_schema(hint, within), "description": " ".join(notes)}


def _words(values: tuple[Any, ...]) -> JsonSchema:
    """Return the schema of a literal or enum, with the type of the values if they have one."""
    kinds: set[type[Any]] = {class_of(value) for value in values}
    if not kinds <= _PLAIN.keys():
        raise NotPlain(Literal[values])
    return {**(_PLAIN[kinds.pop()] if len(kinds) == 1 else {}), "enum": list(values)}


def _tuple(inner: tuple[Any, ...], within: tuple[Any, ...]) -> JsonSchema:
    if inner[1:] == (...,):
        return {"type": "array", "items": plain_schema(inner[0], within)}
    places = [plain_schema(place, within) for place in inner]
    return {"type": "array", "prefixItems": places, "minItems": len(places), "maxItems": len(places)}


def _of_class(kind: Any, within: tuple[Any, ...]) -> JsonSchema:
    try:
        if kind in _PLAIN:
            return dict(_PLAIN[kind])
    except TypeError:
        raise NotPlain(kind) from None
    if not isinstance(kind, type) or kind in within:
        raise NotPlain(kind)
    if issubclass(kind, Enum):
        return _words(tuple(member.value for member in kind))
    declared = cast("type[Any]", kind)
    rows = members(declared)
    if rows is None:
        raise NotPlain(kind)
    below = (*within, declared)
    schema: JsonSchema = {
        "type": "object",
        "properties": {name: plain_schema(hint, below) for name, (hint, _) in rows.items()},
        "required": [name for name, (_, required) in rows.items() if required],
    }
    # the docstring of a dataclass without one is its signature
    text = kind.__doc__ if kind.__doc__ and not kind.__doc__.startswith(f"{kind.__name__}(") else None
    return {**schema, "description": cleandoc(text)} if text else schema


def members(kind: type) -> dict[str, tuple[Any, bool]] | None:
    """Return member -> annotation and whether it is required, for a TypedDict or dataclass; None for other classes."""
    if is_typeddict(kind):
        required: frozenset[str] = getattr(kind, "__required_keys__", frozenset())
        hints = get_type_hints(kind, include_extras=True)
        return {name: _presence(hint, required=name in required) for name, hint in hints.items()}
    if not is_dataclass(kind):
        return None
    hints = get_type_hints(kind, include_extras=True)
    taken = [field for field in fields(kind) if field.init]
    return {
        field.name: (hints[field.name], field.default is MISSING and field.default_factory is MISSING)
        for field in taken
    }


def _presence(hint: Any, *, required: bool) -> tuple[Any, bool]:
    """Return the annotation of a TypedDict member without Required and NotRequired, and whether it is required."""
    while get_origin(hint) in (Required, NotRequired):
        required = get_origin(hint) is Required
        hint = get_args(hint)[0]
    return hint, required


def close_schema(schema: Any, *, requires_all: bool) -> Any:
    """Return a copy of a schema with `additionalProperties: false` in every object that does not have the keyword.

    Args:
        schema: JSON Schema.
        requires_all: Whether to require every declared key, as strict schemas must, also keys with a default.
    """
    if is_list(schema):
        return [close_schema(member, requires_all=requires_all) for member in schema]
    if not is_object(schema):
        return schema
    changed = {
        key: close_schema(schema[key], requires_all=requires_all) for key in _WITH_SCHEMAS if key in schema
    }
    for key in _WITH_NAMED_SCHEMAS:
        named = cast("Mapping[str, Any]", schema.get(key, {}))
        if named:
            changed[key] = {
                name: close_schema(inner, requires_all=requires_all) for name, inner in named.items()
            }
    if "properties" in schema:
        changed.setdefault("additionalProperties", False)
        if requires_all:
            changed["required"] = [*schema["properties"]]
    return schema | changed
