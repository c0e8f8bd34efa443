"""Schemas of classes as APIs follow them to the letter: their objects have the declared keys and no others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from ..wire_json.kinds import is_list, is_object

# keywords that hold one schema or a list of them; that hold schemas by name
_SCHEMAS = ("items", "prefixItems", "anyOf", "oneOf", "allOf", "additionalProperties")
_NAMED = ("properties", "$defs", "definitions")


def closed(schema: Any, *, requires_all: bool) -> Any:
    """Give a copy of a schema whose objects say that they have no other keys, where they do not say otherwise.

    Args:
        schema: JSON Schema.
        requires_all: whether every declared key is required, as strict answers want it, also one with a default.
    """
    if is_list(schema):
        return [closed(member, requires_all=requires_all) for member in schema]
    if not is_object(schema):
        return schema
    changed = {key: closed(schema[key], requires_all=requires_all) for key in _SCHEMAS if key in schema}
    for key in _NAMED:
        named = cast("Mapping[str, Any]", schema.get(key, {}))
        if named:
            changed[key] = {name: closed(inner, requires_all=requires_all) for name, inner in named.items()}
    if "properties" in schema:
        changed.setdefault("additionalProperties", False)
        if requires_all:
            changed["required"] = [*schema["properties"]]
    return schema | changed
