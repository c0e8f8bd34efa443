"""The connections of a gateway to the servers behind it."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Generator, Mapping
from contextlib import contextmanager
from functools import lru_cache
from io import BytesIO
from ssl import SSLContext
from types import SimpleNamespace
from typing import Any
from urllib.request import getproxies

import aiohttp
import httpx
from yarl import URL

from ..connections import Connections
from ..effects import Send, TransportProblem
from ..transport import Alarm, OpenedResponse, Reuse, user_agent

# what a server that closes an idle connection does to the next request on it
_CLOSED = (aiohttp.ServerDisconnectedError, aiohttp.ClientOSError)

_LONGEST_LINE = 64 * 1024
# aiohttp warns of a larger body that is given as bytes
_MOST_BYTES = 1024 * 1024


class ManyConnections:
    """The connections of aiohttp, with the certificates of the environment.

    A request takes a fifth of the processor time that it takes with httpx, whose pool looks through all connections at
    the start and at the end of each request.
    """

    def __init__(self) -> None:
        """Read the certificates, and open nothing yet."""
        # before the first request, which would wait for it
        self._certificates = httpx.create_ssl_context()
        self._session: aiohttp.ClientSession | None = None

    async def open(self, effect: Send) -> OpenedResponse:
        """Send a request and return its response.

        Raises:
            TransportProblem: the network failed.
        """
        reuse = Reuse()
        with _own_problems():
            try:
                response = await self._send(effect, reuse)
            except _CLOSED:
                if not reuse.was_closed:
                    raise
                response = await self._send(effect)
        return OpenedResponse(
            response.status,
            _join_repeated(response.headers),
            _Response(response),
            _Chunks(response, effect.timeout),
            Alarm(),
        )

    async def _send(self, effect: Send, reuse: Reuse | None = None) -> aiohttp.ClientResponse:
        if self._session is None:
            self._session = _open_session(self._certificates)
        url, credential = _address(effect.url)
        content = effect.content
        connect = min(effect.timeout, effect.connect_timeout)
        # a head that comes a line at a time is not silent, and says nothing either
        async with asyncio.timeout(connect + effect.timeout):
            return await self._session.request(
                effect.method,
                url,
                headers={**effect.headers, **credential},
                data=content if len(content) <= _MOST_BYTES else BytesIO(content),
                timeout=aiohttp.ClientTimeout(connect=connect, sock_read=effect.timeout),
                # the credentials are for this host
                allow_redirects=False,
                trace_request_ctx=reuse,
            )

    async def aclose(self) -> None:
        """Close all connections."""
        if self._session is not None:
            await self._session.close()
            self._session = None


class _Response:
    """A response of aiohttp that is closed as one of httpx."""

    __slots__ = ("_response",)

    def __init__(self, response: aiohttp.ClientResponse) -> None:
        self._response = response

    async def aclose(self) -> None:
        """Close the connection, unless the body was read to its end, so that the connection serves again."""
        self._response.close()


class _Chunks:
    """The bytes of a body as they arrive."""

    __slots__ = ("_content", "_timeout")

    def __init__(self, response: aiohttp.ClientResponse, timeout: float) -> None:
        self._content = response.content
        self._timeout = timeout

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        with _own_problems():
            # aiohttp waits without a limit behind a chunk whose length is no number
            async with asyncio.timeout(self._timeout):
                chunk = await self._content.readany()
        if not chunk:
            raise StopAsyncIteration
        return chunk


def connections() -> ManyConnections | Connections:
    """Return connections with the proxies of the environment, of all of which only httpx can make use."""
    # a list of hosts without a proxy names none
    return Connections(None) if getproxies().keys() - {"no"} else ManyConnections()


def _open_session(certificates: SSLContext) -> aiohttp.ClientSession:
    trace = aiohttp.TraceConfig()
    trace.on_connection_create_start.append(_see("connection.connect_tcp.started"))
    trace.on_connection_reuseconn.append(_see("http11.send_request_headers.started"))
    trace.on_request_headers_sent.append(_see("http11.receive_response_headers.started"))
    return aiohttp.ClientSession(
        connector=aiohttp.TCPConnector(limit=0, ssl=certificates),
        # cookies of one caller are not for the next one
        cookie_jar=aiohttp.DummyCookieJar(),
        headers={"user-agent": user_agent(f"aiohttp/{aiohttp.__version__}")},
        max_line_size=_LONGEST_LINE,
        max_field_size=_LONGEST_LINE,
        trace_configs=[trace],
    )


def _see(name: str) -> Any:
    """Return what tells a `Reuse` of an event of its connection, under the name that httpcore has for it."""

    async def see(_: aiohttp.ClientSession, context: SimpleNamespace, __: Any) -> None:
        if isinstance(context.trace_request_ctx, Reuse):
            context.trace_request_ctx.see(name, None)

    return see


@lru_cache(256)
def _address(text: str) -> tuple[URL, Mapping[str, str]]:
    """Return the address of a request, and the header for a user and a password in it."""
    address = httpx.URL(text)
    url = URL(str(address.copy_with(userinfo=b"")), encoded=True)
    if not address.userinfo:
        return url, {}
    return url, {"authorization": aiohttp.encode_basic_auth(address.username, address.password)}


def _join_repeated(headers: Mapping[str, str]) -> dict[str, str]:
    """Return headers with names in lower case; values of the same name are joined."""
    joined: dict[str, str] = {}
    for name, text in headers.items():
        known = name.lower()
        joined[known] = f"{joined[known]}, {text}" if known in joined else text
    return joined


@contextmanager
def _own_problems() -> Generator[None]:
    """Convert the errors of aiohttp.

    Raises:
        TransportProblem: the network failed.
    """
    try:
        yield
    except TimeoutError as error:
        raise TransportProblem(f"the time limit passed ({type(error).__name__})", timed_out=True) from error
    except (aiohttp.ClientError, OSError) as error:
        # the text of a ClientResponseError ends with its URL, whose parameters may be credentials
        told = error.message if isinstance(error, aiohttp.ClientResponseError) else str(error)
        raise TransportProblem(
            f"the connection failed: {told or type(error).__name__}",
            final=isinstance(error, aiohttp.InvalidURL),
        ) from error
    except (httpx.InvalidURL, ValueError) as error:
        raise TransportProblem(f"the request is invalid: {error}", final=True) from error
