"""Running what callers give (providers, filters, summarizers) in one order, whether it waits or not.

A sequence of steps is a generator: it hands out the calls, and is sent what they gave. One function makes the calls
at once, another awaits them; the sequence itself is written only once.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator
from typing import Any, TypeAlias, TypeVar

from .errors import ContextError
from .nodes.light_dataclasses import dataclass
from .nodes.records import Record

T = TypeVar("T")


@dataclass(frozen=True, eq=False, repr=False)
class Step(Record):
    """One call of a caller's function; `where` names it in errors."""

    where: str
    function: Callable[..., Any]
    arguments: tuple[Any, ...]


Steps: TypeAlias = Generator[Step, Any, T]


def run(steps: Steps[T], waiting: str) -> T:
    """Make all calls at once.

    Raises:
        ContextError: a call failed, or gave an awaitable: then the method named `waiting` is needed.
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
            answer, error = None, ContextError(f"is asynchronous: await {waiting}", where=step.where)


async def run_async(steps: Steps[T]) -> T:
    """Make all calls in turn, and await those that give an awaitable.

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
                answer = await answer  # pyright: ignore[reportUnknownVariableType]  # anything may come of it
            except Exception as failure:  # noqa: BLE001  # whatever a caller's function raises is reported with its name
                answer, error = None, _failed(step, failure)


def _call(step: Step) -> tuple[Any, ContextError | None]:
    try:
        return step.function(*step.arguments), None
    except Exception as failure:  # noqa: BLE001  # whatever a caller's function raises is reported with its name
        return None, _failed(step, failure)


def _failed(step: Step, failure: Exception) -> ContextError:
    message = f"{type(failure).__name__}: {failure}" if str(failure) else type(failure).__name__
    error = ContextError(message, where=step.where)
    error.__cause__ = failure
    return error


def _discard(awaitable: Any) -> None:
    """Close a coroutine that nobody awaits, so that Python does not complain about it later."""
    close = getattr(awaitable, "close", None)
    if close is not None:
        close()
