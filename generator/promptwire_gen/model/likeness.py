"""Compare models of wires by the requests and answers that they write."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import fields
from typing import Any

from .transport import names_model
from .wire import WireModel

# facts of a model about its spec, and about programs of other people
_BESIDE_BEHAVIOUR = frozenset({
    "api", "chain", "clients", "docs", "examples", "extends", "families", "file", "has_same_requests", "name",
    "parent", "placed_facts", "provider", "recorded", "sdks", "title",
})  # fmt: skip
# facts that say nothing of how requests are written, read and typed; of `transport`, see below
BESIDE_REQUESTS = _BESIDE_BEHAVIOUR | {"answer", "signatures", "stream", "transport"}


def behaves_alike(model: WireModel, parent: WireModel) -> bool:
    """Return whether a dialect does exactly what the wire that it extends does, under another name."""
    return _are_equal(model, parent, _BESIDE_BEHAVIOUR)


def has_same_requests(model: WireModel, parent: WireModel) -> bool:
    """Return whether a dialect writes, reads and types requests exactly as the wire that it extends.

    Its URL, headers and answers may differ, but not the settings that shapes and rules name.
    """
    same = _are_equal(model, parent, BESIDE_REQUESTS)
    return same and _find_transport_facts(model) == _find_transport_facts(parent)


def _are_equal(model: WireModel, parent: WireModel, beside: Collection[str]) -> bool:
    names = [field.name for field in fields(WireModel) if field.name not in beside]
    return all(getattr(model, name) == getattr(parent, name) for name in names)


def _find_transport_facts(model: WireModel) -> tuple[Any, ...]:
    """Return the facts of the transport that shapes and rules look at."""
    holes = {hole.path[1] for hole in model.body.shape.holes if hole.path[0] == "settings"}
    ruled = {name for rule in model.rules for name in (*rule.settings, *rule.add)}
    named = {name: model.transport.settings.get(name) for name in holes | ruled}
    return all(names_model(form) for form in model.transport.url), model.transport.local, named
