"""The JSON of a shape as one expression, and the test whether a node fills it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

from ...spec.shapes import Alternatives, ConstantShape, Hole, Interpolation, Listing, Object, Shape, Tolerated
from ...spec.walks import required_choices
from ..conditions import all_of, any_of, conditional
from ..field_access import FieldAccess
from ..python import Expression, display, each, interpolation, listing, literal, name


def value_of(shape: Shape, access: FieldAccess) -> Expression:
    """Write a shape whose required holes are all filled."""
    match shape:
        case Hole():
            return access.written(shape)
        case ConstantShape():
            return literal(shape.value)
        case Interpolation():
            return interpolation(shape.texts, [access.written(hole) for hole in shape.holes])
        case Object():
            return object_of(shape, access)
        case Listing():
            return _list_of(shape, access)
        case Alternatives():
            return _first_form(shape, access)
        case Tolerated():
            raise AssertionError("tolerated constants are never written")


def object_of(shape: Object, access: FieldAccess, *spread: Expression) -> Expression:
    """Return the display of an object's required keys, and of what is spread behind them."""
    return display([(entry.key, value_of(entry.shape, access)) for entry in shape.required], *spread)


def _list_of(shape: Listing, access: FieldAccess) -> Expression:
    repeated = [hole for hole in shape.written_holes if hole.listed and access.type_of(hole) == "strings"]
    if not repeated:
        return listing([value_of(element, access) for element in shape.items])
    place = _Element.of(access, repeated[0])
    return each(value_of(shape.items[0], place), "one", access.value(repeated[0]))


@dataclass(slots=True)
class _Element(FieldAccess):
    """The place inside a repeated element: its listed hole is the loop variable."""

    listed: Hole | None = None

    @classmethod
    def of(cls, access: FieldAccess, listed: Hole) -> Self:
        """Return the same place, but for the hole that is `listed`."""
        element = cls.like(access)
        element.listed = listed
        return element

    def written(self, hole: Hole) -> Expression:
        """Return the loop variable, or any other value of the node."""
        return name("one") if hole is self.listed else super().written(hole)


def _first_form(shape: Alternatives, access: FieldAccess) -> Expression:
    """Choose the first form whose holes are filled; the last one that can be reached needs no test."""
    forms = [form for form in shape.forms if _writable(form)]
    tests = [filled(form, access) for form in forms]
    texts = [None if test is None else test.text for test in tests]
    # some form is filled, so if the remaining ones share a test, or one has none, the first of them applies
    end = next(i for i, text in enumerate(texts) if text is None or set(texts[i:]) == {text})
    result = value_of(forms[end], access)
    for form, test in zip(reversed(forms[:end]), reversed(tests[:end]), strict=True):
        assert test is not None
        result = conditional(test, value_of(form, access), result)
    return result


def _writable(form: Shape) -> bool:
    return not isinstance(form, Tolerated)


def filled(shape: Shape, access: FieldAccess, source: str | None = None) -> Expression | None:
    """Return the test whether everything that a shape requires is there, its source aside; None when it always is."""
    tests: list[Expression] = []
    paths: set[tuple[str, ...]] = set()
    for hole in shape.required_holes:
        test = access.given(hole)
        if hole.path not in paths and test is not None and not takes_words(hole) and hole.path != (source,):
            paths.add(hole.path)
            tests.append(test)
        if hole.guard is not None:
            tests.append(access.guarded(access.value(hole), hole))
    for choice in required_choices(shape):
        forms = [filled(form, access) for form in choice.forms if _writable(form)]
        unique = {test.text: test for test in forms if test is not None}
        if unique and all(test is not None for test in forms):
            tests.append(any_of(list(unique.values())) or literal(True))
    return all_of(tests)


def takes_words(hole: Hole) -> bool:
    """Return whether a hole accepts only certain words and never None; vendor options may be missing."""
    return hole.guard is not None and "*" not in hole.guard and hole.path[0] != "vendor"


def differ(shape: Alternatives) -> bool:
    """Return whether the forms of a choice write different holes, so that a form may omit a value of another."""
    paths = [{hole.path for hole in form.written_holes} for form in shape.forms]
    return any(path != paths[0] for path in paths)
