"""One schema, apart from those inside it, in other words: those of draft 2020-12, and items of arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeAlias

from ..wire_json.kinds import is_list, is_mapping
from .counting import is_bare_required, is_undefined
from .of_types import JsonSchema

# an array with items, how they were found, and what that loses, in the words of `LOSSES`
Items: TypeAlias = tuple[JsonSchema, str, str]

_LIMITS = {"exclusiveMinimum": "minimum", "exclusiveMaximum": "maximum"}


def updated(schema: JsonSchema) -> JsonSchema:
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
    current = updated(schema)
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
