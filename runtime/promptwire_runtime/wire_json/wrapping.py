"""Messages inside an object of the body: `{"input": {"messages": [...]}}`. Builders and readers see them beside it."""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from .kinds import is_object

if TYPE_CHECKING:
    from typing import Any


def wrapped(body: Any, outer: str, inner: str) -> Any:
    """Move the messages of a built body into the object that holds them; keys that were kept of it stay there."""
    if inner in body:
        kept = body.get(outer)
        messages = body.pop(inner)
        body[outer] = {**(kept if is_object(kept) else {}), inner: messages}
    return body


def unwrapped(body: dict[str, Any], outer: str, inner: str) -> dict[str, Any]:
    """Return a body with its messages beside the object that holds them, which keeps all its other keys."""
    holder = body.get(outer)
    if not is_object(holder) or inner not in holder:
        return body
    rest = {key: value for key, value in holder.items() if key != inner}
    others = {key: value for key, value in body.items() if key != outer}
    return {**others, **({outer: rest} if rest else {}), inner: holder[inner]}
