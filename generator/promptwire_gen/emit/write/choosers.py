"""Functions that choose the shape of a node: as it was read, else by what is filled."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

from ...model.dispatch import writing_order
from ...model.wire import Variant
from ..conditions import all_of, any_of, both, equals, negated
from ..field_access import FieldAccess
from ..python import Expression, attribute, call, literal, name
from .reports import ReportCall, missing_forms, missing_values
from .shape_fields import asked_options
from .values import filled


@dataclass(frozen=True, slots=True)
class Pick:
    """A choice of `writer` for a node if its test holds, or always if it has none."""

    test: Expression | None
    writer: str


@dataclass(frozen=True, slots=True)
class Picks:
    """The shapes of fresh nodes, in the order in which they are tried.

    missing  reports of values that are not there, behind which `refusal` reports one that is not taken
    """

    picks: tuple[Pick, ...] = ()
    missing: tuple[ReportCall, ...] = ()
    refusal: Expression | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Choices:
    """All shapes of a kind, or of a medium given by one source.

    vendor      whether some shape asks for options of this API
    remembered  shapes that are written only where the node was read as one of them
    plain       whether a plain node was read as none of those
    """

    variable: str
    vendor: bool
    remembered: tuple[Pick, ...]
    plain: bool
    fresh: Picks

    @property
    def only(self) -> str | None:
        """The function that writes every such node; None where there is a choice."""
        picks = self.fresh.picks
        one = not self.remembered and len(picks) == 1 and picks[0].test is None
        return picks[0].writer if one else None

    @property
    def exhaustive(self) -> bool:
        """Return whether it always writes some shape or makes a report."""
        picks = self.fresh.picks
        return self.fresh.refusal is not None or bool(picks and picks[-1].test is None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Chooser:
    """A function that chooses; `nothing` is the report where no shape fits, None where some shape always does."""

    name: str
    node: str
    doc: str
    choices: Choices
    nothing: Expression | None
    macro: ClassVar[str] = "chooser"

    @property
    def only(self) -> str | None:
        """The function that always writes the node, if there is nothing to choose."""
        return self.choices.only


def chooser(
    function: str, variants: Sequence[Variant], access: FieldAccess, doc: str, nothing: Expression | None
) -> Chooser:
    """Return the function that picks the shape of a node; `nothing` is reported where none may fit."""
    chosen = choices(variants, access)
    left = None if chosen.exhaustive else nothing
    return Chooser(name=function, node=variants[0].kind.cls, doc=doc, choices=chosen, nothing=left)


def choices(variants: Sequence[Variant], access: FieldAccess) -> Choices:
    """Return the shapes in the order in which they are tried; those of a medium are given by one source."""
    return Choices(
        variable=access.subject,
        vendor=any(hole.path[0] == "vendor" for a in variants for hole in a.shape.required_holes),
        remembered=tuple([_remembered(a, access) for a in variants if not a.written]),
        plain=variants[0].kind.plain,
        fresh=_by_needs(writing_order(variants), access),
    )


def _remembered(variant: Variant, access: FieldAccess) -> Pick:
    is_remembered = equals(name("shape"), literal(variant.remembered))
    return _pick(both(is_remembered, fits(variant, access)), variant)


def _pick(test: Expression | None, variant: Variant) -> Pick:
    return Pick(test, f"write_{variant.label}")


def _by_needs(ordered: Sequence[Variant], access: FieldAccess) -> Picks:
    """Return the shape whose holes are all filled; failing that, one with some filled, which names the missing ones."""
    picks: list[Pick] = []
    open_ended: list[Variant] = []
    for variant in ordered:
        fitting = fits(variant, access)
        guarded = is_guarded(variant)
        if fitting is None or (len(ordered) == 1 and not guarded):
            return Picks((*picks, _pick(None, variant)))
        picks.append(_pick(fitting, variant))
        if not guarded:
            open_ended.append(variant)
    if len(ordered) == 1 and ordered[0].named is None:
        # the only shape accepts some values; an absent value is reported as missing
        missing = missing_values(ordered[0].required_fields, access) + missing_forms(ordered[0].shape, access)
        return Picks(tuple(picks), missing, _refusal(ordered[0], access.subject))
    # a shape that requires a vendor option is never a fallback
    open_ended = [a for a in open_ended if not asked_options(a)] or open_ended
    for variant in open_ended[:-1]:
        given = [access.given(hole) for hole in variant.required_fields]
        complete = any_of([test for test in given if test is not None])
        picks += [] if complete is None else [_pick(complete, variant)]
    picks += [_pick(None, variant) for variant in open_ended[-1:]]
    return Picks(tuple(picks))


def _refusal(variant: Variant, subject: str) -> Expression | None:
    """Of the one shape for a source, name the value that it does not take, and those that it takes."""
    guarded = [hole for hole in variant.shape.required_holes if hole.guard is not None and not hole.fixed]
    if variant.source_key is None or len(guarded) != 1 or len(guarded[0].path) != 1:
        return None
    words = str(guarded[0].guard).replace("|", ", ")
    why = literal(f"its {guarded[0].path[0]} must match {words} for this API")
    return call("build.lost", name(subject), literal(""), why)


def by_slot(variants: Sequence[Variant]) -> list[list[Variant]]:
    """Group shapes of one kind by where they land: only read ones first, those that need the least last."""
    slots: dict[str, list[Variant]] = {}
    for variant in variants:
        slots.setdefault(variant.slot, []).append(variant)
    return sorted(slots.values(), key=_eagerness)


def _eagerness(variants: Sequence[Variant]) -> tuple[bool, int]:
    writable = [variant for variant in variants if variant.written]
    return bool(writable), -min((len(variant.required_fields) for variant in writable), default=0)


def fits_one_of(variants: Sequence[Variant], access: FieldAccess) -> Expression:
    """Build the test that a node was read as one of these shapes, or fits one that a fresh build may write."""
    shape = call("build.shape_of", name(access.subject))
    tests: list[Expression] = []
    for variant in variants:
        own = [] if variant.written else [equals(shape, literal(variant.remembered))]
        if variant.source_key is not None:
            own.append(equals(attribute(name(access.subject), "source"), literal(variant.source_key)))
        if (test := all_of([*own, fits(variant, access)])) is not None:
            tests.append(test)
    fitting = any_of(tests)
    assert fitting is not None
    if any(variant.written for variant in variants) or not variants[0].kind.plain:
        return fitting
    return both(negated(attribute(name(access.subject), "is_plain")), fitting)


def fits(variant: Variant, access: FieldAccess) -> Expression | None:
    """Return the test whether a shape can write a node: its type where the key states one, and its holes."""
    test = filled(variant.shape, access, variant.source_key)
    if variant.named is None:
        return test
    return both(equals(attribute(name(access.subject), "type"), literal(variant.named)), test)


def is_guarded(variant: Variant) -> bool:
    """Return whether a shape accepts only some values."""
    return variant.named is not None or any(hole.guard is not None for hole in variant.shape.required_holes)
