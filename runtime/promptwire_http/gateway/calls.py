"""One call of a client: read its request, ask the server behind, and write the answer as the client's API has it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Sequence
from functools import partial
from typing import TypeVar
from uuid import uuid4

import anyio
import httpx
from starlette.requests import ClientDisconnect, Request as Asked
from starlette.responses import JSONResponse, Response

from promptwire_runtime import (
    Answer,
    Api,
    BodyError,
    Event,
    Note,
    PromptwireError,
    Request,
    RequestError,
)
from promptwire_runtime.nodes.records import replace
from promptwire_text.escaping import one_line

from ..client import AsyncClient
from ..exchange import Outgoing
from ..streams import AsyncEventStream, events_together
from .configuration import Gateway
from .failures import LOG, GatewayError, error_of, failure, without_keys
from .reading import body_of, key_of, request_of
from .streaming import SILENCE, KeptAlive, Received, has_half_character, holds, keep_alive

T = TypeVar("T")
NOTES = "promptwire-notes"
_MOST_HEADER = 2000
# many streams keep the event loop busy, and the time until a connection is noticed counts as well
_CONNECT_SECONDS = 30.0
# what may come before the first piece of an answer; an error may still follow
_EARLY = frozenset({"start", "usage", "vendor", "unknown", "error"})


class ClientLeftError(Exception):
    """The client closed its connection before it had an answer."""


class Call:
    """One call; `reply` returns the response."""

    def __init__(self, gateway: Gateway, http: httpx.AsyncClient, front: Api, asked: Asked) -> None:
        """Start the clock."""
        self.gateway = gateway
        self.http = http
        self.front = front
        self.asked = asked
        self.notes: list[Note] = []
        # of the answer: what only the API behind says
        self.answer_notes: list[Note] = []
        self.model: str | None = None
        self.counted = False
        self._passes = gateway.back.WIRE.api == front.WIRE.api
        self._received = Received()
        self._began = time.monotonic()

    async def reply(self, framing: str | None = None) -> Response:
        """Return the response: an answer, a stream, or an error of the client's API."""
        try:
            body = await body_of(self.asked, self.gateway)
            request, self.counted = request_of(self.front, body, str(self.asked.url), self.gateway)
            self.model = request.model
            client = self._client()
            if request.stream:
                return await self._streamed(client, request, framing)
            return await self._whole(client, request)
        except (ClientDisconnect, ClientLeftError):
            self._log("the client left")
            return Response(status_code=499)
        except Exception as problem:  # noqa: BLE001  # every error is told in the client's API
            error = without_keys(error_of(problem), self.gateway.keys)
            if not self._passes:
                # the other API's body says nothing to this client
                error = replace(error, raw=None)
            self._log(f"{error.status} {error.kind}: {error.message}")
            return failure(self.front, error)

    def _client(self) -> AsyncClient:
        gateway = self.gateway
        passes_on = gateway.back.WIRE.secrets and not (gateway.keys or gateway.caller_keys)
        return AsyncClient(
            gateway.back,
            api_key=key_of(self.asked) if passes_on else gateway.key,
            settings=gateway.settings,
            policies=gateway.policies,
            timeout=gateway.timeout,
            connect_timeout=_CONNECT_SECONDS,
            retries=gateway.retries,
            on_send=self._see_attempt,
            on_receive=self._received.add if self._passes else None,
            environment=gateway.key is not None,
            http=self.http,
        )

    def _see_attempt(self, outgoing: Outgoing) -> None:
        self._received.clear()
        if outgoing.attempt == 1:
            self.notes += outgoing.built.notes

    # ---- whole answers

    async def _whole(self, client: AsyncClient, request: Request) -> Response:
        try:
            answer = await self._while_connected(client.ask(request))
        except BodyError as error:
            raise GatewayError(f"the server behind: {error}", 502, "server") from None
        try:
            said = answer if answer.model else replace(answer, model=request.model)
            body = self.front.write_answer(said, policies="lenient", notes=self.answer_notes)
        except PromptwireError as error:
            raise GatewayError(f"the answer of the server behind: {error}", 502, "server") from None
        passes = self._passes and not answer.deviations and holds(answer.raw, body)
        if passes:
            self.answer_notes.clear()
        self._note_replaced(answer)
        self._log("200", answer)
        if passes:
            received = self._received.take_all()
            return Response(received, media_type="application/json", headers=self._headers())
        return JSONResponse(body, headers=self._headers())

    async def _while_connected(self, work: Awaitable[T]) -> T:
        """Return the result of some work, which is cancelled if the client leaves.

        Raises:
            ClientLeftError: the client left.
        """
        results: list[T] = []
        problems: list[Exception] = []

        async def listen() -> None:
            while (await self.asked.receive())["type"] != "http.disconnect":
                pass
            group.cancel_scope.cancel()

        async with anyio.create_task_group() as group:
            group.start_soon(listen)
            try:
                results.append(await work)
            except Exception as problem:  # noqa: BLE001  # raised below, outside the group
                problems.append(problem)
            group.cancel_scope.cancel()
        if problems:
            raise problems[0]
        if not results:
            raise ClientLeftError
        return results[0]

    # ---- streams

    async def _streamed(self, client: AsyncClient, request: Request, framing: str | None) -> Response:
        """Return a stream. It starts with the first piece of the answer, so that errors before it have a status."""
        stream = client.stream(request)
        early = asyncio.create_task(_first_events(stream))
        try:
            await self._while_connected(asyncio.wait([early], timeout=SILENCE))
            if early.done():
                early.result()
        except BaseException:
            await _release(early, stream)
            raise
        media = "application/json" if framing == "json_array" else "text/event-stream"
        pieces = self._pieces(request, stream, early, framing)
        return KeptAlive(
            pieces,
            keep_alive(self.front, framing),
            partial(_release, early, stream),
            media_type=media,
            headers=self._headers(),
        )

    async def _pieces(
        self,
        request: Request,
        stream: AsyncEventStream[Answer],
        early: Awaitable[Sequence[Event]],
        framing: str | None,
    ) -> AsyncIterator[bytes]:
        writer = self.front.write_stream(
            id=uuid4().hex,
            model=request.model or "",
            created=int(time.time()),
            framing=framing,
            usage=self.counted,
            policies="lenient",
            notes=self.answer_notes,
        )
        # what arrived together is written together: a write costs more than an event
        piece = b""
        try:
            events = await early or await events_together(stream)
            passes = self._passes and framing is None and self._received.is_event_stream
            while events:
                # an error is raised behind its event, with its kind
                told = [event for event in events if event.kind != "error"]
                piece = b"".join([writer.feed(event) for event in told])
                received = self._received.take_events() if passes else b""
                passes = passes and len(told) == len(events) and not has_half_character(received)
                piece = received if passes else piece
                if piece:
                    yield piece
                    piece = b""
                events = await events_together(stream)
            answer = await stream.result()
            yield self._received.take_all() if passes else writer.close()
            self._note_replaced(answer)
            self._log("200", answer)
        except Exception as problem:  # noqa: BLE001  # every error is told in the client's API
            if isinstance(problem, RequestError):
                # the answer cannot be written, which is no fault of the client
                problem = GatewayError(f"the answer of the server behind: {problem}", 502, "server")
            error = without_keys(error_of(problem), self.gateway.keys)
            failed = writer.feed(Event(kind="error", data=error))
            yield piece + failed + writer.close()
            self._log(f"broke off, {error.kind}: {error.message}")

    def _note_replaced(self, answer: Answer) -> None:
        self.answer_notes += [note for note in answer.deviations if note.action == "replaced"]

    # ---- what is told beside the answer

    def _headers(self) -> dict[str, str]:
        shown = "; ".join(self._told()).encode("ascii", "backslashreplace").decode()
        return {NOTES: shown[:_MOST_HEADER]} if shown else {}

    def _told(self) -> list[str]:
        """Return the notes as lines: they quote keys and texts of others, whose line breaks would forge headers."""
        rows = [*self.notes, *filter(_matters, self.answer_notes)]
        return [*dict.fromkeys(one_line(str(note)) for note in rows)]

    def _log(self, outcome: str, answer: Answer | None = None) -> None:
        usage = None if answer is None else answer.usage
        tokens = "" if usage is None else f", {usage.input} in, {usage.output} out"
        milliseconds = (time.monotonic() - self._began) * 1000
        LOG.info(
            "%s -> %s %s: %s (%.0f ms%s)",
            self.front.WIRE.name, self.gateway.back.WIRE.name, one_line(str(self.model)), one_line(outcome),
            milliseconds, tokens,
        )  # fmt: skip
        for note in self._told():
            LOG.info("note: %s", note)


def _matters(note: Note) -> bool:
    """Return whether a note on an answer is about more than keys that only the API behind has, such as timings."""
    return not note.field.startswith("vendor.")


async def _first_events(stream: AsyncEventStream[Answer]) -> list[Event]:
    """Return the events up to the first piece of the answer; an error before it is raised."""
    events: list[Event] = []
    async for event in stream:
        events.append(event)
        if event.kind not in _EARLY:
            return [*events, *stream.ready()]
    await stream.result()
    return events


async def _release(early: asyncio.Task[list[Event]], stream: AsyncEventStream[Answer]) -> None:
    """Close the connection to the server behind, which may not have answered yet."""
    early.cancel()
    await asyncio.gather(early, return_exceptions=True)
    await stream.aclose()
