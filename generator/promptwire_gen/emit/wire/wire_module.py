"""The module of a wire's facts: what `templates/module/wire.py.j2` lays out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from ...model.filters import ShapeFilter
from ...model.wire import WireModel
from ...spec.schema import Transport
from ..imports import filter_imports
from .capabilities import capabilities
from .rules_module import RuleModules
from .transport_functions import TransportReader
from .wire_facts import wire_facts


def wire_module(
    model: WireModel, filters: Mapping[str, ShapeFilter], rule_modules: RuleModules
) -> dict[str, Any]:
    """Return the context of the template.

    `above` are the two functions of the parent, which a dialect takes if its own have the same text; `tables` says
    whether the rules and the clients are the wire's own: None where it has none, False where they are the parent's.
    """
    transport = TransportReader(model.transport, filters)
    above = None if model.parent is None else TransportReader(model.parent.transport, filters)
    rules = rule_modules.find_home(model)
    return {
        "transport": transport.sending(),
        "signing": transport.signing(),
        "above": None if above is None else {"transport": above.sending(), "signing": above.signing()},
        "facts": wire_facts(model, filters),
        "tables": {
            "rules": None if rules is None else rules == model.name,
            "clients": has_own_clients(model) if model.clients else None,
        },
        "capabilities": capabilities(model),
        "imports": filter_imports(_filters_of(model.transport), filters).values(),
    }


def has_own_clients(model: WireModel) -> bool:
    """Return whether a wire has clients that its parent does not have."""
    return model.clients != ({} if model.parent is None else model.parent.clients)


def _filters_of(transport: Transport) -> Iterable[str]:
    """Return the filters of its URLs, headers and credentials."""
    texts = [form.url for form in transport.url] + [*transport.headers.values()]
    texts += [
        text for auth in transport.auth for text in (auth.value, auth.sign, auth.service, auth.region) if text
    ]
    return dict.fromkeys(word for text in texts for word in re.findall(r"\|([a-z_]+)", text))
