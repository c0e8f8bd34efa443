"""Find invalid JSON Schemas, as servers of tools write them, and write them as they are meant."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from ..wire_json.kinds import class_of, is_mapping

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

    from .of_types import JsonSchema

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


# how much of a schema an edit loses, least first: nothing; a limit that only the description states, or freedom
# that answers do not have; levels of a schema that refers to itself; values that no answer can have any more
LOSSES = ("none", "limit", "depth", "meaning")


class SchemaEdits:
    """What was changed in a schema.

    Attributes:
        rows: For each edit the keyword in the caller's schema (`properties.city.format`; empty for the whole), what was
            done and why, and how much it loses, in the words of `LOSSES`.
    """

    __slots__ = ("rows",)

    def __init__(self) -> None:
        self.rows: list[tuple[str, str, str]] = []

    def add(self, path: str, why: str, loss: str) -> None:
        """Add an edit."""
        self.rows.append((path, why, loss))

    @property
    def loss(self) -> str:
        """The greatest loss of all edits."""
        return max([loss for _, _, loss in self.rows], key=LOSSES.index, default="none")


def describe_rest(schema: JsonSchema, words: Mapping[str, Any]) -> JsonSchema:
    r"""Return a schema whose description lists some words: `A number\n\n{minimum: 1, maximum: 10}`."""
    if not words:
        return schema
    text = "{" + ", ".join([f"{word}: {value}" for word, value in words.items()]) + "}"
    known = schema.get("description")
    return {**schema, "description": f"{known}\n\n{text}" if known else text}


_TYPES = frozenset({"object", "array", "string", "integer", "number", "boolean", "null"})
# names that types have in programs; None: no type at all
_MEANT: dict[str, str | None] = {
    **{name: name for name in _TYPES},
    "any": None, "bool": "boolean", "dict": "object", "double": "number", "float": "number", "int": "integer",
    "list": "array", "long": "integer", "none": "null", "str": "string",
}  # fmt: skip
# keywords with schemas of which one may be null
_ALTERNATIVES = ("anyOf", "oneOf")
_NOTHING: Any = object()
# no API takes a schema that is nested as deep
_DEEPEST = 100


def is_invalid(piece: Mapping[str, Any]) -> bool:
    """Return whether a keyword of a schema, apart from those inside it, has a value that no draft since 4 allows."""
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
        elif word in SEVERAL or (word in ONE and _is_array(value)):
            for number, inner in enumerate(value):
                yield from invalid_places(inner, f"{place}[{number}]", depth + 1)
        elif word in ONE:
            yield from invalid_places(value, place, depth + 1)


def corrected(
    schema: Any,
    why: str,
    edits: SchemaEdits,
    path: str = "",
    word: str = "",
    depth: int = 0,
) -> Any:
    """Return a schema whose invalid keywords are written as they are meant, where that is certain.

    A type has its name in JSON Schema, a keyword with null is left out, an empty list of properties is an empty object,
    and a property that says `required: true` is among those that its object requires. `word` is the keyword under which
    the schema stands.
    """
    if not is_mapping(schema) or depth > _DEEPEST:
        return schema
    made: JsonSchema = {}
    for key, value in schema.items():
        place = f"{path}.{key}".lstrip(".")
        if key in _CHECKS and not _CHECKS[key](value):
            meant = _correct_value(key, value, word)
            if meant is not value:
                edits.add(place, f"{_words_for(meant, value, word)}: {why}", "none")
            if meant is not _NOTHING:
                made[key] = meant
        elif key in NAMED:
            made[key] = {
                name: corrected(inner, why, edits, f"{place}.{name}", key, depth + 1)
                for name, inner in value.items()
            }
        elif key in SEVERAL or (key in ONE and _is_array(value)):
            made[key] = [
                corrected(inner, why, edits, f"{place}[{number}]", key, depth + 1)
                for number, inner in enumerate(value)
            ]
        else:
            made[key] = corrected(value, why, edits, place, key, depth + 1) if key in ONE else value
    return _with_required(made, schema.get("properties"))


def _words_for(meant: Any, value: Any, word: str) -> str:
    """Return how a note says what became of a value."""
    if meant is not _NOTHING:
        return f"written as {meant}"
    return "required by the object around it" if value is True and word == "properties" else "left out"


def _with_required(made: JsonSchema, properties: Any) -> JsonSchema:
    """Add the properties that say of themselves that they are required."""
    known = made.get("required", [])
    if not (is_mapping(properties) and _are_texts(known)):
        return made
    names = [
        name
        for name, inner in properties.items()
        if is_mapping(inner) and inner.get("required") is True and name not in known
    ]
    return {**made, "required": [*known, *names]} if names else made


def _correct_value(key: str, value: Any, word: str) -> Any:
    """Return what an invalid value of a keyword means: perhaps nothing; the value itself where that is not certain."""
    if key == "type":
        return _meant_type(value, word)
    if value is None or (key == "required" and class_of(value) is bool):
        return _NOTHING
    return {} if key in NAMED and value == [] else value


def _meant_type(value: Any, word: str) -> Any:
    """Return the type that is meant. Null is a type beside others and in an alternative; alone, it says nothing."""
    several = _is_array(value)
    given = value if several else [value]
    names = ["null" if name is None and (several or word in _ALTERNATIVES) else name for name in given]
    if not names or not all(name is None or isinstance(name, str) for name in names):
        return value
    meant = [name if name is None else _MEANT.get(name.lower(), name) for name in names]
    if None in meant:
        return _NOTHING
    if not _TYPES.issuperset(meant):
        return value
    return list(dict.fromkeys(meant)) if several else meant[0]


def _is_array(value: Any) -> bool:
    # JSON has a list for a tuple, too
    return isinstance(value, (list, tuple))


def _is_schema(value: Any) -> bool:
    return is_mapping(value) or class_of(value) is bool


def _are_named(value: Any) -> bool:
    return is_mapping(value) and all(map(_is_schema, value.values()))


def _are_schemas(value: Any) -> bool:
    return _is_array(value) and bool(value) and all(map(_is_schema, value))


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _are_texts(value: Any) -> bool:
    return _is_array(value) and all(map(_is_text, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, (int, float)) and class_of(value) is not bool


def _is_count(value: Any) -> bool:
    return _is_number(value) and value >= 0 and (isinstance(value, int) or value.is_integer())


def _is_type(value: Any) -> bool:
    if isinstance(value, str):
        return value in _TYPES
    return _are_texts(value) and bool(value) and _TYPES.issuperset(value)


# a list as items, and true as a limit, are those of earlier drafts
_CHECKS: dict[str, Callable[[Any], bool]] = {
    "type": _is_type,
    "required": _are_texts,
    "enum": _is_array,
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
