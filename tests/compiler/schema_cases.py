"""Schemas that rules about strict schemas mean, and schemas that they do not."""

from __future__ import annotations

from typing import Any

from promptwire import ResponseFormat

# two optional parameters, one inside the other, and two of several types
NESTED = {
    "type": "object",
    "properties": {
        "a": {"type": "object", "properties": {"b": {"type": ["string", "null"]}}},
        "c": {"anyOf": [{"type": "string"}, {"$ref": "#/$defs/d"}]},
    },
    "required": ["c"],
    "$defs": {"d": {"type": "object", "properties": {"e": {}}}},
}
LOOSE = ResponseFormat(
    "json_schema", strict=True, schema={"type": "array", "items": {"properties": {"a": {}, "b": {}}}}
)
TREE = {"$ref": "#/$defs/tree", "$defs": {"tree": {"properties": {"left": {"$ref": "#/$defs/tree"}}}}}
LIST = {"type": "object", "properties": {"next": {"$ref": "#"}}}
# an entry about strict schemas, its path, a schema that it means, and one that it does not
CLOSED = {
    "type": "object",
    "properties": {"a": {"type": "string"}},
    "required": ["a"],
    "additionalProperties": False,
}
SCHEMA_CASES: list[tuple[str, str, dict[str, Any], dict[str, Any]]] = [
    ("unrequired>0", "unrequired", {"$defs": {"b": {"properties": {"a": {}}}}}, CLOSED),
    ("open>=1", "open", {"items": {"type": ["object", "null"]}}, {"not": CLOSED}),
    ("loose_lists>0", "loose_lists", {"anyOf": [{"type": "array"}]}, {"type": "array", "items": {}}),
    ("depth>1", "depth", {"properties": {"a": {"items": CLOSED}}}, {"$defs": {"b": CLOSED}, **CLOSED}),
    ("properties>1", "properties", {"allOf": [CLOSED, {"properties": {"b": {}}}]}, CLOSED),
    ("min_items>1", "min_items", {"type": "array", "minItems": 2}, {"type": "array", "minItems": 1}),
    ("root!=object", "root", {"anyOf": [CLOSED]}, CLOSED),
    ("root=none", "root", {"$ref": "#/$defs/a"}, CLOSED),
    (
        "keywords=max*|oneOf",
        "keywords",
        {"properties": {"a": {"maximum": 1}}},
        {"properties": {"maximum": {}}},
    ),
    ("formats!=date|time", "formats", {"prefixItems": [{"format": "uri"}]}, {"items": {"format": "date"}}),
    ("patterns!~[a-z]*", "patterns", {"patternProperties": {"x": {"pattern": "(?=a)"}}}, {"pattern": "abc"}),
    ("refs!=#/$defs/*", "refs", {"if": {"$ref": "#/properties/a"}}, {"then": {"$ref": "#/$defs/a"}}),
    (
        "dangling>0",
        "dangling",
        {"items": {"$ref": "#/$defs/a", "$defs": {"a": CLOSED}}},
        {"items": [{"$ref": "#/$defs/a"}, {"$ref": "#"}, {"$ref": "other.json#/b"}], "$defs": {"a": CLOSED}},
    ),
    (
        "beside_ref=description",
        "beside_ref",
        {"items": {"$ref": "#", "description": "x"}},
        {"items": {"$ref": "#"}},
    ),
]
SHARED = {
    "anyOf": [{"$ref": "#/$defs/a"}, {"$ref": "#/$defs/b"}],
    "$defs": {"a": {"$ref": "#/$defs/b"}, "b": {}},
}
UNREACHED = {
    "type": "object",
    "properties": {"a": {"$ref": "#/$defs/leaf"}},
    "$defs": {"leaf": {}, "tree": {"items": {"$ref": "#/$defs/tree"}}},
}
