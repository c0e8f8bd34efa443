"""What an API says when it does not answer: one kind of error for all APIs, the message, and what it is about."""

from __future__ import annotations

from collections.abc import Mapping
from json import loads
from typing import Any

from ..nodes.light_dataclasses import dataclass
from ..nodes.records import Record, shown
from ..nodes.type_errors import check_class
from ..wire_json.kinds import is_object
from .table import AnswerTable

ERROR_KINDS = (
    "invalid_request", "auth", "not_found", "too_large", "rate_limit", "overloaded", "server",
)  # fmt: skip
"""The request is wrong; the key or its rights; no such model or thing; the request is too long; too many requests or no
credit left; the API has too much to do; the API failed."""

_BY_STATUS = {
    401: "auth", 403: "auth", 404: "not_found", 408: "overloaded", 413: "too_large", 429: "rate_limit",
    503: "overloaded", 504: "overloaded", 529: "overloaded",
}  # fmt: skip
_LONGEST_WAIT = 86_400.0


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ApiError(Record):
    """An error that an API answered with; it is a value, nothing raises it.

    kind     one of `ERROR_KINDS`
    message  what the API says
    status   the HTTP status
    type     the API's own word for it, where it has one
    code     a further word, where it has one
    field    the part of the request that it names
    wait     seconds after which the caller may try again, where it says so
    raw      the body, as JSON where it is an object
    """

    kind: str
    message: str
    status: int
    type: str | None = None
    code: str | None = None
    field: str | None = None
    wait: float | None = None
    raw: Any = None


def read_error(status: int, body: Any, table: AnswerTable, headers: Mapping[str, str] | None) -> ApiError:
    """Read an error; a body of another form is an error all the same, and its text the message."""
    check_class(status, int, "status")
    body = _decoded(body)
    said: dict[str, Any] = {}
    if table.error is not None and is_object(body):
        # a shape reads words alone here: it needs nothing of a reader
        reader: Any = None
        table.error.read(body, said, reader)
    words: list[str] = [said[name] for name in ("code", "type") if name in said]
    kind = next((table.kinds[word] for word in words if word in table.kinds), None)
    return ApiError(
        kind=kind or _BY_STATUS.get(status) or ("server" if status >= 500 else "invalid_request"),
        message=said.pop("message", None) or _text(body, status),
        status=status,
        wait=None if headers is None else _wait(headers),
        raw=body,
        **said,
    )


def _decoded(body: Any) -> Any:
    """Give the object that bytes or a text hold as JSON; else the text."""
    if isinstance(body, (bytes, bytearray)):
        body = body.decode("utf-8", "replace")
    if not isinstance(body, str):
        return body
    try:
        value: Any = loads(body)
    except (ValueError, RecursionError):
        return body
    return value if is_object(value) else body


def _text(body: Any, status: int) -> str:
    """Give what a body of another form says."""
    if isinstance(body, str) and body.strip():
        return body.strip()[:500]
    return f"the API answered with status {shown(status)}" if body in (None, "", {}) else shown(body)[:500]


def _wait(headers: Mapping[Any, Any]) -> float | None:
    """Give the seconds that a header asks to wait; a date is not one of them."""
    check_class(headers, Mapping, "headers")
    named = {name.lower(): value for name, value in headers.items() if isinstance(name, str)}
    for name, share in (("retry-after-ms", 1000.0), ("retry-after", 1.0)):
        try:
            seconds = float(named[name]) / share
        except (KeyError, ValueError, TypeError, OverflowError):
            continue
        if 0 <= seconds <= _LONGEST_WAIT:
            return seconds
    return None
