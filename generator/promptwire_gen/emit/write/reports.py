"""Report calls of generated code: missing values, and values without a key."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ...model.neutral import BY_MODEL
from ...model.wire import Variant
from ...problems import Span
from ...spec.shapes import Hole, Object, Shape
from ...spec.walks import required_choices
from ..conditions import all_of, any_of, inverted, is_given, is_missing, negated
from ..field_access import FieldAccess
from ..python import Expression, attribute, call, literal, name
from .values import differ, filled

_NOWHERE = Span("", 1, 1, 1)


@dataclass(frozen=True, slots=True)
class ReportCall:
    """A call that reports something, where its test holds; without a test, always."""

    test: Expression | None
    call: Expression


@dataclass(frozen=True, slots=True)
class Branch:
    """A test, and what is reported where it holds."""

    test: Expression
    reports: tuple[ReportCall, ...]


def missing_values(needs: Iterable[Hole], access: FieldAccess) -> tuple[ReportCall, ...]:
    """Required holes without a value; the node is then left out."""
    return tuple(
        [
            ReportCall(is_missing(access.value(hole)), _missing(access, hole))
            for hole in {hole.path: hole for hole in needs}.values()
        ]
    )


def missing_forms(shape: Shape, access: FieldAccess) -> tuple[ReportCall, ...]:
    """Required choices of which no form is filled; the node is then left out."""
    reports: list[ReportCall] = []
    for choice in required_choices(shape):
        is_complete = filled(choice, access)
        if is_complete is not None:
            first = next(iter(choice.written_holes))
            reports.append(ReportCall(inverted(is_complete), _missing(access, first)))
    return tuple(reports)


def _missing(access: FieldAccess, hole: Hole) -> Expression:
    report_as = "build.incomplete" if access.kind and access.kind.name in BY_MODEL else "build.missing"
    return call(report_as, name(access.subject), access.field(hole))


def lost_to_another(holes: Iterable[Hole], access: FieldAccess) -> tuple[ReportCall, ...]:
    """Values that only the other forms of a key, which are not written, could carry."""
    reports: list[ReportCall] = []
    for hole in holes:
        field = access.kind.fields.get(hole.path[0]) if access.kind is not None else None
        if field is not None and field.advisory:
            report = call("build.unused", name(access.subject), access.field(hole))
        else:
            why = literal("another form of the same key is written")
            report = call("build.lost", name(access.subject), access.field(hole), why)
        reports.append(ReportCall(access.given(hole), report))
    return tuple(reports)


def lost_to_written_form(shape: Shape, access: FieldAccess) -> tuple[tuple[Branch, ...], ...]:
    """For each required choice: where a form is written, the values that only a later one could carry."""
    branch_groups: list[tuple[Branch, ...]] = []
    always_written = {hole.path for hole in shape.required_holes}
    for choice in required_choices(shape):
        branches: list[Branch] = []
        forms = [form for form in choice.forms if form.written_holes] if differ(choice) else []
        for index, form in enumerate(forms[:-1]):
            paths = always_written | {hole.path for hole in form.written_holes}
            later = [hole for other in forms[index + 1 :] for hole in other.written_holes]
            others = {hole.path: hole for hole in later if hole.path not in paths}
            # a field that always has a value does not indicate the other form
            losses = [hole for hole in others.values() if access.given(hole) is not None]
            reports = lost_to_another(losses, access)
            test = filled(form, access)
            if test is not None and reports:
                branches.append(Branch(test, reports))
        if branches:
            branch_groups.append(tuple(branches))
    return tuple(branch_groups)


def unplaced(fields: Sequence[tuple[str, bool]], access: FieldAccess) -> tuple[ReportCall, ...]:
    """Filled fields of any node that this shape has no place for; `True` marks advisory ones."""
    reports: list[ReportCall] = []
    subject = name(access.subject)
    for field, advisory in fields:
        hole = Hole((field,), _NOWHERE)
        report = call("build.unused" if advisory else "build.lost", subject, literal(field))
        reports.append(ReportCall(access.given(hole), report))
    return tuple(reports)


def may_be_hollow(variant: Variant) -> bool:
    """Return whether a reasoning shape requires nothing, so that all given fields may be lost."""
    thought = variant.union == "part" and variant.kind.name in BY_MODEL
    return thought and isinstance(variant.shape, Object) and not variant.required_fields


def hollow(variant: Variant, fields: Sequence[tuple[str, bool]], access: FieldAccess) -> ReportCall | None:
    """Build the report of a reasoning part that is left out because its fields have no keys."""
    if not may_be_hollow(variant):
        return None
    heads = {hole.path[0] for hole in variant.shape.written_holes} - {"status", "vendor", "cache"}
    lost = [field for field, advisory in fields if not advisory and field not in ("cache", "parts")]
    subject = name(access.subject)
    given = any_of([is_given(attribute(subject, field)) for field in lost])
    written = any_of([attribute(subject, field) for field in sorted(heads)])
    if given is None or written is None:
        return None
    why = literal("this API has no place for thinking in this form")
    return ReportCall(all_of([given, negated(written)]), call("build.lost", subject, literal(""), why))
