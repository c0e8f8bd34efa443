"""Reading a whole body by the readers of its wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..build.wire import Wire
from ..errors import BodyError
from ..wire_json.bounds import beyond_bounds
from ..wire_json.kinds import is_object, json_kind
from .reader import Reader
from .readers import Readers
from .result import Reading


def read_body(
    readers: Readers, wire: Wire, build: Callable[..., Any], body: Any, url: str | None = None
) -> Reading:
    """Read a body that was sent to `url`; `build` is that of the wire.

    Raises BodyError when the body is no JSON object that holds its conversation.
    """
    item = _checked(body, wire, *readers.needs)
    named = [item[key] for key in readers.model if key in item]
    reader = Reader(wire, readers, named[0] if named else None, url)
    try:
        return reader.read(item, build)
    except Exception as error:  # values that no JSON text can hold fail anywhere
        place = _unwritable_place(body)
        if place is None:
            raise
        raise BodyError(f"{wire.name}: the body cannot be read: {place}") from error


def _checked(body: Any, wire: Wire, *needs: str) -> dict[str, Any]:
    """Check that a body is an object that holds its conversation."""
    if not is_object(body):
        raise BodyError(f"{wire.name}: the body is {json_kind(body)}, not an object")
    trouble = beyond_bounds(body)
    if trouble is not None:
        raise BodyError(f"{wire.name}: the body cannot be read: {trouble}")
    for key in needs:
        if type(body.get(key)) in (list, str):
            return body
    if not needs:
        return body
    named = " or ".join(f'"{key}"' for key in needs)
    wrong = [f'"{key}" is {json_kind(body[key])}, not a list' for key in needs if key in body]
    problem = wrong[0] if wrong else f"the body has no {named}"
    raise BodyError(f"{wire.name}: {problem}: is this a request of {wire.title}?")


def _unwritable_place(body: Any) -> str | None:
    """Name the first place of a body that holds what is no JSON; None where there is none."""
    from ..wire_json.unwritable import unwritable

    found = unwritable(body)
    return None if found is None else ": ".join([piece for piece in found if piece])
