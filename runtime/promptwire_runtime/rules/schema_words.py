"""What stands anywhere in a JSON Schema: keywords, formats, patterns, references, and objects that are not closed."""

from __future__ import annotations

from ..nodes.light_dataclasses import dataclass
from ..nodes.records import Record
from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_list, is_mapping

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

# keywords that hold schemas by name, a list of them, or one
_NAMED = ("properties", "$defs", "definitions", "patternProperties", "dependentSchemas")
_SEVERAL = ("anyOf", "oneOf", "allOf", "prefixItems")
_ONE = (
    "items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else",
    "unevaluatedProperties", "unevaluatedItems",
)  # fmt: skip
_HOLDING = frozenset({*_NAMED, *_SEVERAL, *_ONE})


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Words(Record):
    """What stands in a schema and in all schemas inside it, definitions among them.

    properties   how many there are; unrequired: how many of them are not in `required`
    open         objects that do not say `additionalProperties: false`
    loose_lists  arrays that do not say what their items are
    depth        the most objects inside each other
    min_items    the greatest `minItems`
    root         the type of the whole
    keywords, formats, patterns, refs, beside_ref  the words, each once; the last are keywords beside a `$ref`
    """

    properties: int
    unrequired: int
    open: int
    loose_lists: int
    depth: int
    min_items: int
    root: str
    keywords: tuple[str, ...]
    formats: tuple[str, ...]
    patterns: tuple[str, ...]
    refs: tuple[str, ...]
    beside_ref: tuple[str, ...]


def words_of(schema: Any) -> Words:
    """Look through a schema, each shared object once."""
    pieces = list(_inside(schema))
    schemas = [piece for piece, _ in pieces]
    named = [piece for piece in schemas if is_mapping(piece.get("properties"))]
    objects = [row for row in pieces if is_mapping(row[0].get("properties")) or _is_one(row[0], "object")]
    arrays = [piece for piece in schemas if _is_one(piece, "array")]
    least = [piece["minItems"] for piece in arrays if type(piece.get("minItems")) is int]
    root = schema.get("type") if is_mapping(schema) else None
    return Words(
        properties=sum([len(piece["properties"]) for piece in named]),
        unrequired=sum(map(_unrequired, named)),
        open=sum([piece.get("additionalProperties") is not False for piece, _ in objects]),
        loose_lists=sum([not is_mapping(piece.get("items")) for piece in arrays]),
        depth=max([depth + 1 for _, depth in objects], default=0),
        min_items=max([0, *least]),
        root=root if isinstance(root, str) else "none",
        keywords=_each_once([word for piece in schemas for word in piece]),
        formats=_texts(schemas, "format"),
        patterns=_texts(schemas, "pattern"),
        refs=_texts(schemas, "$ref"),
        beside_ref=_each_once(
            [word for piece in schemas if "$ref" in piece for word in piece if word != "$ref"]
        ),
    )


def _unrequired(piece: Mapping[str, Any]) -> int:
    """Count the properties of an object that it does not require."""
    required = piece.get("required")
    return len([name for name in piece["properties"] if not (is_list(required) and name in required)])


def _texts(schemas: list[Mapping[str, Any]], word: str) -> tuple[str, ...]:
    return _each_once([piece[word] for piece in schemas if isinstance(piece.get(word), str)])


def _each_once(words: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _is_one(piece: Mapping[str, Any], kind: str) -> bool:
    kinds = piece.get("type")
    return kinds == kind or (is_list(kinds) and kind in kinds)


def _inside(schema: Any) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Give each schema in a schema, itself first, and in how many objects it stands."""
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    seen = set[int]()
    while waiting:
        piece, depth = waiting.pop()
        if not is_mapping(piece) or id(piece) in seen:
            continue
        seen.add(id(piece))
        yield piece, depth
        if _HOLDING.isdisjoint(piece):
            continue
        below = depth + 1 if "properties" in piece else depth
        for word in _NAMED:
            if is_mapping(named := piece.get(word)):
                # definitions stand beside the whole, not in it
                level = 0 if word in ("$defs", "definitions") else below
                waiting += [(inner, level) for inner in named.values()]
        for word in _SEVERAL:
            if is_list(several := piece.get(word)):
                waiting += [(inner, depth) for inner in several]
        waiting += [(piece[word], depth) for word in _ONE if word in piece]
