"""One call of an API: build, send, retry, and read the answer, whole or as a stream. Performs no input or output."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from math import inf
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from promptwire_runtime import (
    Answer,
    Api,
    BodyError,
    Built,
    Policies,
    Request,
)
from promptwire_runtime.answers.api_error import ApiError
from promptwire_runtime.errors import AnswerError, SettingError, StreamError
from promptwire_runtime.nodes.records import replace
from promptwire_runtime.wire_json.codec import decode, is_whole_object

from .effects import Effects, Opened, Pause, ReadChunk, ReadRest, Send, Show, TransportProblem
from .errors import ApiConnectionError, ApiStatusError, ApiTimeoutError, HttpError
from .signing import signed_headers

MOST_BYTES = 256 * 1024 * 1024
_MOST_SHOWN = 200
_SHORTEST_WAIT, _LONGEST_BACKOFF = 0.5, 8.0
# the longest silence behind the finish of an answer, in seconds: token counts come there, and the mark of the end; also
# the longest time for the body of an error, whose status is known
_AFTER_FINISH = 5.0


@dataclass(frozen=True, slots=True)
class Outgoing:
    """One request as it is sent; the hook `on_send` gets it.

    Attributes:
        built: The result of the build, with its notes. Its `curl()` shows the request without credentials.
        method: The HTTP method.
        body: The bytes of the body.
        attempt: 1 for the first attempt.
        after: The error of the previous attempt, or None.
    """

    built: Built[Any]
    method: str
    body: bytes = field(repr=False)
    attempt: int
    after: HttpError | None

    @property
    def url(self) -> str:
        """The URL without credentials."""
        return self.built.shown_url

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers without credentials."""
        return self.built.shown_headers


# the beginning of a stream of events, which some servers send in place of a whole answer
_EVENT = re.compile(rb"\s*(?:data|event|id|retry)?:")


@dataclass(frozen=True, slots=True)
class Terms:
    """The terms of all calls of a client; see `Client`."""

    api: Api
    settings: Mapping[str, Any] = field(repr=False)
    policies: Policies | str | Mapping[str, Any]
    timeout: float
    connect_timeout: float
    limit: float | None
    retries: int
    longest_wait: float
    on_send: Callable[[Outgoing], None] | None
    on_receive: Callable[[bytes], None] | None = None
    environment: bool = True
    count_tokens: bool = True
    model: str | None = None
    middleware: tuple[Any, ...] = ()
    needs_key: bool = False

    def build(self, request: Request) -> Built[Any]:
        """Build a request under these terms.

        Raises:
            SettingError: the API needs a credential, and there is none.
        """
        built = self.api.build(request, settings=self.settings or None, policies=self.policies)
        if self.needs_key and built.signing is None and not _is_local(built.url):
            raise _no_key(self.api)
        return built


class Exchange:
    """One call: the request, its attempts and its deadline."""

    def __init__(
        self,
        terms: Terms,
        request: Request,
        encode: Callable[[Built[Any]], bytes] | None = None,
        until: float | None = None,
        built: Built[Any] | None = None,
    ) -> None:
        """Build the request.

        Args:
            terms: The terms of the client.
            request: The request.
            encode: Makes the bytes of the body, by default those of `built.json()`.
            until: A deadline as a time of `monotonic`, besides that of the terms.
            built: The request as it was built already.

        Raises:
            RequestError: the API cannot take the request under the policies.
            SettingError: a setting is missing or invalid.
        """
        self.terms = terms
        self.built = terms.build(request) if built is None else built
        # when the first event of a stream came, as a time of `monotonic`
        self.first: float | None = None
        # whether the bytes of the body are kept, and those of this attempt
        self.records = False
        self.received = bytearray()
        self._model = request.model
        # other candidates may begin after the first one has finished
        self._alone = request.options.n in (None, 1)
        self.attempts = 0
        self._encode = encode
        self._content: bytes | None = None
        ends = min(inf if terms.limit is None else monotonic() + terms.limit, inf if until is None else until)
        self._ends = None if ends == inf else ends
        self._seconds = max(0, round(ends - monotonic(), 3))

    # ---- whole answers

    def ask(self) -> Effects[Answer]:
        """Send the request and return the answer."""
        answer: Answer = yield from self._send_until_answered(self._read_whole)
        return answer

    def _read_whole(self, opened: Opened) -> Effects[Answer]:
        data = yield from self._body(opened)
        try:
            return whole_answer(self.terms.api, data)
        except StreamError as error:
            if error.error is None:
                raise
            raise self._told(error.error, error.answer, opened) from error
        except BodyError as error:
            if error.error is None:
                raise
            # a body may state another status than that of the response, 200
            status = error.error.status or opened.status
            raise self._status_error(replace(error.error, status=status), opened) from None

    def _told(self, error: ApiError, answer: Answer | None, opened: Opened) -> ApiStatusError:
        """Return the error of the API that a stream holds, with the answer so far."""
        told = self._status_error(error, opened)
        told.answer = answer
        return told

    # ---- streams

    def stream(self) -> Effects[Answer]:
        """Send the request, show each event of the stream, and return the answer."""
        opened: Opened = yield from self._send_until_answered(self._opened)
        stream = self.terms.api.stream(model=self._model)
        until: float | None = None
        try:
            size = 0
            while (chunk := (yield from self._chunk(opened, until))) is not None:
                size += len(chunk)
                self._check_size(size)
                events = stream.feed(chunk)
                for event in events:
                    self.first = self.first or monotonic()
                    yield Show(event)
                if stream.ended:
                    yield ReadRest(opened)
                    break
                if stream.finished and self._alone and (events or until is None):
                    until = self._soon()
            for event in stream.rest():
                self.first = self.first or monotonic()
                yield Show(event)
            return stream.close()
        except TransportProblem as problem:
            failure = self._connection_error(problem)
            failure.answer = stream.answer
            raise failure from problem
        except StreamError as error:
            if error.error is None:
                raise
            raise self._told(error.error, error.answer, opened) from error

    def _opened(self, opened: Opened) -> Effects[Opened]:
        yield from ()
        return opened

    # ---- attempts

    def _send_until_answered(self, finish: Callable[[Opened], Effects[Any]]) -> Effects[Any]:
        failure: HttpError | None = None
        while True:
            self.attempts += 1
            self.received.clear()
            try:
                opened = yield self._outgoing(failure)
                _check_coding(opened)
                if not 200 <= opened.status < 300:
                    raise (yield from self._read_refusal(opened))
                return (yield from finish(opened))
            except TransportProblem as problem:
                failure = self._connection_error(problem)
                failure.__cause__ = problem
                if problem.final:
                    raise failure from problem
            except ApiStatusError as error:
                failure = error
            wait = self._wait(failure)
            if wait is None:
                raise failure
            yield Pause(wait)

    def _outgoing(self, after: HttpError | None) -> Send:
        built, terms = self.built, self.terms
        if self._content is None:
            self._content = built.json() if self._encode is None else self._encode(built)
        sent = built.httpx(self._content)
        headers, content = sent["headers"], sent["content"]
        if built.signing is not None and terms.environment:
            headers = signed_headers(built, headers, content)
        if terms.on_send is not None:
            terms.on_send(Outgoing(built, sent["method"], content, self.attempts, after))
        return Send(
            sent["method"],
            sent["url"],
            headers,
            content,
            self._remaining(),
            terms.connect_timeout,
            self._ends,
        )

    def _read_refusal(self, opened: Opened) -> Effects[ApiStatusError]:
        data = yield from self._body(opened, self._soon())
        error = self.terms.api.read_error(opened.status, data, opened.headers)
        target = opened.headers.get("location", "")[:_MOST_SHOWN]
        if target and 300 <= opened.status < 400:
            text = f"redirected to {target}; redirects are not followed: set base_url to the final address"
            error = replace(error, message=text)
        return self._status_error(error, opened)

    def _status_error(self, error: ApiError, opened: Opened) -> ApiStatusError:
        return ApiStatusError(error, opened.headers, **self._context())

    def _connection_error(self, problem: TransportProblem) -> ApiConnectionError:
        if self._ends is not None and monotonic() >= self._ends:
            return ApiTimeoutError(self._too_late, **self._context())
        kind = ApiTimeoutError if problem.timed_out else ApiConnectionError
        return kind(str(problem), **self._context())

    @property
    def _too_late(self) -> str:
        return f"no complete answer within {self._seconds:g} seconds"

    def _context(self) -> dict[str, Any]:
        return {"wire": self.terms.api.WIRE.name, "url": self.built.shown_url, "attempts": self.attempts}

    def _wait(self, failure: HttpError) -> float | None:
        """Return the seconds to wait before the next attempt, or None if there is none."""
        if self.attempts > self.terms.retries:
            return None
        stated = 0.0
        if isinstance(failure, ApiStatusError):
            if not failure.error.retryable:
                return None
            stated = failure.error.wait or 0.0
        # random, so that many clients do not return at the same moment, and never before the stated time
        backoff = min(_SHORTEST_WAIT * 2 ** (self.attempts - 1), _LONGEST_BACKOFF)
        wait: float = max(stated, backoff * random.uniform(0.75, 1))  # noqa: S311  # no secret
        longest = self.terms.longest_wait
        if self._ends is not None:
            longest = min(longest, self._ends - monotonic())
        if wait > longest:
            return None
        return min(wait * random.uniform(1, 1.1), longest) if stated else wait  # noqa: S311

    # ---- reading

    def _body(self, opened: Opened, until: float | None = None) -> Effects[bytes]:
        data, stream = bytearray(), None
        while (chunk := (yield from self._chunk(opened, until))) is not None:
            data += chunk
            self._check_size(len(data))
            if stream is not None or (len(data) == len(chunk) and _EVENT.match(data)):
                stream = stream or self.terms.api.stream()
                # what is wrong with it is told when all of it is read
                with suppress(AnswerError):
                    stream.feed(chunk)
            # some hosts keep the connection open behind it
            is_whole = is_whole_object(data) if stream is None else stream.ended
            if "content-length" not in opened.headers and is_whole:
                yield ReadRest(opened)
                break
        return bytes(data)

    def _check_size(self, size: int) -> None:
        if size > MOST_BYTES:
            raise AnswerError(f"{self.terms.api.WIRE.title}: the answer is larger than {MOST_BYTES:,} bytes")

    def _chunk(self, opened: Opened, until: float | None = None) -> Effects[bytes | None]:
        """Read the next bytes; None at the end, which is `until` at the latest: nothing that is needed comes then."""
        try:
            self._remaining()
            if until is None or monotonic() < until:
                chunk: bytes | None = yield ReadChunk(opened, self._ends if until is None else until)
                if chunk and self.terms.on_receive is not None:
                    self.terms.on_receive(chunk)
                if chunk and self.records:
                    self.received += chunk
                return chunk
        except TransportProblem:
            if until is None:
                raise
        return None

    def _soon(self) -> float:
        """Return the time of `monotonic` until which the end of a body is read."""
        return min(monotonic() + _AFTER_FINISH, self._ends or inf)

    def _remaining(self) -> float:
        """Return the longest silence that is allowed now."""
        if self._ends is None:
            return self.terms.timeout
        left = self._ends - monotonic()
        if left <= 0:
            raise TransportProblem(self._too_late, timed_out=True)
        return min(self.terms.timeout, left)


def whole_answer(api: Api, data: bytes) -> Answer:
    """Read the bytes of a whole answer, or of a stream, which some servers send in its place.

    Raises AnswerError if they are neither, BodyError if they are no answer, StreamError for a stream that failed.
    """
    try:
        body = decode(data)
    except (ValueError, RecursionError):
        return _collected(api, data)
    return api.read_answer(body)


def _collected(api: Api, data: bytes) -> Answer:
    try:
        stream = api.stream()
        stream.feed(data)
        return stream.close()
    except StreamError as error:
        if error.error is not None or (error.answer is not None and error.answer.parts):
            raise
    start = data[:200].decode("utf-8", "replace")
    raise AnswerError(f"{api.WIRE.title}: the answer is not JSON: {start!r}")


def _check_coding(opened: Opened) -> None:
    """Raise TransportProblem for a body whose single bytes may be a million bytes of the answer."""
    if "," in opened.headers.get("content-encoding", ""):
        raise TransportProblem("the answer is compressed more than once", final=True)


def _is_local(url: str) -> bool:
    host = urlsplit(url).hostname or ""
    return host in ("localhost", "::1") or host.startswith("127.") or host.endswith(".localhost")


def _no_key(api: Api) -> SettingError:
    secrets = api.WIRE.secrets
    names = sorted(secrets, key=lambda name: name != "api_key")
    variables = " or ".join([f"${secrets[name]}" for name in names])
    ways = " or ".join([f"settings={{{name!r}: ...}}" for name in names])
    error = SettingError(
        f"{api.WIRE.name}: there is no credential in the settings or in {variables}; pass api_key=... or {ways}"
    )
    error.missing = names[0]
    return error
