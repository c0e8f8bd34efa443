"""Checks of the sections `clients` and `sdks`, and against the transport."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..problems import did_you_mean, quote
from .client_sections import ClientSpec
from .explain import Path
from .schema import Spec
from .transport_checks import Clash

_HOLE = re.compile(r"\$\{([^{}]*)\}")


def check_clients(spec: Spec) -> Iterator[Clash]:
    """Yield the clients that could not send a request."""
    if spec.clients and spec.transport.local:
        message = "a local runtime is no server: no client sends to it"
        yield Clash(("clients",), "bad-value", message, 'leave out "clients", or local', at_key=True)
    for name, client in spec.clients.items():
        yield from _client(("clients", name), client)


def _client(path: Path, client: ClientSpec) -> Iterator[Clash]:
    if not client.calls:
        hint = "write the end of a URL and the method that sends there"
        yield Clash((*path, "calls"), "missing-key", "a client without calls sends nothing", hint)
    for end, call in client.calls.items():
        taken = {*(call.accepts or client.accepts).values(), *_HOLE.findall(end)}
        if not (call.accepts or client.accepts or client.body):
            message = f"{quote(call.call)} takes nothing of the body"
            yield Clash((*path, "calls", end), "missing-key", message, "write accepts, or body")
        for index, argument in enumerate(client.required):
            if not any(place.partition(".")[0] == argument for place in taken):
                message = f"{quote(call.call)} needs {quote(argument)}, and nothing gives it"
                yield Clash((*path, "required", index), "bad-value", message, did_you_mean(argument, taken))
    keys = {key for call in client.calls.values() for key in (call.accepts or client.accepts)}
    for index, place in enumerate(client.bytes):
        key = place.partition(".")[0].removesuffix("[]")
        if key not in keys:
            message = f"{quote(place)} leads to no argument: {quote(key)} is not in accepts"
            yield Clash((*path, "bytes", index), "bad-value", message, did_you_mean(key, keys))


def check_sdks(spec: Spec) -> Iterator[Clash]:
    """Yield the SDKs without a type, or without the version that was read."""
    for name, sdk in spec.sdks.items():
        if not sdk.types and not sdk.operations:
            hint = "write types: module:Class, or operations: service:Operation"
            yield Clash(("sdks", name), "missing-key", f"no type of {quote(name)} is named", hint)
        if sdk.version is None and name not in spec.clients:
            message = f"the version of {quote(name)} that was read is not named"
            hint = f"write version: {name} 1.0.0, or the client in clients"
            yield Clash(("sdks", name), "missing-key", message, hint)
        elif sdk.version is not None and name in spec.clients:
            message, hint = "clients names the version already", "leave it out here"
            yield Clash(("sdks", name, "version"), "bad-value", message, hint, at_key=True)
        elif sdk.version is not None and sdk.version.partition(" ")[0] != name:
            message = f"{quote(sdk.version)} is no version of {quote(name)}"
            yield Clash(("sdks", name, "version"), "bad-value", message, f"write {name} and its version")
