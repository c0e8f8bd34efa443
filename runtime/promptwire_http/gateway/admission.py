"""Who may call: host names, keys of callers, and how often each of them may."""

from __future__ import annotations

import asyncio
import re
from collections import deque
from time import monotonic
from uuid import uuid4

from starlette.requests import Request as Asked

from .configuration import Caller, Gateway, ModelTarget
from .failures import GatewayError
from .reading import host_of, key_of

# keys of an ASGI scope
CALLER, REQUEST_ID = "promptwire.caller", "promptwire.request_id"
_MINUTE = 60.0
_CALLS_A_TURN = 32
_PLAIN_ID = re.compile(r"[\w.:-]{1,100}", re.ASCII)


def request_id_of(asked: Asked) -> str:
    """Return the id that a client gave its request, or a new one: others could forge lines of the log."""
    given = asked.headers.get("x-request-id", "")
    return given if _PLAIN_ID.fullmatch(given) else uuid4().hex


class Admission:
    """Admits requests, and counts those of each caller."""

    def __init__(self) -> None:
        """Start without counts; they outlive a change of the configuration."""
        self._times: dict[str, deque[float]] = {}

    def admit(self, asked: Asked, gateway: Gateway) -> Caller | None:
        """Return the caller of a request; None where all may call.

        Raises:
            GatewayError: the host name is not served, the key is unknown, or the caller has used up the minute.
        """
        if gateway.hosts and host_of(asked) not in gateway.hosts:
            allowed = ", ".join(sorted(gateway.hosts))
            raise GatewayError(f"this host name is not served; the names are {allowed}", 421)
        if not gateway.callers:
            return None
        caller = gateway.caller_of(key_of(asked))
        if caller is None:
            text = "the key is missing or unknown; send one that the operator of this gateway gave you"
            raise GatewayError(text, 401, "auth")
        if asked.method == "POST" and caller.requests_per_minute is not None:
            self._count(caller, caller.requests_per_minute)
        return caller

    def _count(self, caller: Caller, most: int) -> None:
        now, times = monotonic(), self._times.setdefault(caller.digest, deque())
        while times and times[0] <= now - _MINUTE:
            times.popleft()
        if len(times) >= most:
            text = f"this key may send {most} requests a minute"
            raise GatewayError(text, 429, "rate_limit", wait=times[0] + _MINUTE - now)
        times.append(now)


class Turns:
    """Lets a few calls begin in each turn of the event loop.

    Where a thousand arrive at once, the first ones have their first pieces before the last ones begin; otherwise all
    would take each step together, and all first pieces would come at the end.
    """

    def __init__(self) -> None:
        """Start without calls."""
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._begun = 0

    async def wait(self) -> None:
        """Return when a call may begin."""
        loop = asyncio.get_running_loop()
        if not self._begun:
            loop.call_soon(self._turn, loop)
        self._begun += 1
        if self._begun > _CALLS_A_TURN:
            self._waiting.append(loop.create_future())
            await self._waiting[-1]

    def _turn(self, loop: asyncio.AbstractEventLoop) -> None:
        self._begun = 0
        while self._waiting and self._begun < _CALLS_A_TURN:
            turn = self._waiting.popleft()
            # a client that left waits no more
            if not turn.done():
                turn.set_result(None)
                self._begun += 1
        if self._begun:
            loop.call_soon(self._turn, loop)


def names_for(asked: Asked, gateway: Gateway) -> list[str]:
    """Return the names of models that the caller of an admitted request may ask for, as far as they are known."""
    caller: Caller | None = asked.scope.get(CALLER)
    return [name for name in gateway.names if caller is None or caller.may_ask(name)]


def targets_for(asked: Asked, gateway: Gateway, name: str | None) -> list[ModelTarget]:
    """Return where to send a request for a model: a target and its fallbacks.

    Raises:
        GatewayError: the gateway does not serve this name, or not to this caller.
    """
    caller: Caller | None = asked.scope.get(CALLER)
    targets = gateway.targets(name)
    if not targets or (caller is not None and not caller.may_ask(name)):
        known = ", ".join(names_for(asked, gateway)) or "not listed"
        raise GatewayError(
            f"there is no model {name!r} for you here; the models are {known}", 404, "not_found"
        )
    return targets
