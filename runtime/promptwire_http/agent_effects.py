"""The loop of an agent as effects of a client: model calls are sent, functions and callbacks are called."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from promptwire_runtime import Built, Event, Request
from promptwire_runtime.execution.agent_loop import (
    AgentLoop,
    FunctionsStep,
    LoopStep,
    ModelAnswer,
    ModelStep,
    ResultsStep,
)
from promptwire_runtime.execution.run_records import Run
from promptwire_runtime.nodes.records import replace
from promptwire_runtime.results import ConversationEncoder
from promptwire_runtime.steps import failure_of

from .effects import CallEach, Effects, Show
from .exchange import Exchange, Terms


def run_effects(terms: Terms, loop: AgentLoop, *, streamed: bool) -> Effects[Run]:
    """Run the loop; events are shown if the answers are streamed."""
    steps, perform = loop.steps(), partial(_performed, terms, ConversationEncoder().encode, streamed)
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


def _performed(
    terms: Terms, encode: Callable[[Built[Any]], bytes], streamed: bool, step: LoopStep
) -> Effects[Any]:
    if isinstance(step, ModelStep):
        return (yield from answer_to(terms, step.request, streamed=streamed, encode=encode, until=step.until))
    if isinstance(step, FunctionsStep):
        return (yield CallEach(step.functions, step.parallel, step.until))
    if isinstance(step, ResultsStep):
        for message in step.messages if streamed else ():
            yield Show(Event(kind="part", data=message))
        return None
    (value,) = yield CallEach([partial(step.function, *step.arguments)])
    if isinstance(value, Exception):
        raise failure_of(step, value) from value
    return value


def answer_to(
    terms: Terms,
    request: Request,
    *,
    streamed: bool,
    encode: Callable[[Built[Any]], bytes] | None = None,
    until: float | None = None,
) -> Effects[ModelAnswer]:
    """Return the answer to one request; events are shown if it is streamed.

    Args:
        terms: The terms of the client.
        request: The request.
        streamed: Whether the answer is streamed.
        encode: Makes the bytes of the body.
        until: A deadline as a time of `monotonic`, besides that of the terms.
    """
    if bool(request.stream) != streamed:
        request = replace(request, stream=True if streamed else None)
    if streamed and request.stream_usage is None and _tells_usage(terms, request):
        request = replace(request, stream_usage=True)
    exchange = Exchange(terms, request, encode, until)
    answer = yield from (exchange.stream() if streamed else exchange.ask())
    return ModelAnswer(answer, exchange.built)


def _tells_usage(terms: Terms, request: Request) -> bool:
    """Return whether the API tells the token usage of a stream if it is asked to, and not by default."""
    if terms.api.WIRE.defaults.get("stream_usage"):
        return False
    told = terms.api.supports(request.model or "", "stream_usage", settings=terms.settings or None)
    return told.answer == "yes"
