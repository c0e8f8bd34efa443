"""The choice among the shapes of a node: the one that it was read as, or the first whose required values are given."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ...model.dispatch import writing_order
from ...model.wire import Variant
from ...spec.shapes import Hole
from ..field_holder import FieldHolder, Test


@dataclass(frozen=True)
class ShapeChoice:
    """The shapes of a kind in turn, each with its tests.

    Attributes:
        remembered: Shapes that are written only where the node was read as one of them.
        fresh: The shapes of other nodes; the last may need no test.
        lone: The only shape, if it accepts only some values: an absent one is reported as missing.
        refused: The value that the only shape for a source does not take.
    """

    variants: Sequence[Variant]
    remembered: Sequence[tuple[Variant, list[Test]]]
    fresh: Sequence[tuple[Variant, list[Test]]]
    lone: Variant | None = None
    refused: Hole | None = None

    @property
    def asks_options(self) -> bool:
        """Return whether some shape requires an option of this API."""
        return any(variant.required_options for variant in self.variants)

    @property
    def exhaustive(self) -> bool:
        """Return whether it always writes some shape or reports a value."""
        return self.refused is not None or (bool(self.fresh) and not self.fresh[-1][1])

    @property
    def only(self) -> Variant | None:
        """The shape that always writes the node; None where there is a choice."""
        lone = not self.remembered and len(self.fresh) == 1 and not self.fresh[0][1]
        return self.fresh[0][0] if lone else None


def choice_of(variants: Sequence[Variant], subject: FieldHolder) -> ShapeChoice:
    """Return the shapes in the order in which they are tried; those of a medium are given by one source."""
    remembered = [(each, subject.list_fitting_tests(each)) for each in variants if not each.written]
    ordered = writing_order(variants)
    fresh: list[tuple[Variant, list[Test]]] = []
    for each in ordered:
        if not subject.list_fitting_tests(each) or (len(ordered) == 1 and not is_guarded(each)):
            return ShapeChoice(variants, remembered, [*fresh, (each, [])])
        fresh.append((each, subject.list_fitting_tests(each)))
    if len(ordered) == 1 and ordered[0].named is None:
        return ShapeChoice(variants, remembered, fresh, ordered[0], _refused(ordered[0]))
    left = [each for each in ordered if not is_guarded(each)]
    # a shape that requires an option of the API is never a fallback
    left = [each for each in left if not _asks_options(each)] or left
    # failing a whole one, a shape with some value filled names the missing ones
    for each in left[:-1]:
        groups = [
            (Test("given", hole),) for hole in each.required_fields if not subject.is_always_given(hole)
        ]
        if groups:
            fresh.append((each, [groups[0][0] if len(groups) == 1 else Test("some", groups=tuple(groups))]))
    return ShapeChoice(variants, remembered, [*fresh, *[(each, []) for each in left[-1:]]])


def is_guarded(variant: Variant) -> bool:
    """Return whether a shape accepts only some values."""
    return variant.named is not None or any(hole.guard is not None for hole in variant.shape.required_holes)


def by_slot(variants: Sequence[Variant]) -> list[list[Variant]]:
    """Group shapes of one kind by where they land: only read ones first, those that need the least last."""
    slots: dict[str, list[Variant]] = {}
    for variant in variants:
        slots.setdefault(variant.slot, []).append(variant)
    return sorted(slots.values(), key=_eagerness)


def _eagerness(variants: Sequence[Variant]) -> tuple[bool, int]:
    writable = [variant for variant in variants if variant.written]
    return bool(writable), -min((len(variant.required_fields) for variant in writable), default=0)


def _asks_options(variant: Variant) -> bool:
    return any(hole.own and not hole.fixed for hole in variant.shape.required_holes)


def _refused(variant: Variant) -> Hole | None:
    """Return the value that the one shape for a source does not take."""
    guarded = [hole for hole in variant.shape.required_holes if hole.guard is not None and not hole.fixed]
    known = variant.source_key is not None and len(guarded) == 1 and len(guarded[0].path) == 1
    return guarded[0] if known else None
