"""The module of a wire's facts: what `templates/module/wire.py.j2` lays out."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from ...model.filters import ShapeFilter
from ...model.identity import ByIdentity
from ...model.wire import WireModel
from ...spec.schema import Transport
from ..imports import filter_imports
from ..python import Expression, name
from .capabilities import capabilities, capability_changes
from .clients_module import has_own_clients
from .rules_module import rules_home
from .transport_functions import SigningFunction, TransportFunction, TransportReader
from .wire_facts import differing, late_table, wire_facts

WireFunction: TypeAlias = TransportFunction | SigningFunction


@dataclass(frozen=True, slots=True)
class FactsModule:
    """The facts about a wire; for a dialect, only those that differ from its parent.

    parent        the wire that it extends
    functions     the functions that send and sign
    facts         the arguments of `Wire` by name
    capabilities  by name; of a dialect, how they differ from its parent's: the arguments of `changed`
    """

    title: str
    parent: str | None
    functions: Sequence[WireFunction]
    facts: Mapping[str, Expression]
    capabilities: Mapping[str, Any]
    imports: Iterable[str]


@dataclass(frozen=True, slots=True)
class _Whole:
    """All facts about one wire."""

    transport: TransportFunction
    signing: SigningFunction | None
    facts: Mapping[str, Expression]
    capabilities: dict[str, Any]


def wire_module(model: WireModel, filters: Mapping[str, ShapeFilter]) -> FactsModule:
    """Return the facts about a wire; for a dialect, those that differ from its parent."""
    content = _whole(model, filters)
    parent = None if model.parent is None else _whole_parent(ByIdentity(model.parent), ByIdentity(filters))
    functions: list[WireFunction] = []
    facts = differing(content.facts, None if parent is None else parent.facts)
    if parent is None or content.transport != parent.transport:
        functions.append(content.transport)
        facts["transport"] = name("_transport")
    if content.signing is not None and (parent is None or content.signing != parent.signing):
        functions.append(content.signing)
        facts["signing"] = name("_signing")
    elif parent is not None and content.signing != parent.signing:
        facts["signing"] = name("None")
    if rules_home(model) == model.name:
        facts["load_rules"] = late_table(".rules", "RULES")
    if has_own_clients(model):
        facts["clients"] = late_table(".clients", "CLIENTS") if model.clients else name("dict")
    able = content.capabilities
    if parent is not None:
        able = capability_changes(able, parent.capabilities)
    return FactsModule(
        title=model.title,
        parent=model.extends if parent is not None else None,
        functions=functions,
        facts=facts,
        capabilities=able,
        imports=filter_imports(_filters_of(model.transport), filters).values(),
    )


def _filters_of(transport: Transport) -> Iterable[str]:
    """Return the filters of its URLs, headers and credentials."""
    texts = [form.url for form in transport.url] + [*transport.headers.values()]
    texts += [
        text for auth in transport.auth for text in (auth.value, auth.sign, auth.service, auth.region) if text
    ]
    return dict.fromkeys(word for text in texts for word in re.findall(r"\|([a-z_]+)", text))


# cached, because each of its dialects asks for it
@lru_cache(maxsize=8)
def _whole_parent(parent: ByIdentity[WireModel], filters: ByIdentity[Mapping[str, ShapeFilter]]) -> _Whole:
    return _whole(parent.value, filters.value)


def _whole(model: WireModel, filters: Mapping[str, ShapeFilter]) -> _Whole:
    transport = TransportReader(model.transport, filters)
    return _Whole(
        transport.sending(),
        transport.signing(),
        wire_facts(model, filters),
        capabilities(model),
    )
