"""Lower all spec files to wire models, collecting the problems of every file."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from .layout import list_shipped_wires
from .model.likeness import has_same_requests
from .model.lower import NAMES, add_names, lower
from .model.offers import BUILTIN_FILTERS, BUILTIN_OFFERS, Offers, ShapeFilter
from .model.wire import WireModel
from .problems import Span, SpecError, SpecProblem
from .spec.load import LoadedSpec, load_each
from .spec.pages import find_files_of_wires, is_shared
from .spec.shared_pages import check_named_wires, read_shared

# sections that a model takes over as they are, or that only say which spec it is
_NAMED = frozenset({"wire", "extends", "abstract", *NAMES})


@dataclass(frozen=True, slots=True)
class LoweringResult:
    """The wires that specs describe, sorted by name, and all problems. With problems, some wires are missing."""

    wires: Sequence[WireModel]
    problems: Sequence[SpecProblem]


def lower_all(
    sources: Mapping[str, str],
    filters: Mapping[str, ShapeFilter] = BUILTIN_FILTERS,
    offers: Offers = BUILTIN_OFFERS,
    placed: Iterable[Mapping[Span, bool]] | None = (),
    others: Collection[str] = (),
) -> LoweringResult:
    """Load and lower every spec (file name -> text). A spec with problems hides no problem of another.

    `placed` are the family facts of wires that are not lowered again; None if not all wires are known. `others` are the
    names of these wires, for hints.
    """
    problems: list[SpecProblem] = []
    wires: list[WireModel] = []
    # one at a time, because the sections of many specs need more memory than their models
    lowered = _Lowered(filters, offers)
    readers: dict[str, set[str]] = {}
    for spec in load_each(sources, problems, others):
        for family in spec.model.families:
            readers.setdefault(family, set()).update(spec.chain)
        try:
            wires.append(lowered.lower_spec(spec))
        except SpecError as error:
            problems += error.problems
    if placed is not None:
        families = read_shared(sources, filter(is_shared, sources), []).families
        here = {*find_files_of_wires(sources), *others}
        judged = here if not (others or problems) else ()
        problems += check_named_wires(families, readers, {*here, *list_shipped_wires()}, judged)
    if placed is not None and not problems:
        problems += _find_unplaced_facts([*placed, *(wire.placed_facts for wire in wires)])
    # a problem of a shared page is found on each API that reads it
    unique = [*dict.fromkeys(problems)]
    return LoweringResult(_link_parents(sorted(wires, key=lambda wire: wire.name)), unique)


class _Lowered:
    """Lowers specs; those with the same sections but for names, links and examples are lowered once."""

    def __init__(self, filters: Mapping[str, ShapeFilter], offers: Offers) -> None:
        self._filters = filters
        self._offers = offers
        # sections -> a spec with these, which keeps the ids of its nodes unique, and its model
        self._known: dict[frozenset[tuple[Any, int]], tuple[LoadedSpec, WireModel]] = {}

    def lower_spec(self, spec: LoadedSpec) -> WireModel:
        """Return the model of a spec. Raises SpecError with the problems of its shapes."""
        sections = frozenset(
            [(key.value, id(node)) for key, node in spec.tree.entries if key.value not in _NAMED]
        )
        known = None if spec.invalid else self._known.get(sections)
        if known is not None:
            return add_names(known[1], spec)
        model = lower(spec, self._filters, self._offers)
        self._known[sections] = spec, model
        return model


def _find_unplaced_facts(facts: Iterable[Mapping[Span, bool]]) -> list[SpecProblem]:
    """Return a problem for each fact of a family or host that applies to no wire."""
    placed: dict[Span, bool] = {}
    for wire_facts in facts:
        for span, fits in wire_facts.items():
            placed[span] = placed.get(span, False) or fits
    message = "no API that uses this page has a field of this name that takes these words"
    hint = "write a field of the request, such as temperature or reasoning.effort=low"
    return [SpecProblem(span, "no-place", message, hint) for span, fits in placed.items() if not fits]


def _link_parents(wires: Sequence[WireModel]) -> list[WireModel]:
    """Set `parent` of every dialect to the model of the wire that it extends."""
    models = {wire.name: wire for wire in wires}
    linked: dict[str, WireModel] = {}

    def link(wire: WireModel) -> WireModel:
        if wire.name not in linked:
            parent = models.get(wire.extends) if wire.extends is not None else None
            linked[wire.name] = wire if parent is None else _make_dialect(wire, link(parent))
        return linked[wire.name]

    return [link(wire) for wire in wires]


def _make_dialect(wire: WireModel, parent: WireModel) -> WireModel:
    return replace(wire, parent=parent, has_same_requests=has_same_requests(wire, parent))
