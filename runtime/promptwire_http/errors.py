"""The errors of the client.

PromptwireError
├── HttpError               a request got no answer
│   ├── ApiStatusError      the API answered with an error; `error` is the `ApiError`
│   └── ApiConnectionError  there was no connection, or it broke
│       └── ApiTimeoutError a time limit passed
└── RunLimitError           a run reached `max_seconds`
    └── StepLimitError      an agent still called tools after its last step
"""

from __future__ import annotations

from collections.abc import Mapping

from promptwire_runtime import Answer, PromptwireError
from promptwire_runtime.answers.api_error import ApiError


class HttpError(PromptwireError):
    """A request got no answer.

    Attributes:
        wire: The name of the wire.
        url: The URL without credentials.
        attempts: How often the request was sent.
        answer: What a stream had received until then; None if nothing.
    """

    def __init__(self, message: str, *, wire: str, url: str, attempts: int) -> None:
        """Store the attributes, and put wire and URL into the message."""
        tried = f" ({attempts} attempts)" if attempts > 1 else ""
        super().__init__(f"{wire}: {url}: {message}{tried}")
        self.reason = message
        self.wire = wire
        self.url = url
        self.attempts = attempts
        self.answer: Answer | None = None


class ApiStatusError(HttpError):
    """The API answered with an error.

    Attributes:
        error: The error with its kind, message, status, and the seconds to wait before a retry.
        headers: The headers of the response.
    """

    def __init__(
        self, error: ApiError, headers: Mapping[str, str], *, wire: str, url: str, attempts: int
    ) -> None:
        """Store the attributes, and put status, kind and message of the error into the message."""
        status = "" if error.status is None else f"{error.status} "
        message = f"{status}{error.kind}: {error.message}"
        super().__init__(message, wire=wire, url=url, attempts=attempts)
        self.error = error
        self.headers = headers


class ApiConnectionError(HttpError):
    """There was no connection to the API, or it broke before the answer was complete."""


class ApiTimeoutError(ApiConnectionError):
    """A time limit passed before the answer was complete."""
