"""Imports that depend on a wire. Templates name all others that a module may need; ruff leaves out unused ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ..model.neutral import KINDS
from ..model.offers import ShapeFilter
from ..model.wire import WireModel

# the name of a plugin's dialect function in generated code
DIALECT = "adapt_schema"


def get_function_name(reference: str) -> str:
    """Return the name by which code calls a `module:function`."""
    return reference.partition(":")[2]


class ImportedName(NamedTuple):
    """A name that a module imports, and its name there if it has another."""

    module: str
    name: str
    alias: str = ""


def make_import(reference: str, alias: str = "") -> ImportedName:
    """Return the import of a `module:function`, under another name if there is one."""
    module, _, function = reference.partition(":")
    return ImportedName(module, function, alias)


def import_filters(words: Iterable[str], filters: Mapping[str, ShapeFilter]) -> dict[str, ImportedName]:
    """Return the functions of some filters: name -> import."""
    rows = [filters[word] for word in words]
    references = [function for row in rows for function in (row.writes, row.reads) if function is not None]
    return {get_function_name(reference): make_import(reference) for reference in references}


def import_for_shapes(model: WireModel, filters: Mapping[str, ShapeFilter]) -> dict[str, ImportedName]:
    """Return the imports that writers and readers may need: node classes, their makers, filters, a dialect."""
    names = {kind.cls: ImportedName(f"promptwire_runtime.model.{kind.module}", kind.cls) for kind in KINDS}
    names |= {
        kind.maker: ImportedName(f"promptwire_runtime.model.{kind.module}", kind.maker)
        for kind in KINDS
        if kind.made
    }
    messages = [message.shape for message in model.messages.values()]
    shapes = [model.body.shape, *messages, *(variant.shape for variant in model.variants)]
    used = [filter_.name for shape in shapes for hole in shape.holes for filter_ in hole.filters]
    names |= import_filters(dict.fromkeys(used), filters)
    if model.dialect is not None:
        names[DIALECT] = make_import(model.dialect.function, DIALECT)
    return names
