"""The table of what a wire cannot carry: requests, and the values in them that a build must report."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ..model.identity import ByIdentity
from ..model.wire import WireModel
from .expectation import Expectation
from .message_losses import message_expectations
from .request_losses import request_expectations


def expectations(model: WireModel) -> Iterator[Expectation]:
    """Yield all expectations of a wire."""
    for expectation in expectations_of_any(ByIdentity(model.requests_of)):
        yield expectation.of_wire(model.name)


def own_expectations(model: WireModel) -> Iterator[Expectation]:
    """Yield the expectations of a wire that its parent does not have: those of the functions that it generates."""
    above = () if model.parent is None else expectations_of_any(ByIdentity(model.parent.requests_of))
    for expectation in expectations_of_any(ByIdentity(model.requests_of)):
        if expectation not in above:
            yield expectation.of_wire(model.name)


@lru_cache(maxsize=16)
def expectations_of_any(wire: ByIdentity[WireModel]) -> tuple[Expectation, ...]:
    """Return the expectations of a wire with THIS_WIRE for its name; dialects with the same requests have them."""
    return (*request_expectations(wire.value), *message_expectations(wire.value))
