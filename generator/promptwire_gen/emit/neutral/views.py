"""The classes of nodes: names, types and single expressions for the template that lays them out."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...neutral.node_classes import Module, NodeClass
from ...neutral.source import arguments
from ..python import literal_text
from .class_docs import class_doc
from .constructors import Step, default_of, doubts, fresh, least_numbers, schemas, steps

_PLAIN = "whether nothing optional is given, so that builders may take their fast path."
_FORM = "which usual form it has, for the fast path of builders; empty where more than parts is given."
_SOURCE = "the name of the one field that holds it."
_GIVEN = "the names of the fields that are given."
_GIVEN_UNCOMMON = "the names of the given options and uncommon fields, and what is unusual in its turns."


@dataclass(frozen=True, slots=True)
class ClassView:
    """One class as its template sees it.

    doubts  tests of which one holds where a value may not fit
    schemas fields for which a class may be given that declares a JSON Schema
    held    lines of the node's fields, and of what they hold
    plain   tests that hold for a plain node; `form` is what such a message notes instead of True
    absent  tests that hold where no field is given that is `noted` then
    chosen  what gives the one of `sources` that is given
    """

    node: NodeClass
    base: str
    doc: str
    kind: str | None
    slots: str
    match_args: str
    parameters: tuple[str, ...]
    annotations: tuple[tuple[str, str], ...]
    constants: tuple[tuple[str, str], ...]
    doubts: tuple[str, ...]
    schemas: tuple[str, ...]
    least: dict[str, int]
    steps: tuple[Step, ...]
    sources: tuple[str, ...]
    held: tuple[tuple[str, str], ...]
    plain: tuple[str, ...]
    form: str | None
    chosen: tuple[str, ...]
    absent: tuple[str, ...]
    noted: tuple[str, ...]
    properties: tuple[tuple[str, str, str, str], ...]


def class_views(module: Module) -> list[ClassView]:
    """Prepare every class of a module."""
    return [_view(node) for node in module.nodes]


def _view(node: NodeClass) -> ClassView:
    declaration = node.declaration
    own = [field for field in node.fields if not field.inherited]
    noted = list(_noted(node))
    return ClassView(
        node=node,
        base=", ".join([declaration.base or "Node", *([declaration.methods] if declaration.methods else [])]),
        doc=class_doc(node, [(name, doc) for name, _, doc in noted]),
        kind=declaration.kind if declaration.table in ("tools", "none") else None,
        slots=_tuple([*(field.name for field in own), *(name for name, _, _ in noted)]),
        match_args=_tuple([field.name for field in node.fields if not field.keyword]),
        parameters=tuple(_parameters(node)),
        annotations=(
            *((field.name, field.holds) for field in own),
            *((name, annotation) for name, annotation, _ in noted),
        ),
        constants=tuple(_constants(node)),
        doubts=doubts(node),
        schemas=schemas(node),
        least=least_numbers(node),
        steps=steps(node),
        sources=declaration.sources,
        held=tuple(_held(node)),
        plain=tuple(_plain(node)),
        form=declaration.plain_word,
        chosen=_chosen(declaration.sources),
        absent=tuple([f"{field.name} is None" for field in node.noted]),
        noted=tuple([field.name for field in node.noted]),
        properties=tuple(
            [(name, prop.annotation, prop.doc, _on_self(prop.call)) for name, prop in node.properties.items()]
        ),
    )


def _noted(node: NodeClass) -> Iterator[tuple[str, str, str]]:
    """Give what a node notes about itself when it is made, its base aside: name, annotation and meaning."""
    declaration = node.declaration
    if declaration.plain_word is not None:
        yield "plain", "str", _FORM
    elif declaration.plain and declaration.base is None:
        yield "plain", "bool", _PLAIN
    if declaration.sources:
        yield "source", "str", _SOURCE
    if declaration.given is not None:
        yield "given", "frozenset[str]", _GIVEN if declaration.given == "all" else _GIVEN_UNCOMMON


def _held(node: NodeClass) -> Iterator[tuple[str, str]]:
    """Assign up to three fields on a line: as many as Python assigns without a tuple."""
    for start in range(0, len(node.fields), 3):
        row = node.fields[start : start + 3]
        yield ", ".join([f"node.{field.name}" for field in row]), ", ".join([fresh(field) for field in row])


def _plain(node: NodeClass) -> Iterator[str]:
    declaration = node.declaration
    if declaration.plain or declaration.plain_word:
        yield from [f"{field.name} is None" for field in node.counted]
    if isinstance(declaration.plain, str):
        yield declaration.plain


def _chosen(sources: Sequence[str]) -> tuple[str, ...]:
    names = [literal_text(name) for name in sources]
    tests = [f"{name} if {source} is not None" for name, source in zip(names, sources, strict=True)]
    return (*tests[:-1], *names[-1:])


def _parameters(node: NodeClass) -> Iterator[str]:
    """What the constructor takes, as its signature says it."""
    starred = False
    for field in node.fields:
        if field.keyword and not starred:
            starred = True
            yield "*"
        default = default_of(field)
        yield f"{field.name}: {field.takes}{f' = {default}' if default else ''}"


def _tuple(names: Iterable[str]) -> str:
    """Write names as a tuple; without a comma at the end, ruff puts as many on a line as fit."""
    texts = [literal_text(name) for name in names]
    return f"({texts[0]},)" if len(texts) == 1 else f"({', '.join(texts)})"


def _constants(node: NodeClass) -> Iterator[tuple[str, str]]:
    for field in node.fields:
        if field.declaration.constant is not None:
            yield field.declaration.constant, _tuple(field.declaration.values)
    if node.declaration.given is not None:
        name = "OPTION_NAMES" if node.declaration.given == "all" else "UNCOMMON_FIELDS"
        yield name, _tuple([field.name for field in node.noted])


def _on_self(call: str) -> str:
    """Write a call of a property: its arguments are fields of the node."""
    name = call.partition("(")[0]
    return f"{name}({', '.join([f'self.{argument}' for argument in arguments(call)])})"


def fields_by_name(node: NodeClass) -> list[tuple[str, str]]:
    """The fields that a caller may give by name alone, sources and what belongs to them aside: name and type."""
    sources = node.declaration.sources
    return [
        (field.name, field.takes)
        for field in node.fields
        if field.keyword and field.name not in sources and not (sources and field.declaration.looked_at)
    ]
