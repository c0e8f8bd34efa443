"""Combine JSON Schemas: alternatives as one object, conjunctions as one schema, and references inside a schema."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import unquote

from ..wire_json.kinds import class_of, is_list, is_mapping
from .correcting import DEFINITIONS
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


def intersect(first: JsonSchema, second: JsonSchema) -> tuple[JsonSchema, bool]:
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
            joined[name], fits = intersect(dict(known), dict(schema))
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


def is_clashing(piece: Mapping[str, Any], whole: Any) -> bool:
    """Return whether words beside a reference stand in its definition as well, or say a type that it should say."""
    reference = piece.get("$ref")
    if not isinstance(reference, str) or len(piece) == 1:
        return False
    target = referenced(whole, reference)
    return "type" in piece or (is_mapping(target) and not piece.keys().isdisjoint(target))


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


def is_object_schema(schema: Any) -> bool:
    """Return whether a schema describes an object."""
    return is_mapping(schema) and (schema.get("type") == "object" or "properties" in schema)


def properties_of(schema: Any) -> dict[str, Any]:
    """Return the properties of a schema; none if it has no proper ones."""
    properties: Any = schema.get("properties") if is_mapping(schema) else None
    return {**properties} if is_mapping(properties) else {}


def _required_by(schema: Any) -> list[Any]:
    """Return the names that a schema requires."""
    required: Any = schema.get("required")
    return required if is_list(required) else []


def merged_objects(members: list[Any]) -> JsonSchema:
    """Return an object with the properties of all alternatives; required are those that all require."""
    properties: JsonSchema = {}
    for member in members:
        for name, schema in properties_of(member).items():
            known = properties.setdefault(name, [])
            if schema not in known:
                known.append(schema)
    required = [name for name in properties if all(name in _required_by(member) for member in members)]
    merged = {name: _either(schemas) for name, schemas in properties.items()}
    closed = all(member.get("additionalProperties") is False for member in members)
    return {
        "properties": merged,
        **({"required": required} if required else {}),
        **({"additionalProperties": False} if closed else {}),
    }


def _either(schemas: list[Any]) -> Any:
    """Return one schema for alternatives; constants become an enum."""
    if len(schemas) == 1:
        return schemas[0]
    constants = [constants_of(schema) for schema in schemas]
    kinds = [schema.get("type") for schema in schemas if is_mapping(schema)]
    if all(constants) and isinstance(kinds[0], str) and kinds == [kinds[0]] * len(schemas):
        return {"type": kinds[0], "enum": [value for values in constants for value in values or ()]}
    return {"anyOf": schemas}


def constants_of(schema: Any) -> list[Any] | None:
    """Return the only values that a schema allows, or None."""
    if not is_mapping(schema):
        return None
    if "const" in schema:
        return [schema["const"]]
    values = schema.get("enum")
    return values if is_list(values) else None


def type_of_constant(value: Any) -> str | None:
    """Return the JSON Schema type of a constant; None for lists and objects."""
    if value is None or isinstance(value, bool):
        return "null" if value is None else "boolean"
    kinds: dict[type[Any], str] = {str: "string", int: "integer", float: "number"}
    return kinds.get(class_of(value))


def are_apart(members: list[Any]) -> bool:
    """Return whether no value fits two of the alternatives, as far as types and constant properties show."""
    if not members or not all(map(is_mapping, members)):
        return False
    kinds = [member.get("type") for member in members]
    if all(isinstance(kind, str) for kind in kinds) and len({*kinds, *_numbers(kinds)}) == len(kinds):
        return True
    return any(_tells_apart(name, members) for name in properties_of(members[0]))


def _numbers(kinds: list[Any]) -> set[str]:
    """Return the types that share values with others: an integer is a number."""
    return {"shared"} if {"integer", "number"} <= {*kinds} else set()


def _tells_apart(name: str, members: list[Any]) -> bool:
    """Return whether a property has other constants in each alternative, all of which require it."""
    seen: list[Any] = []
    for member in members:
        values = constants_of(properties_of(member).get(name))
        if not values or name not in _required_by(member) or any(value in seen for value in values):
            return False
        seen += values
    return True
