"""One call of a client: read its request, ask the server behind, and write the answer as the client's API has it."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Awaitable, Sequence
from uuid import uuid4

import httpx
from starlette.requests import ClientDisconnect, Request as Asked
from starlette.responses import JSONResponse, Response
from starlette.types import ASGIApp

from promptwire_runtime import (
    Answer,
    Api,
    BodyError,
    Event,
    Note,
    PromptwireError,
    Reading,
    Reasoning,
    Request,
    RequestError,
)
from promptwire_runtime.answers.api_error import STATUS_OF_KIND, ApiError
from promptwire_runtime.errors import AnswerError
from promptwire_runtime.nodes.records import replace
from promptwire_text.escaping import one_line

from ..client import AsyncClient
from ..errors import HttpError
from ..exchange import Outgoing
from ..streams import AsyncEventStream, events_together
from ..transport import Opener
from .admission import CALLER, REQUEST_ID, targets_for
from .carried_state import StateKeeper
from .configuration import Gateway, ModelTarget, Upstream
from .failures import GatewayError, error_of, failure, without_keys
from .reading import body_of, key_of, request_for
from .reports import CallReport, Observer, write_text
from .streaming import (
    SILENCE,
    CandidateNumbers,
    ClientLeftError,
    Connected,
    KeptAlive,
    Received,
    has_half_character,
    holds,
    keep_alive,
)

NOTES = "promptwire-notes"
_MOST_HEADER = 2000
# many streams keep the event loop busy, and the time until a connection is noticed counts as well
_CONNECT_SECONDS = 30.0
# errors after which another server may do better
_FALLS_BACK = frozenset({"server", "overloaded", "rate_limit"})
# what may come before the first piece of an answer; an error may still follow
_EARLY = frozenset({"start", "usage", "vendor", "unknown", "error"})


class Call:
    """One call; `reply` returns the response, and `observers` get a report when it has ended."""

    def __init__(
        self,
        gateway: Gateway,
        http: httpx.AsyncClient | Opener,
        front: Api,
        asked: Asked,
        observers: Sequence[Observer] = (write_text,),
    ) -> None:
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
        self._target: ModelTarget | None = None
        self._keeper: StateKeeper | None = None
        self._observers = observers
        self._first_seconds: float | None = None
        self._received = Received()
        self._began = time.monotonic()

    async def reply(self, framing: str | None = None) -> ASGIApp:
        """Return the response: an answer, a stream, or an error of the client's API."""
        try:
            reading = self.front.read(await body_of(self.asked, self.gateway), str(self.asked.url))
            self.model = reading.request.model
            self.counted = bool(reading.request.stream_usage)
            targets = targets_for(self.asked, self.gateway, self.model)
            return await self._ask(reading, targets, framing)
        except (ClientDisconnect, ClientLeftError):
            self._report(499, "the client left")
            return Response(status_code=499)
        except Exception as problem:  # noqa: BLE001  # every error is told in the client's API
            error = self._shown(error_of(problem))
            if not self._passes:
                # the other API's body says nothing to this client
                error = replace(error, raw=None)
            self._report_error(error)
            return failure(self.front, error)

    async def _ask(self, reading: Reading, targets: Sequence[ModelTarget], framing: str | None) -> ASGIApp:
        """Ask the first target, and where it fails, the next one."""
        failed: list[Note] = []
        for target in targets:
            self._target = target
            # what an earlier server could not carry says nothing about this one
            self.notes, self.answer_notes = [*failed], []
            # a client of the same API returns the state itself
            self._keeper = None if self._passes else StateKeeper(target.upstream)
            self._received.clear()
            try:
                request = request_for(self.front, reading, target)
                client = self._client(target.upstream, is_chosen=target.upstream is targets[0].upstream)
                if request.stream:
                    return await self._streamed(client, request, framing)
                return await self._whole(client, request)
            except (HttpError, AnswerError, GatewayError) as problem:
                error = error_of(problem)
                if target is targets[-1] or error.kind not in _FALLS_BACK:
                    raise
                why = f"{target.upstream.title} failed: {self._shown(error).message}"
                failed.append(Note("replaced", "request", "model", why))
        raise AssertionError("a name has at least one target")

    @property
    def _passes(self) -> bool:
        """Whether the server behind speaks the API of the client."""
        return self._target is not None and self._target.upstream.back.WIRE.api == self.front.WIRE.api

    def _shown(self, error: ApiError) -> ApiError:
        """Return an error without the credentials of the operator."""
        return without_keys(error, [key for upstream in self.gateway.upstreams for key in upstream.keys])

    def _client(self, upstream: Upstream, *, is_chosen: bool) -> AsyncClient:
        # the key of a client is for the server that it chose, not for one that stands in
        passes_on = is_chosen and upstream.back.WIRE.secrets and not (upstream.keys or self.gateway.callers)
        return AsyncClient(
            upstream.back,
            api_key=key_of(self.asked) if passes_on else upstream.key,
            settings=upstream.settings,
            policies=upstream.policies,
            timeout=upstream.timeout,
            connect_timeout=_CONNECT_SECONDS,
            retries=upstream.retries,
            on_send=self._see_attempt,
            on_receive=self._received.add if self._passes else None,
            environment=upstream.key is not None,
            # counts that nobody asked for are a chunk without a choice, on which loops of clients fail; `request_for`
            # asks where the client does not see it
            count_tokens=False,
            http=self.http,
        )

    def _see_attempt(self, outgoing: Outgoing) -> None:
        self._received.clear()
        if outgoing.attempt == 1:
            self.notes += outgoing.built.notes

    # ---- whole answers

    async def _whole(self, client: AsyncClient, request: Request) -> Response:
        try:
            with Connected(self.asked.receive):
                answer = await client.ask(request)
        except BodyError as error:
            raise GatewayError(f"the server behind: {error}", 502, "server") from None
        self._check_finish(answer)
        try:
            said = answer if answer.model else replace(answer, model=request.model)
            said = said if self._keeper is None else self._keeper.answer(said)
            body = self.front.write_answer(said, policies="lenient", notes=self.answer_notes)
        except PromptwireError as error:
            raise GatewayError(f"the answer of the server behind: {error}", 502, "server") from None
        passes = self._passes and not answer.deviations and holds(answer.raw, body)
        if passes:
            self.answer_notes.clear()
        self._note_replaced(answer)
        self._report(200, "ok", answer)
        if passes:
            received = self._received.take_all()
            return Response(received, media_type="application/json", headers=self._headers())
        return JSONResponse(body, headers=self._headers())

    # ---- streams

    async def _streamed(self, client: AsyncClient, request: Request, framing: str | None) -> ASGIApp:
        """Return a stream. It starts with the first piece of the answer, so that errors before it have a status."""
        stream = client.stream(request)
        early = asyncio.create_task(_first_events(stream))
        try:
            with Connected(self.asked.receive):
                await asyncio.wait([early], timeout=SILENCE)
            if early.done():
                early.result()
        except BaseException:
            await _release(early, stream)
            raise

        async def end(left: bool) -> None:
            await _release(early, stream)
            if left:
                self._report(499, "the client left")

        media = "application/json" if framing == "json_array" else "text/event-stream; charset=utf-8"
        pieces = self._pieces(request, stream, early, framing)
        headers = {"content-type": media, **self._headers()}
        return KeptAlive(pieces, keep_alive(self.front, framing), end, headers)

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
        piece, numbers = b"", CandidateNumbers()
        try:
            events = await early or await events_together(stream)
            self._first_seconds = time.monotonic() - self._began
            passes = self._passes and framing is None and self._received.is_event_stream
            while events:
                # an error is raised behind its event, with its kind
                told = [event for event in events if event.kind != "error"]
                told = told if self._keeper is None else [*self._keeper.events(told)]
                piece = b"".join([writer.feed(numbers.of(event)) for event in told])
                received = self._received.take_events() if passes else b""
                passes = passes and len(told) == len(events) and not has_half_character(received)
                piece = received if passes else piece
                if piece:
                    yield piece
                    piece = b""
                events = await events_together(stream)
            answer = await stream.result()
            self._check_finish(answer)
            yield self._received.take_all() if passes else writer.close()
            self._note_replaced(answer)
            self._report(200, "ok", answer)
        except Exception as problem:  # noqa: BLE001  # every error is told in the client's API
            if isinstance(problem, RequestError):
                # the answer cannot be written, which is no fault of the client
                problem = GatewayError(f"the answer of the server behind: {problem}", 502, "server")
            error = self._shown(error_of(problem))
            failed = writer.feed(Event(kind="error", data=error))
            yield piece + failed + writer.close()
            self._report_error(error, "broke off, ")

    def _check_finish(self, answer: Answer) -> None:
        """Raise GatewayError for an answer that failed and says nothing: another API would call it a success."""
        if (
            not self._passes
            and answer.finish == "error"
            and all(isinstance(p, Reasoning) for p in answer.parts)
        ):
            raise GatewayError(f"the server behind: the answer ended by {answer.finish_raw}", 502, "server")

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

    def _report_error(self, error: ApiError, before: str = "") -> None:
        self._report(error.status or STATUS_OF_KIND[error.kind], f"{before}{error.kind}: {error.message}")

    def _report(self, status: int, outcome: str, answer: Answer | None = None) -> None:
        target, caller = self._target, self.asked.scope.get(CALLER)
        report = CallReport(
            request_id=self.asked.scope.get(REQUEST_ID, ""),
            front=self.front.WIRE.name,
            upstream="" if target is None else target.upstream.title,
            caller="" if caller is None else caller.name,
            model=self.model or "",
            model_behind="" if target is None else target.model or "",
            status=status,
            outcome=outcome,
            seconds=time.monotonic() - self._began,
            first_seconds=self._first_seconds,
            usage=None if answer is None else answer.usage,
            notes=self._told(),
            named=self.model in self.gateway.models,
        )
        for observe in self._observers:
            observe(report)


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
