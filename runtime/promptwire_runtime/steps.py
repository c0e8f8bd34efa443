"""Call a caller's functions (providers, filters, summarizers) in sequence, synchronous or asynchronous ones.

A sequence of steps is a generator that yields the calls to make and is sent their results. `run` makes the calls
directly and `run_async` awaits them, so that each sequence is written only once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Coroutine, Generator
from dataclasses import dataclass
from functools import partial
from inspect import iscoroutinefunction
from typing import Any, TypeAlias, TypeVar

from .errors import ContextError

T = TypeVar("T")
StepT = TypeVar("StepT")


@dataclass(frozen=True, slots=True)
class CallbackStep:
    """One call of a caller's function. `where` names it in errors."""

    where: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


Steps: TypeAlias = Generator[CallbackStep, Any, T]


def drive(steps: Generator[StepT, Any, T], perform: Callable[[StepT], Any]) -> T:
    """Run a sequence: perform each of its steps, and return its result. Errors of a step are raised inside."""
    answer: Any = None
    error: Exception | None = None
    while True:
        try:
            step = steps.send(answer) if error is None else steps.throw(error)
        except StopIteration as done:
            result: T = done.value
            return result
        try:
            answer, error = perform(step), None
        except Exception as failure:  # noqa: BLE001  # the sequence decides what to do about it
            answer, error = None, failure


async def drive_async(
    steps: Generator[StepT, Any, T], perform: Callable[[StepT], Coroutine[Any, Any, Any]]
) -> T:
    """Run a sequence as `drive` does, and await what `perform` returns."""
    answer: Any = None
    error: Exception | None = None
    while True:
        try:
            step = steps.send(answer) if error is None else steps.throw(error)
        except StopIteration as done:
            result: T = done.value
            return result
        try:
            answer, error = await perform(step), None
        except Exception as failure:  # noqa: BLE001  # the sequence decides what to do about it
            answer, error = None, failure


def run(steps: Steps[T], waiting: str) -> T:
    """Run a sequence of callbacks, and return its result.

    Raises:
        ContextError: a call failed, or returned an awaitable, which needs the method named `waiting`.
    """
    return drive(steps, lambda step: call(step, waiting))


async def run_async(steps: Steps[T]) -> T:
    """Run a sequence of callbacks, await those that return an awaitable, and return its result.

    Raises:
        ContextError: a call failed.
    """
    return await drive_async(steps, call_async)


def call(step: CallbackStep, waiting: str) -> Any:
    """Call a caller's function. Raises ContextError if it fails or is asynchronous, which needs `waiting`."""
    try:
        answer = step.function(*step.arguments)
    except Exception as failure:
        raise failure_of(step, failure) from failure
    if isinstance(answer, Awaitable):
        discard(answer)
        raise ContextError(f"is asynchronous; await {waiting}", where=step.where)
    return answer


async def call_async(step: CallbackStep) -> Any:
    """Call a caller's function, and await it if it is asynchronous. Raises ContextError if it fails."""
    try:
        answer = step.function(*step.arguments)
        return await answer if isinstance(answer, Awaitable) else answer  # pyright: ignore[reportUnknownVariableType]  # it may return anything
    except Exception as failure:
        raise failure_of(step, failure) from failure


def failure_of(step: CallbackStep, failure: Exception) -> ContextError:
    """Return the error that names the caller's function which failed."""
    return ContextError(text_of_failure(failure), where=step.where)


def text_of_failure(failure: Exception) -> str:
    """Return the class of an error, and what it says if it says something."""
    name = type(failure).__name__
    try:
        said = str(failure)
    except Exception:  # noqa: BLE001  # a caller's class may fail here as well
        return name
    return f"{name}: {said}" if said else name


def is_asynchronous(function: Any) -> bool:
    """Return whether a call returns a coroutine: of an `async def`, a partial of one, or an object with such a call."""
    while isinstance(function, partial):
        function = function.func
    return iscoroutinefunction(function) or iscoroutinefunction(type(function).__call__)


def is_being_cancelled() -> bool:
    """Return whether the running task of asyncio is being cancelled, and not only a task that it waits for."""
    # blocking programs need not load it
    import asyncio

    task = asyncio.current_task()
    return task is None or task.cancelling() > 0


def discard(awaitable: Any) -> None:
    """Close a coroutine that is not awaited, so that Python does not warn about it."""
    close = getattr(awaitable, "close", None)
    if close is not None:
        close()
