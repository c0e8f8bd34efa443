"""What rules count in the schemas of tools. Builders count in each tool, so this is quick."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from ..wire_json.kinds import is_list, is_mapping
from .keywords import HOLDING, NAMED, ONE, SEVERAL

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from typing import Any

_LIMITS = ("exclusiveMinimum", "exclusiveMaximum")
# no API takes a schema of more; one that holds itself ends here
_MOST = 10_000
_MOST_SCHEMAS = 1024
# schemas in which nothing was found, by identity: each turn of a conversation has the same tools
_WITHOUT_LOOSE_LISTS: dict[int, Any] = {}
_UP_TO_DATE: dict[int, Any] = {}


def loose_lists(schema: Any) -> int:
    """Count the arrays in a schema that do not say what their items are.

    A schema that had none is not looked through again.
    """
    return _count(schema, is_loose, _WITHOUT_LOOSE_LISTS)


def outdated(schema: Any) -> int:
    """Count the schemas in a schema that are written as drafts of JSON Schema before 2020-12 have it.

    These have a list as `items`, and true or false as `exclusiveMinimum` and `exclusiveMaximum`. A schema that had none
    is not looked through again.
    """
    return _count(schema, is_outdated, _UP_TO_DATE)


def is_outdated(piece: Mapping[str, Any]) -> bool:
    """Return whether a schema itself, apart from those inside it, is written as an earlier draft has it."""
    return is_list(piece.get("items")) or any(type(piece.get(word)) is bool for word in _LIMITS)


def is_loose(piece: Mapping[str, Any]) -> bool:
    """Return whether a schema is that of an array and does not say what the items are."""
    kind = piece.get("type")
    return (kind == "array" or (is_list(kind) and "array" in kind)) and not is_mapping(piece.get("items"))


def _count(schema: Any, is_meant: Callable[[Mapping[str, Any]], bool], known: dict[int, Any]) -> int:
    if known.get(id(schema)) is schema:
        return 0
    count = sum(map(is_meant, _pieces(schema)))
    if not count:
        if len(known) >= _MOST_SCHEMAS:
            known.clear()
        known[id(schema)] = schema
    return count


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
