"""Ask another client if a call fails."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from promptwire_runtime import Note, PromptwireError

from ..errors import ApiStatusError, HttpError

if TYPE_CHECKING:
    from ..client import AsyncClient, Client
    from ..model_calls import CallSteps, Middleware, ModelCall

# errors that another API would answer with as well
_OF_THE_REQUEST = frozenset({"invalid_request", "too_large"})


def may_succeed_elsewhere(error: HttpError) -> bool:
    """Return whether another API may answer: the connection failed, or the API, and not because of the request."""
    return not isinstance(error, ApiStatusError) or error.error.kind not in _OF_THE_REQUEST


def fallback(
    *clients: Client | AsyncClient, when: Callable[[HttpError], bool] = may_succeed_elsewhere
) -> Middleware:
    """Return middleware that asks other clients in turn if a call fails.

    The same neutral request is built with the API, model, policies and credentials of the other client. A note of the
    call says which one answered. A stream that failed after its first event is not asked again.

    Args:
        clients: The other clients.
        when: Whether an error is a reason to ask the next client; by default all but those of the request itself.
    """

    def ask_next(call: ModelCall) -> CallSteps:
        """Ask the clients in turn."""
        asked = call
        for client in (*clients, None):
            try:
                answer = yield asked
            except PromptwireError as error:
                # a client that cannot take the request leaves it to the next one
                leaves = when(error) if isinstance(error, HttpError) else asked is not call
                if client is None or asked.seconds_to_first is not None or not leaves:
                    raise
                call.note(_note(asked, client.api, error))
                asked = call.on(client)
            else:
                return answer
        raise AssertionError  # pragma: no cover  # the last client answers or raises

    return ask_next


def _note(asked: ModelCall, api: Any, error: PromptwireError) -> Note:
    why = f"{asked.api.WIRE.name} failed ({getattr(error, 'reason', error)}); {api.WIRE.name} is asked"
    return Note("replaced", "", "api", why)
