"""What rules count in the schemas of tools. Builders count in each tool, so this is quick."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_list, is_mapping
from .correcting import is_invalid
from .keywords import HOLDING, NAMED, ONE, SEVERAL

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
    """Count the schemas in a schema that no draft of JSON Schema allows."""
    return counts(schema)[2]


def is_outdated(piece: Mapping[str, Any]) -> bool:
    """Return whether a schema itself, apart from those inside it, is written as an earlier draft has it."""
    return is_list(piece.get("items")) or any(type(piece.get(word)) is bool for word in _LIMITS)


def is_loose(piece: Mapping[str, Any]) -> bool:
    """Return whether a schema is that of an array and does not say what the items are."""
    kind = piece.get("type")
    return (kind == "array" or (is_list(kind) and "array" in kind)) and not is_mapping(piece.get("items"))


def counts(schema: Any) -> tuple[int, int, int]:
    """Return how many there are of each that is counted; a schema that had none is not looked through again."""
    if _CLEAN.get(id(schema)) is schema:
        return _NOTHING
    loose = old = wrong = 0
    for piece in _pieces(schema):
        loose += is_loose(piece)
        old += is_outdated(piece)
        wrong += is_invalid(piece)
    if not (loose or old or wrong):
        if len(_CLEAN) >= _MOST_SCHEMAS:
            _CLEAN.clear()
        _CLEAN[id(schema)] = schema
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
