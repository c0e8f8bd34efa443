"""Alternatives in a JSON Schema: constants, whether a value fits one of them only, and one object for several."""

from __future__ import annotations

from typing import Any

from ..wire_json.kinds import class_of, is_list, is_mapping
from .of_types import JsonSchema


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
