"""The application of a gateway: its routes, and errors for everything else in the API of the client."""

from __future__ import annotations

from collections.abc import AsyncGenerator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import httpx
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import Request as Asked
from starlette.responses import JSONResponse, Response
from starlette.routing import Route
from starlette.types import ASGIApp, Receive, Scope, Send

from promptwire_runtime import Api, PromptwireError
from promptwire_runtime.wire_json.kinds import is_object

from ..connections import Connections
from .calls import NOTES, Call
from .configuration import Gateway
from .counting import estimated_tokens
from .failures import GatewayError, error_of, failure
from .reading import body_of, host_of, key_of, request_of
from .routes import MODEL_LISTS, TOKEN_COUNTS, ModelList, request_paths

HEALTH = "/health"
Endpoint = Callable[[Asked], Awaitable[Response]]


def application(gateway: Gateway, http: httpx.AsyncClient | None = None) -> ASGIApp:
    """Return the ASGI application of a gateway.

    Args:
        gateway: What it serves.
        http: An `httpx.AsyncClient` to send with; yours to close.
    """
    # redirects are not followed, so that no request leaves the configured server
    own = http or Connections(None)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncGenerator[None]:
        gateway.load()
        yield
        if http is None:
            await own.aclose()

    routes = [
        *(Route(path, _count(gateway, front), methods=["POST"]) for path, front in _counted(gateway).items()),
        *(
            Route(path, _call(gateway, own, front), methods=["POST"])
            for path, front in _called(gateway).items()
        ),
        *_model_routes(gateway),
        Route(HEALTH, _tell_health),
    ]
    app = Starlette(routes=routes, lifespan=lifespan)

    async def other(asked: Asked, error: Exception) -> Response:
        status = error.status_code if isinstance(error, HTTPException) else 500
        paths = ", ".join(_called(gateway))
        text = f"{asked.method} {asked.url.path} is not served; the paths are {paths}"
        return failure(front_of(asked, gateway), GatewayError(text, status, "not_found").error)

    app.add_exception_handler(HTTPException, other)
    return _Admission(app, gateway)


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


def _call(gateway: Gateway, http: httpx.AsyncClient, front: Api) -> Endpoint:
    forms = [
        template.rpartition("?")[2] for template, stream, _ in front.WIRE.urls if stream and "?" in template
    ]

    async def endpoint(asked: Asked) -> Response:
        # an API whose streams are asked for by a parameter sends a JSON array without it
        array = forms and asked.url.path.endswith(_ends(front)) and forms[-1] not in asked.url.query
        return await Call(gateway, http, front, asked).reply("json_array" if array else None)

    return endpoint


def _ends(front: Api) -> str:
    streams = [template for template, stream, conditions in front.WIRE.urls if stream and not conditions]
    return streams[-1].partition("?")[0].rpartition("}")[2] if streams else "\0"


async def _tell_health(_: Asked) -> Response:
    """Answer a probe: the gateway runs, which says nothing about the server behind."""
    return JSONResponse({"status": "ok"})


def _count(gateway: Gateway, front: Api) -> Endpoint:
    key = TOKEN_COUNTS[front.WIRE.name].key

    async def endpoint(asked: Asked) -> Response:
        try:
            body = await body_of(asked, gateway)
            request = request_of(front, _inner(body), _request_url(front, asked), gateway).request
            tokens = estimated_tokens(gateway, request)
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
            return JSONResponse(listed.whole([listed.item(known) for known in gateway.names]))
        if name in gateway.names or "*" in gateway.models or not gateway.models:
            return JSONResponse(listed.item(name))
        text = f"there is no model {name!r}; the models are {', '.join(gateway.names)}"
        return failure(front_of(asked, gateway), GatewayError(text, 404, "not_found").error)

    return endpoint


class _Admission:
    """Refuse requests for other host names, which a page of another site may send, and callers without a key."""

    def __init__(self, app: ASGIApp, gateway: Gateway) -> None:
        self.app = app
        self.gateway = gateway
        self.hosts = frozenset(map(str.lower, gateway.hosts))

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"] != HEALTH:
            asked = Asked(scope, receive)
            error = self._refusal(asked)
            if error is not None:
                await failure(front_of(asked, self.gateway), error.error)(scope, receive, send)
                return
        await self.app(scope, receive, send)

    def _refusal(self, asked: Asked) -> GatewayError | None:
        if self.hosts and host_of(asked) not in self.hosts:
            allowed = ", ".join(sorted(self.hosts))
            return GatewayError(f"this host name is not served; the names are {allowed}", 421)
        if not self.gateway.admits(key_of(asked)):
            text = "the key is missing or unknown; send one that the operator of this gateway gave you"
            return GatewayError(text, 401, "auth")
        return None
