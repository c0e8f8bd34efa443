"""Drivers: perform the effects of a call with httpx, and give its events to the caller as they arrive."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext, suppress
from contextvars import copy_context
from functools import partial
from inspect import isawaitable
from math import inf
from time import monotonic, sleep
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import anyio
import anyio.to_thread
import httpx

from promptwire_runtime import Event
from promptwire_runtime.errors import AnswerError
from promptwire_runtime.steps import is_asynchronous, is_being_cancelled

from .effects import CallEach, Effect, Effects, Pause, ReadChunk, ReadRest, Send, Show, TransportProblem
from .transport import CLOSED, REST, Alarm, OpenedResponse, Opener, Reuse, own_problems, request_of

ResultT = TypeVar("ResultT")


class _Steps(Generic[ResultT]):
    """The generator of one call, and its result when it has ended."""

    def __init__(self, steps: Effects[ResultT]) -> None:
        self.steps = steps
        self.opened: OpenedResponse | None = None
        self.results: list[ResultT] = []
        self.over = False
        # what `ready` found behind the last event: an effect, the end as None, or an error
        self._ahead: list[Effect | Exception | None] = []

    def ready(self) -> list[Event]:
        """Return the events that need nothing from the network."""
        events: list[Event] = []
        while not self.over:
            try:
                effect = self.next(None, None)
            except Exception as error:  # noqa: BLE001  # raised by the next step, behind these events
                self._ahead.append(error)
                break
            if not isinstance(effect, Show):
                self._ahead.append(effect)
                break
            events.append(effect.event)
        return events

    def next(self, value: Any, problem: TransportProblem | None) -> Effect | None:
        """Continue the generator; return its next effect, or None at its end."""
        if self._ahead:
            ahead = self._ahead.pop()
            if isinstance(ahead, Exception):
                raise ahead
            return ahead
        try:
            return self.steps.send(value) if problem is None else self.steps.throw(problem)
        except StopIteration as done:
            self.results.append(done.value)
            return None

    def end(self) -> None:
        """End the call: middleware that waits for its answer ends too."""
        self.over = True
        # another thread may be at work in it
        with suppress(ValueError):
            self.steps.close()

    def result(self) -> ResultT:
        """Return the result. Raises AnswerError if the call was closed before its end."""
        if not self.results:
            raise AnswerError("the stream was closed before its end; there is no whole answer")
        return self.results[0]


class EventStream(Generic[ResultT]):
    """The events of a call, as they arrive. Leave the `with` block, or `close`, to stop: the server notices.

    Iterate over it for the events; `result` returns what follows them.
    """

    def __init__(self, steps: Effects[ResultT], http: httpx.Client) -> None:
        """Start with nothing sent; the first event sends the request."""
        self._state = _Steps(steps)
        self._http = http

    def __enter__(self) -> Self:
        """Return the stream."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close the connection."""
        self.close()

    def __iter__(self) -> Iterator[Event]:
        """Return the stream."""
        return self

    def __next__(self) -> Event:
        """Return the next event.

        Raises:
            HttpError: the API refused the request, or the connection failed.
            AnswerError: the answer cannot be read.
        """
        state = self._state
        value: Any = None
        problem: TransportProblem | None = None
        try:
            while not state.over:
                effect = state.next(value, problem)
                if isinstance(effect, Show):
                    return effect.event
                if effect is None:
                    break
                try:
                    value, problem = self._perform(effect), None
                except TransportProblem as error:
                    value, problem = None, error
        except BaseException:
            self.close()
            raise
        self.close()
        raise StopIteration

    def result(self) -> ResultT:
        """Read the rest of the stream and return the answer, or the run of an agent.

        Raises:
            HttpError: the API refused the request, or the connection failed.
            AnswerError: the answer cannot be read, or the stream was closed before its end.
        """
        for _ in self:
            pass
        return self._state.result()

    def ready(self) -> list[Event]:
        """Return the events that have arrived already, without waiting. Errors come with the next event."""
        return self._state.ready()

    def close(self) -> None:
        """Close the connection. Nothing follows."""
        state = self._state
        state.end()
        if state.opened is not None:
            state.opened.close()
            state.opened = None

    def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, Send):
            return self._send(effect)
        if isinstance(effect, ReadChunk):
            with own_problems():
                return effect.opened.read(effect.until)
        if isinstance(effect, ReadRest):
            effect.opened.read_rest()
        if isinstance(effect, Pause):
            sleep(effect.seconds)
        if isinstance(effect, CallEach):
            return [_call_function(function, effect.until) for function in effect.functions]
        return None

    def _send(self, effect: Send) -> OpenedResponse:
        state = self._state
        if state.opened is not None:
            state.opened.close()
            state.opened = None
        alarm, reuse = Alarm(), Reuse()
        alarm.set(effect.until)

        def trace(name: str, info: Any) -> None:
            reuse.see(name, info)
            alarm.see(name, info)

        try:
            with own_problems():
                try:
                    response = self._sent(effect, trace)
                except CLOSED:
                    if not reuse.was_closed:
                        raise
                    response = self._sent(effect, alarm.see)
        except TransportProblem:
            alarm.stop()
            raise
        alarm.watch(response)
        state.opened = OpenedResponse(
            response.status_code, dict(response.headers), response, response.iter_bytes(), alarm
        )
        return state.opened

    def _sent(self, effect: Send, trace: Callable[[str, Any], None]) -> httpx.Response:
        # a client that follows redirects would take the credentials to other hosts
        return self._http.send(request_of(self._http, effect, trace), stream=True, follow_redirects=False)


class AsyncEventStream(Generic[ResultT]):
    """The events of a call, as they arrive. Leave the `async with` block, or `aclose`, to stop: the server notices.

    Iterate over it for the events; `result` returns what follows them. Cancelling the task closes the connection.
    """

    def __init__(
        self, steps: Effects[ResultT], connections: Callable[[], httpx.AsyncClient | Opener]
    ) -> None:
        """Start with nothing sent; the first event sends the request."""
        self._state = _Steps(steps)
        self._connections = connections

    async def __aenter__(self) -> Self:
        """Return the stream."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the connection."""
        await self.aclose()

    def __aiter__(self) -> AsyncIterator[Event]:
        """Return the stream."""
        return self

    async def __anext__(self) -> Event:
        """Return the next event.

        Raises:
            HttpError: the API refused the request, or the connection failed.
            AnswerError: the answer cannot be read.
        """
        state = self._state
        value: Any = None
        problem: TransportProblem | None = None
        try:
            while not state.over:
                effect = state.next(value, problem)
                if isinstance(effect, Show):
                    return effect.event
                if effect is None:
                    break
                try:
                    value, problem = await self._perform(effect), None
                except TransportProblem as error:
                    value, problem = None, error
        except BaseException:
            await self.aclose()
            raise
        await self.aclose()
        raise StopAsyncIteration

    async def result(self) -> ResultT:
        """Read the rest of the stream and return the answer, or the run of an agent.

        Raises:
            HttpError: the API refused the request, or the connection failed.
            AnswerError: the answer cannot be read, or the stream was closed before its end.
        """
        async for _ in self:
            pass
        return self._state.result()

    def ready(self) -> list[Event]:
        """Return the events that have arrived already, without waiting. Errors come with the next event."""
        return self._state.ready()

    async def aclose(self) -> None:
        """Close the connection. Nothing follows."""
        state = self._state
        state.end()
        opened, state.opened = state.opened, None
        if opened is not None:
            await opened.response.aclose()

    async def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, Send):
            return await self._send(effect)
        if isinstance(effect, ReadChunk):
            with own_problems(), _before(effect.until):
                return await anext(effect.opened.chunks, None)
        if isinstance(effect, ReadRest):
            with anyio.move_on_after(REST), suppress(httpx.HTTPError, TransportProblem):
                async for _ in effect.opened.chunks:
                    pass
        if isinstance(effect, Pause):
            await anyio.sleep(effect.seconds)
        if isinstance(effect, CallEach):
            return await _call_together(effect)
        return None

    async def _send(self, effect: Send) -> OpenedResponse:
        state = self._state
        if state.opened is not None:
            await state.opened.response.aclose()
            state.opened = None
        http = self._connections()
        with own_problems(), _before(effect.until):
            opened = _open(http, effect) if isinstance(http, httpx.AsyncClient) else http.open(effect)
            state.opened = await opened
        return state.opened


async def _open(http: httpx.AsyncClient, effect: Send) -> OpenedResponse:
    reuse = Reuse()
    try:
        response = await _sent(http, effect, reuse)
    except CLOSED:
        if not reuse.was_closed:
            raise
        response = await _sent(http, effect)
    return OpenedResponse(
        response.status_code, dict(response.headers), response, response.aiter_bytes(), Alarm()
    )


async def _sent(http: httpx.AsyncClient, effect: Send, reuse: Reuse | None = None) -> httpx.Response:
    request = request_of(http, effect, None if reuse is None else reuse.see_later)
    # a client that follows redirects would take the credentials to other hosts
    return await http.send(request, stream=True, follow_redirects=False)


def _before(until: float | None) -> AbstractContextManager[Any]:
    """Return the context that ends at a time of `monotonic` by a TimeoutError."""
    return nullcontext() if until is None else anyio.fail_after(max(until - monotonic(), 0))


async def events_together(stream: AsyncEventStream[Any]) -> list[Event]:
    """Return the next event with those that arrived with it; nothing at the end. Errors as for the next event."""
    async for event in stream:
        return [event, *stream.ready()]
    return []


def _call_function(function: Callable[[], Any], until: float | None) -> Any:
    """Return what a function returns, or the exception that it raises; an awaitable is run to its end."""
    if until is not None and monotonic() >= until:
        return TimeoutError("the time of the run is over")
    try:
        value = function()
        return _run_awaitable(value, until) if isawaitable(value) else value
    except Exception as error:  # noqa: BLE001  # the loop decides what to do about it
        return error


def _run_awaitable(value: Awaitable[Any], until: float | None) -> Any:
    """Run an awaitable to its end, in a thread of its own where an event loop is running, as in a notebook."""
    run = partial(anyio.run, partial(_await_until, value, until))
    try:
        asyncio.get_running_loop()
    except RuntimeError:
        return run()
    with ThreadPoolExecutor(1) as thread:
        return thread.submit(copy_context().run, run).result()


async def _await_until(value: Any, until: float | None) -> Any:
    with _before(until):
        return await value


async def _call_together(effect: CallEach) -> list[Any]:
    """Call functions at the same time, those that are not asynchronous in threads."""
    functions = effect.functions
    values: list[Any] = [TimeoutError("the time of the run is over") for _ in functions]
    places = anyio.Semaphore(effect.parallel or max(len(functions), 1))

    async def call(index: int, function: Callable[[], Any]) -> None:
        async with places:
            try:
                values[index] = await _call_in_task(function)
            except Exception as error:  # noqa: BLE001  # the loop decides what to do about it
                values[index] = error
            except asyncio.CancelledError:
                if is_being_cancelled():
                    raise
                values[index] = CancelledError()

    seconds = inf if effect.until is None else max(effect.until - monotonic(), 0)
    with anyio.move_on_after(seconds):
        async with anyio.create_task_group() as group:
            for index, function in enumerate(functions):
                group.start_soon(call, index, function)
    return values


async def _call_in_task(function: Callable[[], Any]) -> Any:
    if is_asynchronous(function):
        return await function()
    # a thread cannot be cancelled, but nobody waits for it then
    value = await anyio.to_thread.run_sync(function, abandon_on_cancel=True)
    return await value if isawaitable(value) else value
