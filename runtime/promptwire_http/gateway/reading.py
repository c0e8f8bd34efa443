"""Read the request of a client: its limits, its JSON, and its credential."""

from __future__ import annotations

import asyncio
from typing import Any
from urllib.parse import parse_qs

from starlette.requests import Request as Asked

from promptwire_runtime import Api, Continuation, Reading, Request
from promptwire_runtime.nodes.records import replace
from promptwire_runtime.wire_json.codec import decode
from promptwire_runtime.wire_json.kinds import is_object

from .carried_state import open_state
from .configuration import Gateway, ModelTarget
from .failures import GatewayError

# where clients of the APIs put their key
_KEYS = ("x-api-key", "x-goog-api-key", "api-key")
_IDENTITY = ("", "identity")
_MOST_PROBLEMS = 3


async def body_of(asked: Asked, gateway: Gateway) -> Any:
    """Return the JSON of a request.

    Raises:
        GatewayError: it is too large, too slow, compressed, or not a JSON object.
        ClientDisconnect: the client left.
    """
    if asked.headers.get("content-encoding", "") not in _IDENTITY:
        raise GatewayError("the body must not be compressed", 415)
    kind = asked.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        # pages of other sites cannot send this type without asking
        raise GatewayError("the content type must be application/json", 415)
    data = bytearray()
    try:
        async with asyncio.timeout(gateway.body_seconds):
            async for chunk in asked.stream():
                data += chunk
                if len(data) > gateway.max_body:
                    raise GatewayError(
                        f"the body is larger than {gateway.max_body:,} bytes", 413, "too_large"
                    )
    except TimeoutError:
        raise GatewayError(f"the body did not arrive in {gateway.body_seconds:g} s", 408) from None
    try:
        body = decode(data)
    except (ValueError, RecursionError) as error:
        raise GatewayError(f"the body is not JSON: {str(error)[:200]}") from None
    if not is_object(body):
        raise GatewayError("the body must be a JSON object")
    return body


def request_for(front: Api, reading: Reading, target: ModelTarget) -> Request:
    """Return the request of a client for a server behind.

    Raises:
        GatewayError: a value has no known form, or the request continues a conversation that is stored elsewhere.
    """
    request, back = reading.request, target.upstream.back.WIRE
    if reading.unread and back.api != front.WIRE.api:
        raise GatewayError("; ".join(map(str, reading.unread[:_MOST_PROBLEMS])))
    known = request.continuation
    if known is not None and known != Continuation() and back.api != front.WIRE.api:
        raise GatewayError(
            f"{back.title} does not store this conversation; send all its messages instead of an id"
        )
    changes: dict[str, Any] = {"model": target.model}
    # a client of the same API gets the stream as it is, with counts only where it asked for them
    if request.stream and back.api != front.WIRE.api and "stream_usage" in back.capabilities["request"]:
        changes["stream_usage"] = True
    return open_state(replace(request, **changes), target.upstream)


def key_of(asked: Asked) -> str | None:
    """Return the credential that a client sent: in a header of one of the APIs, or in the URL."""
    for name in _KEYS:
        if key := asked.headers.get(name):
            return key
    scheme, _, token = asked.headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer" and token.strip():
        return token.strip()
    return next(iter(parse_qs(asked.url.query).get("key", ())), None)


def host_of(asked: Asked) -> str:
    """Return the host name that a client called, in lower case and without its port."""
    host = asked.headers.get("host", "").lower()
    return host.rpartition(":")[0] if host.rpartition(":")[2].isdigit() else host
