"""Rewrite one JSON Schema in other words: those of draft 2020-12, or those of OpenAPI."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

from ..wire_json.kinds import is_list, is_mapping
from .counting import is_bare_required, is_undefined
from .of_types import JsonSchema

# an array with items, how they were found, and what that loses, in the words of `LOSSES`
Items: TypeAlias = tuple[JsonSchema, str, str]

_LIMITS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


def update_draft(schema: JsonSchema) -> JsonSchema:
    """Return a schema of an earlier draft in the words of draft 2020-12.

    A list as `items` is `prefixItems`, and what followed it `items`; a limit that was exclusive is the exclusive limit.
    """
    made: JsonSchema = {}
    for word, value in schema.items():
        if word == "items" and is_list(value):
            made["prefixItems"] = value
        elif word == "additionalItems" and is_list(schema.get("items")):
            made["items"] = value
        elif word in _LIMITS and type(value) is bool:
            if value and _LIMITS[word] in schema:
                made[word] = schema[_LIMITS[word]]
        elif not _is_exclusive(word, schema):
            made[word] = value
    return made


def _is_exclusive(word: str, schema: JsonSchema) -> Any:
    """Return whether a word is a limit that another word calls exclusive."""
    return any(word == limit and schema.get(exclusive) is True for exclusive, limit in _LIMITS.items())


def with_any_items(schema: JsonSchema) -> Items:
    """Return an array whose items may be anything, which it did not say."""
    current = update_draft(schema)
    if is_mapping(current.get("items")):
        return current, "written as draft 2020-12 has it: ", "none"
    return (
        {**current, "items": {}},
        "items of any type: ",
        "limit" if current.get("items") is False else "none",
    )


def without_order(schema: JsonSchema) -> Items:
    """Return an array whose items are of the types of its places, in any order; the same one if it has no places."""
    given = schema.get("items")
    places: Any = given if is_list(given) else schema.get("prefixItems")
    if not is_list(places) or not places:
        return schema, "", "meaning"
    rest = {word: value for word, value in schema.items() if word not in ("items", "prefixItems")}
    kinds = [place for number, place in enumerate(places) if place not in places[:number]]
    items = kinds[0] if len(kinds) == 1 else {"anyOf": kinds}
    return {**rest, "items": items}, "items of any of these types in any order: ", "limit"


def without_undefined(schema: JsonSchema, reason: Callable[[str, Any], str]) -> Items | None:
    """Return a schema that requires the properties alone which it defines; None if nothing asks for that.

    `reason` returns why an API refuses a value of a word.
    """
    why = reason("undefined", 1) if is_undefined(schema) else ""
    why = why or (reason("bare_required", 1) if is_bare_required(schema) else "")
    if not why:
        return None
    named, required = schema.get("properties"), schema.get("required")
    names = required if is_list(required) else []
    defined = [name for name in names if isinstance(name, str) and is_mapping(named) and name in named]
    others = [str(name) for name in names if name not in defined]
    rest = {word: value for word, value in schema.items() if word != "required"}
    how = f"without {', '.join(others) or 'it'}: {why}"
    return {**rest, "required": defined} if defined else rest, how, "limit" if others else "none"


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
