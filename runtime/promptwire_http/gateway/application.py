"""The application of a gateway: its routes, and errors for everything else in the API of the client."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request as Asked
from starlette.responses import JSONResponse, Response
from starlette.routing import Route, Router
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from promptwire_runtime import Api, PromptwireError
from promptwire_runtime.wire_json.kinds import is_object

from ..transport import Opener
from .admission import CALLER, REQUEST_ID, Admission, Turns, names_for, request_id_of, targets_for
from .calls import NOTES, Call
from .configuration import Gateway
from .connections import connections
from .counting import estimated_tokens
from .failures import GatewayError, error_of, failure
from .metrics import Metrics
from .reading import body_of, request_for
from .reports import Observer, report_refusal, write_text
from .routes import MODEL_LISTS, TOKEN_COUNTS, ModelList, request_paths

HEALTH, READY, METRICS = "/health", "/ready", "/metrics"
Endpoint = Callable[[Asked], Awaitable[ASGIApp]]


class Application:
    """The ASGI application of a gateway, whose configuration can be replaced while it runs."""

    def __init__(
        self,
        gateway: Gateway,
        http: httpx.AsyncClient | Opener | None = None,
        observers: Sequence[Observer] = (write_text,),
    ) -> None:
        """Open nothing yet.

        Args:
            gateway: What it serves.
            http: An `httpx.AsyncClient` to send with; yours to close.
            observers: Functions that get the report of each call when it has ended.
        """
        # redirects are not followed, so that no request leaves the configured servers
        self._http = http or connections()
        self._closes = http is None
        self._metrics = Metrics() if gateway.metrics else None
        self._observers = [*observers, *([self._metrics.add] if self._metrics else [])]
        self._admission = Admission()
        self._ready = False
        self._probes = Starlette(routes=self._probe_routes(), lifespan=self._live)
        self.serve(gateway)

    def serve(self, gateway: Gateway) -> None:
        """Serve this configuration from the next request on. Calls under way end under the one before."""
        self._app = _make_routes(gateway, self._http, self._observers)
        self.gateway = gateway

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        if scope["type"] != "http" or scope["path"] in self._probe_paths:
            await self._probes(scope, receive, send)
            return
        gateway, app, asked = self.gateway, self._app, Asked(scope, receive)
        scope[REQUEST_ID] = request_id_of(asked)

        async def send_with_id(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message["headers"], (b"x-request-id", scope[REQUEST_ID].encode())]
            await send(message)

        try:
            scope[CALLER] = self._admission.admit(asked, gateway)
        except GatewayError as refused:
            front, error = front_of(asked, gateway), refused.error
            report_refusal(scope[REQUEST_ID], front, error, self._observers)
            await failure(front, error)(scope, receive, send_with_id)
            return
        if self._metrics is None:
            await app(scope, receive, send_with_id)
            return
        with self._metrics.open.track_inprogress():
            await app(scope, receive, send_with_id)

    @asynccontextmanager
    async def _live(self, _: Starlette) -> AsyncGenerator[None]:
        self.gateway.load()
        self._ready = True
        yield
        self._ready = False
        if self._closes:
            await self._http.aclose()

    # ---- for the operator, without a key and for any host name

    def _probe_routes(self) -> list[Route]:
        told = {HEALTH: self._tell_health, READY: self._tell_ready}
        if self._metrics is not None:
            told[METRICS] = self._tell_metrics
        self._probe_paths = frozenset(told)
        return [Route(path, endpoint) for path, endpoint in told.items()]

    async def _tell_health(self, _: Asked) -> Response:
        """Answer a probe: the gateway runs, which says nothing about the servers behind."""
        return JSONResponse({"status": "ok"})

    async def _tell_ready(self, _: Asked) -> Response:
        """Answer whether the gateway takes calls: what they need is loaded, and it is not about to stop."""
        return JSONResponse(
            {"status": "ok" if self._ready else "starting or stopping"}, 200 if self._ready else 503
        )

    async def _tell_metrics(self, _: Asked) -> Response:
        text, media = self._metrics.text() if self._metrics else (b"", "text/plain")
        return Response(text, media_type=media)


def application(
    gateway: Gateway,
    http: httpx.AsyncClient | Opener | None = None,
    observers: Sequence[Observer] = (write_text,),
) -> Application:
    """Return the ASGI application of a gateway; see `Application`."""
    return Application(gateway, http, observers)


def _make_routes(
    gateway: Gateway, http: httpx.AsyncClient | Opener, observers: Sequence[Observer]
) -> ASGIApp:
    """Return what answers the admitted requests of a gateway."""
    routes = [
        *(Route(path, _count(gateway, front), methods=["POST"]) for path, front in _counted(gateway).items()),
        *(
            Route(path, _call(gateway, http, front, observers), methods=["POST"])
            for path, front in _called(gateway).items()
        ),
        *_model_routes(gateway),
    ]
    router = Router(routes)

    async def route(scope: Scope, receive: Receive, send: Send) -> None:
        # so that a path or a method that is not served raises
        scope["app"] = router
        try:
            await router(scope, receive, send)
        except HTTPException as error:
            asked = Asked(scope, receive)
            paths = ", ".join(_called(gateway))
            text = f"{asked.method} {asked.url.path} is not served; the paths are {paths}"
            refused = GatewayError(text, error.status_code, "not_found").error
            await failure(front_of(asked, gateway), refused)(scope, receive, send)

    return route


def _called(gateway: Gateway) -> Mapping[str, Api]:
    return {path: front for front in gateway.fronts for path in request_paths(front)}


def _counted(gateway: Gateway) -> Mapping[str, Api]:
    known = {front: TOKEN_COUNTS.get(front.WIRE.name) for front in gateway.fronts}
    return {count.path: front for front, count in known.items() if count is not None}


def front_of(asked: Asked, gateway: Gateway) -> Api:
    """Return the API that a client of an unknown path speaks: the one whose paths begin like it, or the first."""

    def common(front: Api) -> int:
        paths = [path.partition("{")[0] for path in request_paths(front)]
        return max([len(path) for path in paths if asked.url.path.startswith(path[:8])], default=0)

    marked = [front for front in gateway.fronts if _has_mark(asked, MODEL_LISTS.get(front.WIRE.name))]
    return marked[0] if marked else max(gateway.fronts, key=common)


def _has_mark(asked: Asked, listed: ModelList | None) -> bool:
    return listed is not None and listed.header is not None and listed.header in asked.headers


# ---- endpoints


def _call(
    gateway: Gateway, http: httpx.AsyncClient | Opener, front: Api, observers: Sequence[Observer]
) -> Endpoint:
    turns = Turns()
    forms = [
        template.rpartition("?")[2] for template, stream, _ in front.WIRE.urls if stream and "?" in template
    ]

    async def endpoint(asked: Asked) -> ASGIApp:
        await turns.wait()
        # an API whose streams are asked for by a parameter sends a JSON array without it
        array = forms and asked.url.path.endswith(_ends(front)) and forms[-1] not in asked.url.query
        return await Call(gateway, http, front, asked, observers).reply("json_array" if array else None)

    return endpoint


def _ends(front: Api) -> str:
    streams = [template for template, stream, conditions in front.WIRE.urls if stream and not conditions]
    return streams[-1].partition("?")[0].rpartition("}")[2] if streams else "\0"


def _count(gateway: Gateway, front: Api) -> Endpoint:
    key = TOKEN_COUNTS[front.WIRE.name].key

    async def endpoint(asked: Asked) -> Response:
        try:
            body = await body_of(asked, gateway)
            reading = front.read(_inner(body), _request_url(front, asked))
            (target, *_) = targets_for(asked, gateway, reading.request.model)
            tokens = estimated_tokens(target.upstream, request_for(front, reading, target))
        except (PromptwireError, GatewayError) as problem:
            return failure(front, error_of(problem))
        return JSONResponse({key: tokens}, headers={NOTES: "the count is an estimate"})

    return endpoint


def _inner(body: dict[str, Any]) -> dict[str, Any]:
    """Return the request in the body of a count, which Gemini's clients may wrap."""
    wrapped: Any = body.get("generateContentRequest")
    return wrapped if is_object(wrapped) else body


def _request_url(front: Api, asked: Asked) -> str:
    """Return the URL of the request whose tokens are counted."""
    path = next(path for path in request_paths(front) if "stream" not in path)
    return str(asked.base_url).rstrip("/") + path.format(**asked.path_params)


def _model_routes(gateway: Gateway) -> list[Route]:
    known = [MODEL_LISTS[front.WIRE.name] for front in gateway.fronts if front.WIRE.name in MODEL_LISTS]
    # those that a header marks come first
    known.sort(key=lambda one: one.header is None)
    routes: list[Route] = []
    for path in dict.fromkeys([path for one in known for path in one.paths]):
        choices = [one for one in known if path in one.paths]
        routes += [
            Route(path, _models(gateway, choices)),
            Route(path + "/{name:path}", _models(gateway, choices)),
        ]
    return routes


def _models(gateway: Gateway, choices: list[ModelList]) -> Endpoint:
    async def endpoint(asked: Asked) -> Response:
        listed = next(
            (one for one in choices if one.header is None or one.header in asked.headers), choices[-1]
        )
        name = asked.path_params.get("name")
        if name is None:
            return JSONResponse(listed.whole([listed.item(known) for known in names_for(asked, gateway)]))
        try:
            targets_for(asked, gateway, name)
        except GatewayError as problem:
            return failure(front_of(asked, gateway), problem.error)
        return JSONResponse(listed.item(name))

    return endpoint
