"""Parameters of a JSON Schema as APIs were seen to count them, and whether it refers to itself."""

from __future__ import annotations

from urllib.parse import unquote

from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_list, is_mapping

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    # optional parameters, parameters of several types, whether a reference was met
    Counts: TypeAlias = tuple[int, int, bool]

_DEFINITIONS = ("$defs", "definitions")
# where schemas stand in schemas; parameters are counted below the first three alone, as APIs were seen to count
_COUNTED = ("items", "anyOf")
_WALKED = ("oneOf", "allOf", "prefixItems", "additionalProperties", "not")
_INNER = frozenset({"properties", "$ref", *_COUNTED, *_WALKED})
_NOTHING = (0, 0, False)
# no API takes a schema that is nested as deep
_DEEPEST = 100


def counted(schema: Any) -> Counts:
    """Count optional parameters and those of several types, where they stand, definitions aside; and find references.

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
    for piece in (*inner, *_below(schema, _COUNTED)):
        more, several, refer = _counted(piece, known, depth + 1)
        optional, unions, refers = optional + more, unions + several, refers or refer
    refers = refers or any(_counted(piece, known, depth + 1)[2] for piece in _below(schema, _WALKED))
    counts = known[id(schema)] = (optional, unions, refers)
    return counts


def _below(schema: Any, words: tuple[str, ...]) -> list[Any]:
    """List the schemas under these words, whether a word holds one or several."""
    pieces: list[Any] = []
    for word in words:
        if word in schema:
            pieces += schema[word] if is_list(schema[word]) else [schema[word]]
    return pieces


def _present(properties: Any, required: Any) -> int:
    """Count the properties that are required."""
    words = {word for word in required if type(word) is str} if is_list(required) else set[str]()
    return sum(1 for name in properties if name in words)


def is_recursive(schema: Any) -> bool:
    """Tell whether a schema, or a piece of it that it refers to, refers to itself."""
    rest = {word: value for word, value in schema.items() if word not in _DEFINITIONS}
    leads: dict[str, set[str]] = {"#": _references(rest)}
    ahead = leads["#"] - leads.keys()
    while ahead:
        leads |= {name: _references(_piece(schema, name)) for name in ahead}
        ahead = {other for name in ahead for other in leads[name]} - leads.keys()
    # what refers to nothing unsettled is settled
    unsettled = set(leads)
    while settled := {name for name in unsettled if not leads[name] & unsettled}:
        unsettled -= settled
    return bool(unsettled)


def _piece(schema: Any, reference: str) -> Any:
    """Give what a reference such as `#/$defs/tree` leads to; None where there is nothing."""
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


def _references(schema: Any) -> set[str]:
    """Give every `$ref` in a schema."""
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
