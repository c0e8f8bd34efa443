"""Statements that report what a shape cannot be written without, and what it has no place for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..model.neutral import BY_MODEL, FALSE_BY_DEFAULT
from ..model.wire import Alternative
from ..problems import Span
from ..spec.shapes import Hole, Object, Shape
from ..spec.walks import required_choices
from .places import Place
from .python import Statement, attribute, call, code, literal, name
from .python.conditions import any_of, is_given, is_the
from .writing import differ, filled, lost_to_another, written_holes

_NOWHERE = Span("", 1, 1, 1)


def report_missing(shape: Shape, needs: Iterable[Hole], place: Place) -> list[Statement]:
    """Statements that report required holes and choices without a value; the node is then left out."""
    out: list[Statement] = []
    report_as = "build.incomplete" if place.kind and place.kind.name in BY_MODEL else "build.missing"
    for hole in {hole.path: hole for hole in needs}.values():
        test = is_the(place.value(hole), literal(None))
        report = call(report_as, name(place.subject), place.field(hole))
        out.append((f"if {code(test)}:", [f"return {code(report)}"]))
    for choice in required_choices(shape):
        given = filled(choice, place)
        if given is not None:
            first = next(iter(written_holes(choice)))
            report = call(report_as, name(place.subject), place.field(first))
            out.append((f"if not ({code(given)}):", [f"return {code(report)}"]))
    return out


def report_other_forms(shape: Shape, place: Place) -> list[Statement]:
    """Statements that report values which only another form of a required choice could carry."""
    out: list[Statement] = []
    for choice in required_choices(shape):
        word = "if"
        forms = [form for form in choice.forms if written_holes(form)] if differ(choice) else []
        for index, form in enumerate(forms[:-1]):
            own = {hole.path for hole in written_holes(form)}
            later = [hole for other in forms[index + 1 :] for hole in written_holes(other)]
            others = {hole.path: hole for hole in later if hole.path not in own}
            # what always has a value is no sign that the other form was meant
            told = [hole for hole in others.values() if place.given(hole) is not None]
            reports = lost_to_another(told, place)
            test = filled(form, place)
            if test is not None and reports:
                out.append((f"{word} {code(test)}:", reports))
                word = "elif"
    return out


def report_uncarried(fields: Sequence[tuple[str, bool]], place: Place) -> list[Statement]:
    """Statements that report filled fields which this shape has no place for; `True` marks advisory ones."""
    out: list[Statement] = []
    for field_name, advisory in fields:
        hole = Hole((field_name,), _NOWHERE)
        test = place.given(hole)
        report = "build.unused" if advisory else "build.lost"
        statement = code(call(report, name(place.subject), literal(field_name)))
        if field_name in FALSE_BY_DEFAULT and test is not None:
            value = code(place.value(hole))
            unused = code(call("build.unused", name(place.subject), literal(field_name)))
            out.append((f"if {value}:", [statement]))
            out.append((f"elif {value} is not None:", [unused]))
        else:
            out.append((f"if {code(test)}:", [statement]) if test is not None else statement)
    return out


def may_be_hollow(alternative: Alternative) -> bool:
    """Whether a shape of what a model thought requires nothing, so that all that is given may be lost."""
    thought = alternative.union == "part" and alternative.kind.name in BY_MODEL
    return thought and isinstance(alternative.shape, Object) and not alternative.needs


def report_hollow(
    alternative: Alternative, uncarried: Sequence[tuple[str, bool]], place: Place
) -> list[Statement]:
    """Leave out what a model thought as a whole, where nothing of it has a place."""
    if not may_be_hollow(alternative):
        return []
    held = {hole.path[0] for hole in written_holes(alternative.shape)} - {"status", "vendor", "cache"}
    lost = [field for field, advisory in uncarried if not advisory and field not in ("cache", "parts")]
    subject = name(place.subject)
    given = any_of([is_given(attribute(subject, field)) for field in lost])
    kept = any_of([attribute(subject, field) for field in sorted(held)])
    if given is None or kept is None:
        return []
    why = literal("nothing of it has a place here")
    test = f"if ({code(given)}) and not ({code(kept)}):"
    return [(test, [code(call("build.lost", subject, literal(""), why)), "return None"])]
