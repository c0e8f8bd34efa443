"""The effects that the client's logic asks of its driver. The logic is written once, as generators of effects.

A driver performs each effect, synchronously or not, and sends the result back into the generator. Errors of the network
come back as `TransportProblem`. The driver closes a response when the next request is sent and when the call ends.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol, TypeAlias, TypeVar

from promptwire_runtime import Event

T = TypeVar("T")


class TransportProblem(Exception):
    """The network failed. `final` is true if another attempt would fail too."""

    def __init__(self, text: str, *, timed_out: bool = False, final: bool = False) -> None:
        """Store what happened."""
        super().__init__(text)
        self.timed_out = timed_out
        self.final = final


class Opened(Protocol):
    """A response whose body has not been read yet."""

    @property
    def status(self) -> int:
        """The HTTP status."""
        ...

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers."""
        ...


@dataclass(frozen=True, slots=True)
class Send:
    """Send a request; the result is `Opened`.

    `timeout` is the longest silence in seconds, `connect_timeout` the longest time for a connection, and `until` the
    deadline as a time of `monotonic`.
    """

    method: str
    url: str
    headers: Mapping[str, str]
    content: bytes
    timeout: float
    connect_timeout: float
    until: float | None


@dataclass(frozen=True, slots=True)
class ReadChunk:
    """Read the next bytes of a body; the result is None at its end. `until` is a deadline as a time of `monotonic`."""

    opened: Any
    until: float | None


@dataclass(frozen=True, slots=True)
class ReadRest:
    """Read the end of a body behind a complete answer, so that its connection can be used again. Nothing fails.

    Some hosts keep the connection open, or send pings for ever, so that this takes a moment at most.
    """

    opened: Any


@dataclass(frozen=True, slots=True)
class Pause:
    """Wait for some seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class CallEach:
    """Call functions, synchronous or asynchronous ones; the result is a list of values and of exceptions.

    `parallel` is the most that run at once. A function that has not ended at the deadline `until`, a time of
    `monotonic`, has a TimeoutError.
    """

    functions: Sequence[Callable[[], Any]]
    parallel: int | None = None
    until: float | None = None


@dataclass(frozen=True, slots=True)
class Show:
    """Show an event to the caller."""

    event: Event


Effect: TypeAlias = Send | ReadChunk | ReadRest | Pause | CallEach | Show
Effects: TypeAlias = Generator[Effect, Any, T]
