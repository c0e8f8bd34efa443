"""Replace the URLs of a request's media by data that the caller's function fetches."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Callable
from typing import Any

from ..errors import InvalidRequest
from ..wire_json.kinds import class_of
from .file_kinds import type_of_bytes, type_of_name
from .records import replace

Fetch = Callable[[str], bytes | tuple[bytes, str]]

_FETCHED = ("http://", "https://")


def with_fetched_media(request: Any, fetch: Fetch) -> Any:
    """Return a request whose images, documents, sound and videos have data instead of http and https URLs.

    Raises InvalidRequest if `fetch` returns anything but bytes, or bytes and a media type.
    """
    fetched: dict[str, dict[str, Any]] = {}
    messages = tuple([_with_media(message, fetch, fetched) for message in request.messages])
    if all(new is old for new, old in zip(messages, request.messages, strict=True)):
        return request
    return replace(request, messages=messages)


def _with_media(node: Any, fetch: Fetch, fetched: dict[str, dict[str, Any]]) -> Any:
    """Return a message or part with data instead of URLs, also in the parts inside it."""
    parts: tuple[Any, ...] = getattr(node, "parts", None) or ()
    if parts:
        inside = tuple([_with_media(part, fetch, fetched) for part in parts])
        changed = any(new is not old for new, old in zip(inside, parts, strict=True))
        return replace(node, parts=inside) if changed else node
    url = getattr(node, "url", None)
    if not (isinstance(url, str) and url.lower().startswith(_FETCHED) and hasattr(node, "data")):
        return node
    if url not in fetched:
        fetched[url] = _fetched(url, fetch(url))
    fields = dict(fetched[url])
    if node.media_type is not None:
        fields["media_type"] = node.media_type
    return replace(node, url=None, kept=None, **fields)


def _fetched(url: str, result: Any) -> dict[str, Any]:
    """Return data and media type of fetched media."""
    data: Any = result
    kind: Any = None
    if class_of(result) is tuple and len(result) == 2:
        data, kind = result
    if class_of(data) is not bytes or not (kind is None or class_of(kind) is str):
        raise InvalidRequest(
            f"fetch must return bytes, or bytes and a media type, not {type(data).__name__}, for {url}"
        )
    text = b64encode(data).decode("ascii")
    # a header may have parameters: text/html; charset=utf-8
    named = kind.partition(";")[0].strip() if kind else ""
    return {"data": text, "media_type": named or type_of_bytes(text) or type_of_name(url)}
