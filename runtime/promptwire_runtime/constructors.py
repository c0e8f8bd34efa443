"""Constructors of messages and common media."""

from __future__ import annotations

from .errors import InvalidRequest
from .model.media import Document, Image
from .model.parts import CustomToolCall, CustomToolResult, Json, Part, Text, ToolCall, ToolResult
from .model.request import Message
from .nodes.checks import as_parts
from .typed import TYPE_CHECKING
from .wire_json.kinds import is_mapping

if TYPE_CHECKING:
    from collections.abc import Mapping
    from typing import Any, Unpack

    from .model.media import DocumentFields, ImageFields
    from .model.parts import PartsLike
    from .model.request import MessageFields
    from .model.returns import ToolResultFields

# base64, also of URLs, in lines as MIME has it
_BASE64 = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=-_ \r\n\t")
# the beginning of a text shows whether it is base64
_LOOKED_AT = 4096


def user(*content: str | Part, **fields: Unpack[MessageFields]) -> Message:
    """Return a user message of texts and parts: `user("What is this?", image_url("https://..."))`."""
    return Message("user", as_parts(content, Part, Text), **fields)


def assistant(*content: str | Part, **fields: Unpack[MessageFields]) -> Message:
    """Return an assistant message of texts and parts: `assistant("I will look.", ToolCall("c1", "search"))`."""
    return Message("assistant", as_parts(content, Part, Text), **fields)


def system(*content: str | Part, **fields: Unpack[MessageFields]) -> Message:
    """Return a system message. Use `Request.instructions` for the system prompt of the whole request."""
    return Message("system", as_parts(content, Part, Text), **fields)


def developer(*content: str | Part, **fields: Unpack[MessageFields]) -> Message:
    """Return a developer message. Use `Request.instructions` for the system prompt of the whole request."""
    return Message("developer", as_parts(content, Part, Text), **fields)


def tool_result(
    call: str | ToolCall | CustomToolCall | None,
    content: PartsLike | Mapping[str, Any],
    **fields: Unpack[ToolResultFields],
) -> Message:
    """Return the message that answers one tool call.

    Args:
        call: The call, or its id; None for APIs without ids.
        content: Text, parts, or the object that the function returned (stored as `Json`).
        **fields: Other fields of `ToolResult`, such as `name` and `is_error`.
    """
    parts: PartsLike = Json(content) if is_mapping(content) else content
    if isinstance(call, CustomToolCall):
        return Message("tool", (CustomToolResult(call.id, parts),))
    if isinstance(call, ToolCall):
        # APIs without ids match calls by name
        fields.setdefault("name", call.name)
        call = call.id
    return Message("tool", (ToolResult(call, parts, **fields),))


def image_url(url: str, *, media_type: str | None = None, **fields: Unpack[ImageFields]) -> Image:
    """Return an image that the API fetches from a URL. A `data:` URL is converted to data."""
    source = _held(url)
    return Image(url=url, media_type=media_type, **fields) if source is None else Image(**source, **fields)


def image_data(data: bytes | str, media_type: str, **fields: Unpack[ImageFields]) -> Image:
    """Return an image from bytes or base64 text; `media_type` such as `image/png`.

    Raises:
        InvalidRequest: `data` is a `data:` URL, the name of a file, or other text that is not base64.
    """
    return Image(data=_base64(data), media_type=media_type, **fields)


def document_url(url: str, *, media_type: str | None = None, **fields: Unpack[DocumentFields]) -> Document:
    """Return a document that the API fetches from a URL. A `data:` URL is converted to data."""
    source = _held(url)
    return (
        Document(url=url, media_type=media_type, **fields) if source is None else Document(**source, **fields)
    )


def document_data(data: bytes | str, media_type: str, **fields: Unpack[DocumentFields]) -> Document:
    """Return a document from bytes or base64 text; `media_type` such as `application/pdf`.

    Raises:
        InvalidRequest: `data` is a `data:` URL, the name of a file, or other text that is not base64.
    """
    return Document(data=_base64(data), media_type=media_type, **fields)


def _held(url: Any) -> dict[str, Any] | None:
    """Return data and media type of a base64 `data:` URL; None for any other URL, and for one without a type."""
    head, comma, data = url.partition(",") if isinstance(url, str) else ("", "", "")
    kind, *marks = head.removeprefix("data:").split(";")
    if not (comma and head.startswith("data:") and kind and marks == ["base64"]):
        return None
    return {"data": data, "media_type": kind}


def _base64(data: bytes | str) -> str:
    if not isinstance(data, str):
        from base64 import b64encode

        try:
            return b64encode(data).decode("ascii")
        except TypeError:
            raise InvalidRequest(f"data must be bytes or base64 text, not {type(data).__name__}") from None
    if data.startswith("data:"):
        raise InvalidRequest("data must be bytes or base64 text, not a data: URL; pass that as url")
    if odd := set(data[:_LOOKED_AT]) - _BASE64:
        why = f"it has the character {min(odd, key=data.index)!r}; of a file, pass the bytes: Path(name).read_bytes()"
        raise InvalidRequest(f"data must be bytes or base64 text, and this text is not base64: {why}")
    return data
