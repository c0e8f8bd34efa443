"""Errors as the API of a client expects them: status, kind, words, and the seconds to wait."""

from __future__ import annotations

import logging
from math import ceil
from typing import Any

from starlette.responses import JSONResponse

from promptwire_runtime import AnswerError, PromptwireError, RequestError, WireModule
from promptwire_runtime.answers.api_error import STATUS_OF_KIND, ApiError
from promptwire_runtime.nodes.records import replace

from ..errors import ApiConnectionError, ApiStatusError, ApiTimeoutError

LOG = logging.getLogger("promptwire.serve")


class GatewayError(Exception):
    """An error that the gateway itself finds: in the request of a client, or in an answer of the server behind."""

    def __init__(self, message: str, status: int = 400, kind: str = "invalid_request") -> None:
        """Store the error."""
        super().__init__(message)
        self.error = ApiError(kind=kind, message=message, status=status)


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


def failure(front: WireModule, error: ApiError) -> JSONResponse:
    """Write an error as the response of an API."""
    status = error.status or STATUS_OF_KIND[error.kind]
    headers: dict[str, str] = {}
    if error.wait is not None:
        headers["retry-after"] = str(ceil(error.wait))
    body: Any = front.write_error(error)
    return JSONResponse(body, status, headers)
