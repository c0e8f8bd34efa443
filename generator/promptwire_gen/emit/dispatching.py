"""Functions that find the shape of one element, read it, and remember how it was spelled."""

from __future__ import annotations

from collections.abc import Sequence

from ..model.dispatch import reading_order
from ..model.wire import Alternative
from ..spec.shapes import Object
from .function import Function
from .matching import matches
from .places import Place
from .printing import code
from .python import Statement, literal


def dispatch(
    function: str,
    alternatives: Sequence[Alternative],
    places: dict[str, Place],
    returns: str,
    fallback: str,
    doc: str,
) -> Function:
    """The function that finds the shape of one element, reads it and remembers its spelling."""
    header = f"def {function}(found: Any, reader: Reader) -> {returns}:"
    body: list[Statement] = []
    for alternative in reading_order(alternatives):
        place = places[alternative.label]
        test = matches(alternative.shape, "found", place)
        block = remembering(alternative)
        if test is None:
            return Function(header, doc, [*body, *block])
        body.append((f"if {code(test)}:", block))
    body.append(f"return {fallback}")
    return Function(header, doc, body)


def remembering(alternative: Alternative) -> list[Statement]:
    """Statements that read a shape and keep what a fresh build would write differently."""
    label = alternative.label
    if not isinstance(alternative.shape, Object):
        if alternative.variant is None:
            return [f"return read_{label}(found, reader)"]
        return [f"return reader.spelled(read_{label}(found, reader), {code(literal(alternative.variant))})"]
    if alternative.union == "cache":
        return [f"return read_{label}(found, reader)"]
    variant = f", {code(literal(alternative.variant))}" if alternative.variant is not None else ""
    return [f"return reader.remember(read_{label}(found, reader), write_{label}, found{variant})"]
