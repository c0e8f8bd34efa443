"""Checks of `...`: values that are merged into an object must be objects."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from ..problems import Span, quote
from ..spec.notation import UNPARSED, Notation
from ..spec.shapes import Alternatives, Hole, Object, Shape
from .holes import type_of
from .neutral import UNIONS, Kind
from .wire import Variant

# types that may be objects; vendor options have no type
_WITH_KEYS = (None, "object", "json", "arguments")


def check_extra_keys(shape: Shape, kind: Kind | None, notation: Notation) -> None:
    """Reject `...` with a field that is never an object; `kind` is None for the request."""
    for rest in _extra_keys(shape):
        type_name = type_of(rest, kind)
        if rest.path != UNPARSED and type_name not in (*_WITH_KEYS, *UNIONS):
            message = f"{quote('$' + rest.name)} is {type_name}, which has no keys to stand among others"
            notation.problem(rest.span, "bad-rest", message, f"give it a key of its own: key: ${rest.name}")


def check_spread(
    body: Shape, unions: Mapping[str, Sequence[Variant]], broken: Collection[str], notation: Notation
) -> None:
    """Reject union shapes that are not objects where the body merges them into its keys."""
    for rest in _extra_keys(body):
        for variant in unions.get(rest.name, ()):
            if f"{variant.union}.{variant.key}" not in broken and not _has_keys(variant.shape, variant.kind):
                message = f"{quote(variant.key)} must be a mapping: its keys stand among others"
                hint = f"...: ${rest.name} is at {_at(rest.span)}"
                notation.problem(variant.shape.span, "bad-rest", message, hint)


def _extra_keys(shape: Shape) -> Iterator[Hole]:
    return (
        piece.extra_keys
        for piece in shape.pieces
        if isinstance(piece, Object) and isinstance(piece.extra_keys, Hole)
    )


def _has_keys(shape: Shape, kind: Kind) -> bool:
    if isinstance(shape, Alternatives):
        return all(_has_keys(form, kind) for form in shape.forms)
    return isinstance(shape, Object) or (isinstance(shape, Hole) and type_of(shape, kind) in _WITH_KEYS)


def _at(span: Span) -> str:
    return f"{span.file}:{span.line}"
