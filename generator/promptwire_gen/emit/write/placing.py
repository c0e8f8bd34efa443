"""Placement of parts in messages: their kinds, their slots, and the functions that write them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from functools import cached_property

from ...model.neutral import ROLES
from ...model.wire import Variant, WireModel
from ..text_shapes import bare_text_shape
from .choices import by_slot, is_guarded
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
        return [role for role in ROLES if role in self.model.messages or self.kinds(role)]

    @cached_property
    def holders(self) -> list[str]:
        """Return the roles, and the kinds of parts that contain parts."""
        return [*ROLES, *(role for role in self.model.content_roles if role not in ROLES)]

    def kinds(self, holder: str) -> dict[str, list[Variant]]:
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
        for part in model.parts_of(holder):
            placed = holder in model.content_roles or stands_in(holder, part)
            if placed and (part.standalone or part.slot in slots):
                kinds.setdefault(part.mode, []).append(part)
        order = _ORDER_OF_RESULTS if holder == "tool" else _ORDER
        rank = {kind: index for index, kind in enumerate(order)}
        return dict(sorted(kinds.items(), key=lambda pair: rank.get(pair[0], len(rank))))

    def shapes(self, holder: str, *, nested: bool) -> dict[str, list[list[Variant]]]:
        """Return part kind -> its shapes by slot; the slot that takes the remaining parts comes last."""
        shape = self.model.messages.get(holder)
        own_slots = {slot for slot, _ in shape.slots} if shape is not None else set[str]()
        slots = {"content"} if nested else own_slots | {"messages", "results"}
        kinds = {
            kind: [
                variant
                for variant in variants
                if variant.slot in slots and (nested or stands_in(holder, variant))
            ]
            for kind, variants in self.kinds(holder).items()
        }
        return {kind: by_slot(variants) for kind, variants in kinds.items() if variants}

    def writer(self, variants: Sequence[Variant]) -> tuple[str, bool]:
        """Return the function that writes parts of one kind in one slot, and whether it always finds a shape."""
        first = variants[0]
        if _is_alone(variants):
            return f"write_{first.label}", not (first.required_fields or may_be_hollow(first))
        return self.choosers[_labels(variants)][0], False

    @cached_property
    def choosers(self) -> dict[tuple[str, ...], tuple[str, list[Variant]]]:
        """Return the functions that choose among shapes of a kind: labels of the shapes -> name and shapes."""
        groups: dict[tuple[str, ...], tuple[str, list[Variant]]] = {}
        for holder in self.holders:
            depths = {holder in self.model.content_roles, False}
            for shapes in (self.shapes(holder, nested=nested) for nested in sorted(depths)):
                for variants in (
                    variants for slots in shapes.values() for variants in slots if not _is_alone(variants)
                ):
                    where = f"{variants[0].mode}_in_{holder}_{variants[0].slot}"
                    groups.setdefault(_labels(variants), (where.removesuffix("_content"), variants))
        modes = Counter(variants[0].mode for _, variants in groups.values())
        return {
            labels: (f"write_any_{kind if modes[kind] == 1 else place}", variants)
            for labels, (place, variants) in groups.items()
            for kind in (variants[0].mode,)
        }

    def bare(self, role: str) -> Variant | None:
        """Return the shape of plain text in this role, where text may collapse."""
        return bare_text_shape(self.model, role)

    @cached_property
    def signed(self) -> bool:
        """Return whether messages may hold signed payloads or file ids that only their own API accepts."""
        files = any(hole.path == ("file_id",) for variant in self.model.parts for hole in variant.shape.holes)
        return files or bool(payloads_of(self.model.parts))


def _is_alone(variants: Sequence[Variant]) -> bool:
    """Return whether there is no choice: one shape, which a fresh build writes for every part of its kind."""
    return (
        len(variants) == 1
        and variants[0].written
        and not variants[0].kind.sources
        and not is_guarded(variants[0])
    )


def _labels(variants: Sequence[Variant]) -> tuple[str, ...]:
    return tuple([variant.label for variant in variants])


def stands_in(role: str, part: Variant) -> bool:
    """Return whether a message of this role may hold such a part; in a tool message only results may stand."""
    return role != "tool" or part.standalone or part.mode in _RESULTS


def payloads_of(variants: Iterable[Variant]) -> tuple[str, ...]:
    """Return the fields of parts whose values only the API that made them can read."""
    names = {
        hole.path[0]
        for variant in variants
        for hole in variant.shape.holes
        if hole.path[0] in _PAYLOADS or (variant.kind.name == "text" and hole.path[0] in _PAYLOADS_OF_TEXT)
    }
    return tuple(sorted(names))
