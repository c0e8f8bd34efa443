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
    """`NAME = Row("field ~other", vendor=..., read_only=...)`.

    fields     the fields in the order of the class, as one text: `name` is unsupported, `~name` ignored, and
               `name?` unsupported if it is true
    vendor     the known options, as a set
    read_only  options that only reading knows -> the keys that lead to each
    """

    name: str
    fields: Expression
    vendor: Expression | None
    read_only: Expression | None
    uses: frozenset[str] = frozenset()
    macro: ClassVar[str] = "row"


def shape_row(
    name: str, fields: list[tuple[str, bool]], vendor: frozenset[str], shape: Shape
) -> WriterRow | None:
    """Return the row of a shape, or None where it would be empty; `True` marks advisory fields."""
    read_only = read_only_options(shape)
    if not (fields or vendor or read_only):
        return None
    return WriterRow(
        name,
        literal(" ".join([_marked(field, advisory=advisory) for field, advisory in fields])),
        frozen_words(sorted(vendor)) if vendor else None,
        literal(dict(read_only)) if read_only else None,
    )


def _marked(field: str, *, advisory: bool) -> str:
    if advisory:
        return f"~{field}"
    return f"{field}?" if field in FALSE_BY_DEFAULT else field


def read_only_options(shape: Shape) -> Mapping[str, tuple[str, ...]]:
    """Return the options that only reading knows -> the keys that lead to each."""
    return dict(_read_only(shape, ())) if isinstance(shape, Object) else {}


def _read_only(shape: Shape, keys: tuple[str, ...]) -> Iterator[tuple[str, tuple[str, ...]]]:
    holes = shape.holes
    if isinstance(shape, Object):
        for entry in shape.fields:
            yield from _read_only(entry.shape, (*keys, entry.key))
        holes = () if shape.extra_keys is None else (shape.extra_keys,)
    for hole in holes if keys else ():
        if hole.path[0] == "vendor" and hole.read_only:
            yield hole.path[1], keys
