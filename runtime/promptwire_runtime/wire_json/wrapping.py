"""Messages inside an object of the body: `{"input": {"messages": [...], "seed": 1}}`.

Builders and readers see them beside this object.
"""

from __future__ import annotations

from ..typed import TYPE_CHECKING
from .kinds import is_object

if TYPE_CHECKING:
    from typing import Any


def wrapped(body: Any, outer: str, *inner: str) -> Any:
    """Move the messages of a built body into the object that holds them, behind the other keys of this object."""
    moved = {key: body.pop(key) for key in inner if key in body}
    if moved:
        others = body.get(outer)
        body[outer] = {**(others if is_object(others) else {}), **moved}
    return body


def unwrapped(body: dict[str, Any], outer: str, *inner: str) -> dict[str, Any]:
    """Return a body with its messages beside the object that holds them, which keeps all its other keys."""
    holder = body.get(outer)
    if not is_object(holder) or inner[0] not in holder:
        return body
    moved = {key: holder[key] for key in inner if key in holder}
    rest = {key: value for key, value in holder.items() if key not in moved}
    others = {key: value for key, value in body.items() if key != outer}
    return {**others, **({outer: rest} if rest else {}), **moved}
