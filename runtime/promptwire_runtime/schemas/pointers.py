"""References inside a JSON Schema: where each leads, and which lead back to themselves."""

from __future__ import annotations

from typing import Any
from urllib.parse import unquote

from ..wire_json.kinds import is_list, is_mapping
from .keywords import DEFINITIONS
from .of_types import JsonSchema


def referenced(schema: Any, reference: str) -> Any:
    """Return the part that a reference such as `#/$defs/tree` leads to, or None."""
    if reference == "#":
        return schema
    if not reference.startswith("#/"):
        return None
    piece = schema
    for word in unquote(reference).split("/")[1:]:
        key = word.replace("~1", "/").replace("~0", "~")
        if is_mapping(piece):
            piece = piece.get(key)
        elif is_list(piece) and key.isdigit():
            piece = piece[int(key)] if int(key) < len(piece) else None
        else:
            return None
    return piece


def references_of(schema: Any) -> set[str]:
    """Return all `$ref` of a schema."""
    references = set[str]()
    waiting: list[Any] = [schema]
    seen = set[int]()
    while waiting:
        piece = waiting.pop()
        if id(piece) in seen:
            continue
        seen.add(id(piece))
        if is_list(piece):
            waiting += piece
        elif is_mapping(piece):
            if type(reference := piece.get("$ref")) is str:
                references.add(reference)
            waiting += piece.values()
    return references


def dangling_references(schema: Any) -> list[str]:
    """Return the references of a schema into itself that lead nowhere, in alphabetical order."""
    inside = [reference for reference in references_of(schema) if reference.startswith("#/")]
    return sorted([reference for reference in inside if referenced(schema, reference) is None])


def cyclic_references(schema: Any) -> frozenset[str]:
    """Return the references of a schema that lead back to themselves."""
    rest = {word: value for word, value in schema.items() if word not in DEFINITIONS}
    leads: dict[str, set[str]] = {"#": references_of(rest)}
    ahead = leads["#"] - leads.keys()
    while ahead:
        leads |= {name: references_of(referenced(schema, name)) for name in ahead}
        ahead = {other for name in ahead for other in leads[name]} - leads.keys()
    return frozenset([name for name in leads if name in _reached(name, leads)])


def _reached(start: str, leads: dict[str, set[str]]) -> set[str]:
    """Return all references that one leads to, over any number of steps."""
    reached = set(leads[start])
    waiting = list(reached)
    while waiting:
        ahead = leads[waiting.pop()] - reached
        reached |= ahead
        waiting += ahead
    return reached


# where a schema that refers to itself is cut
CUT: JsonSchema = {"type": "object", "properties": {}, "additionalProperties": False}


def _is_cut(schema: Any) -> bool:
    """Return whether a property is cut, or is a list of items that are."""
    return schema is CUT or (is_mapping(schema) and schema.get("items") == CUT)


def without_cuts(schema: JsonSchema) -> JsonSchema:
    """Leave out optional properties and alternatives that are cut; elsewhere an empty object stands in their place."""
    for word in list(schema):
        value = schema[word]
        if word == "properties" and is_mapping(value):
            required = schema.get("required") or ()
            schema[word] = {
                name: dict(CUT) if inner is CUT else inner
                for name, inner in value.items()
                if not _is_cut(inner) or name in required
            }
        elif word in ("anyOf", "oneOf") and is_list(value):
            schema[word] = [inner for inner in value if inner is not CUT] or [dict(CUT)]
        elif value is CUT:
            schema[word] = dict(CUT)
    return schema
