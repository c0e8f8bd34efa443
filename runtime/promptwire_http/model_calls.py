"""One call of a model, and the middleware around it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Generator, Iterable
from dataclasses import dataclass, field
from inspect import isawaitable, isgenerator
from time import monotonic
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar

from promptwire_runtime import Answer, Api, Built, Note, Request
from promptwire_runtime.errors import ContextError
from promptwire_runtime.execution.agent_loop import ModelAnswer
from promptwire_runtime.nodes.records import replace
from promptwire_runtime.results import Usage

from .costs import cost_of
from .effects import CallEach, Effects, Show
from .exchange import Exchange, Terms, whole_answer

if TYPE_CHECKING:
    from decimal import Decimal

    from .client import AsyncClient, Client

T = TypeVar("T")


@dataclass(slots=True, eq=False)
class ModelCall:
    """One call of a model, with all its attempts. Middleware may change `request` before it yields the call.

    Attributes:
        request: The neutral request.
        streamed: Whether the answer is streamed.
        attempts: How often the request was sent.
        answer: The answer; None before it and after an error.
        error: The error; None without one.
        received: The bytes of the answer, if `records` is set.
        records: Whether the bytes of the answer are kept.
        replayed: The bytes of an earlier answer, which stand for sending the request.
        source: The call that was answered or failed last: this one, or one that a middleware made of it.
    """

    terms: Terms = field(repr=False)
    request: Request
    streamed: bool
    encode: Callable[[Built[Any]], bytes] | None = field(default=None, repr=False)
    until: float | None = field(default=None, repr=False)
    attempts: int = 0
    answer: Answer | None = None
    error: Exception | None = None
    received: bytes | None = field(default=None, repr=False)
    records: bool = False
    replayed: bytes | None = field(default=None, repr=False)
    source: ModelCall = field(init=False, repr=False)
    _built: tuple[Request, Built[Any]] | None = field(default=None, repr=False)
    _notes: list[Note] = field(default_factory=list[Note], repr=False)
    _started: float | None = field(default=None, repr=False)
    _first: float | None = field(default=None, repr=False)
    _ended: float | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        """Begin as the source of the answer."""
        self.source = self

    @property
    def api(self) -> Api:
        """The package of the API."""
        return self.terms.api

    @property
    def built(self) -> Built[Any]:
        """The request as it was built. Raises RequestError if the API cannot take it under the policies."""
        if self._built is None or self._built[0] is not self.request:
            self._built = (
                self.request,
                self.terms.build(_set_streaming(self.terms, self.request, streamed=self.streamed)),
            )
        return self._built[1]

    @property
    def notes(self) -> tuple[Note, ...]:
        """The notes of middleware, and those of the build that was answered."""
        return (*self._notes, *self.source.built.notes)

    @property
    def usage(self) -> Usage | None:
        """The token usage of the answer."""
        return None if self.answer is None else self.answer.usage

    @property
    def cost(self) -> Decimal | None:
        """The price of the answer in US dollars, by the package genai-prices; None if that is missing or knows none."""
        return cost_of(self)

    @property
    def seconds(self) -> float | None:
        """How long the call took with all its attempts; None before its end."""
        return None if self._started is None or self._ended is None else self._ended - self._started

    @property
    def seconds_to_first(self) -> float | None:
        """How long the first event of a stream took; None without one."""
        first = self.source._first  # noqa: SLF001  # its own kind
        return None if self._started is None or first is None else first - self._started

    def note(self, note: Note) -> None:
        """Add a note to those of the build."""
        self._notes.append(note)

    def on(self, client: Client | AsyncClient) -> ModelCall:
        """Return the same call with the API, model, policies and credentials of another client."""
        terms = client.terms
        request = self.request if terms.model is None else replace(self.request, model=terms.model)
        return ModelCall(terms, request, self.streamed, until=self.until, records=self.records)

    def start(self) -> None:
        """Remember when the call began. One that was made before forgets what came of it."""
        self._started = self._started or monotonic()
        if self._ended is not None:
            self.source, self.received, self.replayed, self._ended = self, None, None, None

    def end(self, answer: Answer | None, error: Exception | None) -> None:
        """Remember what came of the call, and when."""
        self.answer, self.error, self._ended = answer, error, monotonic()

    def send(self) -> Effects[Answer]:
        """Send the request, without middleware, and return the answer."""
        if self.replayed is not None:
            return (yield from self._replay(self.replayed))
        exchange = Exchange(self.terms, self.request, self.encode, self.until, self.built)
        exchange.records = self.records
        try:
            answer: Answer = yield from (exchange.stream() if self.streamed else exchange.ask())
        finally:
            self.attempts, self._first = exchange.attempts, exchange.first
        self.received = bytes(exchange.received) if self.records else None
        return answer

    def _replay(self, content: bytes) -> Effects[Answer]:
        if not self.streamed:
            return whole_answer(self.api, content)
        stream = self.api.stream(model=self.request.model)
        for event in (*stream.feed(content), *stream.rest()):
            self._first = self._first or monotonic()
            yield Show(event)
        return stream.close()


CallSteps: TypeAlias = Generator[Any, Answer, Answer]
"""What a generator function around a call returns."""
Middleware: TypeAlias = Callable[[ModelCall], CallSteps]
"""A generator function of a call: `answer = yield call` goes on and gets the answer, or raises its error. It returns
the answer. An awaitable that it yields is awaited."""


def answer_to(
    terms: Terms,
    request: Request,
    *,
    streamed: bool,
    encode: Callable[[Built[Any]], bytes] | None = None,
    until: float | None = None,
) -> Effects[ModelAnswer]:
    """Return the answer to one request through the middleware; events are shown if it is streamed.

    Args:
        terms: The terms of the client.
        request: The request.
        streamed: Whether the answer is streamed.
        encode: Makes the bytes of the body.
        until: A deadline as a time of `monotonic`, besides that of the terms.
    """
    call = ModelCall(terms, request, streamed, encode, until)
    answer = yield from _make_call(terms.middleware, call)
    return ModelAnswer(answer, call.source.built)


def _set_streaming(terms: Terms, request: Request, *, streamed: bool) -> Request:
    """Return the request with what it says about streaming; a stream asks for its token usage."""
    if bool(request.stream) != streamed:
        request = replace(request, stream=True if streamed else None)
    if streamed and request.stream_usage is None and _tells_usage(terms, request):
        request = replace(request, stream_usage=True)
    return request


def _tells_usage(terms: Terms, request: Request) -> bool:
    """Return whether the API tells the token usage of a stream if it is asked to, and not by default."""
    if not terms.count_tokens or terms.api.WIRE.defaults.get("stream_usage"):
        return False
    told = terms.api.supports(request.model or "", "stream_usage", settings=terms.settings or None)
    return told.answer == "yes"


def _make_call(middleware: tuple[Middleware, ...], call: ModelCall) -> Effects[Answer]:
    """Make a call through middleware, the first of which is the outermost."""
    call.start()
    try:
        answer = yield from (
            _run_middleware(middleware[0], middleware[1:], call) if middleware else call.send()
        )
    except Exception as error:
        call.end(None, error)
        raise
    call.end(answer, None)
    return answer


def _run_middleware(outer: Middleware, inner: tuple[Middleware, ...], call: ModelCall) -> Effects[Answer]:
    steps: Any = outer(call)
    where = f"middleware {getattr(outer, '__name__', type(outer).__name__)}"
    if not isgenerator(steps):
        raise ContextError(
            "is no generator function: write `answer = yield call`, and return it", where=where
        )
    value: Any = None
    error: Exception | None = None
    try:
        while True:
            try:
                asked = steps.send(value) if error is None else steps.throw(error)
            except StopIteration as done:
                return _answer_of(done.value, where)
            try:
                value, error = (yield from _proceed(asked, inner, call, where)), None
            except Exception as failure:  # noqa: BLE001  # the middleware decides what to do about it
                value, error = None, failure
    finally:
        # a stream that is left early ends its middleware
        steps.close()


def _proceed(asked: Any, inner: tuple[Middleware, ...], call: ModelCall, where: str) -> Effects[Any]:
    if isinstance(asked, ModelCall):
        try:
            return (yield from _make_call(inner, asked))
        finally:
            # also that of an error, which may have shown events before
            call.source = asked.source
    if not isawaitable(asked):
        kind = type(asked).__name__
        raise ContextError(f"yields {kind}: yield the call, or an awaitable", where=where)
    (value,) = yield CallEach([_waiting(asked)])
    if isinstance(value, Exception):
        raise value
    return value


def _waiting(awaitable: Awaitable[T]) -> Callable[[], Awaitable[T]]:
    async def wait() -> T:
        return await awaitable

    return wait


def _answer_of(answer: Any, where: str) -> Answer:
    if not isinstance(answer, Answer):
        raise ContextError(f"returns {type(answer).__name__}, not the answer", where=where)
    return answer


def checked_middleware(middleware: Iterable[Middleware]) -> tuple[Middleware, ...]:
    """Return middleware as a tuple. Raises ContextError for one that cannot be called."""
    rows = tuple(middleware)
    for number, one in enumerate(rows, 1):
        if not callable(one):  # pyright: ignore[reportUnnecessaryComparison]  # callers may be untyped
            raise ContextError(f"is {type(one).__name__}, not callable", where=f"middleware {number}")
    return rows
