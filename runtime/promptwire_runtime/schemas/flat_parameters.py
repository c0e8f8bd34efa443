"""Parameters for an API that knows only the type and description of each: the rest goes into the description."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..wire_json.kinds import is_list, is_mapping
from .adapting import AdaptedSchema, adapt
from .combining import constants_of, properties_of, type_of_constant
from .correcting import described
from .of_types import JsonSchema

_TYPES = frozenset({"string", "integer", "number", "boolean", "array", "object"})
# the key that holds the schema of the elements
_INSIDE = {"array": "items", "object": "additionalProperties"}
_KEPT = frozenset({"type", "description", "title", "default", *_INSIDE.values()})
_AT_ROOT = frozenset({"type", "properties", "required"})
_MOST_LEVELS = 16


def flat_parameters(schema: JsonSchema, why: str) -> AdaptedSchema:
    """Return parameters of which each says its type and description only, with an edit for each that said more."""
    whole, edits = adapt(schema, lambda word, value: why if _is_refused(word, value) else "")
    named = properties_of(whole)
    flat = {name: _flat(inner) for name, inner in named.items()}
    required = whole.get("required")
    known = [name for name in required if name in flat] if is_list(required) else []
    for name, inner in named.items():
        if flat[name] != inner:
            edits.add(f"properties.{name}", f"its schema is given in the description: {why}", "limit")
    for word in whole:
        if word not in _AT_ROOT:
            edits.add(word, f"left out: {why}", "limit")
    return {"type": "object", "properties": flat, "required": known}, edits


def _is_refused(word: str, value: Any) -> bool:
    if word == "root":
        return bool(value != "object")
    return word == "recursive" or (word == "keywords" and value in ("$ref", "$defs", "definitions", "allOf"))


def _flat(schema: Any) -> JsonSchema:
    """Return a schema with its type and description, and with all else in the description."""
    if not is_mapping(schema):
        return {"type": "string"}
    typed = _typed(schema, _MOST_LEVELS)
    text = {"description": schema["description"]} if "description" in schema else {}
    rest = {word: value for word, value in schema.items() if word not in _KEPT}
    for word in ("type", *_INSIDE.values()):
        if word in schema and schema[word] != typed.get(word):
            rest[word] = schema[word]
    return described({**typed, **text}, rest)


def _typed(schema: Mapping[str, Any], levels: int) -> JsonSchema:
    """Return the one type of a schema, with the type of its elements; text where it has none."""
    kind = _kind(schema)
    inner = schema.get(_INSIDE.get(kind, ""))
    if not is_mapping(inner) or not inner or levels == 0:
        return {"type": kind}
    return {"type": kind, _INSIDE[kind]: _typed(inner, levels - 1)}


def _kind(schema: Mapping[str, Any]) -> str:
    kinds = schema.get("type")
    members = schema.get("anyOf") or schema.get("oneOf")
    found = kinds if is_list(kinds) else [kinds]
    if is_list(members):
        found = [
            *found,
            *[_kind(member) for member in members if is_mapping(member) and member != {"type": "null"}],
        ]
    found = [*found, *map(type_of_constant, constants_of(schema) or ())]
    return next((kind for kind in found if kind in _TYPES), "string")
