"""The strict schemas of a request, for rules about them: counts of their parts, and the words in them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

from ..model.request import Request
from ..model.tools import Tool
from ..schemas.combining import cyclic_references
from ..schemas.content import by_content
from ..schemas.correcting import HOLDING, NAMED, ONE, SEVERAL, TYPING
from ..schemas.counting import dangling, is_loose
from ..wire_json.kinds import is_list, is_mapping

# optional parameters, parameters of several types, whether a reference was met
Counts: TypeAlias = tuple[int, int, bool]

_GREATEST = frozenset({"depth", "min_items"})
_COUNTED = frozenset({"optional", "unions", "recursive"})
_MOST = "most_"


@dataclass(frozen=True, slots=True)
class SchemaFacts:
    """The values of one schema that rules look at.

    optional, unions  parameters that may be missing, and parameters of several types: as APIs were seen to count, where
                      they stand, not where a `$ref` leads, and none of definitions
    recursive         whether it refers to itself
    words             what stands anywhere in it
    """

    optional: int
    unions: int
    recursive: bool
    words: SchemaWords


def strict_schemas(tools: Iterable[Any], request: Request, wire: str, *, implied: bool) -> list[SchemaFacts]:
    """Return the facts of all strict schemas: of strict tools, and of a strict response format.

    `implied` says that the API follows the schema of every response format so. A tool that was read from this very wire
    in an unusual shape goes out as it came: what the API makes of it is not known.
    """
    strict: list[Any] = [
        tool.parameters
        for tool in tools
        if isinstance(tool, Tool) and tool.strict is True and not _is_unusual(tool, wire)
    ]
    wanted = request.response_format
    if wanted is not None and wanted.schema is not None and (implied or wanted.strict is True):
        strict.append(wanted.schema)
    return list(map(facts_of, strict))


def _is_unusual(tool: Tool, wire: str) -> bool:
    kept = tool.kept
    return kept is not None and kept.shape is not None and kept.wire == wire


def values_of_schemas(word: str, schemas: list[SchemaFacts]) -> list[Any]:
    """Return the values of a word in some schemas: one number for all, or each word once.

    `most_optional` is the number of the schema that has most.
    """
    name = word.removeprefix(_MOST)
    values = [getattr(facts if name in _COUNTED else facts.words, name) for facts in schemas]
    if not values or isinstance(values[0], str):
        return values
    if isinstance(values[0], tuple):
        return list(dict.fromkeys(text for texts in values for text in texts))
    if isinstance(values[0], bool):
        return [any(values)]
    return [max(values) if name != word or name in _GREATEST else sum(values)]


@by_content
def facts_of(schema: Any) -> SchemaFacts:
    """Return the facts of a schema, which are remembered by its content. Anything else holds nothing."""
    optional, unions, refers = counted(schema)
    return SchemaFacts(optional, unions, refers and bool(cyclic_references(schema)), words_of(schema))


# where schemas stand in schemas; parameters are counted below the first three alone, as APIs were seen to count
_COUNTED_BELOW = ("items", "anyOf")
_WALKED = ("oneOf", "allOf", "prefixItems", "additionalProperties", "not")
_INNER = frozenset({"properties", "$ref", *_COUNTED_BELOW, *_WALKED})
_NOTHING = (0, 0, False)
# no API takes a schema that is nested as deep
_DEEPEST = 100


def counted(schema: Any) -> Counts:
    """Count optional parameters and those of several types outside of definitions, and look for references.

    What is no schema counts as nothing.
    """
    return _counted(schema, {}, 0)


def _counted(schema: Any, known: dict[int, Counts], depth: int) -> Counts:
    """Count the parameters in a schema, each shared object once looked at."""
    if not is_mapping(schema) or depth > _DEEPEST:
        return _NOTHING
    counts = known.get(id(schema))
    if counts is not None:
        return counts
    # what holds itself ends here
    known[id(schema)] = _NOTHING
    properties = list(named.values()) if is_mapping(named := schema.get("properties")) else []
    optional = len(properties) - _present(named, schema.get("required")) if properties else 0
    unions = sum(
        "anyOf" in piece or type(piece.get("type")) is list for piece in properties if is_mapping(piece)
    )
    refers = "$ref" in schema
    inner = [piece for piece in properties if is_mapping(piece) and not _INNER.isdisjoint(piece)]
    for piece in (*inner, *_below(schema, _COUNTED_BELOW)):
        more, several, refer = _counted(piece, known, depth + 1)
        optional, unions, refers = optional + more, unions + several, refers or refer
    refers = refers or any(_counted(piece, known, depth + 1)[2] for piece in _below(schema, _WALKED))
    counts = known[id(schema)] = (optional, unions, refers)
    return counts


def _below(schema: Any, words: tuple[str, ...]) -> list[Any]:
    """Return the schemas under these words, whether a word holds one or several."""
    pieces: list[Any] = []
    for word in words:
        if word in schema:
            pieces += schema[word] if is_list(schema[word]) else [schema[word]]
    return pieces


def _present(properties: Any, required: Any) -> int:
    """Count the properties that are required."""
    words = {word for word in required if type(word) is str} if is_list(required) else set[str]()
    return sum(1 for name in properties if name in words)


@dataclass(frozen=True, kw_only=True, slots=True)
class SchemaWords:
    """Counts and words of a schema and all schemas inside it, definitions included.

    properties   how many there are; unrequired: how many of them are not in `required`
    open         objects that do not say `additionalProperties: false`
    loose_lists  arrays that do not say what their items are
    untyped      schemas without a type, an enum, a reference or alternatives, and `true`
    anything     how many schemas are `true`
    lax_objects  objects with properties none of which is required
    depth        the most objects inside each other
    min_items    the greatest `minItems`
    dangling     references into the schema that lead nowhere
    root         the type of the whole
    keywords, formats, patterns, refs, beside_ref  the words, each once; the last are keywords beside a `$ref`
    """

    properties: int
    unrequired: int
    open: int
    loose_lists: int
    untyped: int
    anything: int
    lax_objects: int
    depth: int
    min_items: int
    dangling: int
    root: str
    keywords: tuple[str, ...]
    formats: tuple[str, ...]
    patterns: tuple[str, ...]
    refs: tuple[str, ...]
    beside_ref: tuple[str, ...]


def words_of(schema: Any) -> SchemaWords:
    """Look through a schema, each shared object once."""
    pieces = list(_inside(schema))
    schemas = [piece for piece, _ in pieces]
    named = [piece for piece in schemas if is_mapping(piece.get("properties"))]
    objects = [row for row in pieces if is_mapping(row[0].get("properties")) or _is_one(row[0], "object")]
    arrays = [piece for piece in schemas if _is_one(piece, "array")]
    least = [piece["minItems"] for piece in arrays if type(piece.get("minItems")) is int]
    root = schema.get("type") if is_mapping(schema) else None
    anything = sum(map(_anything, schemas))
    return SchemaWords(
        properties=sum([len(piece["properties"]) for piece in named]),
        unrequired=sum(map(_unrequired, named)),
        open=sum([piece.get("additionalProperties") is not False for piece, _ in objects]),
        loose_lists=sum(map(is_loose, schemas)),
        untyped=anything + sum([not TYPING & piece.keys() for piece in schemas]),
        anything=anything,
        lax_objects=len([piece for piece in named if piece["properties"] and not piece.get("required")]),
        depth=max([depth + 1 for _, depth in objects], default=0),
        min_items=max([0, *least]),
        dangling=dangling(schema),
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


def _anything(piece: Mapping[str, Any]) -> int:
    """Count each `true` in place of a schema inside one."""
    inner = [*piece["properties"].values()] if is_mapping(piece.get("properties")) else []
    inner += list(_below(piece, ("items", "anyOf")))
    return sum([value is True for value in inner])


def _texts(schemas: list[Mapping[str, Any]], word: str) -> tuple[str, ...]:
    return _each_once([piece[word] for piece in schemas if isinstance(piece.get(word), str)])


def _each_once(words: list[str]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(words))


def _is_one(piece: Mapping[str, Any], kind: str) -> bool:
    kinds = piece.get("type")
    return kinds == kind or (is_list(kinds) and kind in kinds)


def _inside(schema: Any) -> Iterator[tuple[Mapping[str, Any], int]]:
    """Return each schema in a schema, itself first, and in how many objects it stands."""
    waiting: list[tuple[Any, int]] = [(schema, 0)]
    seen = set[int]()
    while waiting:
        piece, depth = waiting.pop()
        if not is_mapping(piece) or id(piece) in seen:
            continue
        seen.add(id(piece))
        yield piece, depth
        if HOLDING.isdisjoint(piece):
            continue
        below = depth + 1 if "properties" in piece else depth
        for word in NAMED:
            if is_mapping(named := piece.get(word)):
                # definitions stand beside the whole, not in it
                level = 0 if word in ("$defs", "definitions") else below
                waiting += [(inner, level) for inner in named.values()]
        for word in SEVERAL:
            if is_list(several := piece.get(word)):
                waiting += [(inner, depth) for inner in several]
        waiting += [(piece[word], depth) for word in ONE if word in piece]
