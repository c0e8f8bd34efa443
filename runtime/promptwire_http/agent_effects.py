"""The loop of an agent as effects of a client: model calls are sent, functions and callbacks are called."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from promptwire_runtime import Built, Event
from promptwire_runtime.execution.agent_loop import (
    AgentLoop,
    FunctionsStep,
    LoopStep,
    ModelStep,
    ResultsStep,
)
from promptwire_runtime.execution.run_records import Run
from promptwire_runtime.results import ConversationEncoder
from promptwire_runtime.steps import failure_of

from .effects import CallEach, Effects, Show
from .exchange import Terms
from .model_calls import answer_to


def run_effects(terms: Terms, loop: AgentLoop, *, streamed: bool) -> Effects[Run]:
    """Run the loop; events are shown if the answers are streamed."""
    steps, perform = loop.steps(), partial(_perform, terms, ConversationEncoder().encode, streamed)
    value: Any = None
    error: Exception | None = None
    while True:
        try:
            step = steps.send(value) if error is None else steps.throw(error)
        except StopIteration as done:
            run: Run = done.value
            return run
        try:
            value, error = (yield from perform(step)), None
        except Exception as failure:  # noqa: BLE001  # the loop decides what to do about it
            value, error = None, failure


def _perform(
    terms: Terms, encode: Callable[[Built[Any]], bytes], streamed: bool, step: LoopStep
) -> Effects[Any]:
    if isinstance(step, ModelStep):
        return (yield from answer_to(terms, step.request, streamed=streamed, encode=encode, until=step.until))
    if isinstance(step, FunctionsStep):
        return (yield CallEach(_wrap_functions(terms, step), step.parallel, step.until))
    if isinstance(step, ResultsStep):
        for message in step.messages if streamed else ():
            yield Show(Event(kind="part", data=message))
        return None
    (value,) = yield CallEach([partial(step.function, *step.arguments)])
    if isinstance(value, Exception):
        raise failure_of(step, value) from value
    return value


def _wrap_functions(terms: Terms, step: FunctionsStep) -> list[Callable[[], Any]]:
    """Return the functions with what middleware puts around them: its method `around_function`, if it has one."""
    wrappers = [around for one in terms.middleware if (around := getattr(one, "around_function", None))]
    functions = list(step.functions)
    for around in reversed(wrappers):
        functions = [around(*row) for row in zip(step.calls, functions, strict=True)]
    return functions
