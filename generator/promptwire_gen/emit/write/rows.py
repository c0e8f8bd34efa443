"""One row of data a shape: the fields that no key of it carries, and the options of this API that it knows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import ClassVar

from ...model.neutral import FALSE_BY_DEFAULT
from ...spec.shapes import Object, Shape
from ..python import Expression, frozen_words, literal


@dataclass(frozen=True, slots=True)
class WriterRow:
    """`NAME = Row("field ~other", vendor=..., read_only=..., answered=...)`.

    fields     the fields in the order of the class, as one text: `name` is unsupported, `~name` ignored, and
               `name?` unsupported if it is true
    vendor     the known options, as a set
    read_only  options that only reading knows -> the keys that lead to each
    answered   the same of fields that answers have beside the source of the node, and requests do not repeat
    """

    name: str
    fields: Expression
    vendor: Expression | None
    read_only: Expression | None
    answered: Expression | None = None
    macro: ClassVar[str] = "row"


def shape_row(
    name: str,
    fields: list[tuple[str, bool]],
    vendor: frozenset[str],
    shape: Shape,
    beside: frozenset[str] = frozenset(),
) -> WriterRow | None:
    """Return the row of a shape, or None where it would be empty; `True` marks advisory fields.

    `beside` are the fields that an answer has beside the source of the node.
    """
    read_only = read_only_options(shape)
    answered = {field: keys for field, keys in _read_only_holes(shape) if field in beside}
    if not (fields or vendor or read_only or answered):
        return None
    return WriterRow(
        name,
        literal(" ".join([_marked(field, advisory=advisory) for field, advisory in fields])),
        frozen_words(sorted(vendor)) if vendor else None,
        literal(dict(read_only)) if read_only else None,
        literal(answered) if answered else None,
    )


def _marked(field: str, *, advisory: bool) -> str:
    if advisory:
        return f"~{field}"
    return f"{field}?" if field in FALSE_BY_DEFAULT else field


def read_only_options(shape: Shape) -> Mapping[str, tuple[str, ...]]:
    """Return the options that only reading knows -> the keys that lead to each."""
    holes = _read_only_holes(shape)
    return {name.removeprefix("vendor."): keys for name, keys in holes if name.startswith("vendor.")}


def _read_only_holes(shape: Shape) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the fields that only reading knows, with the keys that lead to each."""
    return _read_only(shape, ()) if isinstance(shape, Object) else iter(())


def _read_only(shape: Shape, keys: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    holes = shape.holes
    if isinstance(shape, Object):
        for entry in shape.fields:
            yield from _read_only(entry.shape, (*keys, entry.key))
        holes = () if shape.extra_keys is None else (shape.extra_keys,)
    for hole in holes if keys else ():
        if hole.read_only:
            yield hole.name, keys
