"""The bytes of a stream: those of the API behind as they came, and what keeps a silent connection alive."""

from __future__ import annotations

import asyncio
import re
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import suppress
from time import monotonic
from types import TracebackType
from typing import Any, cast

from starlette.types import Receive, Scope, Send

from promptwire_runtime import Api, Event
from promptwire_runtime.answers.events import OF_PARTS
from promptwire_runtime.nodes.records import replace
from promptwire_runtime.wire_json.kinds import is_list, is_object

SILENCE = 10.0
"""The longest silence of a stream in seconds. Proxies cut connections after 60, and clients warn after 20."""

_COMMENT = b": keep-alive\n\n"
_KEEP_ALIVE = {
    "anthropic_messages": b'event: ping\ndata: {"type": "ping"}\n\n',
    # Google's client for Python takes a comment for JSON; it skips empty lines
    "gemini_generate": b"\n",
}
_OF_CANDIDATES = OF_PARTS | {"part", "finish"}
_EVENT_STREAM = re.compile(rb"\s*(?:data|event|id|retry)?:")
_ENDS = re.compile(rb"\n\r?\n|\r\r")
_HIGH, _LOW = rb"\\u[dD][89abAB][0-9a-fA-F]{2}", rb"\\u[dD][c-fC-F][0-9a-fA-F]{2}"
_HALF = re.compile(rb"%b(?!%b)|(?<!%b)%b|\xed[\xa0-\xbf]" % (_HIGH, _LOW, _HIGH, _LOW))


def keep_alive(front: Api, framing: str | None) -> bytes:
    """Return the bytes by which an API keeps a silent stream alive, and which its clients skip."""
    return b"\n" if framing == "json_array" else _KEEP_ALIVE.get(front.WIRE.name, _COMMENT)


def has_half_character(data: bytes) -> bool:
    """Return whether there is half of a character in these bytes, on which many clients fail."""
    return _HALF.search(data) is not None


def holds(raw: Any, written: Any) -> bool:
    """Return whether a body has all that the same answer has as its API writes it, which its clients may need."""
    if is_object(written):
        return is_object(raw) and all(key in raw and holds(raw[key], value) for key, value in written.items())
    if is_list(written):
        return is_list(raw) and len(raw) == len(written) and all(map(holds, raw, written))
    return True


class CandidateNumbers:
    """The numbers of the candidates of a stream for its client: in the order in which they begin, counted from 0.

    OpenAI's client fails on a candidate whose number is larger, and APIs with one answer have the first candidate.
    """

    def __init__(self) -> None:
        """Start with nothing."""
        self._numbers: dict[int, int] = {}

    def of(self, event: Event) -> Event:
        """Return an event with the number of its candidate."""
        if event.kind not in _OF_CANDIDATES:
            return event
        number = self._numbers.setdefault(event.candidate, len(self._numbers))
        return event if number == event.candidate else replace(event, candidate=number)


class Received:
    """The bytes of the server behind, as they came, for a client of the same API."""

    def __init__(self) -> None:
        """Start with nothing."""
        self._bytes = bytearray()

    def add(self, chunk: bytes) -> None:
        """Keep the next bytes."""
        self._bytes += chunk

    def clear(self) -> None:
        """Forget what came of an earlier attempt."""
        self._bytes.clear()

    @property
    def is_event_stream(self) -> bool:
        """Whether these are server-sent events, and no whole answer or page in their place."""
        return _EVENT_STREAM.match(self._bytes) is not None

    def take_events(self) -> bytes:
        """Return the events that came whole, and keep the beginning of the next one."""
        end = max([found.end() for found in _ENDS.finditer(self._bytes)], default=0)
        events = bytes(self._bytes[:end])
        del self._bytes[:end]
        return events

    def take_all(self) -> bytes:
        """Return all that came."""
        taken = bytes(self._bytes)
        self._bytes.clear()
        return taken


class ClientLeftError(Exception):
    """The client closed its connection before it had an answer."""


class Connected:
    """A block that ends with a ClientLeftError where the client leaves, as `asyncio.timeout` ends with a TimeoutError.

    The work of the block is cancelled, so that the request to the server behind ends with that of the client.
    """

    def __init__(self, receive: Receive) -> None:
        """Store where the server says that the client has left."""
        self._receive = receive
        self._is_over = self._left = False

    def __enter__(self) -> None:
        """Listen from now on."""
        self._listener = asyncio.create_task(self._listen())
        self._listener.add_done_callback(self._end)
        self._task = cast("asyncio.Task[Any]", asyncio.current_task())
        self._cancelling = self._task.cancelling()

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Listen no more. Raises ClientLeftError if the client has left."""
        self._is_over = True
        self._listener.cancel()
        cancelled = self._left and self._task.uncancel() <= self._cancelling
        if cancelled and kind is not None and issubclass(kind, asyncio.CancelledError):
            raise ClientLeftError from error

    async def _listen(self) -> None:
        while (await self._receive())["type"] != "http.disconnect":
            pass

    def _end(self, listener: asyncio.Task[None]) -> None:
        if not listener.cancelled() and not self._is_over:
            self._left = True
            self._task.cancel()


class KeptAlive:
    """A stream with something in each long silence, so that nobody takes the connection for dead.

    Each piece must be whole events, because the bytes that keep alive stand between pieces.
    """

    def __init__(
        self,
        pieces: AsyncIterator[bytes],
        keep_alive: bytes,
        end: Callable[[bool], Awaitable[None]],
        headers: Mapping[str, str],
    ) -> None:
        """Store the pieces, and what is sent in a silence.

        `end` is called in the end, with whether the client has left; it releases the source of the pieces.
        """
        self._pieces = pieces
        self._keep_alive = keep_alive
        self._end = end
        self._headers = [(name.encode("ascii"), text.encode("latin-1")) for name, text in headers.items()]
        self._sent = monotonic()

    async def __call__(self, _: Scope, receive: Receive, send: Send) -> None:
        """Send the stream."""
        pings = list[asyncio.Task[None]]()
        silence = asyncio.get_running_loop().call_later(
            SILENCE, lambda: pings.append(asyncio.create_task(self._ping(send)))
        )
        left = True
        try:
            with Connected(receive):
                await send({"type": "http.response.start", "status": 200, "headers": self._headers})
                async for piece in self._pieces:
                    await send({"type": "http.response.body", "body": piece, "more_body": True})
                    self._sent = monotonic()
                left = False
                silence.cancel()
                for ping in pings:
                    ping.cancel()
                await send({"type": "http.response.body", "body": b"", "more_body": False})
        except (ClientLeftError, OSError):
            # servers say by an OSError, too, that a client has left
            return
        finally:
            silence.cancel()
            for ping in pings:
                ping.cancel()
            # a client that leaves at once lets no piece begin
            await self._end(left)

    async def _ping(self, send: Send) -> None:
        # the stream itself notices a client that left
        with suppress(OSError):
            while True:
                if monotonic() - self._sent >= SILENCE:
                    self._sent = monotonic()
                    await send({"type": "http.response.body", "body": self._keep_alive, "more_body": True})
                await asyncio.sleep(max(self._sent + SILENCE - monotonic(), 0.01))
