"""Layers of instructions: ordered, cleared of blanks and repeats, and joined by the separator of each edge.

A layer is an `Instruction` whose `source` says where it came from. Merging keeps the layers apart: the text is
only their rendering, so merging in steps (at construction, then per request) gives what merging at once gives.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import count, pairwise
from typing import Any, NamedTuple, TypeAlias

from ..errors import InvalidRequest
from ..model.options import Instruction
from ..nodes.checks import CheckedRecord, as_tuple
from ..nodes.records import replace
from ..reporting.notes import Note
from .policies import BASE, DYNAMIC, PLAN, REQUEST, STANDARD, ContextPolicies, context_policies_of
from .sections import Section, without_sections

Sources: TypeAlias = "tuple[str | None, ...]"
_MOST = 256


def separators_of(sources: Sources, policies: ContextPolicies) -> list[str]:
    """Return the text before each layer but the first: by edge, by the later source, or the usual one."""
    names = [source or REQUEST for source in sources]
    separators: list[str] = []
    for left, right in pairwise(names):
        usual = policies.separators.get(right, policies.separator)
        separators.append(policies.separators.get(f"{left}>{right}", usual))
    return separators


def row_of(sources: Sources, policies: ContextPolicies) -> tuple[bool, str]:
    """Return whether sources are in order, and the text template with `%s` for each layer."""
    row = policies.rows.get(sources)
    return row if row is not None else _new_row(sources, policies)


def ranks_of(sources: Sources, policies: ContextPolicies) -> list[int]:
    """Return the position of each source in the layer order; unlisted sources come last."""
    last = len(policies.ranks)
    return [policies.ranks.get(source, last) for source in sources]


def _new_row(sources: Sources, policies: ContextPolicies) -> tuple[bool, str]:
    ranks = ranks_of(sources, policies)
    escaped = [separator.replace("%", "%%") for separator in separators_of(sources, policies)]
    row = (ranks == sorted(ranks), "".join([text + "%s" for text in ["", *escaped][: len(sources)]]))
    if len(policies.rows) >= _MOST:
        policies.rows.clear()
    policies.rows[sources] = row
    return row


def drop_contained(layers: list[Instruction], dropped: list[tuple[Instruction, str]]) -> list[Instruction]:
    """Return the layers whose text no other layer contains; append the others to `dropped`.

    Layers of different roles, and layers with cache marks or options of their own, are never compared.
    """
    texts: dict[str | None, list[str]] = {}
    for layer in layers:
        if layer.is_plain:
            texts.setdefault(layer.role, []).append(layer.text)
    inside = {(role, text) for role, group in texts.items() for text in _inside(group)}
    kept: list[Instruction] = []
    for layer in layers:
        said = (layer.role, layer.text)
        if layer.is_plain and said in inside:
            dropped.append((layer, "another layer contains it"))
            continue
        kept.append(layer)
        if layer.is_plain:
            inside.add(said)
    return kept


def _inside(texts: Sequence[str]) -> Iterable[str]:
    """Return the texts that a longer one contains, searching all longer ones at once."""
    longest = sorted(dict.fromkeys(texts), key=len, reverse=True)
    whole, starts = join_apart(longest)
    rows = zip(longest, starts, strict=True)
    return [text for text, start in rows if start and whole.find(text, 0, start) >= 0]


def join_apart(texts: Sequence[str], others: Iterable[str] = ()) -> tuple[str, list[int]]:
    """Join texts by a character that occurs in none of them; return also where each begins."""
    letters = set[str]().union(*texts, *others)
    separator = next(letter for letter in map(chr, count(1)) if letter not in letters)
    starts: list[int] = []
    end = 0
    for text in texts:
        starts.append(end)
        end += len(text) + 1
    return separator.join(texts), starts


# unlike the method, it takes text and nothing else
_is_space = str.isspace

LayersLike: TypeAlias = "str | Instruction | Iterable[str | Instruction] | None"


@dataclass(frozen=True, eq=False, repr=False)
class Origin(CheckedRecord):
    """The source layer or section of the characters `text[start:end]` of the merged text."""

    source: str
    start: int
    end: int


class Merged(NamedTuple):
    """Layers in their final order, then sections; made by `merge`.

    core      the text of the layers alone
    sections  what filters add behind them
    dropped   which layers were left out, and why
    """

    layers: tuple[Instruction, ...] = ()
    core: str = ""
    sections: tuple[Section, ...] = ()
    dropped: tuple[Note, ...] = ()
    policies: ContextPolicies = STANDARD

    def merge(self, *more: Instruction) -> Merged:
        """Merge further layers into these."""
        if not more:
            return self
        merged = merge(self.layers + more, self.policies)
        if not self.sections and not self.dropped:
            return merged
        return merged._replace(sections=self.sections, dropped=self.dropped + merged.dropped)

    def without(self, why: Mapping[int, str]) -> Merged:
        """Leave layers out (index -> the reason, for `dropped`)."""
        notes = drop_notes([(self.layers[index], reason) for index, reason in why.items()], self.layers)
        kept = tuple([layer for index, layer in enumerate(self.layers) if index not in why])
        return self._replace(layers=kept, core=_text(kept, self.policies), dropped=(*self.dropped, *notes))

    def with_section(self, section: Section) -> Merged:
        """Add a section, or replace the one of its name, also in a text of the request; a blank one is taken out."""
        merged = self._without_written(section.name) if f"<{section.name}>\n" in self.core else self
        names = [other.name for other in self.sections]
        if not section.text or section.text.isspace():
            kept = [other for other in self.sections if other.name != section.name]
        elif section.name in names:
            kept = [section if other.name == section.name else other for other in self.sections]
        else:
            kept = [*self.sections, section]
        return merged._replace(sections=tuple(kept))

    def _without_written(self, name: str) -> Merged:
        """Remove a section that an earlier turn appended to the request's own texts."""
        layers: list[Instruction] = []
        changed: list[tuple[Instruction, str]] = []
        for layer in self.layers:
            text = layer.text
            if source_of(layer) == REQUEST:
                text = without_sections(text, (name,), self.policies.section_separator)
            if text != layer.text:
                changed.append((layer, f"its section <{name}> is written anew"))
                layer = replace(layer, text=text)  # noqa: PLW2901  # the rest of it
            if layer.text and (not layer.text.isspace() or source_of(layer) != REQUEST):
                layers.append(layer)
        kept = tuple(layers)
        notes = [replace(note, action="replaced") for note in drop_notes(changed, self.layers)]
        return self._replace(layers=kept, core=_text(kept, self.policies), dropped=(*self.dropped, *notes))

    @property
    def text(self) -> str:
        """The system text: empty when there is none."""
        if not self.sections:
            return self.core
        marked = [section.marked for section in self.sections]
        return self.policies.section_separator.join([self.core, *marked] if self.core else marked)

    @property
    def instructions(self) -> str | tuple[Instruction, ...] | None:
        """Return the value for `Request.instructions`: text, or blocks if a layer has a role or a cache mark."""
        if all(layer.is_plain and layer.role is None for layer in self.layers):
            return self.text or None
        blocks = blocks_of(self.layers, self.policies)
        marked = self.policies.section_separator.join([section.marked for section in self.sections])
        last = blocks[-1]
        if marked and last.is_plain and last.role is None:
            blocks[-1] = replace(last, text=last.text + self.policies.section_separator + marked, source=None)
        elif marked:
            blocks.append(Instruction(marked))
        return tuple(blocks)

    @property
    def origins(self) -> tuple[Origin, ...]:
        """Return the source layer or section of each range of `text`, in order."""
        pieces = [(source_of(layer), layer.text) for layer in self.layers]
        pieces += [(section.name, section.marked) for section in self.sections]
        before = separators_of(_sources(self.layers), self.policies)
        before += [self.policies.section_separator] * len(self.sections)
        origins: list[Origin] = []
        at = 0
        for (source, text), separator in zip(pieces, ["", *before], strict=False):
            start = at + len(separator)
            at = start + len(text)
            origins.append(Origin(source, start, at))
        return tuple(origins)


def merge(
    layers: Iterable[Instruction], policies: ContextPolicies | str | Mapping[str, Any] = STANDARD
) -> Merged:
    """Merge layers: in the order of their sources, without blank ones and repeats.

    The layers of one source keep their order. A layer with a cache mark or options of its own is never a repeat.
    Pure, and the same in any number of steps; merging a result again changes nothing.

    Raises:
        PolicyError: the preset does not exist.
        InvalidRequest: a layer is no `Instruction`.
    """
    chosen = policies if isinstance(policies, ContextPolicies) else context_policies_of(policies)
    sequence = as_tuple(layers, "layers")
    texts: list[str] = []
    sources: list[str | None] = []
    settled = True
    try:
        for layer in sequence:  # one plain loop: three comprehensions take half as long again
            text = layer.text
            texts.append(text)
            sources.append(layer.source)
            if _is_space(text) or not text:
                settled = False
        in_order, template = chosen.rows.get(row := tuple(sources)) or row_of(row, chosen)
        settled = settled and len({*texts}) == len(texts)
    except (AttributeError, TypeError):
        raise _wrong(sequence) from None
    if in_order and settled and chosen.dedup != "substring":  # the usual case
        # as the constructor of a named tuple, in a third of its time
        return tuple.__new__(Merged, (sequence, template % tuple(texts), (), (), chosen))  # pyright: ignore[reportUnknownMemberType]
    ranks = ranks_of(row, chosen)
    ordered = [layer for _, _, layer in sorted(zip(ranks, range(len(sequence)), sequence, strict=True))]
    return _without_blank_and_repeated(ordered, chosen)


def _without_blank_and_repeated(ordered: list[Instruction], policies: ContextPolicies) -> Merged:
    """Drop blank layers and repeats."""
    strict, unique = policies.blank == "keep", policies.repeats == "drop"
    kept: list[Instruction] = []
    seen: set[tuple[str | None, str]] = set()
    dropped: list[tuple[Instruction, str]] = []
    for layer in ordered:
        if not layer.text or (layer.text.isspace() and not (strict and layer.source in (BASE, PLAN))):
            continue
        role_and_text = (layer.role, layer.text)
        if unique and layer.is_plain and role_and_text in seen:
            dropped.append((layer, "an earlier layer says the same"))
            continue
        if layer.is_plain:
            seen.add(role_and_text)
        kept.append(layer)
    if policies.dedup == "substring":
        kept = drop_contained(kept, dropped)
    notes = drop_notes(dropped, ordered) if dropped else ()
    layers = tuple(kept)
    return Merged(layers, _text(layers, policies), (), notes, policies)


def layers_of(
    *,
    base: LayersLike = None,
    plan: LayersLike = None,
    dynamic: LayersLike = None,
    request: LayersLike = None,
) -> tuple[Instruction, ...]:
    """Make layers of texts, in the documented order; an `Instruction` that names its own source keeps it."""
    sources = ((BASE, base), (PLAN, plan), (DYNAMIC, dynamic), (REQUEST, request))
    return tuple([layer for source, texts in sources for layer in from_source(source, texts)])


def from_source(source: str, layers: LayersLike) -> Iterator[Instruction]:
    """Yield the given texts and instructions as layers of one source."""
    if layers is None:
        return
    for layer in (layers,) if isinstance(layers, str | Instruction) else as_tuple(layers, "layers"):
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
    """Return the source of a layer; `request` if it names none."""
    return layer.source or REQUEST


def _sources(layers: tuple[Instruction, ...]) -> Sources:
    return tuple([layer.source for layer in layers])


def _text(layers: tuple[Instruction, ...], policies: ContextPolicies) -> str:
    return row_of(_sources(layers), policies)[1] % tuple([layer.text for layer in layers])


def blocks_of(layers: tuple[Instruction, ...], policies: ContextPolicies) -> list[Instruction]:
    """Join neighbours of one role; a cache mark ends a block, and a layer with options of one API stays alone."""
    return [block for block, _ in _join_blocks(layers, policies)]


def runs_of(layers: tuple[Instruction, ...], policies: ContextPolicies) -> list[tuple[str, range]]:
    """Return the text of each block, and which layers it joins."""
    return [(block.text, indices) for block, indices in _join_blocks(layers, policies)]


def _join_blocks(
    layers: tuple[Instruction, ...], policies: ContextPolicies
) -> Iterator[tuple[Instruction, range]]:
    """Return each block, and which layers it joins."""
    separators = ["", *separators_of(_sources(layers), policies)]
    start = 0
    for end, layer in enumerate(layers, 1):
        after = layers[end] if end < len(layers) else None
        if after is not None and not _is_alone(after) and layer.is_plain and layer.role == after.role:
            continue
        run = layers[start:end]
        if len(run) > 1:
            pieces = [separators[index] + layers[index].text for index in range(start + 1, end)]
            source = layer.source if len({part.source for part in run}) == 1 else None
            layer = replace(layer, text=run[0].text + "".join(pieces), source=source)  # noqa: PLW2901  # the block
        yield layer, range(start, end)
        start = end


def _is_alone(layer: Instruction) -> bool:
    return (layer.vendor, layer.extra, layer.kept) != (None, None, None)


def drop_notes(rows: Iterable[tuple[Instruction, str]], among: Iterable[Instruction]) -> tuple[Note, ...]:
    """Return a note for each dropped layer; paths count the layers of one source."""
    counts: dict[str, int] = {}
    places: dict[int, str] = {}
    for layer in among:
        source = source_of(layer)
        index = counts[source] = counts.get(source, -1) + 1
        places.setdefault(id(layer), f"instructions.{source}[{index}]")
    return tuple([Note("dropped", places[id(layer)], "text", why) for layer, why in rows])


def _wrong(layers: tuple[Instruction, ...]) -> InvalidRequest:
    """Return the error for a layer that is not an `Instruction`."""
    kinds = [type(layer).__name__ for layer in layers if not isinstance(layer, Instruction)]  # pyright: ignore[reportUnnecessaryIsInstance]  # callers may be untyped
    return InvalidRequest(f"a layer is an Instruction, not {kinds[0]}", path="instructions")
