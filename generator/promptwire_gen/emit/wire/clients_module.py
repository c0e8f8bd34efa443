"""What clients of other people take for a wire's requests: what `templates/module/clients.py.j2` lays out."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...model.wire import WireModel
from ...spec.client_sections import Client, ClientCall
from ..python import Expression, call, literal, tuple_of

_WORDS = ("accepts", "body", "extra_keys", "headers", "query", "snake")


@dataclass(frozen=True, slots=True)
class ClientsFunction:
    """`_clients()`: loads the table when it is asked for."""

    macro: ClassVar[str] = "clients"


def has_own_clients(model: WireModel) -> bool:
    """Tell whether a wire says of clients what its parent does not say."""
    return model.clients != ({} if model.parent is None else model.parent.clients)


def client_rows(model: WireModel) -> dict[str, Mapping[str, Expression]]:
    """Give the arguments of each `Client`; what it takes anyway is not said."""
    return {name: _arguments(client) for name, client in model.clients.items()}


def _arguments(client: Client) -> Mapping[str, Expression]:
    calls = tuple_of([_call(end, row) for end, row in client.calls.items()])
    words = {name: getattr(client, name) for name in _WORDS}
    lists = {"sets": client.sets, "required": client.required, "bytes": client.bytes, "adds": client.adds}
    given = {name: literal(value) for name, value in words.items() if value}
    given |= {name: tuple_of([literal(text) for text in texts]) for name, texts in lists.items() if texts}
    return {"version": literal(client.version), "calls": calls, **given}


def _call(end: str, row: ClientCall) -> Expression:
    values = {"stream": row.stream, "accepts": row.accepts, "types": row.types}
    given = {name: literal(value) for name, value in values.items() if value}
    return call("ClientMethod", literal(end), literal(row.call), **given)
