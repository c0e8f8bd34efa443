"""The server of a gateway: uvicorn, with a time for the heads of requests and a limit that descriptors suffice for."""

from __future__ import annotations

import asyncio
import errno
import logging
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import uvicorn
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from promptwire_http.gateway import Application

_LOG = logging.getLogger("promptwire.serve")
_EXHAUSTED = (errno.EMFILE, errno.ENFILE)
# files, sockets that listen, and connections that are refused
_SPARE_DESCRIPTORS = 32
_QUIET_SECONDS = 60.0


def make_server(
    app: Application, host: str, port: int, connections: int | None, descriptors: int | None
) -> uvicorn.Server:
    """Return a server that has not started.

    Args:
        app: The application of the gateway.
        host: The address to listen on.
        port: The port; 0 for any free one.
        connections: The most connections at once; beyond them, requests get status 503.
        descriptors: The most files and sockets of this process, which limit connections that nobody limits.
    """
    if connections is None and descriptors is not None:
        # a call has a connection on each side
        connections = max((descriptors - _SPARE_DESCRIPTORS) // 2, 1)
    bounds = {"seconds": staticmethod(lambda: app.gateway.body_seconds)}
    config = uvicorn.Config(
        app,
        host=host,
        port=port,
        http=type("BoundedProtocol", (_HeadDeadline, AutoHTTPProtocol), bounds),
        access_log=False,
        log_config=None,
        server_header=False,
        limit_concurrency=connections,
    )
    return uvicorn.Server(config)


def allow_descriptors() -> int | None:
    """Allow this process as many descriptors as the system lets it; return how many, None where there is no limit."""
    try:
        import resource
    except ImportError:
        return None
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
        soft = hard
    return None if soft == resource.RLIM_INFINITY else soft


class _HeadDeadline(asyncio.Protocol):
    """Closes a connection on which the head of a request takes too long, for which uvicorn has no option.

    The body has a time of its own, in the application. A connection without anything is closed by uvicorn after an
    answer, and by this before the first one.
    """

    seconds: Callable[[], float]
    # of uvicorn's protocols: the connection, and the last request with its response
    transport: Any
    cycle: Any
    _deadline: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop()
        super().connection_lost(exc)

    def _watch(self) -> None:
        if self.cycle is not None and not self.cycle.response_complete:
            self._stop()
        elif self._deadline is None:
            loop = asyncio.get_running_loop()
            self._deadline = loop.call_later(self.seconds(), self.transport.close)

    def _stop(self) -> None:
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None


class ExhaustionLog:
    """An exception handler of an event loop that says in one line a minute that no descriptors are left.

    asyncio logs a traceback for each connection that it cannot accept, some thousands a second.
    """

    def __init__(self) -> None:
        """Say it the first time."""
        self._quiet_until = 0.0

    def __call__(self, loop: asyncio.AbstractEventLoop, context: dict[str, Any]) -> None:
        """Handle what `asyncio.AbstractEventLoop.call_exception_handler` is told."""
        error = context.get("exception")
        if not isinstance(error, OSError) or error.errno not in _EXHAUSTED:
            loop.default_exception_handler(context)
        elif loop.time() >= self._quiet_until:
            self._quiet_until = loop.time() + _QUIET_SECONDS
            _LOG.warning(
                "%s: new connections wait; lower limits.connections or raise ulimit -n", error.strerror
            )
