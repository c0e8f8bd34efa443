"""Base64 of a body as the bytes that some clients take."""

from __future__ import annotations

from base64 import b64decode
from typing import TYPE_CHECKING, Any

from ..wire_json.kinds import is_list, is_object

if TYPE_CHECKING:
    from collections.abc import Sequence


def with_bytes(value: Any, steps: Sequence[str]) -> Any:
    """Give the same JSON with bytes where a path leads: `["content[]", "image", "bytes"]`; nothing given is changed.

    Raises ValueError where there is text that is no base64.
    """
    if not steps:
        return b64decode(value, validate=True) if isinstance(value, str) else value
    key = steps[0].removesuffix("[]")
    if not is_object(value) or key not in value:
        return value
    inner = value[key]
    if steps[0] == key:
        return {**value, key: with_bytes(inner, steps[1:])}
    return {**value, key: [with_bytes(item, steps[1:]) for item in inner]} if is_list(inner) else value
