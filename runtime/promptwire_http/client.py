"""The clients: one synchronous, one asynchronous, with the same methods and the same logic."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self, TypedDict, TypeVar, Unpack

import httpx

from promptwire_runtime import Answer, Api, Policies, Request, user
from promptwire_runtime.errors import InvalidRequest, SettingError
from promptwire_runtime.execution.agent_loop import AgentLoop
from promptwire_runtime.execution.functions import Functions
from promptwire_runtime.execution.run_records import Run, RunOptions
from promptwire_runtime.nodes.records import replace
from promptwire_runtime.reporting.redaction import is_credential

from .agent_effects import run_effects
from .connections import Connections, blocking_connections
from .effects import Effects
from .exchange import Outgoing, Terms
from .model_calls import Middleware, answer_to, checked_middleware
from .named_apis import named_api
from .objects import AsyncObjectStream, ObjectStream, object_effects, request_for
from .streams import AsyncEventStream, EventStream
from .transport import Opener

HttpT = TypeVar("HttpT")
ObjectT = TypeVar("ObjectT")


class ClientOptions(TypedDict, total=False):
    """The options of a client; see `Client`."""

    model: str | None
    api_key: str | None
    base_url: str | None
    settings: Mapping[str, Any] | None
    policies: Policies | str | Mapping[str, Any]
    timeout: float
    connect_timeout: float
    limit: float | None
    retries: int
    longest_wait: float
    on_send: Callable[[Outgoing], None] | None
    on_receive: Callable[[bytes], None] | None
    environment: bool
    count_tokens: bool
    middleware: Iterable[Middleware]


class _Calls:
    """The base of both clients: the terms of calls, and the calls as effects."""

    terms: Terms

    def __init__(
        self, api: Api | str, options: ClientOptions, http: httpx.Client | httpx.AsyncClient | Opener | None
    ) -> None:
        model = options.get("model")
        if isinstance(api, str):
            api, named = named_api(api)
            model = named if model is None else model
        if not hasattr(api, "read_answer"):
            raise InvalidRequest(
                f"{getattr(api, '__name__', api)} does not describe answers; use another API"
            )
        if api.WIRE.method == "":
            raise InvalidRequest(
                f"{api.WIRE.title} runs in the caller's own process; there is nothing to send"
            )
        settings = dict(options.get("settings") or {})
        base_url, api_key = options.get("base_url"), options.get("api_key")
        if base_url is not None:
            settings["base_url"] = base_url
        if api_key is not None:
            settings[credential_of(api)] = api_key
        elif options.get("environment", True) and settings.keys().isdisjoint(api.WIRE.secrets):
            settings |= _credential_in_environment(api)
        self.terms = Terms(
            api,
            settings,
            options.get("policies", "portable"),
            timeout=options.get("timeout", 600.0),
            connect_timeout=options.get("connect_timeout", 10.0),
            limit=options.get("limit"),
            retries=options.get("retries", 2),
            longest_wait=options.get("longest_wait", 60.0),
            on_send=options.get("on_send"),
            on_receive=options.get("on_receive"),
            environment=options.get("environment", True),
            count_tokens=options.get("count_tokens", True),
            model=model,
            middleware=checked_middleware(options.get("middleware", ())),
            needs_key=options.get("environment", True)
            and "base_url" not in settings
            and bool(api.WIRE.secrets)
            and settings.keys().isdisjoint(api.WIRE.secrets)
            and not (isinstance(http, httpx.Client | httpx.AsyncClient) and _authenticates(http)),
        )

    @property
    def api(self) -> Api:
        """The package of the API."""
        return self.terms.api

    def _request(self, question: Request | str) -> Request:
        """Return a question as a request, with the model of the client if it names none."""
        if isinstance(question, str):
            question = Request(self.terms.model, user(question))
        elif not isinstance(question, Request):  # pyright: ignore[reportUnnecessaryIsInstance]  # untyped callers
            raise InvalidRequest(f"ask with a Request or a text, not with {type(question).__name__}")
        elif question.model is None and self.terms.model is not None:
            question = replace(question, model=self.terms.model)
        return question

    def _ask(self, question: Request | str) -> Effects[Answer]:
        return self._answer(self._request(question), streamed=False)

    def _stream(self, question: Request | str) -> Effects[Answer]:
        return self._answer(self._request(question), streamed=True)

    def _answer(self, request: Request, *, streamed: bool) -> Effects[Answer]:
        return (yield from answer_to(self.terms, request, streamed=streamed)).answer

    def _run(
        self, question: Request | str, tools: Functions, options: RunOptions, *, streamed: bool
    ) -> Effects[Run]:
        loop = AgentLoop(self._request(question), tools, wire=self.api, **options)
        return run_effects(self.terms, loop, streamed=streamed)

    def _parse(
        self, question: Request | str, kind: type[ObjectT], retries: int, *, streamed: bool
    ) -> Effects[ObjectT]:
        request = request_for(self._request(question), kind)
        return object_effects(self.terms, request, kind, retries, streamed=streamed)


class Client(_Calls):
    """A client for one API.

    Args:
        api: The package of the API, such as `promptwire.openai_chat`, or its name, also with a model:
            `"openai_chat/gpt-5.4"`.
        model: The model of requests that name none.
        api_key: The credential; by default, that of the environment variable that the API's own client reads. Without
            one, calls raise `SettingError`, unless `base_url` or the API's own address is another host or a local one.
        base_url: The address of another host.
        settings: Other settings of the API: region, resource, betas, ...
        policies: What to do about values that the API does not support (`portable`); see `Policies`.
        timeout: The longest silence of the server, in seconds (600).
        connect_timeout: The longest time until there is a connection, in seconds (10).
        limit: The longest time for one answer with all its attempts, in seconds; None for no limit.
        retries: How often a request is sent again (2), if the API says that this may help or the connection failed.
        longest_wait: If the API asks to wait longer than this many seconds (60), the error is raised instead.
        on_send: Called with each request as it is sent.
        on_receive: Called with the bytes of each body as they arrive, decompressed, before they are read.
        environment: Whether a missing credential is read from the environment, the default.
        count_tokens: Whether a stream is asked for its token counts where the request does not say, the default.
        middleware: Generator functions around each call of a model, the first outermost; see `Middleware`.
        http: An `httpx.Client` with your proxies, certificates or connection limits; yours to close.
    """

    def __init__(
        self, api: Api | str, *, http: httpx.Client | None = None, **options: Unpack[ClientOptions]
    ) -> None:
        """Store the terms; nothing is sent."""
        super().__init__(api, options, http)
        self._owned = http is None
        self._http = _make_http(blocking_connections) if http is None else http
        self._process = os.getpid()

    def _connections(self) -> httpx.Client:
        """Return the HTTP client. A forked process needs its own: on one connection, each reads the other's answers."""
        if self._owned and self._process != os.getpid():
            self._http, self._process = _make_http(blocking_connections), os.getpid()
        return self._http

    def ask(self, question: Request | str) -> Answer:
        """Send a request, or a text as one, and return the answer.

        Raises:
            RequestError: the API cannot take the request under the policies; nothing was sent.
            HttpError: the API refused the request, or the connection failed.
            AnswerError: the answer cannot be read.
        """
        return EventStream(self._ask(question), self._connections()).result()

    def stream(self, question: Request | str) -> EventStream[Answer]:
        """Return the events of a streamed answer; `result` returns the answer.

        Nothing is sent before the first event is read, which also raises the errors of `ask`.
        """
        return EventStream(self._stream(question), self._connections())

    def run(self, question: Request | str, tools: Functions = (), **options: Unpack[RunOptions]) -> Run:
        """Ask, call the functions that the model wants, and continue until it wants none.

        Args:
            question: The conversation, or a text. Tools that it declares and that have no function end the run when
                called.
            tools: Functions, or a mapping of names to functions. They may be asynchronous.
            **options: The options of the run, all of which may be missing:

                - `pipeline`: A `Pipeline` that prepares each model call, with `plan_phase` and `properties`.
                - `toolkits`: Toolkits, whose visible functions are chosen anew for each model call, and the `state` of
                  the last run's session.
                - `approve`: Called with each call of a function under `@tool(permission=True)` before it runs: True
                  runs it, False or text (the reason) refuses it, and the model is told. It may be asynchronous.
                - `filters`: `InvocationFilter`s that run around each function.
                - `max_steps`: The most answers (10).
                - `max_seconds`: The longest time of the run, functions included. None for no limit.
                - `max_parallel`: The most functions of an `AsyncClient` that run at once. None for all of one answer.
                - `tool_errors`: If a function raises: `tell` the model, or `raise`.

        Raises:
            InvalidRequest: a function requires permission and there is no `approve`; nothing was sent.
            RunLimitError: the model still called functions after `max_steps` answers, or `max_seconds` passed.
            ContextError: a function of the pipeline, a filter or `approve` failed.
            PromptwireError: as `ask`.
        """
        return EventStream(self._run(question, tools, options, streamed=False), self._connections()).result()

    def run_stream(
        self, question: Request | str, tools: Functions = (), **options: Unpack[RunOptions]
    ) -> EventStream[Run]:
        """Return the events of all answers of a run; `result` returns the run. Arguments as `run`.

        Each answer begins with an event `start`. The result of a function is an event `part` with a message of the
        role `tool`.
        """
        return EventStream(self._run(question, tools, options, streamed=True), self._connections())

    def parse(self, question: Request | str, kind: type[ObjectT], *, retries: int = 1) -> ObjectT:
        """Ask for JSON that fits a class, and return an instance of it.

        Args:
            question: The conversation, or a text. If it has no `response_format`, the class is its format.
            kind: A pydantic model, a TypedDict, a dataclass or any other class.
            retries: How often an answer that does not fit goes back to the model, with the reason.

        Raises:
            AnswerError: the last answer does not fit, or the model refused.
            PromptwireError: as `ask`.
        """
        steps = self._parse(question, kind, retries, streamed=False)
        return EventStream(steps, self._connections()).result()

    def parse_stream(
        self, question: Request | str, kind: type[ObjectT], *, retries: int = 1
    ) -> ObjectStream[ObjectT]:
        """Return the JSON object of the answer as it arrives; `result` returns the instance. Arguments as `parse`."""
        steps = self._parse(question, kind, retries, streamed=True)
        return ObjectStream(EventStream(steps, self._connections()))

    def close(self) -> None:
        """Close all connections."""
        if self._owned:
            self._http.close()

    def __enter__(self) -> Self:
        """Return the client."""
        return self

    def __exit__(self, *_: object) -> None:
        """Close all connections."""
        self.close()


class AsyncClient(_Calls):
    """The same for asynchronous code; see `Client`. Functions that are not asynchronous run in threads."""

    def __init__(
        self,
        api: Api | str,
        *,
        http: httpx.AsyncClient | Opener | None = None,
        **options: Unpack[ClientOptions],
    ) -> None:
        """Store the terms; nothing is sent."""
        super().__init__(api, options, http)
        self._owned = http is None
        self._http = _make_http(Connections) if http is None else http
        self._event_loop: object = None

    def _connections(self) -> httpx.AsyncClient | Opener:
        """Return the HTTP client. Connections end with their event loop, so that a new loop needs a new client."""
        if self._owned:
            loop = _running_loop()
            if loop is not self._event_loop and self._event_loop is not None:
                self._http = _make_http(Connections)
            self._event_loop = loop
        return self._http

    async def ask(self, question: Request | str) -> Answer:
        """Send a request and return the answer; see `Client.ask`."""
        return await AsyncEventStream(self._ask(question), self._connections).result()

    def stream(self, question: Request | str) -> AsyncEventStream[Answer]:
        """Return the events of a streamed answer; see `Client.stream`."""
        return AsyncEventStream(self._stream(question), self._connections)

    async def run(self, question: Request | str, tools: Functions = (), **options: Unpack[RunOptions]) -> Run:
        """Ask, call the functions that the model wants, and continue until it wants none; see `Client.run`."""
        steps = self._run(question, tools, options, streamed=False)
        return await AsyncEventStream(steps, self._connections).result()

    def run_stream(
        self, question: Request | str, tools: Functions = (), **options: Unpack[RunOptions]
    ) -> AsyncEventStream[Run]:
        """Return the events of all answers of a run; see `Client.run_stream`."""
        return AsyncEventStream(self._run(question, tools, options, streamed=True), self._connections)

    async def parse(self, question: Request | str, kind: type[ObjectT], *, retries: int = 1) -> ObjectT:
        """Ask for JSON that fits a class, and return an instance of it; see `Client.parse`."""
        steps = self._parse(question, kind, retries, streamed=False)
        return await AsyncEventStream(steps, self._connections).result()

    def parse_stream(
        self, question: Request | str, kind: type[ObjectT], *, retries: int = 1
    ) -> AsyncObjectStream[ObjectT]:
        """Return the JSON object of the answer as it arrives; see `Client.parse_stream`."""
        steps = self._parse(question, kind, retries, streamed=True)
        return AsyncObjectStream(AsyncEventStream(steps, self._connections))

    async def aclose(self) -> None:
        """Close all connections."""
        if self._owned:
            await self._http.aclose()

    async def __aenter__(self) -> Self:
        """Return the client."""
        return self

    async def __aexit__(self, *_: object) -> None:
        """Close all connections."""
        await self.aclose()


def credential_of(api: Api) -> str:
    """Return the setting that holds the credential of an API: `api_key`, or the only other one.

    Raises:
        SettingError: the API has none.
    """
    secrets = api.WIRE.secrets
    if not secrets:
        raise SettingError(f"{api.WIRE.name}: the API has no credential")
    return "api_key" if "api_key" in secrets else next(iter(secrets))


def _credential_in_environment(api: Api) -> dict[str, str]:
    """Return the first credential that the environment holds."""
    secrets = api.WIRE.secrets
    for name in sorted(secrets, key=lambda name: name != "api_key"):
        if value := os.environ.get(secrets[name]):
            return {name: value}
    return {}


def _authenticates(http: httpx.Client | httpx.AsyncClient) -> bool:
    """Return whether a caller's HTTP client may add a credential by itself."""
    return http.auth is not None or bool(http.event_hooks["request"]) or any(map(is_credential, http.headers))


def _make_http(kind: Callable[[], HttpT]) -> HttpT:
    """Return a new HTTP client, with the proxies and certificates of the environment.

    Raises:
        SettingError: the environment names a proxy or certificates that cannot be used.
    """
    try:
        return kind()
    except (ImportError, ValueError, OSError, httpx.InvalidURL) as error:
        raise SettingError(
            f"the HTTP client cannot be made: {error}; check HTTP_PROXY, HTTPS_PROXY, ALL_PROXY and SSL_CERT_FILE"
        ) from error


def _running_loop() -> object:
    """Return the running event loop of asyncio, or None in another framework."""
    try:
        return asyncio.get_running_loop()
    except RuntimeError:
        return None
