"""Checks of the forms of one key (`or`): each must be written for some value, or read from some JSON."""

from __future__ import annotations

from collections.abc import Mapping

from ..problems import quote
from ..spec.notation import Notation
from ..spec.shapes import Alternatives, ConstantShape, Hole, Interpolation, Listing, Object, Shape, Tolerated
from .filters import ShapeFilter


def check_forms(shape: Shape, filters: Mapping[str, ShapeFilter], notation: Notation) -> None:
    """Reject forms after one that takes all their values, unless reading can distinguish them."""
    for piece in shape.pieces:
        if isinstance(piece, Alternatives):
            _check(piece.forms, filters, notation)


def _check(forms: tuple[Shape, ...], filters: Mapping[str, ShapeFilter], notation: Notation) -> None:
    for index, later in enumerate(forms):
        for earlier in forms[:index]:
            if not _written(earlier) <= _written(later) or not _written(earlier):
                continue
            if _looks(earlier, filters) == _looks(later, filters):
                message = "this form is never written or read: one before it takes the same values"
                notation.problem(later.span, "never-written", message, f"it stands at {_at(earlier)}")
                break
            narrow = _narrow(earlier, filters)
            if narrow is not None:
                message = f"{quote(narrow)} takes some values only, and this form would take the others"
                notation.problem(later.span, "never-written", message, f"write it before {_at(earlier)}")
                break


def _at(form: Shape) -> str:
    return f"{form.span.file}:{form.span.line}:{form.span.column}"


def _written(form: Shape) -> set[tuple[str, ...]]:
    """Return the fields that must be given for a form to be written; a guard takes only some values."""
    if any(hole.read_only or hole.guard is not None for hole in form.holes):
        return set()
    return {hole.path for hole in form.required_holes}


def _narrow(form: Shape, filters: Mapping[str, ShapeFilter]) -> str | None:
    """Return the filter of a form that takes only some values of its field."""
    names = [filter_.name for hole in form.required_holes for filter_ in hole.filters]
    return next((name for name in names if name in filters and filters[name].narrow), None)


def _looks(form: Shape, filters: Mapping[str, ShapeFilter]) -> object:
    """Return what the JSON of a form looks like; of two forms with equal results, reading always takes the first."""
    match form:
        case ConstantShape(value=value):
            return type(value), value
        case Tolerated(values=values):
            return "one of", values
        case Hole(filters=()):
            return "value", form.path, form.listed
        case Hole():
            last = filters.get(form.filters[-1].name)
            looks = last.result if last is not None else "any"
            return (looks, form.path) if looks == "any" else looks
        case Interpolation(texts=texts):
            return "text", texts
        case Listing(items=shapes):
            return "list", tuple([_looks(element, filters) for element in shapes])
        case Object():
            keys = [(entry.key, entry.optional, _looks(entry.shape, filters)) for entry in form.fields]
            return "object", tuple(keys), form.extra_keys is not None
        case Alternatives(forms=shapes):
            return "or", tuple([_looks(alternative, filters) for alternative in shapes])
