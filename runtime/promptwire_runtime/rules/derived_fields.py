"""Fields of a part that rules know and no part states, such as the type that its data show."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ..model.parts import Json, Text, ToolResult
from ..nodes.file_kinds import is_base64, registered_type, type_of_bytes
from ..predicates.beginnings import BEGINNINGS
from ..reporting.spec_words import kind_of

DATA_URL, NO_BASE64 = "data_url", "no_base64"


def actual_type(part: Any) -> str | None:
    """Return the media type that the data of a part show, if its media type is another one.

    `data_url` stands for data that begin with `data:`, and `no_base64` for those that are none.
    """
    data: str | None = getattr(part, "data", None)
    given: str | None = getattr(part, "media_type", None)
    if data is None or data.startswith(BEGINNINGS[given]):
        return None
    if data[:5].lower() == "data:":
        return DATA_URL
    if not is_base64(data):
        return NO_BASE64
    shown = type_of_bytes(data)
    return shown if given is not None and shown != registered_type(given) else None


def empty(part: Any) -> bool | None:
    """Return whether a text says nothing and carries no signature, as the last piece of some answers does."""
    return True if isinstance(part, Text) and not part.text and part.signature is None else None


def error(part: Any) -> str | None:
    """Return what a failed result says; None for other results, and for a failed one with more than text."""
    if not (isinstance(part, ToolResult) and part.is_error):
        return None
    texts = [inner.text for inner in part.parts if isinstance(inner, Text)]
    return "\n".join(texts) if len(texts) == len(part.parts) else None


def error_part(part: Any) -> str | None:
    """Return the kind of the first part of a failed result that is no text; None for other results."""
    if not (isinstance(part, ToolResult) and part.is_error):
        return None
    return next((kind_of(inner) for inner in part.parts if not isinstance(inner, (Text, Json))), None)


# name of the field in rules -> how it is read
DERIVED: dict[str, Callable[[Any], str | bool | None]] = {
    "actual_type": actual_type,
    "empty": empty,
    "error": error,
    "error_part": error_part,
}
