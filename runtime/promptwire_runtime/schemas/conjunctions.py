"""Join two JSON Schemas into one that accepts what both accept."""

from __future__ import annotations

from typing import Any

from ..wire_json.kinds import is_list, is_mapping
from .of_types import JsonSchema

# words that describe and do not decide which values fit
ANNOTATIONS = frozenset(
    {
        "title",
        "description",
        "default",
        "examples",
        "example",
        "deprecated",
        "readOnly",
        "writeOnly",
        "discriminator",
    }
)
_LEAST = frozenset({"minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"})
_MOST = frozenset({"maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"})


def conjoined(first: JsonSchema, second: JsonSchema) -> tuple[JsonSchema, bool]:
    """Return one schema for two, and whether it accepts exactly what both do. Texts of the second take precedence."""
    joined, clean = dict(first), True
    for word, value in second.items():
        if word not in joined or joined[word] == value:
            joined[word] = value
            continue
        joined[word], fits = _both(word, joined[word], value)
        clean = clean and fits
    return joined, clean


def _both(word: str, first: Any, second: Any) -> tuple[Any, bool]:
    """Return the value of one word for both schemas, and whether it says what both say."""
    if word in ANNOTATIONS:
        return second, True
    if word == "properties" and is_mapping(first) and is_mapping(second):
        return _all_properties(first, second)
    if word == "required" and is_list(first) and is_list(second):
        return [*first, *[name for name in second if name not in first]], True
    if word in ("type", "enum"):
        return _shared(word, first, second)
    if word in _LEAST | _MOST and _is_number(first) and _is_number(second):
        return max(first, second) if word in _LEAST else min(first, second), True
    if word == "additionalProperties":
        return (False if False in (first, second) else first), False in (first, second) or True in (
            first,
            second,
        )
    return first, False


def _all_properties(first: Any, second: Any) -> tuple[JsonSchema, bool]:
    joined, clean = dict(first), True
    for name, schema in second.items():
        known = joined.get(name, schema)
        if known != schema and is_mapping(known) and is_mapping(schema):
            joined[name], fits = conjoined(dict(known), dict(schema))
            clean = clean and fits
        else:
            joined[name] = known
    return joined, clean


def _shared(word: str, first: Any, second: Any) -> tuple[Any, bool]:
    """Return the types or constants that both schemas have; an integer is a number."""
    left = first if is_list(first) else [first]
    right = second if is_list(second) else [second]
    shared = [value for value in left if value in right]
    if word == "type" and {*left, *right} == {"integer", "number"}:
        shared = ["integer"]
    if not shared:
        return first, False
    return (shared[0] if word == "type" and len(shared) == 1 else shared), True


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
