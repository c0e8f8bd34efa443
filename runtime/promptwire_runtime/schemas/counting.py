"""What rules count in the schemas of tools. Builders count in each tool, so this is quick."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_list, is_mapping
from .content import by_content
from .correcting import HOLDING, NAMED, ONE, SEVERAL, is_invalid

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

_LIMITS = ("exclusiveMinimum", "exclusiveMaximum")
# no API takes a schema of more; one that holds itself ends here
_MOST = 10_000
_MOST_SCHEMAS = 1024
# schemas in which nothing was found, by identity: each turn of a conversation has the same tools
_CLEAN: dict[int, Any] = {}
_NOTHING = (0, 0, 0)
# names of parameters that were found to be usual
_USUAL_NAMES: set[str] = set()
_LONGEST_NAME = 64
_MARKS = dict.fromkeys(map(ord, "_.-"), "a")
COUNTED = ("loose_lists", "outdated", "invalid")
"""What is counted, in the words of rules."""


def loose_lists(schema: Any) -> int:
    """Count the arrays in a schema that do not say what their items are."""
    return counts(schema)[0]


def outdated(schema: Any) -> int:
    """Count the schemas in a schema that are written as drafts of JSON Schema before 2020-12 have it.

    These have a list as `items`, and true or false as `exclusiveMinimum` and `exclusiveMaximum`.
    """
    return counts(schema)[1]


def invalid(schema: Any) -> int:
    """Count the schemas in a schema that no draft of JSON Schema since 4 allows."""
    return counts(schema)[2]


@by_content
def undefined(schema: Any) -> int:
    """Count the schemas in a schema that require a property which they do not define."""
    return sum(map(is_undefined, _pieces(schema)))


@by_content
def bare_required(schema: Any) -> int:
    """Count the schemas in a schema that have `required` and no `properties`."""
    return sum(map(is_bare_required, _pieces(schema)))


@by_content
def typed_enums(schema: Any) -> int:
    """Count the schemas in a schema that have an enum and a type other than text."""
    return sum(map(is_typed_enum, _pieces(schema)))


@by_content
def dangling(schema: Any) -> int:
    """Count the references of a schema into itself that lead nowhere."""
    if not any("$ref" in piece for piece in _pieces(schema)):
        return 0
    from .combining import dangling_references

    return len(dangling_references(schema))


@by_content
def clashing_refs(schema: Any) -> int:
    """Count the references beside which stand words that their definition has too, or a type."""
    decorated = [piece for piece in _pieces(schema) if "$ref" in piece and len(piece) > 1]
    if not decorated:
        return 0
    from .combining import is_clashing

    return sum([is_clashing(piece, schema) for piece in decorated])


RARELY_COUNTED = {
    "undefined": undefined,
    "bare_required": bare_required,
    "typed_enums": typed_enums,
    "dangling": dangling,
    "clashing_refs": clashing_refs,
}
"""What few APIs count: the words of rules -> what counts it."""


def is_undefined(piece: Mapping[str, Any]) -> bool:
    """Return whether a schema itself requires a property that it does not define."""
    required, named = piece.get("required"), piece.get("properties")
    names = [name for name in required if isinstance(name, str)] if is_list(required) else ()
    return any(not is_mapping(named) or name not in named for name in names)


def is_bare_required(piece: Mapping[str, Any]) -> bool:
    """Return whether a schema itself has `required` and no `properties`."""
    return "required" in piece and "properties" not in piece


def is_typed_enum(piece: Mapping[str, Any]) -> bool:
    """Return whether a schema itself has an enum and a type other than text, in small or capital letters."""
    kind = piece.get("type")
    return "enum" in piece and isinstance(kind, str) and kind.lower() != "string"


def odd_names(schema: Any) -> list[str]:
    """Return the parameters of a function whose names few APIs accept: others than 64 ASCII letters, digits, `_.-`."""
    named = schema.get("properties") if is_mapping(schema) else None
    if not is_mapping(named) or _USUAL_NAMES.issuperset(named):
        return []
    odd = [name for name in named if not _is_usual(name)]
    if len(_USUAL_NAMES) >= _MOST:
        _USUAL_NAMES.clear()
    _USUAL_NAMES.update(named.keys() - odd)
    return odd


def _is_usual(name: Any) -> bool:
    if not isinstance(name, str) or len(name) > _LONGEST_NAME:
        return False
    return name.isascii() and name.translate(_MARKS).isalnum()


def is_unusual(schema: Any) -> bool:
    """Return whether anything that is counted is in a schema."""
    return _CLEAN.get(id(schema)) is not schema and any(counts(schema))


def is_outdated(piece: Mapping[str, Any]) -> bool:
    """Return whether a schema itself, apart from those inside it, is written as an earlier draft has it."""
    return is_list(piece.get("items")) or any(type(piece.get(word)) is bool for word in _LIMITS)


def is_loose(piece: Mapping[str, Any]) -> bool:
    """Return whether a schema is that of an array and does not say what the items are."""
    kind = piece.get("type")
    is_array = kind in ("array", "ARRAY") or (is_list(kind) and "array" in kind)
    return is_array and not is_mapping(piece.get("items"))


def counts(schema: Any) -> tuple[int, int, int]:
    """Return how many there are of each that is counted; a schema that had none is not looked through again."""
    if _CLEAN.get(id(schema)) is schema:
        return _NOTHING
    found = _counted(schema)
    if not any(found):
        if len(_CLEAN) >= _MOST_SCHEMAS:
            _CLEAN.clear()
        _CLEAN[id(schema)] = schema
    return found


@by_content
def _counted(schema: Any) -> tuple[int, int, int]:
    loose = old = wrong = 0
    for piece in _pieces(schema):
        loose += is_loose(piece)
        old += is_outdated(piece)
        wrong += is_invalid(piece)
    return loose, old, wrong


def _pieces(schema: Any) -> Iterator[Mapping[str, Any]]:
    """Yield the schemas in a schema, itself first."""
    waiting = [schema]
    for piece in waiting:
        if is_list(piece):
            waiting += piece
        elif is_mapping(piece):
            yield piece
            if not HOLDING.isdisjoint(piece):
                for word in NAMED:
                    if is_mapping(named := piece.get(word)):
                        waiting += named.values()
                waiting += [piece[word] for word in (*SEVERAL, *ONE) if word in piece]
        if len(waiting) > _MOST:
            return
