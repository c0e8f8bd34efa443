"""Reference of the neutral model: every node and field, and the wires that support it."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from ...model.wire import Variant, WireModel
from ...neutral.node_classes import NeutralModel, NodeClass, NodeField, find_table
from .constructors import describe_field, write_default

# fields that no shape names, because they are merged in for one wire or used by builders only
_EVERYWHERE = frozenset({"vendor", "extra"})
_OF_UNIONS = {
    "tools": "tool",
    "tool_choice": "tool_choice",
    "response_format": "response_format",
    "reasoning": "reasoning",
    "cache": "cache",
    "layer": "instruction",
}


@dataclass(frozen=True, slots=True)
class FieldRow:
    """One row of a field's table."""

    name: str
    type: str
    meaning: str
    loss: str
    places: str


@dataclass(frozen=True, slots=True)
class NodeRows:
    """The table of one class."""

    name: str
    doc: str
    kind: str
    rows: tuple[FieldRow, ...]


Carried: TypeAlias = Mapping[str, Collection[str]]
"""Node class -> the fields of it that a wire supports, by their names in specs."""


def list_carried_by_class(model: NeutralModel, wire: WireModel) -> dict[str, list[str]]:
    """Return the fields of each node class that a wire supports."""
    return {node.name: sorted(_find_carried(node, wire)) for module in model.modules for node in module.nodes}


def make_reference(model: NeutralModel, wires: Mapping[str, Carried]) -> list[tuple[str, list[NodeRows]]]:
    """Return the tables of every class, module by module, in the order in which callers meet them.

    `wires` maps each wire to the fields that it supports.
    """
    return [
        (module.doc.partition("\n")[0], [_make_table(node, wires) for node in module.nodes])
        for module in reversed(model.modules)
    ]


def _make_table(node: NodeClass, wires: Mapping[str, Carried]) -> NodeRows:
    names = {name: carried[node.name] for name, carried in wires.items()}
    return NodeRows(
        node.name,
        node.declaration.doc,
        node.declaration.kind or "",
        tuple([_make_row(node, field, names) for field in node.fields]),
    )


def _make_row(node: NodeClass, field: NodeField, names: Carried) -> FieldRow:
    holding = [wire for wire, carried in names.items() if field.called in carried or field.name in carried]
    default = (
        ""
        if field.optional or field.declaration.required
        else f" = {write_default(field).replace('NO_ITEMS', '{}')}"
    )
    return FieldRow(
        field.name,
        f"{field.takes}{default}".replace("|", "\\|"),
        describe_field(field).replace("|", "\\|"),
        field.declaration.loss or "",
        _list_wires(node, field, holding, sorted(names)),
    )


def _list_wires(node: NodeClass, field: NodeField, holding: Sequence[str], wires: Sequence[str]) -> str:
    if find_table(node) == "none" or field.declaration.written == "never" or field.name == "kept":
        return "-"
    if field.name in _EVERYWHERE:
        return "all"
    lacking = [f"`{wire}`" for wire in wires if wire not in holding]
    if not lacking or not holding:
        return "none" if lacking else "all"
    if len(lacking) <= len(holding) // 2:
        return f"all but {', '.join(lacking)}"
    return ", ".join([f"`{wire}`" for wire in wires if wire in holding])


def _find_carried(node: NodeClass, wire: WireModel) -> frozenset[str]:
    """Return the fields of a class that a wire supports, by their names in specs."""
    table = find_table(node)
    if table == "options":
        return frozenset(wire.body.carried_options)
    if table == "request":
        return _find_carried_by_request(wire)
    if table == "continuation":
        return wire.body.dotted["continuation"] | {"start"}
    if table == "message":
        names = [name for message in wire.messages.values() for name in message.shape.written_heads]
        return frozenset({*names, "role", "parts"})
    if table == "parts":
        return _find_carried_by_shapes(
            [variant for variant in wire.parts if variant.kind.name == node.declaration.kind]
        )
    union = _OF_UNIONS.get(table, "")
    variants = [
        variant for variant in wire.unions.get(union, ()) if variant.kind.name == node.declaration.kind
    ]
    # for these kinds, the shape is the mode
    mode = (
        {"mode", "kind"}
        if variants and table in ("tool_choice", "response_format", "reasoning")
        else set[str]()
    )
    return _find_carried_by_shapes(variants) | _find_dotted(wire, table) | mode


def _find_carried_by_shapes(variants: Sequence[Variant]) -> frozenset[str]:
    written = [variant for variant in variants if variant.written]
    sources = {variant.source_key for variant in written if variant.source_key is not None}
    return frozenset({name for variant in written for name in variant.carried} | sources)


def _find_dotted(wire: WireModel, head: str) -> frozenset[str]:
    paths = [hole.path for hole in wire.body.shape.written_holes if len(hole.path) == 2]
    return frozenset([field for first, field in paths if first == head])


def _find_carried_by_request(wire: WireModel) -> frozenset[str]:
    continues = {"continuation"} if wire.body.dotted["continuation"] else set[str]()
    body = frozenset({*wire.body.carried, *wire.body.shape.written_heads, *continues, "options", "messages"})
    # some wires have these as messages, and some have the model in the URL
    return body | {"instructions", "model"}
