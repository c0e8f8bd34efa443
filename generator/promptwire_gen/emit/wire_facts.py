"""The module of a wire's facts: where requests go, with which settings, and what its rules refuse."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ..model.filters import ShapeFilter
from ..model.wire import WireModel
from .body import BodyEmitter, is_top_level
from .capabilities import capabilities
from .imports import Imports
from .places import Place
from .python import code, literal
from .transport import TransportEmitter


def wire_context(model: WireModel, filters: Mapping[str, ShapeFilter]) -> dict[str, Any]:
    """Everything that `wire.py.j2` lays out."""
    imports = Imports()
    imports.use("promptwire_runtime", "Wire")
    imports.use("promptwire_runtime.typed", "TYPE_CHECKING")
    transport = TransportEmitter(model, filters, imports)
    return {
        "common": BodyEmitter(model, Place("request", None, filters, Imports())).common(),
        "batch": transport.batch(),
        "transport": transport.function(),
        "signing": transport.signing(),
        "settings": transport.settings(),
        "urls": transport.urls(),
        "url_filters": transport.url_filters(),
        "stand_in": transport.stand_in(),
        "deciding": _deciding(model),
        "secrets": code(literal(transport.secrets)),
        "rules": [_rule(rule, model, imports) for rule in model.rules],
        "implied": code(literal(dict(model.implied))) if model.implied else "",
        "names": model.tool_names,
        "unique_names": model.unique_names,
        "capabilities": capabilities(model),
        "imports": imports.lines(),
    }


def _deciding(model: WireModel) -> str:
    """The settings that a rule asks for, or that stand for what it asks for."""
    asked = {name for rule in model.rules for name in rule.when.settings}
    found = [name for name, each in model.transport.settings.items() if name in asked or each.stands_for]
    return _tuple(found) if found else ""


def _rule(rule: Any, model: WireModel, imports: Imports) -> str:
    imports.use("promptwire_runtime", "Rule")
    fields: list[str] = []
    rows = {
        "model": rule.when.model, "not_model": rule.when.not_model, "given": rule.when.given,
        "reject": rule.reject, "allow": rule.allow,
    }  # fmt: skip
    for name, value in rows.items():
        if value:
            fields.append(f"{name}={_tuple(value)}")
    if rule.when.settings:
        inner = ", ".join(f"{code(literal(k))}: {_tuple(v)}" for k, v in rule.when.settings.items())
        fields.append(f"settings={{{inner}}}")
    keys = {entry.key for entry in model.body.shape.fields}
    spelled = {key: other for key, other in rule.rename.items() if is_top_level(key, other)}
    renames = {key: other for key, other in spelled.items() if key in keys}
    respelled = {key: other for key, other in spelled.items() if key not in keys}
    moves = [
        (tuple(key.split(".")), tuple(other.split(".")), model.body.constants_beside(other.split(".")))
        for key, other in rule.rename.items()
        if key not in spelled
    ]
    if renames:
        fields.append(f"rename={code(literal(renames))}")
    if respelled:
        fields.append(f"respell={code(literal(respelled))}")
    if moves:
        fields.append(f"moves={tuple(moves)!r}")
    if rule.set:
        fields.append(f"assign={code(literal({k: str(v) for k, v in rule.set.items()}))}")
    if rule.add:
        fields.append(f"add={code(literal(dict(rule.add)))}")
    fields += [f"because={code(literal(rule.because))}", f"source={code(literal(rule.source))}"]
    return f"Rule({', '.join(fields)})"


def _tuple(values: Any) -> str:
    return "(" + "".join(f"{code(literal(value))}, " for value in values) + ")"
