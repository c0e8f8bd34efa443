"""A build as the arguments of somebody else's call: loaded when they are asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

from ..errors import ClientError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .client_table import Call, Client
    from .result import Built

_WAY_OUT = "send it as it is: httpx.request(**built.httpx())"
# what every client writes by itself
_OWN_HEADERS = frozenset({"content-type", "accept"})
_HOLE = re.compile(r"\$\{([\w.]+)\}|(\*)")


class Arguments(dict[str, Any]):
    """The keyword arguments of one call.

    call      the method that takes them, from the client on: `chat.completions.create`
    base_url  where that client must be for it to send to the URL that was built
    """

    call: str = ""
    base_url: str = ""

    def put(self, argument: str, value: Any) -> None:
        """Set an argument, or a key inside one: `config.http_options.headers`."""
        *above, last = argument.split(".")
        target: dict[str, Any] = self
        for name in above:
            target = target.setdefault(name, {})
        target[last] = value


def arguments_for(built: Built[Any], name: str) -> Arguments:
    """Give what the call of a client takes; raises ClientError for what it cannot send."""
    return _Filling(built, name).filled()


class _Filling:
    """One build on its way into the arguments of one client."""

    def __init__(self, built: Built[Any], name: str) -> None:
        self.built = built
        self.name = name
        self.client = _client(built, name)
        self.arguments = Arguments()

    def filled(self) -> Arguments:
        call = self._find_call()
        takes = call.takes or self.client.takes
        self._fill_body(takes)
        self._fill_headers()
        if call.types:
            from .client_types import lost

            body = {key: value for key, value in self.arguments.items() if key in takes.values()}
            path = lost(call.types, body, self.name, self.built.wire.name)
            if path:
                raise self._error(path, "drops it or makes something else of it")
        return self.arguments

    def _find_call(self) -> Call:
        """Choose the method by the end of the URL, and take from the URL what is an argument."""
        for call in self.client.calls:
            match = re.fullmatch(_pattern(call.end), self.built.url)
            if match is None:
                continue
            base, *pieces, query = match.groups()
            holes = [argument for argument, _ in _HOLE.findall(call.end) if argument]
            for argument, piece in zip(holes, pieces, strict=True):
                self.arguments.put(argument, unquote(piece))
            self.arguments.base_url = base
            self.arguments.call = (self.built.request.stream and call.stream) or call.name
            self._fill_query(query or "")
            return call
        raise self._error("", f"has no method that sends to {self.built.shown_url}")

    def _fill_query(self, query: str) -> None:
        pairs = parse_qsl(query, keep_blank_values=True)
        if not pairs:
            return
        if not self.client.query or len(dict(pairs)) < len(pairs):
            why = "sends a parameter of the URL once" if self.client.query else "takes no parameters of the URL"
            raise self._error("query", why)
        self.arguments.put(self.client.query, dict(pairs))

    def _fill_headers(self) -> None:
        """Give the headers that are this request's own; credentials are the client's."""
        sent, places = self.built.context.sent(), self.client.headers
        others: dict[str, str] = {}
        for name, text in sent.headers.items():
            if name in places:
                self.arguments.put(places[name], text)
            elif name not in sent.secret and name not in _OWN_HEADERS:
                others[name] = text
        if others and "*" not in places:
            raise self._error(min(others), "takes no such header")
        if others:
            self.arguments.put(places["*"], others)

    def _fill_body(self, takes: Mapping[str, str]) -> None:
        if self.client.body:
            self.arguments.put(self.client.body, self.built.json())
            return
        body = dict(self.built.body)
        for path in self.client.bytes:
            body = self._with_bytes(body, path.split("."), path)
        rest = self._taken(body, takes)
        if rest and not self.client.rest:
            raise self._error(min(rest), "has no argument for it")
        if rest:
            self.arguments.put(self.client.rest, rest)
        missing = [argument for argument in self.client.needs if argument not in self.arguments]
        if missing:
            raise self._error(missing[0], "asks for it, and the request has none")
        if self.built.request.stream and "stream" in takes and "stream" not in body:
            # where the URL says it, the method must be told
            self.arguments.put(takes["stream"], True)

    def _taken(self, body: dict[str, Any], takes: Mapping[str, str]) -> dict[str, Any]:
        """Put what has an argument where it belongs; give the rest of the body."""
        spread = {path.partition(".")[0] for path in takes if "." in path}
        rest: dict[str, Any] = {}
        for key, value in body.items():
            known = _snake(key) if self.client.snake else key
            if known in takes:
                self.arguments.put(takes[known], value)
            elif known in spread and isinstance(value, dict) and value:
                inside = {path.partition(".")[2]: takes[path] for path in takes if path.startswith(f"{known}.")}
                left = self._taken(value, inside)
                rest |= {key: left} if left else {}
            elif key not in self.client.says:
                rest[key] = value
        return rest

    def _with_bytes(self, value: Any, steps: list[str], path: str) -> Any:
        """Give the same JSON with bytes where a path leads to base64."""
        if not steps:
            return self._decoded(value, path)
        key = steps[0].removesuffix("[]")
        if not isinstance(value, dict) or key not in value:
            return value
        inner, below = value[key], steps[1:]
        if steps[0] != key:
            inner = [self._with_bytes(item, below, path) for item in inner] if isinstance(inner, list) else inner
        else:
            inner = self._with_bytes(inner, below, path)
        return {**value, key: inner}

    def _decoded(self, value: Any, path: str) -> Any:
        from base64 import b64decode

        try:
            return b64decode(value, validate=True) if isinstance(value, str) else value
        except ValueError:
            raise self._error(path, "wants bytes, and this is no base64") from None

    def _error(self, path: str, why: str) -> ClientError:
        return ClientError(
            f"the client {self.name} {why}; {_WAY_OUT}", wire=self.built.wire.name, client=self.name, path=path
        )


def _client(built: Built[Any], name: str) -> Client:
    """Find a client of the wire; the error names those that there are."""
    wire = built.wire
    clients = {} if wire.clients is None else wire.clients()
    if name in clients:
        return clients[name]
    known = f"{wire.title} is sent by {', '.join(clients)}" if clients else f"no client is known for {wire.title}"
    way_out = "built.body is what it takes" if built.local else f"or {_WAY_OUT}"
    raise ClientError(f"{name!r} does not fit: {known}; {way_out}", wire=wire.name, client=name)


def _pattern(end: str) -> str:
    """Make a regular expression of the end of a URL: what stands before, each argument, and the query after it."""
    pieces = _HOLE.split(end)
    # text, argument, star, text, ...
    text = "".join(
        re.escape(piece) if index % 3 == 0 else "([^/?]+)" if index % 3 == 1 and piece else "[^/?]+"
        for index, piece in enumerate(pieces)
        if piece is not None
    )
    return rf"(.*){text}(?:[?&](.*))?"


def _snake(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key).lower()
