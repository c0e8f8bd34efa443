"""Schemas that no draft of JSON Schema allows, as servers of tools write them: found, and written as they are meant."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from ..wire_json.kinds import class_of, is_list, is_mapping
from .keywords import NAMED, ONE, SEVERAL
from .schema_edits import SchemaEdit

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from .of_types import JsonSchema

_TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
# names that types have in programs; None: no type at all
_MEANT: dict[str, str | None] = {
    **{name: name for name in _TYPES},
    "any": None, "bool": "boolean", "dict": "object", "double": "number", "float": "number", "int": "integer",
    "list": "array", "long": "integer", "none": "null", "str": "string",
}  # fmt: skip
_NOTHING: Any = object()
# no API takes a schema that is nested as deep
_DEEPEST = 100


def is_invalid(piece: Mapping[str, Any]) -> bool:
    """Return whether a keyword of a schema, apart from those inside it, has a value that no draft allows."""
    return any(not _CHECKS[word](value) for word, value in piece.items() if word in _CHECKS)


def invalid_places(schema: Any, path: str = "", depth: int = 0) -> Iterator[str]:
    """Yield the places of invalid keywords: `properties.city.type`."""
    for word, value in schema.items() if is_mapping(schema) and depth <= _DEEPEST else ():
        place = f"{path}.{word}".lstrip(".")
        if word in _CHECKS and not _CHECKS[word](value):
            yield place
        elif word in NAMED:
            for name, inner in value.items():
                yield from invalid_places(inner, f"{place}.{name}", depth + 1)
        elif word in SEVERAL or (word in ONE and is_list(value)):
            for number, inner in enumerate(value):
                yield from invalid_places(inner, f"{place}[{number}]", depth + 1)
        elif word in ONE:
            yield from invalid_places(value, place, depth + 1)


def corrected(schema: Any, why: str, edits: list[SchemaEdit], path: str = "", depth: int = 0) -> Any:
    """Return a schema whose invalid keywords are written as they are meant, where that is certain.

    A type has its name in JSON Schema, a keyword with null is left out, an empty list of properties is an empty object,
    and a property that says `required: true` is among those that its object requires.
    """
    if not is_mapping(schema) or depth > _DEEPEST:
        return schema
    made: JsonSchema = {}
    for word, value in schema.items():
        place = f"{path}.{word}".lstrip(".")
        if word in _CHECKS and not _CHECKS[word](value):
            meant = _meant(word, value)
            if meant is not value:
                left_out = "required by the object around it" if value is True else "left out"
                edits.append(SchemaEdit(place, f"{left_out if meant is _NOTHING else meant}: {why}", "none"))
            if meant is not _NOTHING:
                made[word] = meant
        elif word in NAMED:
            made[word] = {
                name: corrected(inner, why, edits, f"{place}.{name}", depth + 1)
                for name, inner in value.items()
            }
        elif word in SEVERAL or (word in ONE and is_list(value)):
            made[word] = [
                corrected(inner, why, edits, f"{place}[{number}]", depth + 1)
                for number, inner in enumerate(value)
            ]
        else:
            made[word] = corrected(value, why, edits, place, depth + 1) if word in ONE else value
    return _with_required(made, schema.get("properties"))


def _with_required(made: JsonSchema, properties: Any) -> JsonSchema:
    """Add the properties that say of themselves that they are required."""
    rows = properties.items() if is_mapping(properties) else ()
    known = made.get("required", [])
    names = [name for name, inner in rows if is_mapping(inner) and inner.get("required") is True]
    return {**made, "required": [*known, *[name for name in names if name not in known]]} if names else made


def _meant(word: str, value: Any) -> Any:
    """Return what an invalid value of a keyword means: perhaps nothing; the value itself where that is not certain."""
    if value is None or (word == "required" and class_of(value) is bool):
        return _NOTHING
    if word in NAMED and value == []:
        return {}
    if word == "type":
        kinds = value if is_list(value) else [value]
        names = [_MEANT.get(kind.lower(), kind) if isinstance(kind, str) else kind for kind in kinds]
        if None in names:
            return _NOTHING
        if names and _is_type(names):
            return list(dict.fromkeys(names)) if is_list(value) else names[0]
    return value


def _is_schema(value: Any) -> bool:
    return is_mapping(value) or class_of(value) is bool


def _are_named(value: Any) -> bool:
    return is_mapping(value) and all(map(_is_schema, value.values()))


def _are_schemas(value: Any) -> bool:
    return is_list(value) and bool(value) and all(map(_is_schema, value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and class_of(value) is not bool


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and (isinstance(value, int) or value.is_integer())


def _is_type(value: Any) -> bool:
    if isinstance(value, str):
        return value in _TYPES
    return is_list(value) and bool(value) and all(isinstance(kind, str) and kind in _TYPES for kind in value)


# a list as items, and true as a limit, are those of earlier drafts
_CHECKS: dict[str, Callable[[Any], bool]] = {
    "type": _is_type,
    "required": lambda value: is_list(value) and all(map(_is_text, value)),
    "enum": is_list,
    "items": lambda value: _is_schema(value) or _are_schemas(value),
    **dict.fromkeys(NAMED, _are_named),
    **dict.fromkeys(SEVERAL, _are_schemas),
    **dict.fromkeys([word for word in ONE if word != "items"], _is_schema),
    **dict.fromkeys(("title", "description", "pattern", "format", "$ref"), _is_text),
    **dict.fromkeys(("minimum", "maximum", "multipleOf"), _is_number),
    **dict.fromkeys(("exclusiveMinimum", "exclusiveMaximum"), lambda value: isinstance(value, (int, float))),
    **dict.fromkeys(
        ("minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties"), _is_count
    ),
}
