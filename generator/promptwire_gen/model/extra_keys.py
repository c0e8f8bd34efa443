"""Checks of keys: of `...`, whose values must be objects, and of keys that hold a vendor option."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence

from promptwire_text.words import is_misspelling

from ..problems import Span, quote
from ..spec.nodes import Scalar
from ..spec.notation import UNPARSED, Notation
from ..spec.shapes import Alternatives, ConstantShape, Hole, Object, Shape
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


def check_option_keys(shape: Shape, notation: Notation) -> None:
    """Reject a key that is nearly the name of the vendor option it holds: one of the two is misspelt."""
    for entry in [entry for piece in shape.pieces if isinstance(piece, Object) for entry in piece.fields]:
        hole = entry.shape
        if not isinstance(hole, Hole) or hole.path[0] != "vendor" or len(hole.path) != 2:
            continue
        option = hole.path[1]
        is_same = _letters(entry.key) == _letters(option)
        if not is_same and is_misspelling(entry.key, option):
            message = f"the key {quote(entry.key)} holds ${hole.name}, which is spelled otherwise"
            notation.problem(
                entry.span, "near-name", message, f"write {option}?: ${hole.name}, or name both alike"
            )


def _letters(name: str) -> str:
    return name.lower().replace("_", "").replace("-", "")


def check_whole_value(key: Scalar, shape: Shape, notation: Notation) -> None:
    """Reject a number as the whole shape of a part or union, because the fields of the node would be lost."""
    if (
        isinstance(shape, ConstantShape)
        and isinstance(shape.value, (int, float))
        and not isinstance(shape.value, bool)
    ):
        message = f"the shape of {quote(str(key.value))} is the number {shape.value}"
        notation.problem(
            shape.span, "bad-shape", message, "write the JSON of the API: an object, a text or a word"
        )


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
