"""Reading a whole body by the readers of its wire."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..build.wire import Wire
from ..errors import BodyError
from ..wire_json.bounds import text_beyond_bounds
from ..wire_json.codec import decode_body
from ..wire_json.copies import copy_body, own_json
from ..wire_json.kinds import is_object, json_kind
from ..wire_json.unwritable import unwritable
from ..wire_json.wrapping import unwrapped
from .reader import Reader
from .readers import Readers
from .result import Reading


def read_body(
    readers: Readers, wire: Wire, build: Callable[..., Any], body: Any, url: str | None = None
) -> Reading:
    """Read a body that was sent to `url`: JSON, decoded or not; `build` is that of the wire.

    Raises BodyError when the body is no JSON object that holds its conversation.
    """
    text = body if isinstance(body, (str, bytes, bytearray)) else None
    if text is not None:
        body = decode_body(text, wire.name, "body")
    if not is_object(body):
        raise BodyError(f"{wire.name}: the body is {json_kind(body)}, not an object")
    # later changes of the body change nothing that was read
    copy, trouble = copy_body(body) if text is None else (body, text_beyond_bounds(text, body))
    if trouble is not None:
        raise BodyError(f"{wire.name}: the body cannot be read: {trouble}")
    _check(body, wire, readers.needs)
    model = None
    for key in readers.model:
        if key in body:
            model = body[key]
            break
    reader = Reader(wire, readers, model, url)
    try:
        if copy is None:
            _raise_unwritable(body, wire)
            copy = own_json(body)
        return reader.read(copy, build)
    except BodyError:
        raise
    except Exception:  # values that no JSON text can hold fail anywhere
        _raise_unwritable(body, wire)
        raise


def _check(body: dict[str, Any], wire: Wire, needs: tuple[str, ...]) -> None:
    """Check that a body holds its conversation."""
    flat = body
    if wire.wrapping:
        outer, inner, *_ = wire.wrapping
        if inner in body:
            raise BodyError(
                f'{wire.name}: "{inner}" stands beside "{outer}"; {wire.title} takes it inside: '
                f"is this a request of another API?"
            )
        flat = unwrapped(body, *wire.wrapping)
    for key in needs:
        if type(flat.get(key)) in (list, str):
            return
    if not needs:
        return
    named = " or ".join(f'"{key}"' for key in needs)
    wrong = [f'"{key}" is {json_kind(body[key])}, not a list' for key in needs if key in body]
    problem = wrong[0] if wrong else f"the body has no {named}"
    raise BodyError(f"{wire.name}: {problem}: is this a request of {wire.title}?")


def _raise_unwritable(body: Any, wire: Wire) -> None:
    """Raise BodyError if a body holds what is no JSON, and name the first place of it."""
    found = unwritable(body)
    if found is not None:
        place = ": ".join([piece for piece in found if piece])
        raise BodyError(f"{wire.name}: the body cannot be read: {place}")
