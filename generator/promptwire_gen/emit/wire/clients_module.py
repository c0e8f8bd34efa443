"""Template context of `templates/module/clients.py.j2`: how other vendors' clients take the requests of a wire."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ...model.wire import WireModel
from ...spec.client_sections import ClientCall, ClientSpec

_TEXTS = ("body", "extra_keys", "headers", "query", "snake")
_LISTS = ("sets", "required", "bytes", "adds")


@dataclass(frozen=True, slots=True)
class ClientRow:
    """The arguments of one `VendorClient`; `values` and `lists` are those that differ from the defaults."""

    version: str
    methods: list[MethodRow]
    accepts: Places
    values: list[tuple[str, Any]]
    lists: list[tuple[str, tuple[str, ...]]]


@dataclass(frozen=True, slots=True)
class MethodRow:
    """The arguments of one `ClientMethod`; `values` are those that differ from the defaults."""

    end: str
    name: str
    accepts: Places
    values: list[tuple[str, Any]]


@dataclass(frozen=True, slots=True)
class Places:
    """Client arguments for keys of the body; keys in `same` are arguments of the same name."""

    same: list[str]
    others: dict[str, str]


def has_own_clients(model: WireModel) -> bool:
    """Return whether a wire has clients that its parent does not have."""
    return model.clients != ({} if model.parent is None else model.parent.clients)


def client_rows(model: WireModel) -> dict[str, ClientRow]:
    """Return the rows of all clients by name."""
    return {name: _client_row(client) for name, client in model.clients.items()}


def _client_row(client: ClientSpec) -> ClientRow:
    methods = [_method_row(end, method) for end, method in client.calls.items()]
    lists: list[tuple[str, tuple[str, ...]]] = [*_given(client, *_LISTS)]
    return ClientRow(client.version, methods, _places(client.accepts), [*_given(client, *_TEXTS)], lists)


def _method_row(end: str, method: ClientCall) -> MethodRow:
    return MethodRow(end, method.call, _places(method.accepts), [*_given(method, "stream", "types")])


def _given(section: ClientSpec | ClientCall, *names: str) -> Iterator[tuple[str, Any]]:
    return ((name, value) for name in names if (value := getattr(section, name)))


def _places(accepts: Mapping[str, str]) -> Places:
    same = [key for key, argument in accepts.items() if key == argument]
    return Places(same, {key: argument for key, argument in accepts.items() if key != argument})
