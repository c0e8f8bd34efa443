"""Convert a build into the keyword arguments of another vendor's client. Loaded when they are asked for."""

from __future__ import annotations

import re
from base64 import b64decode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib import import_module
from typing import Any
from urllib.parse import parse_qsl, unquote

from ..errors import ClientError
from ..reporting.redaction import is_credential, variable_name
from ..wire_json.kinds import is_list, is_object
from .encoding import encoded
from .transport import Transport
from .wire import Wire

_WAY_OUT = "send it as it is: httpx.request(**built.httpx())"
# headers that every client sets itself
_OWN_HEADERS = frozenset({"content-type", "accept"})
_HOLE = re.compile(r"\$\{([\w.]+)\}|(\*)")


@dataclass(frozen=True)
class ClientMethod:
    """One method of a client.

    Attributes:
        end: The end of the URLs that it sends to: `${argument}` is a path segment that is an argument, `*` any other.
        name: The method, as a path from the client: `chat.completions.create`.
        stream: The method for streamed requests, where that is another one.
        accepts: The arguments of this method, where they differ from those of the client's other methods.
        types: `module:Class` of the client's own type of the body. It is used to find what the client would drop.
    """

    end: str
    name: str
    stream: str = ""
    accepts: Mapping[str, str] = field(default_factory=dict[str, str])
    types: str = ""


@dataclass(frozen=True, kw_only=True)
class VendorClient:
    """The arguments and methods of a client, as declared in the spec.

    Attributes:
        version: The version of the client that the statements were taken from.
        calls: The methods, in the order in which they are tried.
        accepts: A key of the body, or one inside a key (`generationConfig.topK`) -> the argument, or a key inside one.
        sets: Keys of the body that the methods write themselves.
        required: Required arguments.
        body: The argument that takes the whole body as JSON text.
        extra_keys: The argument for all other keys of the body.
        headers: A header, or `*` for all others -> the argument.
        query: The argument for parameters of the URL.
        bytes: Paths of base64 values of the body that the client takes as bytes.
        adds: Keys that the client adds to answers and the API does not send.
        snake: Whether `accepts` names keys in snake_case, whatever the body uses.
    """

    version: str
    calls: tuple[ClientMethod, ...]
    accepts: Mapping[str, str] = field(default_factory=dict[str, str])
    sets: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    body: str = ""
    extra_keys: str = ""
    headers: Mapping[str, str] = field(default_factory=dict[str, str])
    query: str = ""
    bytes: tuple[str, ...] = ()
    adds: tuple[str, ...] = ()
    snake: bool = False


def same_names(keys: str) -> dict[str, str]:
    """Return a mapping of keys, separated by spaces, to arguments of the same names."""
    return {key: key for key in keys.split()}


class Arguments(dict[str, Any]):
    """The keyword arguments of one call.

    Attributes:
        call: The method that takes them, as a path from the client: `chat.completions.create`.
        base_url: The base URL that the client must have to send to the URL that was built.
    """

    call: str = ""
    base_url: str = ""

    def __repr__(self) -> str:
        """Show credentials among query parameters and headers as `$NAME`."""
        shown: dict[str, Any] = _without_credentials(dict(self), shows=False)
        return repr(shown)

    def put(self, argument: str, value: Any) -> None:
        """Set an argument, or a key inside one: `config.http_options.headers`."""
        *above, last = argument.split(".")
        target: dict[str, Any] = self
        for name in above:
            target = target.setdefault(name, {})
        target[last] = value


def _without_credentials(value: Any, *, shows: bool) -> Any:
    """Return a copy in which `shows` replaces the credentials inside query parameters and headers."""
    if not is_object(value):
        return value
    return {
        key: f"${variable_name(key)}"
        if shows and isinstance(inner, str) and is_credential(key)
        else _without_credentials(inner, shows=shows or "query" in key or "header" in key)
        for key, inner in value.items()
    }


def arguments_for(transport: Transport, body: Any, name: str) -> Arguments:
    """Return the keyword arguments for a client.

    Raises:
        ClientError: the client is not one for this wire, or cannot send all of the request.
    """
    filling = _ArgumentsBuilder(transport, name)
    method = filling.fill_address()
    accepts = method.accepts or filling.client.accepts
    filling.fill_body(body, accepts)
    filling.fill_headers()
    if method.types:
        filling.check_types(method.types, accepts)
    return filling.arguments


class _ArgumentsBuilder:
    """Converts one request into the arguments of one client."""

    def __init__(self, transport: Transport, name: str) -> None:
        self.transport = transport
        self.name = name
        self.client = _client(transport.wire, name)
        self.arguments = Arguments()

    def fill_address(self) -> ClientMethod:
        """Return the method for the end of the URL, and convert the parts of the URL that are arguments."""
        url = self.transport.sent().url
        for method in self.client.calls:
            match = re.fullmatch(_pattern(method.end), url)
            if match is None:
                continue
            base, *segments, query = match.groups()
            names = [argument for argument, _ in _HOLE.findall(method.end) if argument]
            for argument, segment in zip(names, segments, strict=True):
                self.arguments.put(argument, unquote(segment))
            self.arguments.base_url = base
            self.arguments.call = (self.transport.request.stream and method.stream) or method.name
            self._fill_query(query or "")
            return method
        raise self._error("", "has no method that sends to the URL")

    def _fill_query(self, query: str) -> None:
        pairs = parse_qsl(query, keep_blank_values=True)
        if pairs and not self.client.query:
            raise self._error("query", "takes no URL parameters")
        if len(dict(pairs)) < len(pairs):
            raise self._error("query", "sends a URL parameter only once")
        if pairs:
            self.arguments.put(self.client.query, dict(pairs))

    def fill_body(self, body: Any, accepts: Mapping[str, str]) -> None:
        """Convert the keys of the body to arguments."""
        if self.client.body:
            self.arguments.put(self.client.body, encoded(body))
            return
        for path in self.client.bytes:
            try:
                body = _decode_base64(body, path.split("."))
            except ValueError:
                raise self._error(path, "takes bytes, and this is not valid base64") from None
        rest = self._put_known(body, accepts)
        if rest and not self.client.extra_keys:
            raise self._error(min(rest), "has no argument for it")
        if rest:
            self.arguments.put(self.client.extra_keys, rest)
        missing = [argument for argument in self.client.required if argument not in self.arguments]
        if missing:
            raise self._error(missing[0], "requires it, and the request does not have it")
        if self.transport.request.stream and "stream" in accepts and "stream" not in body:
            # the API knows it by the URL, the method needs the argument
            self.arguments.put(accepts["stream"], True)

    def _put_known(self, body: dict[str, Any], accepts: Mapping[str, str]) -> dict[str, Any]:
        """Convert the keys that have an argument, and return the rest of the body."""
        rest: dict[str, Any] = {}
        for key, value in body.items():
            known = _snake_case(key) if self.client.snake else key
            prefix = f"{known}."
            inside = {path.removeprefix(prefix): accepts[path] for path in accepts if path.startswith(prefix)}
            if known in accepts:
                self.arguments.put(accepts[known], value)
            elif inside and is_object(value) and value:
                left = self._put_known(value, inside)
                rest |= {key: left} if left else {}
            elif key not in self.client.sets:
                rest[key] = value
        return rest

    def fill_headers(self) -> None:
        """Convert the headers of this request to arguments, without credentials, which are the client's own."""
        sent, places = self.transport.sent(), self.client.headers
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

    def check_types(self, types: str, accepts: Mapping[str, str]) -> None:
        """Raise ClientError where the client's own types would drop or change something."""
        named = set(accepts.values())
        body = {key: value for key, value in self.arguments.items() if key in named}
        path = _first_loss(types, body, self.name, self.transport.wire.name)
        if path:
            raise self._error(path, "drops or changes it")

    def _error(self, path: str, why: str) -> ClientError:
        message = f"the client {self.name} {why}; {_WAY_OUT}"
        return ClientError(message, wire=self.transport.wire.name, client=self.name, path=path)


def _client(wire: Wire, name: str) -> VendorClient:
    """Return a client of the wire. The error lists the known ones."""
    if not isinstance(name, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
        kind = type(name).__name__
        raise ClientError(f"client must be the name of a package, not {kind}", wire=wire.name, client="")
    clients: Mapping[str, VendorClient] = {} if wire.clients is None else wire.clients()
    if name in clients:
        return clients[name]
    known = f"use {' or '.join(clients)}" if clients else "no client is known for it"
    way_out = f"or {_WAY_OUT}" if wire.method else "pass it built.body"
    raise ClientError(
        f"{name!r} is not a client of {wire.title}: {known}; {way_out}", wire=wire.name, client=name
    )


def _pattern(end: str) -> str:
    """Return a regular expression for the end of a URL. Its groups are the base, each argument, and the query."""
    pieces: list[str] = []
    start = 0
    for hole in _HOLE.finditer(end):
        pieces += [re.escape(end[start : hole.start()]), "([^/?]+)" if hole[1] else "[^/?]+"]
        start = hole.end()
    return f"(.*){''.join(pieces)}{re.escape(end[start:])}(?:[?&](.*))?"


def _snake_case(key: str) -> str:
    return re.sub(r"(?<=[a-z0-9])([A-Z])", r"_\1", key).lower()


def _decode_base64(value: Any, steps: Sequence[str]) -> Any:
    """Return a copy of JSON with bytes at a path such as `["content[]", "image", "bytes"]`.

    Raises:
        ValueError: the text there is not base64.
    """
    if not steps:
        return b64decode(value, validate=True) if isinstance(value, str) else value
    key = steps[0].removesuffix("[]")
    if not is_object(value) or key not in value:
        return value
    inner = value[key]
    if steps[0] == key:
        return {**value, key: _decode_base64(inner, steps[1:])}
    if not is_list(inner):
        return value
    return {**value, key: [_decode_base64(item, steps[1:]) for item in inner]}


def _first_loss(types: str, arguments: Mapping[str, Any], client: str, wire: str) -> str:
    """Return the first path of the arguments that a client's type (`module:Class`) does not return; empty for none.

    Raises:
        ClientError: the client is not installed, or its types reject the arguments.
    """
    module, _, name = types.partition(":")
    try:
        model: Any = getattr(import_module(module), name)
    except ImportError:
        why = f"its own types are needed to find out what it can send; install {client}"
        raise ClientError(why, wire=wire, client=client) from None
    try:
        returned = model.model_validate(dict(arguments)).model_dump(mode="json", by_alias=True)
    except ValueError as error:
        raise ClientError(f"the types of {client} reject it: {error}", wire=wire, client=client) from error
    return next(_differences(dict(arguments), returned, ""), "")


def _differences(given: Any, returned: Any, path: str) -> Iterator[str]:
    """Yield the paths of JSON that another JSON does not have, or has with another value."""
    if is_object(given) and is_object(returned):
        for key, value in given.items():
            place = f"{path}.{key}" if path else key
            if key in returned:
                yield from _differences(value, returned[key], place)
            elif value is not None:
                yield place
    elif is_list(given) and is_list(returned) and len(given) == len(returned):
        for index, (value, other) in enumerate(zip(given, returned, strict=True)):
            yield from _differences(value, other, f"{path}[{index}]")
    elif given != returned:
        yield path
