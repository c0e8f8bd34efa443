"""Call a caller's functions (providers, filters, summarizers) in sequence, synchronous or asynchronous ones.

A sequence of steps is a generator that yields the calls to make and is sent their results. `run` makes the calls
directly and `run_async` awaits them, so that each sequence is written only once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from dataclasses import dataclass
from typing import Any, TypeAlias, TypeVar

from .errors import ContextError

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CallbackStep:
    """One call of a caller's function. `where` names it in errors."""

    where: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


Steps: TypeAlias = Generator[CallbackStep, Any, T]


def run(steps: Steps[T], waiting: str) -> T:
    """Run a sequence: make its calls, and return its result.

    Raises:
        ContextError: a call failed, or returned an awaitable, which needs the method named `waiting`.
    """
    answer: Any = None
    error: ContextError | None = None
    while True:
        try:
            step = steps.send(answer) if error is None else steps.throw(error)
        except StopIteration as done:
            result: T = done.value
            return result
        answer, error = _call(step)
        if isinstance(answer, Awaitable):
            _discard(answer)
            answer, error = None, ContextError(f"is asynchronous; await {waiting}", where=step.where)


async def run_async(steps: Steps[T]) -> T:
    """Run a sequence: make its calls, await those that return an awaitable, and return its result.

    Raises:
        ContextError: a call failed.
    """
    answer: Any = None
    error: ContextError | None = None
    while True:
        try:
            step = steps.send(answer) if error is None else steps.throw(error)
        except StopIteration as done:
            result: T = done.value
            return result
        answer, error = _call(step)
        if isinstance(answer, Awaitable):
            try:
                answer = await answer  # pyright: ignore[reportUnknownVariableType]  # it may return anything
            except Exception as failure:  # noqa: BLE001  # any exception of a caller's function is reported with its name
                answer, error = None, _failed(step, failure)


def _call(step: CallbackStep) -> tuple[Any, ContextError | None]:
    try:
        return step.function(*step.arguments), None
    except Exception as failure:  # noqa: BLE001  # any exception of a caller's function is reported with its name
        return None, _failed(step, failure)


def _failed(step: CallbackStep, failure: Exception) -> ContextError:
    message = f"{type(failure).__name__}: {failure}" if str(failure) else type(failure).__name__
    error = ContextError(message, where=step.where)
    error.__cause__ = failure
    return error


def _discard(awaitable: Any) -> None:
    """Close a coroutine that is not awaited, so that Python does not warn about it."""
    close = getattr(awaitable, "close", None)
    if close is not None:
        close()
