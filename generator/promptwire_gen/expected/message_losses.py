"""Expectations of the values that messages and parts cannot carry, by role, shape of a part, and place of a part."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..model.neutral import MESSAGE, PARTS, ROLES
from ..model.wire import Variant, WireModel
from .carrying import lost_by, lost_by_shape
from .expectation import THIS_WIRE, Expectation, below, expected
from .samples import as_json, bare, least_of, samples_of, samples_of_shape, unwritable_samples

_IDS = {"tool_call": "id", "tool_result": "call_id"}
_RESULTS = ("tool_result", "custom_tool_result")


@dataclass(frozen=True, slots=True)
class Place:
    """A place for parts: in messages of a role, or inside a part of such a message.

    Attributes:
        holder: The part that contains the parts; None for a message.
        speaker: The role or kind of part whose shapes the parts have.
    """

    role: str
    speaker: str
    holder: Variant | None = None

    def path(self, number: int = 0) -> str:
        """Return the path of a part."""
        return (
            f"messages[0].parts[{number}]" if self.holder is None else f"messages[0].parts[0].parts[{number}]"
        )

    def fields(self, parts: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
        """Return the messages of a request that has some parts here."""
        if self.holder is not None:
            parts = [{self.holder.mode: as_json(least_of(self.holder).having({"content": [*parts]}))}]
        return {"messages": [{self.role: [*parts]}]}

    def takes(self, variant: Variant) -> bool:
        """Return whether a variant may be here; a tool message contains only results."""
        is_inside = self.holder is not None
        if is_inside and variant.standalone:
            return False
        return variant.serves(self.speaker) and (
            is_inside or self.role != "tool" or variant.standalone or variant.mode in _RESULTS
        )


def message_expectations(model: WireModel) -> Iterator[Expectation]:
    """Yield the expectations of all messages and parts."""
    places = [*_places(model)]
    for place in places:
        if place.holder is None:
            yield from _of_message(model, place.role)
        yield from _of_place(model, place)
    for variant in model.parts:
        taking = [place for place in places if place.takes(variant)]
        for place in taking[:1]:
            yield from _of_part(model, variant, place)


def _places(model: WireModel) -> Iterator[Place]:
    """Yield the messages of each role, then the insides of parts."""
    standalone = {role for part in model.parts if part.standalone for role in part.roles}
    roles = [role for role in ROLES if role in model.messages or role in standalone]
    yield from [Place(role, role) for role in roles]
    holders = {
        part.mode: Place(role, model.content_role(part.mode), part)
        for role in reversed(roles)
        for part in model.parts_of(role)
        if part.written and _holds_parts(part)
    }
    yield from holders.values()


def _holds_parts(part: Variant) -> bool:
    return any(hole.path == ("content",) for hole in part.shape.written_holes)


def _of_message(model: WireModel, role: str) -> Iterator[Expectation]:
    shape = model.messages[role].shape if role in model.messages else None
    content: Any = "Hi"
    if role == "tool":
        results = [part for part in model.parts_of(role) if part.mode in _RESULTS and part.written]
        content = [{part.mode: as_json(least_of(part))} for part in results[:1]]
    # the last message of some APIs has a key of its own
    other = {"assistant" if role == "user" else "user": "Hi"}
    for name, sample in samples_of_shape(MESSAGE, shape):
        lost = below("messages[0]", lost_by_shape(MESSAGE, shape, sample))
        fields = {"messages": [{role: content, **as_json(sample)}, other]}
        yield expected(f"{role} message {name}", fields, lost, shape)


def _of_place(model: WireModel, place: Place) -> Iterator[Expectation]:
    """Yield one request with every kind of part that has no shape in a place, and with values that no shape takes."""
    shapes: dict[tuple[str, str | None], list[Variant]] = {}
    for part in model.parts:
        if part.written and place.takes(part):
            shapes.setdefault((part.mode, part.source_key), []).append(part)
    if place.holder is not None and place.holder.keyed is not None:
        # a result that is an object may be any JSON
        shapes["json", None] = []
    parts = [
        {kind.name: bare(kind, source)}
        for kind in PARTS.values()
        for source in kind.sources or (None,)
        if (kind.name, source) not in shapes
    ]
    parts += [
        {mode: {**as_json(sample), "provenance": {"wire": THIS_WIRE}}}
        for (mode, _), variants in shapes.items()
        for sample in unwritable_samples(variants)
    ]
    if parts:
        where = f"messages of {place.role}" if place.holder is None else place.holder.mode
        lost = {f"{place.path(number)}.{kind}": True for number, part in enumerate(parts) for kind in part}
        yield expected(f"parts without a place in {where}", place.fields(parts), lost)


def _of_part(model: WireModel, variant: Variant, place: Place) -> Iterator[Expectation]:
    rivals = [
        part
        for part in model.parts_of(place.speaker)
        if (part.mode, part.source_key) == (variant.mode, variant.source_key)
    ]
    told = {"cache"} if model.marks_cache and place.holder is None else set[str]()
    for name, sample in samples_of(variant, rivals):
        losses = lost_by(variant, sample)
        if model.pairs_by_call and _IDS.get(variant.mode) in losses:
            # results tell by other means which call they answer
            losses[_IDS[variant.mode]] = False
        lost = below(place.path(), losses, told)
        part = {variant.mode: {**as_json(sample, variant), "provenance": {"wire": THIS_WIRE}}}
        yield expected(f"{variant.key} {name}", place.fields([part]), lost, variant.shape)
