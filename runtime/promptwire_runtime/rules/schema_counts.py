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
    found = known.get(id(schema))
    if found is not None:
        return found
    # what holds itself ends here
    known[id(schema)] = _NOTHING
    properties = list(given.values()) if is_mapping(given := schema.get("properties")) else []
    optional = len(properties) - _present(given, schema.get("required")) if properties else 0
    unions = sum("anyOf" in each or type(each.get("type")) is list for each in properties if is_mapping(each))
    refers = "$ref" in schema
    inner = [each for each in properties if is_mapping(each) and not _INNER.isdisjoint(each)]
    for each in (*inner, *_below(schema, _COUNTED)):
        more, several, refer = _counted(each, known, depth + 1)
        optional, unions, refers = optional + more, unions + several, refers or refer
    refers = refers or any(_counted(each, known, depth + 1)[2] for each in _below(schema, _WALKED))
    found = known[id(schema)] = (optional, unions, refers)
    return found


def _below(schema: Any, words: tuple[str, ...]) -> list[Any]:
    """List the schemas under these words, whether a word holds one or several."""
    found: list[Any] = []
    for word in words:
        if word in schema:
            found += schema[word] if is_list(schema[word]) else [schema[word]]
    return found


def _present(properties: Any, required: Any) -> int:
    """Count the properties that are required."""
    words = {word for word in required if type(word) is str} if is_list(required) else set[str]()
    return sum(1 for name in properties if name in words)


def is_recursive(schema: Any) -> bool:
    """Tell whether a schema, or a piece of it that it refers to, refers to itself."""
    rest = {word: each for word, each in schema.items() if word not in _DEFINITIONS}
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
    found = schema
    for word in unquote(reference).split("/")[1:]:
        key = word.replace("~1", "/").replace("~0", "~")
        if is_mapping(found):
            found = found.get(key)
        elif is_list(found) and key.isdigit():
            found = found[int(key)] if int(key) < len(found) else None
        else:
            return None
    return found


def _references(schema: Any) -> set[str]:
    """Give every `$ref` in a schema."""
    found = set[str]()
    waiting: list[Any] = [schema]
    seen = set[int]()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        if is_list(each):
            waiting += each
        elif is_mapping(each):
            if type(reference := each.get("$ref")) is str:
                found.add(reference)
            waiting += each.values()
    return found
