"""Run an agent's loop with any function that asks a model, blocking or asynchronous."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from contextlib import suppress
from functools import partial
from inspect import isawaitable
from time import monotonic
from typing import Any, TypeAlias, Unpack

from ..answers.answer import Answer
from ..errors import ContextError, InvalidRequest
from ..model.request import Request
from ..steps import call, call_async, discard, drive, drive_async, is_asynchronous, is_being_cancelled
from ..toolkits.declaring import Call
from .agent_loop import AgentLoop, FunctionsStep, LoopStep, ModelAnswer, ModelStep, ResultsStep
from .functions import Functions
from .run_records import Run, RunOptions

Ask: TypeAlias = Callable[[Request], Answer]
AskAsync: TypeAlias = Callable[[Request], Awaitable[Answer]]
_TOO_LATE = "the time of the run is over"


def run(
    ask: Ask, request: Request, tools: Functions = (), *, wire: Any = None, **options: Unpack[RunOptions]
) -> Run:
    """Ask a model, call the functions that it wants, and continue until it wants none.

    A client runs the same loop: `promptwire.http.Client.run`, which lists the options. This function is for any other
    way to send requests.

    Args:
        ask: Sends a request and returns its answer.
        request: The conversation.
        tools: Functions, or a mapping of names to functions.
        wire: The package of the API, which may defer the tools of toolkits itself.
        **options: The options of the run.

    Raises:
        InvalidRequest: a function requires permission and there is no `approve`; nothing was asked.
        RunLimitError: the model still called functions after `max_steps` answers, or `max_seconds` passed.
        ContextError: a function of the pipeline, a filter or `approve` failed, or is asynchronous.
    """
    loop = AgentLoop(request, tools, wire, **options)
    _check_ask(ask)
    return drive(loop.steps(), partial(_perform, ask))


async def run_async(
    ask: AskAsync, request: Request, tools: Functions = (), *, wire: Any = None, **options: Unpack[RunOptions]
) -> Run:
    """Run the loop as `run` does, and await `ask`, functions and callbacks.

    Functions of one answer run at the same time, those that are not asynchronous in threads.
    """
    loop = AgentLoop(request, tools, wire, **options)
    _check_ask(ask)
    return await drive_async(loop.steps(), partial(_perform_async, ask))


def _check_ask(ask: Any) -> None:
    if not callable(ask):
        raise InvalidRequest(f"ask is a function of a request, not {type(ask).__name__}", field="ask")


def _perform(ask: Ask, step: LoopStep) -> Any:
    if isinstance(step, ModelStep):
        return _check_answer(ask(step.request))
    if isinstance(step, FunctionsStep):
        return [_call_function(step, *row) for row in zip(step.calls, step.functions, strict=True)]
    return None if isinstance(step, ResultsStep) else call(step, "run_async")


def _check_answer(answer: Answer) -> ModelAnswer:
    if not isinstance(answer, Answer):  # pyright: ignore[reportUnnecessaryIsInstance]  # untyped callers
        raise ContextError(f"returns {type(answer).__name__}, not an Answer", where="ask")
    return ModelAnswer(answer)


def _call_function(step: FunctionsStep, asked: Call, function: Callable[[], Any]) -> Any:
    if step.until is not None and monotonic() >= step.until:
        return TimeoutError(_TOO_LATE)
    try:
        value = function()
    except Exception as error:  # noqa: BLE001  # the loop decides what to do about it
        return error
    if isawaitable(value):
        discard(value)
        raise ContextError("is asynchronous; await run_async", where=f"tool {asked.name}")
    return value


async def _perform_async(ask: AskAsync, step: LoopStep) -> Any:
    if isinstance(step, ModelStep):
        return _check_answer(await ask(step.request))
    if isinstance(step, FunctionsStep):
        return await _call_together(step)
    return None if isinstance(step, ResultsStep) else await call_async(step)


def _call_in_thread(function: Callable[[], Any]) -> Any:
    """Return the result of a function, or its StopIteration, which a thread cannot raise in who awaits it."""
    try:
        return function()
    except StopIteration as error:
        return error


async def _call_together(step: FunctionsStep) -> list[Any]:
    # blocking programs need not load it
    import asyncio
    from concurrent.futures import CancelledError

    values: list[Any] = [TimeoutError(_TOO_LATE) for _ in step.functions]
    places = asyncio.Semaphore(step.parallel or max(len(values), 1))

    async def place(index: int, function: Callable[[], Any]) -> None:
        async with places:
            try:
                value = await (
                    function() if is_asynchronous(function) else asyncio.to_thread(_call_in_thread, function)
                )
                values[index] = await value if isawaitable(value) else value
            except Exception as error:  # noqa: BLE001  # the loop decides what to do about it
                values[index] = error
            except asyncio.CancelledError:
                if is_being_cancelled():
                    raise
                values[index] = CancelledError()

    seconds = None if step.until is None else max(step.until - monotonic(), 0)
    with suppress(TimeoutError):
        async with asyncio.timeout(seconds):
            await asyncio.gather(*[place(*row) for row in enumerate(step.functions)])
    return values
