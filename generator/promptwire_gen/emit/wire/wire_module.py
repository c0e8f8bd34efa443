"""The module of a wire's facts: what `templates/module/wire.py.j2` lays out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, TypeAlias

from ...model.filters import ShapeFilter
from ...model.identity import ByIdentity
from ...model.wire import WireModel
from ..imports import Imports
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
    imports: Sequence[str]


@dataclass(frozen=True, slots=True)
class _Whole:
    """All facts about one wire."""

    transport: TransportFunction
    signing: SigningFunction | None
    facts: Mapping[str, Expression]
    capabilities: dict[str, Any]


def wire_module(model: WireModel, filters: Mapping[str, ShapeFilter]) -> FactsModule:
    """Return the facts about a wire; for a dialect, those that differ from its parent."""
    imports = Imports()
    content = _whole(model, filters, imports)
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
        imports=imports.lines(),
    )


# cached, because each of its dialects asks for it
@lru_cache(maxsize=8)
def _whole_parent(parent: ByIdentity[WireModel], filters: ByIdentity[Mapping[str, ShapeFilter]]) -> _Whole:
    return _whole(parent.value, filters.value, Imports())


def _whole(model: WireModel, filters: Mapping[str, ShapeFilter], imports: Imports) -> _Whole:
    transport = TransportReader(model.transport, filters, imports)
    return _Whole(
        transport.sending(),
        transport.signing(),
        wire_facts(model, filters, imports),
        capabilities(model),
    )
