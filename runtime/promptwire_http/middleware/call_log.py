"""Log each call of a model with Python's own logging, without credentials."""

from __future__ import annotations

import logging
from collections.abc import Generator
from typing import TYPE_CHECKING

from promptwire_runtime import Answer

if TYPE_CHECKING:
    from ..model_calls import CallSteps, Middleware, ModelCall


def log(
    logger: logging.Logger | str = "promptwire", *, level: int = logging.INFO, content: bool = False
) -> Middleware:
    """Return middleware that logs one line for each call: API, model, finish, tokens, seconds, cost and notes.

    Args:
        logger: The logger, or its name.
        level: The level of a call; an error is a warning.
        content: Whether the request, as a curl command without credentials, and the text of the answer are logged too.
    """
    given = logging.getLogger(logger) if isinstance(logger, str) else logger

    def log_call(call: ModelCall) -> CallSteps:
        """Log the call."""
        if content:
            given.log(level, "%s", call.built.curl())
        try:
            answer = yield call
        except Exception as error:
            given.warning("%s failed after %s: %s", _named(call), _spent(call), error)
            raise
        given.log(level, "%s: %s", _named(call), ", ".join(_facts(call, answer)))
        if content:
            given.log(level, "%s", answer.text)
        return answer

    return log_call


def _named(call: ModelCall) -> str:
    return f"{call.source.api.WIRE.name} {call.source.request.model}"


def _spent(call: ModelCall) -> str:
    attempts = call.source.attempts
    return f"{call.seconds or 0:.2f} s{f' ({attempts} attempts)' if attempts > 1 else ''}"


def _facts(call: ModelCall, answer: Answer) -> Generator[str]:
    yield answer.finish or "no finish reason"
    usage, cost = answer.usage, call.cost
    if usage is not None:
        counts = (("in", usage.input), ("out", usage.output), ("cached", usage.cache_read))
        yield from (f"{count} {name}" for name, count in counts if count is not None)
    yield "replayed" if call.source.replayed is not None else _spent(call)
    if cost:
        yield f"${cost:f}"
    yield from (f"note: {note}" for note in call.notes)
