"""The fields of a node that a shape carries, found from its holes alone: a reference for the generated writers."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

from promptwire_text.words import pattern_of

from ..model.dispatch import writing_order
from ..model.neutral import Kind
from ..model.vocabulary import required_choices
from ..model.wire import Variant
from ..spec.fields import is_object
from ..spec.shapes import Alternatives, Hole, Interpolation, Listing, Object, Shape
from .expectation import option_name


@dataclass(frozen=True, slots=True)
class Sample:
    """A node as plain data.

    Attributes:
        fields: The values of its fields. A request has those of its settings under two names: `reasoning.effort`.
        vendor: Its options of the wire that is built.
    """

    fields: Mapping[str, Any]
    vendor: Mapping[str, Any]

    def get(self, path: tuple[str, ...]) -> Any:
        """Return the value for a hole, or None."""
        return self.vendor.get(path[1]) if path[0] == "vendor" else self.fields.get(".".join(path))

    def having(self, fields: Mapping[str, Any]) -> Sample:
        """Return the same node with other values of some fields."""
        return replace(self, fields={**self.fields, **fields})

    def only(self, fields: Collection[str], vendor: Collection[str] = ()) -> Sample:
        """Return the same node with no other fields and options than these."""
        kept = {name: value for name, value in self.fields.items() if name in fields}
        return Sample(kept, {name: value for name, value in self.vendor.items() if name in vendor})


def find_carried(shape: Shape | None, sample: Sample) -> Iterator[str]:
    """Yield the names of the holes that a shape fills; of several forms, the first that can be filled is written."""
    inside: Iterable[Shape] = ()
    match shape:
        case Hole():
            if takes(shape, sample):
                yield shape.name
        case Object():
            inside = (*shape.fixed, *(entry.shape for entry in shape.fields), *shape.spreads)
        case Interpolation(between=shapes) | Listing(items=shapes):
            inside = shapes
        case Alternatives():
            inside = [form for form in shape.forms if is_filled(form, sample)][:1]
        case _:
            return
    for inner in inside:
        yield from find_carried(inner, sample)


def takes(hole: Hole, sample: Sample) -> bool:
    """Return whether a hole is written, and has a value that its guard accepts."""
    value = sample.get(hole.path)
    if hole.read_only or value is None:
        return False
    if hole.wants_object:
        return is_object(value)
    return hole.guard is None or matches(str(value), hole.guard.split("|"))


def is_filled(shape: Shape, sample: Sample) -> bool:
    """Return whether a sample has everything that a shape requires."""
    if isinstance(shape, Alternatives):
        return any(is_filled(form, sample) for form in shape.forms)
    filled = all(takes(hole, sample) for hole in shape.required_holes)
    return filled and all(is_filled(choice, sample) for choice in required_choices(shape))


def fits(variant: Variant, sample: Sample) -> bool:
    """Return whether a variant can write a node."""
    return variant.named in (None, sample.fields.get("type")) and is_filled(variant.shape, sample)


def choose_variant(variants: Iterable[Variant], sample: Sample) -> Variant | None:
    """Return the variant that a fresh build writes: the first that is filled, those that require most before others."""
    return next((variant for variant in writing_order(variants) if fits(variant, sample)), None)


def lost_by(variant: Variant, sample: Sample) -> dict[str, bool]:
    """Return the fields and options of a node that a variant does not carry -> whether that changes the meaning."""
    # the key of a result says whether it failed, and the arguments in it which call it answers
    told = variant.carried - variant.shape.written_heads
    told |= {name for name in variant.kind.fields if _is_stated(variant, name)}
    return lost_by_shape(variant.kind, variant.shape, sample, told | variant.beside)


def _is_stated(variant: Variant, name: str) -> bool:
    """Return whether the choice of a variant already expresses a field, such as the mode of a tool choice."""
    field = variant.kind.fields[name]
    is_mode = name == "mode" and variant.union in ("tool_choice", "reasoning")
    return is_mode or (field.always and field.type not in ("parts", "tools"))


def lost_by_shape(
    kind: Kind, shape: Shape | None, sample: Sample, told: Collection[str] = ()
) -> dict[str, bool]:
    """Return the fields and options of a node that a shape does not carry, if any -> whether that changes the meaning.

    `told` are fields that other keys express.
    """
    names = {*find_carried(shape, sample), *told}
    only_read = set[str]() if shape is None else {hole.name for hole in shape.holes if hole.read_only}
    refused = (
        set[str]() if shape is None else {hole.name for hole in shape.written_holes if hole.guard is not None}
    )
    fields = {
        name: name in refused or not kind.fields[name].advisory for name in sample.fields if name not in names
    }
    options = [option for option in sample.vendor if f"vendor.{option}" not in names]
    return fields | {option_name(option): f"vendor.{option}" not in only_read for option in options}


def matches(text: str, globs: Iterable[str]) -> bool:
    """Return whether a text fits a pattern, in which `*` stands for any text."""
    return _any_of(tuple(globs)).fullmatch(text) is not None


@lru_cache(maxsize=4096)
def _any_of(globs: tuple[str, ...]) -> re.Pattern[str]:
    return re.compile("|".join(map(pattern_of, globs)) if globs else "(?!)", re.DOTALL)
