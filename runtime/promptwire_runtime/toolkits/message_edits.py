"""Messages taken out of a request or put into it, with `continuation.start` kept in place."""

from __future__ import annotations

from collections.abc import Collection

from ..model.request import Message, Request
from ..nodes.records import replace


def without_messages(request: Request, indices: Collection[int]) -> Request:
    """Return the request without the messages at these indices."""
    if not indices:
        return request
    removed = set(indices)
    messages = tuple([message for index, message in enumerate(request.messages) if index not in removed])
    if request.continuation is None:
        return replace(request, messages=messages)
    start = request.continuation.start
    start -= len([index for index in removed if index < start])
    return replace(request, messages=messages, continuation=replace(request.continuation, start=start))


def first_sent(request: Request) -> int:
    """Return the index of the first message that is sent: what stands before it the server already holds."""
    return request.continuation.start if request.continuation is not None else 0


def with_messages_first(request: Request, messages: tuple[Message, ...]) -> Request:
    """Insert messages before all messages that are sent."""
    start = first_sent(request)
    return replace(request, messages=request.messages[:start] + messages + request.messages[start:])
