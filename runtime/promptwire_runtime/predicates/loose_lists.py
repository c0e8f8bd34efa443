"""A quick test of the schemas of tools, by which builders decide whether rules look closer."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_list, is_mapping

if TYPE_CHECKING:
    from typing import Any

# keywords that hold schemas by name, a list of them, or one
_NAMED = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_OTHERS = (
    "items", "anyOf", "oneOf", "allOf", "prefixItems", "additionalProperties", "not", "contains", "propertyNames",
    "if", "then", "else", "unevaluatedProperties", "unevaluatedItems",
)  # fmt: skip
_HOLDING = frozenset({*_NAMED, *_OTHERS})
# a schema that holds itself, or as many as this, is for the rules
_MOST = 10_000
_MOST_SCHEMAS = 1024
# schemas without such an array, by identity: each turn of a conversation has the same tools
_FINE: dict[int, Any] = {}


def has_loose_lists(schema: Any) -> bool:
    """Return whether an array in a schema does not say what its items are, or there are too many schemas to tell.

    A schema that was fine is not looked through again.
    """
    if _FINE.get(id(schema)) is schema:
        return False
    if _looks_loose(schema):
        return True
    if len(_FINE) >= _MOST_SCHEMAS:
        _FINE.clear()
    _FINE[id(schema)] = schema
    return False


def _looks_loose(schema: Any) -> bool:
    waiting = [schema]
    for piece in waiting:
        if is_list(piece):
            waiting += piece
            continue
        if not is_mapping(piece):
            continue
        kind = piece.get("type")
        if (kind == "array" or (is_list(kind) and "array" in kind)) and not is_mapping(piece.get("items")):
            return True
        if _HOLDING.isdisjoint(piece):
            continue
        for word in _NAMED:
            if is_mapping(named := piece.get(word)):
                waiting += named.values()
        waiting += [piece[word] for word in _OTHERS if word in piece]
        if len(waiting) > _MOST:
            return True
    return False
