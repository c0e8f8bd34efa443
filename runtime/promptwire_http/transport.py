"""Requests and responses of httpx: what failed, whether a connection was used before, and when to stop waiting."""

from __future__ import annotations

import socket
from collections.abc import Callable, Generator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from threading import Timer
from time import monotonic
from typing import Any, Protocol

import httpx

from .effects import Send, TransportProblem

# what a server that closes an idle connection does to the next request on it
CLOSED = (httpx.RemoteProtocolError, httpx.ReadError, httpx.WriteError)
_FINAL = (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.DecodingError)
# a connection that was closed before the request arrived is told so within the time of one way there and back
_AT_ONCE = 0.1
# the name that httpx gives itself; another one is the caller's
_OF_HTTPX = f"python-httpx/{httpx.__version__}"
REST = 0.25
"""The seconds that are waited for the end of a body whose answer is complete, to use its connection again."""


class Alarm:
    """Shut a connection down at a deadline, so that a thread that waits for bytes of it goes on.

    httpx waits for single bytes, not for a deadline, and a blocking read cannot be cancelled. A connection of HTTP/2,
    which belongs to other requests as well, is not shut down; neither is one that is no socket, as in tests.
    """

    def __init__(self) -> None:
        """Watch nothing yet."""
        self._socket: socket.socket | None = None
        self._until: float | None = None
        self._timer: Timer | None = None

    @property
    def watches(self) -> bool:
        """Whether there is a connection that can be shut down."""
        return self._socket is not None

    def see(self, name: str, info: Mapping[str, Any]) -> None:
        """Take a trace event of httpcore: the connection that a request opens is watched while it is sent."""
        if name in ("connection.connect_tcp.complete", "connection.start_tls.complete"):
            self._watch(info.get("return_value"))

    def watch(self, response: httpx.Response) -> None:
        """Watch the connection of a response."""
        stream = response.extensions.get("network_stream") if response.http_version != "HTTP/2" else None
        self._watch(stream)

    def _watch(self, stream: Any) -> None:
        found = None if stream is None else stream.get_extra_info("socket")
        self._socket = found if isinstance(found, socket.socket) else None
        self.set(self._until)

    def set(self, until: float | None) -> None:
        """Set the deadline, a time of `monotonic`, in place of the one before; None for no deadline."""
        if until == self._until and self._timer is not None:
            return
        self.stop()
        self._until = until
        if until is not None and self._socket is not None:
            self._timer = Timer(max(until - monotonic(), 0), self._ring, (self._socket,))
            self._timer.daemon = True
            self._timer.start()

    def stop(self) -> None:
        """Set no deadline any more."""
        if self._timer is not None:
            self._timer.cancel()
        self._timer = self._until = None

    @staticmethod
    def _ring(connection: socket.socket) -> None:
        with suppress(OSError):
            # of the socket itself, without a word of TLS that would wait for the other side
            socket.socket.shutdown(connection, socket.SHUT_RDWR)


@dataclass(slots=True)
class OpenedResponse:
    """A response whose body is read in chunks."""

    status: int
    headers: Mapping[str, str]
    response: Any
    chunks: Any
    alarm: Alarm

    def close(self) -> None:
        """Close the response of a blocking client."""
        self.alarm.stop()
        self.response.close()

    def read(self, until: float | None) -> bytes | None:
        """Return the next bytes of a blocking client's response; None at the end."""
        self.alarm.set(until)
        chunk: bytes | None = next(self.chunks, None)
        if chunk is None:
            # its connection serves the next request
            self.alarm.stop()
        return chunk

    def read_rest(self) -> None:
        """Read a little while for the end of a body whose answer is complete."""
        if self.alarm.watches:
            until = monotonic() + REST
            with suppress(httpx.HTTPError):
                while monotonic() < until and self.read(until) is not None:
                    pass


class Opener(Protocol):
    """Connections of another library than httpx."""

    async def open(self, effect: Send) -> OpenedResponse:
        """Send a request and return its response. Raises TransportProblem if the network failed."""
        ...

    async def aclose(self) -> None:
        """Close all connections."""
        ...


class Reuse:
    """Find out whether a request failed because its connection, which had been used before, was closed already.

    A server may close an idle connection at the moment that a request is sent on it. The server never saw that request,
    so it is sent once more on another connection, and this is no attempt. A request whose connection breaks later than
    that is lost: the server may have worked on it.
    """

    def __init__(self) -> None:
        """Have seen nothing."""
        self._connected = self._sent = False
        self._waits_since: float | None = None

    @property
    def was_closed(self) -> bool:
        """Whether a kept connection was used again, and failed at once; False if the transport reports no events."""
        since = self._waits_since
        at_once = since is None or monotonic() - since < _AT_ONCE
        return self._sent and not self._connected and at_once

    def see(self, name: str, _: Any) -> None:
        """Take a trace event of httpcore."""
        self._connected = self._connected or name.startswith("connection.connect_")
        self._sent = self._sent or name.endswith(".send_request_headers.started")
        if name.endswith(".receive_response_headers.started"):
            self._waits_since = monotonic()

    async def see_later(self, name: str, info: Any) -> None:
        """Take a trace event of httpcore, which awaits this in asynchronous clients."""
        self.see(name, info)


def request_of(
    http: httpx.Client | httpx.AsyncClient, effect: Send, trace: Callable[[str, Any], Any] | None = None
) -> httpx.Request:
    """Return the request of httpx; `trace` takes the events of its connection."""
    timeout = httpx.Timeout(effect.timeout, connect=min(effect.timeout, effect.connect_timeout))
    headers = {**effect.headers}
    if http.headers.get("user-agent") == _OF_HTTPX and "user-agent" not in map(str.lower, effect.headers):
        headers["user-agent"] = user_agent()
    return http.build_request(
        effect.method,
        effect.url,
        headers=headers,
        content=effect.content,
        timeout=timeout,
        extensions=None if trace is None else {"trace": trace},
    )


@cache
def user_agent(library: str = _OF_HTTPX) -> str:
    """Return the header `user-agent` of requests whose builder or caller names none."""
    try:
        return f"promptwire/{version('promptwire')} {library}"
    except PackageNotFoundError:
        return f"promptwire {library}"


@contextmanager
def own_problems() -> Generator[None]:
    """Convert the errors of httpx, and of a deadline.

    Raises:
        TransportProblem: the network failed.
    """
    try:
        yield
    except (httpx.TimeoutException, TimeoutError) as error:
        raise TransportProblem(f"the time limit passed ({type(error).__name__})", timed_out=True) from error
    except httpx.HTTPError as error:
        text = str(error) or type(error).__name__
        raise TransportProblem(f"the connection failed: {text}", final=isinstance(error, _FINAL)) from error
    except httpx.InvalidURL as error:
        raise TransportProblem(f"the URL is invalid: {error}", final=True) from error
