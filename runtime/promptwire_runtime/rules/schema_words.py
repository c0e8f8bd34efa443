"""What stands anywhere in a JSON Schema: keywords, formats, patterns, references, and objects that are not closed."""

from __future__ import annotations

from ..nodes.declared import dataclass
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
    properties = unrequired = opened = loose_lists = deepest = min_items = 0
    # dicts keep the order
    keywords: dict[str, None] = {}
    by_word: dict[str, dict[str, None]] = {"format": {}, "pattern": {}, "$ref": {}}
    beside: dict[str, None] = {}
    for piece, depth in _inside(schema):
        keywords.update(dict.fromkeys(piece))
        for word, texts in by_word.items():
            if word in piece and isinstance(piece[word], str):
                texts[piece[word]] = None
        if "$ref" in piece and len(piece) > 1:
            beside.update(dict.fromkeys(key for key in piece if key != "$ref"))
        named = piece.get("properties")
        kinds = piece.get("type")
        if is_mapping(named):
            required = piece.get("required")
            properties += len(named)
            unrequired += (
                len(named) - sum(name in required for name in named) if is_list(required) else len(named)
            )
        if is_mapping(named) or _is_one(kinds, "object"):
            opened += piece.get("additionalProperties") is not False
            deepest = max(deepest, depth + 1)
        if _is_one(kinds, "array"):
            loose_lists += not is_mapping(piece.get("items"))
            least = piece.get("minItems")
            min_items = max(min_items, least) if type(least) is int else min_items
    root = schema.get("type") if is_mapping(schema) else None
    return Words(
        properties=properties,
        unrequired=unrequired,
        open=opened,
        loose_lists=loose_lists,
        depth=deepest,
        min_items=min_items,
        root=root if isinstance(root, str) else "none",
        keywords=tuple(keywords),
        formats=tuple(by_word["format"]),
        patterns=tuple(by_word["pattern"]),
        refs=tuple(by_word["$ref"]),
        beside_ref=tuple(beside),
    )


def _is_one(kinds: Any, kind: str) -> bool:
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
