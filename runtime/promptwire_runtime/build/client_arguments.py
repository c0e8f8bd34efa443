"""A build as the arguments of somebody else's call: loaded when they are asked for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qsl, unquote

from ..errors import ClientError
from ..wire_json.kinds import is_object
from .client_bytes import with_bytes
from .client_types import lost
from .encoding import encoded

if TYPE_CHECKING:
    from collections.abc import Mapping

    from .client_table import Call, Client
    from .context import BuildContext
    from .wire import Wire

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


def arguments_for(build: BuildContext, body: Any, name: str) -> Arguments:
    """Give what the call of a client takes; raises ClientError for what it cannot send."""
    filling = _Filling(build, name)
    call = filling.fill_address()
    takes = call.takes or filling.client.takes
    filling.fill_body(body, takes)
    filling.fill_headers()
    if call.types:
        filling.check_types(call.types, takes)
    return filling.arguments


class _Filling:
    """One build on its way into the arguments of one client."""

    def __init__(self, build: BuildContext, name: str) -> None:
        self.build = build
        self.name = name
        self.client = _client(build.wire, name)
        self.arguments = Arguments()

    def fill_address(self) -> Call:
        """Choose the method by the end of the URL, and take from the URL what is an argument."""
        url = self.build.sent().url
        for call in self.client.calls:
            match = re.fullmatch(_pattern(call.end), url)
            if match is None:
                continue
            base, *pieces, query = match.groups()
            holes = [argument for argument, _ in _HOLE.findall(call.end) if argument]
            for argument, piece in zip(holes, pieces, strict=True):
                self.arguments.put(argument, unquote(piece))
            self.arguments.base_url = base
            self.arguments.call = (self.build.request.stream and call.stream) or call.name
            self._fill_query(query or "")
            return call
        raise self._error("", "has no method that sends to the URL")

    def _fill_query(self, query: str) -> None:
        pairs = parse_qsl(query, keep_blank_values=True)
        if pairs and not self.client.query:
            raise self._error("query", "takes no parameters of the URL")
        if len(dict(pairs)) < len(pairs):
            raise self._error("query", "sends a parameter of the URL once")
        if pairs:
            self.arguments.put(self.client.query, dict(pairs))

    def fill_body(self, body: Any, takes: Mapping[str, str]) -> None:
        """Give each key of the body where the method takes it."""
        if self.client.body:
            self.arguments.put(self.client.body, encoded(body))
            return
        for path in self.client.bytes:
            try:
                body = with_bytes(body, path.split("."))
            except ValueError:
                raise self._error(path, "wants bytes, and this is no base64") from None
        rest = self._taken(body, takes)
        if rest and not self.client.rest:
            raise self._error(min(rest), "has no argument for it")
        if rest:
            self.arguments.put(self.client.rest, rest)
        missing = [argument for argument in self.client.needs if argument not in self.arguments]
        if missing:
            raise self._error(missing[0], "asks for it, and the request has none")
        if self.build.request.stream and "stream" in takes and "stream" not in body:
            # where the URL says it, the method must be told
            self.arguments.put(takes["stream"], True)

    def _taken(self, body: dict[str, Any], takes: Mapping[str, str]) -> dict[str, Any]:
        """Put what has an argument where it belongs; give the rest of the body."""
        rest: dict[str, Any] = {}
        for key, value in body.items():
            known = _snake(key) if self.client.snake else key
            above = f"{known}."
            inside = {path.removeprefix(above): takes[path] for path in takes if path.startswith(above)}
            if known in takes:
                self.arguments.put(takes[known], value)
            elif inside and is_object(value) and value:
                left = self._taken(value, inside)
                rest |= {key: left} if left else {}
            elif key not in self.client.says:
                rest[key] = value
        return rest

    def fill_headers(self) -> None:
        """Give the headers that are this request's own; credentials are the client's."""
        sent, places = self.build.sent(), self.client.headers
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

    def check_types(self, types: str, takes: Mapping[str, str]) -> None:
        """Ask the client's own types whether they would lose something."""
        named = set(takes.values())
        body = {key: value for key, value in self.arguments.items() if key in named}
        path = lost(types, body, self.name, self.build.wire.name)
        if path:
            raise self._error(path, "drops it or makes something else of it")

    def _error(self, path: str, why: str) -> ClientError:
        said = f"the client {self.name} {why}; {_WAY_OUT}"
        return ClientError(said, wire=self.build.wire.name, client=self.name, path=path)


def _client(wire: Wire, name: str) -> Client:
    """Find a client of the wire; the error names those that there are."""
    clients: Mapping[str, Client] = {} if wire.clients is None else wire.clients()
    if name in clients:
        return clients[name]
    known = f"it is sent by {', '.join(clients)}" if clients else "no client is known for it"
    way_out = f"or {_WAY_OUT}" if wire.method else "built.body is what it takes"
    raise ClientError(
        f"{name!r} is no client of {wire.title}: {known}; {way_out}", wire=wire.name, client=name
    )


def _pattern(end: str) -> str:
    """Make a regular expression of the end of a URL: what stands before, each argument, and the query after it."""
    pieces: list[str] = []
    place = 0
    for hole in _HOLE.finditer(end):
        pieces += [re.escape(end[place : hole.start()]), "([^/?]+)" if hole[1] else "[^/?]+"]
        place = hole.end()
    return f"(.*){''.join(pieces)}{re.escape(end[place:])}(?:[?&](.*))?"


def _snake(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key).lower()
