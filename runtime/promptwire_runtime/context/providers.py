"""Context providers: functions that add layers of instructions which depend on the request."""

from __future__ import annotations

from collections.abc import Awaitable, Iterable
from typing import Any, Protocol

from ..errors import ContextError, InvalidRequest
from ..model.options import Instruction
from ..nodes.coercion import as_tuple
from ..steps import Step, Steps
from .draft import Draft
from .layers import LayersLike, from_source
from .policies import DYNAMIC


class ContextProvider(Protocol):
    """Any callable that takes a `Draft` and gives text, layers, None, or an awaitable of these."""

    def __call__(self, draft: Draft, /) -> LayersLike | Awaitable[LayersLike]:
        """Give what this request should know."""
        ...


def providers(dynamic: Iterable[ContextProvider]) -> tuple[ContextProvider, ...]:
    """Take the providers of a pipeline; raises ContextError for what cannot be called."""
    in_order: tuple[ContextProvider, ...] = as_tuple(dynamic, "dynamic layers")
    for number, provider in enumerate(in_order, 1):
        if not callable(provider):  # pyright: ignore[reportUnnecessaryComparison]  # callers may be untyped
            raise ContextError(f"is {type(provider).__name__}, not callable", where=f"dynamic layer {number}")
    return in_order


def provider_steps(provider: ContextProvider, number: int, draft: Draft) -> Steps[tuple[Instruction, ...]]:
    """Ask one provider for its layers; errors name it and its number, from 1."""
    name = getattr(provider, "__name__", None) or type(provider).__name__
    where = f"dynamic layer {number} ({name})"
    answer: Any = yield Step(where, provider, (draft,))
    try:
        return tuple(from_source(DYNAMIC, answer))
    except InvalidRequest as error:
        raise ContextError(f"gave no text and no layers: {error}", where=where) from error
