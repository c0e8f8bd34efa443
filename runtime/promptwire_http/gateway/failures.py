"""Errors as the API of a client expects them: status, kind, words, and the seconds to wait."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from math import ceil
from typing import Any

from starlette.responses import JSONResponse

from promptwire_runtime import Api, PromptwireError, RequestError
from promptwire_runtime.answers.api_error import STATUS_OF_KIND, ApiError
from promptwire_runtime.errors import AnswerError
from promptwire_runtime.nodes.records import replace

from ..errors import ApiConnectionError, ApiStatusError, ApiTimeoutError

_HIDDEN = "$KEY"
# a shorter one, such as `none` for a local server, may be a word of the text
_SHORTEST_SECRET = 8
LOG = logging.getLogger("promptwire.serve")


class GatewayError(Exception):
    """An error that the gateway itself finds: in the request of a client, or in an answer of the server behind."""

    def __init__(
        self, message: str, status: int = 400, kind: str = "invalid_request", *, wait: float | None = None
    ) -> None:
        """Store the error; `wait` is the number of seconds after which the client may try again."""
        super().__init__(message)
        self.error = ApiError(kind=kind, message=message, status=status, wait=wait)


def error_of(problem: Exception) -> ApiError:
    """Return the error to tell a client. Problems that are not ours are logged, and not described to the client."""
    if isinstance(problem, GatewayError):
        return problem.error
    if isinstance(problem, ApiStatusError):
        error = problem.error
        status = error.status or STATUS_OF_KIND[error.kind]
        if 200 <= status < 300:
            status = STATUS_OF_KIND[error.kind]
        # the redirects of the server behind are not for clients
        return replace(error, status=status if 400 <= status <= 599 else 502)
    if isinstance(problem, ApiTimeoutError):
        return ApiError(kind="overloaded", message=f"the server behind: {problem.reason}", status=504)
    if isinstance(problem, ApiConnectionError):
        return ApiError(kind="server", message=f"the server behind: {problem.reason}", status=502)
    if isinstance(problem, AnswerError):
        return ApiError(kind="server", message=f"the server behind: {problem}", status=502)
    if isinstance(problem, RequestError):
        return ApiError(kind="invalid_request", message=str(problem), status=400, field=problem.field or None)
    if isinstance(problem, PromptwireError):
        return ApiError(kind="invalid_request", message=str(problem), status=400)
    LOG.error("a request failed", exc_info=problem)
    return ApiError(kind="server", message="the gateway failed; its log says why", status=500)


def without_keys(error: ApiError, keys: Iterable[str]) -> ApiError:
    """Return an error without the operator's keys, which some servers repeat in their texts."""
    for key in keys:
        if len(key) >= _SHORTEST_SECRET:
            error = _without_key(error, key)
    return error


def _without_key(error: ApiError, key: str) -> ApiError:
    texts = {name: getattr(error, name) for name in ("message", "type", "code", "field")}
    hidden: dict[str, Any] = {name: text.replace(key, _HIDDEN) for name, text in texts.items() if text}
    raw = None if key in repr(error.raw) else error.raw
    return replace(error, **hidden, raw=raw)


def failure(front: Api, error: ApiError) -> JSONResponse:
    """Write an error as the response of an API."""
    status = error.status or STATUS_OF_KIND[error.kind]
    headers: dict[str, str] = {}
    if error.wait is not None:
        headers["retry-after"] = str(ceil(error.wait))
    body: Any = front.write_error(error)
    return JSONResponse(body, status, headers)
