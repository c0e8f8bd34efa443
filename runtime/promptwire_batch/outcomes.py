"""Sort the errors of a batch: what to send again, what to change, what to give up."""

from __future__ import annotations

from promptwire_runtime.answers.api_error import ApiError

# what services call a request that was not run before the batch ended
_NOT_RUN = frozenset(
    {
        "expired",
        "canceled",
        "cancelled",
        "batch_expired",
        "batch_cancelled",
        "request_expired",
        "request_cancelled",
    }
)


def state_of(error: ApiError, attempts: int, most_attempts: int) -> str:
    """Return the state of a request whose result is an error.

    `retry` if the same request may succeed, `give_up` if that was tried often enough, and `fix` if the request, the
    key or the account must be changed first.
    """
    words = {str(word).lower() for word in (error.type, error.code) if word}
    if not (error.retryable or words & _NOT_RUN):
        return "fix"
    return "retry" if attempts < most_attempts else "give_up"
