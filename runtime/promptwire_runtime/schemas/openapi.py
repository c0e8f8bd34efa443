"""Convert the schemas of OpenAPI that Google's APIs take into JSON Schema: `OBJECT`, `nullable`, numbers as texts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..wire_json.kinds import is_list, is_mapping
from .of_types import JsonSchema

_TYPES = frozenset({"OBJECT", "ARRAY", "STRING", "INTEGER", "NUMBER", "BOOLEAN", "NULL"})
# the numbers of Google's enum Type (google/ai/generativelanguage/v1beta/content.proto, 2026-09), which bodies from
# protocol buffers may have instead of the names
_NUMBERED = ("STRING", "NUMBER", "INTEGER", "BOOLEAN", "ARRAY", "OBJECT", "NULL")
_SPELLED = {"any_of": "anyOf", "prefix_items": "prefixItems", "additional_properties": "additionalProperties"}
# words that JSON Schema does not have
_DROPPED = frozenset({"nullable", "propertyOrdering", "property_ordering"})
_COUNTS = frozenset({"minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"})


def is_openapi(schema: Mapping[str, Any]) -> bool:
    """Return whether a schema writes its type in capitals, or as a number."""
    return _type_name(schema.get("type")) is not None


def _type_name(given: Any) -> str | None:
    """Return the name of a type of OpenAPI in the letters of JSON Schema; None for anything else."""
    if isinstance(given, int) and not isinstance(given, bool) and 0 < given <= len(_NUMBERED):
        return _NUMBERED[given - 1].lower()
    return given.lower() if isinstance(given, str) and given in _TYPES else None


def as_json_schema(schema: Any) -> Any:
    """Return a schema of OpenAPI as JSON Schema."""
    if is_list(schema):
        return [as_json_schema(member) for member in schema]
    if not is_mapping(schema):
        return schema
    changed: JsonSchema = {}
    for given, value in schema.items():
        word = _SPELLED.get(given, given)
        if word == "properties" and is_mapping(value):
            changed[word] = {name: as_json_schema(inner) for name, inner in value.items()}
        elif word == "type" and _type_name(value) is not None:
            changed[word] = _type_name(value)
        elif word in ("items", "anyOf", "prefixItems", "additionalProperties"):
            changed[word] = as_json_schema(value)
        elif word in _COUNTS and isinstance(value, str) and value.isdigit():
            changed[word] = int(value)
        elif word not in _DROPPED and (word, value) != ("format", "enum"):
            changed[word] = value
    return _nullable(changed) if schema.get("nullable") is True else changed


def _nullable(schema: JsonSchema) -> JsonSchema:
    """Return a schema that null fits, too."""
    if is_list(schema.get("anyOf")):
        return {**schema, "anyOf": [*schema["anyOf"], {"type": "null"}]}
    kind = schema.get("type")
    if is_list(schema.get("enum")):
        schema = {**schema, "enum": [*schema["enum"], None]}
    return {**schema, "type": [kind, "null"]} if isinstance(kind, str) else schema
