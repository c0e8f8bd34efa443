"""Placement of parts in messages, and the choice among the shapes of a node.

A node is written as the shape that it was read as, or as the first whose required values are given.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...model.dispatch import order_for_writing
from ...model.neutral import ROLES
from ...model.wire import Variant, WireModel
from ...spec.shapes import Hole
from ..field_holder import FieldHolder, Test
from ..text_shapes import find_bare_text
from .node import may_be_hollow

_ORDER = ("text", "tool_call", "tool_result", "image")
_ORDER_OF_RESULTS = ("tool_result", "text", "image")
_RESULTS = frozenset({"tool_result", "custom_tool_result", "hosted_result"})
_PAYLOADS = frozenset({"signature", "encrypted", "redacted"})
_PAYLOADS_OF_TEXT = frozenset({"citations", "logprobs"})


class Placing:
    """The kinds of parts in the messages of each role of one wire, and inside other parts."""

    def __init__(self, model: WireModel) -> None:
        """`model` is the wire."""
        self.model = model
        self._kinds: dict[str, dict[str, list[Variant]]] = {}

    @cached_property
    def roles(self) -> list[str]:
        """Return the roles whose messages have a form on this wire."""
        return [role for role in ROLES if role in self.model.messages or self.list_kinds(role)]

    @cached_property
    def holders(self) -> list[str]:
        """Return the roles, and the kinds of parts that contain parts."""
        return [*ROLES, *(role for role in self.model.content_roles if role not in ROLES)]

    def list_kinds(self, holder: str) -> dict[str, list[Variant]]:
        """Return part kind -> the shapes that a role or a kind of part may contain, frequent kinds first."""
        if holder not in self._kinds:
            self._kinds[holder] = self._find_kinds(holder)
        return self._kinds[holder]

    def _find_kinds(self, holder: str) -> dict[str, list[Variant]]:
        model = self.model
        slots = {slot for slot, _ in model.messages[holder].slots} if holder in model.messages else set[str]()
        if holder in model.content_roles:
            slots.add("content")
        kinds: dict[str, list[Variant]] = {}
        for part in model.list_parts_of(holder):
            placed = holder in model.content_roles or may_stand_in(holder, part)
            if placed and (part.standalone or part.slot in slots):
                kinds.setdefault(part.mode, []).append(part)
        order = _ORDER_OF_RESULTS if holder == "tool" else _ORDER
        rank = {kind: index for index, kind in enumerate(order)}
        return dict(sorted(kinds.items(), key=lambda pair: rank.get(pair[0], len(rank))))

    def group_shapes(self, holder: str, *, nested: bool) -> dict[str, list[list[Variant]]]:
        """Return part kind -> its shapes by slot; the slot that takes the remaining parts comes last."""
        shape = self.model.messages.get(holder)
        own_slots = {slot for slot, _ in shape.slots} if shape is not None else set[str]()
        slots = {"content"} if nested else own_slots | {"messages", "results"}
        kinds = {
            kind: [
                variant
                for variant in variants
                if variant.slot in slots and (nested or may_stand_in(holder, variant))
            ]
            for kind, variants in self.list_kinds(holder).items()
        }
        return {kind: group_by_slot(variants) for kind, variants in kinds.items() if variants}

    def find_writer(self, variants: Sequence[Variant]) -> tuple[str, bool]:
        """Return the function that writes parts of one kind in one slot, and whether it always finds a shape."""
        first = variants[0]
        if _is_alone(variants):
            return f"write_{first.label}", not (first.required_fields or may_be_hollow(first))
        return self.choosers[_list_labels(variants)][0], False

    @cached_property
    def choosers(self) -> dict[tuple[str, ...], tuple[str, list[Variant]]]:
        """Return the functions that choose among shapes of a kind: labels of the shapes -> name and shapes."""
        groups: dict[tuple[str, ...], tuple[str, list[Variant]]] = {}
        for holder in self.holders:
            depths = {holder in self.model.content_roles, False}
            for shapes in (self.group_shapes(holder, nested=nested) for nested in sorted(depths)):
                for variants in (
                    variants for slots in shapes.values() for variants in slots if not _is_alone(variants)
                ):
                    where = f"{variants[0].mode}_in_{holder}_{variants[0].slot}"
                    groups.setdefault(_list_labels(variants), (where.removesuffix("_content"), variants))
        modes = Counter(variants[0].mode for _, variants in groups.values())
        return {
            labels: (f"write_any_{kind if modes[kind] == 1 else place}", variants)
            for labels, (place, variants) in groups.items()
            for kind in (variants[0].mode,)
        }

    def find_bare_text(self, role: str) -> Variant | None:
        """Return the shape of plain text in this role, where text may collapse."""
        return find_bare_text(self.model, role)

    @cached_property
    def signed(self) -> bool:
        """Return whether messages may hold signed payloads or file ids that only their own API accepts."""
        files = any(hole.path == ("file_id",) for variant in self.model.parts for hole in variant.shape.holes)
        return files or bool(find_payloads(self.model.parts))


def _is_alone(variants: Sequence[Variant]) -> bool:
    """Return whether there is no choice: one shape, which a fresh build writes for every part of its kind."""
    return (
        len(variants) == 1
        and variants[0].written
        and not variants[0].kind.sources
        and not is_guarded(variants[0])
    )


def _list_labels(variants: Sequence[Variant]) -> tuple[str, ...]:
    return tuple([variant.label for variant in variants])


def may_stand_in(role: str, part: Variant) -> bool:
    """Return whether a message of this role may hold such a part; a tool message holds only results."""
    return role != "tool" or part.standalone or part.mode in _RESULTS


def find_payloads(variants: Iterable[Variant]) -> tuple[str, ...]:
    """Return the fields of parts that only their own API can read: signatures, encrypted text, citations."""
    names = {
        hole.path[0]
        for variant in variants
        for hole in variant.shape.holes
        if hole.path[0] in _PAYLOADS or (variant.kind.name == "text" and hole.path[0] in _PAYLOADS_OF_TEXT)
    }
    return tuple(sorted(names))


@dataclass(frozen=True)
class ShapeChoice:
    """The shapes of a kind in turn, each with its tests.

    Attributes:
        remembered: Shapes that are written only where the node was read as one of them.
        fresh: The shapes of other nodes; the last may need no test.
        lone: The shape that asks for most, if all accept only some values: an absent one is reported as missing.
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


def order_choice(variants: Sequence[Variant], subject: FieldHolder) -> ShapeChoice:
    """Return the shapes in the order in which they are tried; all shapes of a medium have the same source."""
    remembered = [(each, subject.list_fitting_tests(each)) for each in variants if not each.written]
    ordered = order_for_writing(variants)
    fresh: list[tuple[Variant, list[Test]]] = []
    for each in ordered:
        if not subject.list_fitting_tests(each) or (len(ordered) == 1 and not is_guarded(each)):
            return ShapeChoice(variants, remembered, [*fresh, (each, [])])
        fresh.append((each, subject.list_fitting_tests(each)))
    if ordered and _asks_most(ordered):
        refused = _find_refused(ordered[0]) if len(ordered) == 1 else None
        return ShapeChoice(variants, remembered, fresh, ordered[0], refused)
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


def _asks_most(ordered: Sequence[Variant]) -> bool:
    """Return whether the first shape asks for all that the others ask for, and each accepts only some values."""
    first, *others = ordered
    asked = {hole.path for hole in first.required_fields}
    return first.named is None and all(
        is_guarded(each) and each.source_key and {hole.path for hole in each.required_fields} <= asked
        for each in others
    )


def is_guarded(variant: Variant) -> bool:
    """Return whether a shape accepts only some values."""
    return variant.named is not None or any(hole.guard is not None for hole in variant.shape.required_holes)


def group_by_slot(variants: Sequence[Variant]) -> list[list[Variant]]:
    """Group shapes of one kind by slot: slots that are only read first, the least demanding slot last."""
    slots: dict[str, list[Variant]] = {}
    for variant in variants:
        slots.setdefault(variant.slot, []).append(variant)
    return sorted(slots.values(), key=_rank_slot)


def _rank_slot(variants: Sequence[Variant]) -> tuple[bool, int]:
    writable = [variant for variant in variants if variant.written]
    return bool(writable), -min((len(variant.required_fields) for variant in writable), default=0)


def _asks_options(variant: Variant) -> bool:
    return any(hole.own and not hole.fixed for hole in variant.shape.required_holes)


def _find_refused(variant: Variant) -> Hole | None:
    """Return the value that the one shape for a source does not take."""
    guarded = [hole for hole in variant.shape.required_holes if hole.guard is not None and not hole.fixed]
    known = variant.source_key is not None and len(guarded) == 1 and len(guarded[0].path) == 1
    return guarded[0] if known else None
