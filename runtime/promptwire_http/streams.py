"""Drivers: perform the effects of a call with httpx, and give its events to the caller as they arrive."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Generator, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from inspect import isawaitable, iscoroutinefunction
from time import sleep
from types import TracebackType
from typing import Any, Generic, Self, TypeVar

import anyio
import anyio.to_thread
import httpx

from promptwire_runtime import AnswerError, Event

from .effects import CallEach, Effect, Effects, Pause, ReadChunk, Send, Show, TransportProblem

ResultT = TypeVar("ResultT")

_CONNECT_SECONDS = 10.0
_FINAL = (httpx.UnsupportedProtocol, httpx.LocalProtocolError, httpx.DecodingError)


@dataclass(slots=True)
class _Opened:
    """A response whose body is read in chunks."""

    status: int
    headers: Mapping[str, str]
    response: httpx.Response
    chunks: Any


class _Steps(Generic[ResultT]):
    """The generator of one call, and its result when it has ended."""

    def __init__(self, steps: Effects[ResultT]) -> None:
        self.steps = steps
        self.opened: _Opened | None = None
        self.results: list[ResultT] = []
        self.over = False

    def next(self, value: Any, problem: TransportProblem | None) -> Effect | None:
        """Continue the generator; return its next effect, or None at its end."""
        try:
            return self.steps.send(value) if problem is None else self.steps.throw(problem)
        except StopIteration as done:
            self.results.append(done.value)
            return None

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

    def close(self) -> None:
        """Close the connection. Nothing follows."""
        state = self._state
        state.over = True
        if state.opened is not None:
            state.opened.response.close()
            state.opened = None

    def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, Send):
            return self._send(effect)
        if isinstance(effect, ReadChunk):
            with _own_problems():
                return next(effect.opened.chunks, None)
        if isinstance(effect, Pause):
            sleep(effect.seconds)
        if isinstance(effect, CallEach):
            return [_called(function) for function in effect.functions]
        return None

    def _send(self, effect: Send) -> _Opened:
        state = self._state
        if state.opened is not None:
            state.opened.response.close()
        with _own_problems():
            response = self._http.send(_request(self._http, effect), stream=True)
        state.opened = _Opened(response.status_code, dict(response.headers), response, response.iter_bytes())
        return state.opened


class AsyncEventStream(Generic[ResultT]):
    """The events of a call, as they arrive. Leave the `async with` block, or `aclose`, to stop: the server notices.

    Iterate over it for the events; `result` returns what follows them. Cancelling the task closes the connection.
    """

    def __init__(self, steps: Effects[ResultT], http: httpx.AsyncClient) -> None:
        """Start with nothing sent; the first event sends the request."""
        self._state = _Steps(steps)
        self._http = http

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

    async def aclose(self) -> None:
        """Close the connection. Nothing follows."""
        state = self._state
        state.over = True
        opened, state.opened = state.opened, None
        if opened is not None:
            await opened.response.aclose()

    async def _perform(self, effect: Effect) -> Any:
        if isinstance(effect, Send):
            return await self._send(effect)
        if isinstance(effect, ReadChunk):
            with _own_problems():
                return await anext(effect.opened.chunks, None)
        if isinstance(effect, Pause):
            await anyio.sleep(effect.seconds)
        if isinstance(effect, CallEach):
            return await _called_together(effect.functions)
        return None

    async def _send(self, effect: Send) -> _Opened:
        state = self._state
        if state.opened is not None:
            await state.opened.response.aclose()
            state.opened = None
        with _own_problems():
            response = await self._http.send(_request(self._http, effect), stream=True)
        state.opened = _Opened(response.status_code, dict(response.headers), response, response.aiter_bytes())
        return state.opened


def _request(http: httpx.Client | httpx.AsyncClient, effect: Send) -> httpx.Request:
    timeout = httpx.Timeout(effect.timeout, connect=min(effect.timeout, _CONNECT_SECONDS))
    return http.build_request(
        effect.method, effect.url, headers=effect.headers, content=effect.content, timeout=timeout
    )


@contextmanager
def _own_problems() -> Generator[None]:
    """Convert the errors of httpx."""
    try:
        yield
    except httpx.TimeoutException as error:
        raise TransportProblem(f"the time limit passed ({type(error).__name__})", timed_out=True) from error
    except httpx.HTTPError as error:
        text = str(error) or type(error).__name__
        raise TransportProblem(f"the connection failed: {text}", final=isinstance(error, _FINAL)) from error
    except httpx.InvalidURL as error:
        raise TransportProblem(f"the URL is invalid: {error}", final=True) from error


def _called(function: Callable[[], Any]) -> Any:
    """Return what a function returns, or the exception that it raises; an awaitable is run to its end."""
    try:
        value = function()
        return anyio.run(partial(_awaited, value)) if isawaitable(value) else value
    except Exception as error:  # noqa: BLE001  # the loop decides what to do about it
        return error


async def _awaited(value: Any) -> Any:
    return await value


async def _called_together(functions: Any) -> list[Any]:
    """Call functions at the same time, those that are not asynchronous in threads."""
    values: list[Any] = [None] * len(functions)

    async def call(index: int, function: Callable[[], Any]) -> None:
        try:
            if iscoroutinefunction(function):
                values[index] = await function()
                return
            value = await anyio.to_thread.run_sync(function)
            values[index] = await value if isawaitable(value) else value
        except Exception as error:  # noqa: BLE001  # the loop decides what to do about it
            values[index] = error

    async with anyio.create_task_group() as group:
        for index, function in enumerate(functions):
            group.start_soon(call, index, function)
    return values
