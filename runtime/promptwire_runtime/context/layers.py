"""Layers of instructions: ordered, cleared of blanks and repeats, and joined by the separator of each edge.

A layer is an `Instruction` whose `source` says where it came from. Merging keeps the layers apart: the text is
only their rendering, so merging in steps (at construction, then per request) gives what merging at once gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import field, replace
from typing import TypeAlias

from ..errors import InvalidRequest
from ..nodes import Node, dataclass
from ..notes import Note
from ..options import Instruction
from .policies import BASE, DYNAMIC, PLAN, REQUEST, ContextPolicies
from .presets import STANDARD, context_policies_of
from .repeats import contained
from .sections import Section

LayersLike: TypeAlias = "str | Instruction | Iterable[str | Instruction] | None"


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Origin(Node):
    """Which characters of the merged text (`text[start:end]`) came from which layer or section."""

    source: str
    start: int
    end: int


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Merged(Node):
    """Layers in their final order, then sections; `dropped` says what was left out, and why."""

    layers: tuple[Instruction, ...] = ()
    sections: tuple[Section, ...] = ()
    dropped: tuple[Note, ...] = field(default=(), compare=False)
    policies: ContextPolicies = field(default=STANDARD, compare=False, repr=False)

    def merge(self, *more: Instruction) -> Merged:
        """Merge further layers into these."""
        if not more:
            return self
        merged = merge((*self.layers, *more), self.policies)
        return replace(merged, sections=self.sections, dropped=self.dropped + merged.dropped)

    def with_section(self, section: Section) -> Merged:
        """Add a section, or replace the one of its name; a blank one is taken out."""
        names = [each.name for each in self.sections]
        if not section.text or section.text.isspace():
            kept = [each for each in self.sections if each.name != section.name]
        elif section.name in names:
            kept = [section if each.name == section.name else each for each in self.sections]
        else:
            kept = [*self.sections, section]
        return replace(self, sections=tuple(kept))

    @property
    def text(self) -> str:
        """The system text: empty when there is none."""
        return "".join(joined(self.layers, self.policies)) + self._section_text(bool(self.layers))

    @property
    def instructions(self) -> str | tuple[Instruction, ...] | None:
        """What `Request.instructions` takes: the text; or blocks, where a layer has a role or a cache mark."""
        if all(layer.plain and layer.role is None for layer in self.layers):
            return self.text or None
        found = blocks(self.layers, self.policies)
        if self.sections:
            last = found[-1]
            if last.plain and last.role is None:
                found[-1] = replace(last, text=last.text + self._section_text(True))
            else:
                found.append(Instruction(self._section_text(False)))
        return tuple(found)

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Which characters of `text` came from which layer or section, in their order."""
        found: list[Origin] = []
        at = 0
        for index, piece in enumerate(joined(self.layers, self.policies)):
            if index % 2 == 0:
                found.append(Origin(source_of(self.layers[index // 2]), at, at + len(piece)))
            at += len(piece)
        for section in self.sections:
            at += len(self.policies.section_separator) if at else 0
            found.append(Origin(section.name, at, at + len(section.marked)))
            at += len(section.marked)
        return tuple(found)

    def _section_text(self, after: bool) -> str:
        if not self.sections:
            return ""
        separator = self.policies.section_separator
        text = separator.join([section.marked for section in self.sections])
        return separator + text if after else text


def merge(layers: Iterable[Instruction], policies: ContextPolicies | str = STANDARD) -> Merged:
    """Merge layers: in the order of their sources, without blank ones and repeats.

    The layers of one source keep their order. A layer with a cache mark or options of its own is never a repeat.
    Pure, and the same in any number of steps; merging a result again changes nothing.

    Raises:
        PolicyError: the preset does not exist.
        InvalidRequest: a layer is no `Instruction`, or its text is no text.
    """
    chosen = context_policies_of(policies)
    ordered = _in_order(layers, chosen.ranks)
    strict, unique = chosen.blank == "strict_seed", chosen.repeats == "drop"
    kept: list[Instruction] = []
    seen: set[str] = set()
    dropped: list[tuple[Instruction, str]] = []
    for layer in ordered:
        text = layer.text
        if not isinstance(text, str):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
            raise InvalidRequest(
                f"its text is {type(text).__name__}", path=f"instructions.{source_of(layer)}", field="text"
            )
        if not text or (text.isspace() and not (strict and layer.source in (BASE, PLAN))):
            continue
        if unique and layer.plain:
            known = text if layer.role is None else f"{layer.role}\0{text}"
            if known in seen:
                dropped.append((layer, "an earlier layer says the same"))
                continue
            seen.add(known)
        kept.append(layer)
    if chosen.dedup == "substring":
        kept = contained(kept, dropped)
    notes = tuple([drop_note(layer, ordered, why) for layer, why in dropped]) if dropped else ()
    return Merged(tuple(kept), (), notes, chosen)


def layers_of(
    *,
    base: LayersLike = None,
    plan: LayersLike = None,
    dynamic: LayersLike = None,
    request: LayersLike = None,
) -> tuple[Instruction, ...]:
    """Make layers of texts, in the documented order; an `Instruction` that names its own source keeps it."""
    given = ((BASE, base), (PLAN, plan), (DYNAMIC, dynamic), (REQUEST, request))
    return tuple([layer for source, texts in given for layer in from_source(source, texts)])


def from_source(source: str, given: LayersLike) -> Iterator[Instruction]:
    """Give what a caller hands over as layers of one source."""
    if given is None:
        return
    for layer in (given,) if isinstance(given, str | Instruction) else given:
        if isinstance(layer, str):
            yield Instruction(layer, source=source)
        elif isinstance(layer, Instruction):  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
            yield layer if layer.source is not None else replace(layer, source=source)
        else:
            raise InvalidRequest(
                f"a layer is text or an Instruction, not {type(layer).__name__}",
                path=f"instructions.{source}",
            )


def source_of(layer: Instruction) -> str:
    """Name the source of a layer; one without is the request's own."""
    return layer.source or REQUEST


def joined(layers: tuple[Instruction, ...], policies: ContextPolicies) -> list[str]:
    """Give texts and separators in turn."""
    pieces: list[str] = []
    separator, separators = policies.separator, policies.separators
    left = ""
    for layer in layers:
        source = layer.source or REQUEST
        if left:
            edge = f"{left}>{source}"
            pieces.append(separators[edge] if edge in separators else separators.get(source, separator))
        pieces.append(layer.text)
        left = source
    return pieces


def blocks(layers: tuple[Instruction, ...], policies: ContextPolicies) -> list[Instruction]:
    """Join neighbours of one role; a cache mark ends a block, and a layer with options of one API stays alone."""
    found: list[Instruction] = []
    pieces = joined(layers, policies)
    for index, layer in enumerate(layers):
        last = found[-1] if found else None
        alone = (layer.vendor, layer.extra, layer.kept) != (None, None, None)
        if last is None or alone or not last.plain or last.role != layer.role:
            found.append(layer)
        else:
            source = layer.source if layer.source == last.source else None
            found[-1] = replace(layer, text=last.text + pieces[2 * index - 1] + layer.text, source=source)
    return found


def drop_note(layer: Instruction, among: Iterable[Instruction], why: str) -> Note:
    """Say that a layer is not sent; its path counts the layers of its source."""
    source = source_of(layer)
    places = [each for each in among if source_of(each) == source]
    index = [each is layer for each in places].index(True)
    return Note("dropped", f"instructions.{source}[{index}]", "text", why)


def _in_order(layers: Iterable[Instruction], ranks: Mapping[str, int]) -> list[Instruction]:
    given = list(layers)
    last = len(ranks)
    try:
        numbers = [ranks.get(layer.source or REQUEST, last) for layer in given]
    except AttributeError:
        wrong = next(each for each in given if not isinstance(each, Instruction))
        raise InvalidRequest(
            f"a layer is an Instruction, not {type(wrong).__name__}", path="instructions"
        ) from None
    if numbers == sorted(numbers):
        return given
    return [layer for _, _, layer in sorted(zip(numbers, range(len(given)), given, strict=True))]
