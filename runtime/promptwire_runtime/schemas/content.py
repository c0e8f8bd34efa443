"""What was found in schemas, remembered by their content: an application sends the same tools with each request."""

from __future__ import annotations

from marshal import dumps

from ..typed import TYPE_CHECKING, Any, Callable

if TYPE_CHECKING:
    from typing import TypeVar

    FoundT = TypeVar("FoundT")

_MOST = 512
# longer schemas are looked into each time
_LONGEST = 32_000


def content_of(schema: Any) -> bytes | None:
    """Return a key that no other schema has; None for what is no JSON, is nested too deep, or is very long.

    Equal schemas that share other objects inside may have different keys. An object that a schema holds more than once
    is written once, so that no key grows without end.
    """
    try:
        key = dumps(schema)
    except (ValueError, TypeError, RecursionError):
        return None
    return key if len(key) <= _LONGEST else None


def by_content(find: Callable[[Any], FoundT]) -> Callable[[Any], FoundT]:
    """Remember what a function finds in a schema, by the content of the schema."""
    known: dict[bytes, FoundT] = {}

    def look_up(schema: Any) -> FoundT:
        key = content_of(schema)
        if key is None:
            return find(schema)
        if key in known:
            return known[key]
        if len(known) >= _MOST:
            known.clear()
        found = known[key] = find(schema)
        return found

    return look_up
