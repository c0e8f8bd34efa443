"""Keywords of JSON Schema that hold schemas, and those that state a type."""

from __future__ import annotations

DEFINITIONS = ("$defs", "definitions")
# keywords that hold schemas by name, a list of them, or one
NAMED = ("properties", *DEFINITIONS, "patternProperties", "dependentSchemas")
SEVERAL = ("anyOf", "oneOf", "allOf", "prefixItems")
ONE = (
    "items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else",
    "unevaluatedProperties", "unevaluatedItems",
)  # fmt: skip
HOLDING = frozenset({*NAMED, *SEVERAL, *ONE})
# keywords that say of which type values are; whether a constant alone does differs among APIs
TYPING = frozenset({"type", "enum", "$ref", "anyOf", "oneOf", "allOf"})
