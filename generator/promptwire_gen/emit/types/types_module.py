"""The module of a wire's types: what `templates/module/types.py.j2` lays out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ...model.filters import ShapeFilter
from ...model.wire import WireModel
from ..inheritance import Inherited, content_of
from .definitions import TypeDefinition
from .records import type_definitions


@dataclass(frozen=True, slots=True)
class TypesModule:
    """The types that a wire's module defines, in order, and those that it takes from its parents."""

    title: str
    parent: str | None
    inherited: Sequence[Inherited]
    definitions: Sequence[TypeDefinition]
    names: Sequence[str]


def types_module(model: WireModel, filters: Mapping[str, ShapeFilter]) -> TypesModule:
    """Every type of the JSON of a wire; `Body` is the whole body."""
    content = content_of(model, lambda wire: type_definitions(wire, filters))
    return TypesModule(
        model.title,
        model.extends,
        content.inherited,
        content.own,
        [definition.name for definition in content.definitions],
    )
