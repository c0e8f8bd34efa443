"""Functions that choose the shape of a node, and the tables that lead to them: by mode, by class, by source."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal, TypeAlias

from ...model.neutral import TOOLS
from ...model.offers import ShapeFilter
from ...model.wire import Variant, WireModel
from ..field_holder import FieldHolder, name_variable
from ..text_shapes import add_article
from .placing import Placing, ShapeChoice, is_guarded, order_choice

# union -> the field whose word tells its shapes apart
_BY_MODE = {"tool_choice": "mode", "response_format": "kind", "reasoning": "kind"}
_SINGLE = {"instruction": "write_layer", "cache": "write_cache"}
_NAMED = {"named", "custom", "several"}


@dataclass(frozen=True)
class Chooser:
    """A function that chooses a shape; `nothing` names the report that it makes if no shape fits, empty for no report.

    Attributes:
        field: The field whose word has no shape, for the report of a `mode`.
    """

    name: str
    subject: FieldHolder
    choice: ShapeChoice
    doc: str
    nothing: Literal["", "mode", "part", "source", "tool"] = ""
    field: str = ""
    form: ClassVar[str] = "chooser"


@dataclass(frozen=True)
class UnionWriter:
    """`write_tool_choice = by_mode({"auto": write_tool_choice_auto, ...}, named=True)`.

    Attributes:
        function: The function of the runtime: `by_word`, `by_mode` or `by_class`.
        modes: A mode, or a class -> the function that writes nodes of it.
        field: The field whose word tells the modes apart, where the function takes one.
        named: Whether the names of a tool choice are checked.
    """

    name: str
    function: str
    modes: Mapping[str, str]
    field: str = ""
    named: bool = False
    form: ClassVar[str] = "union_writer"


@dataclass(frozen=True)
class Sources:
    """`IMAGE_SOURCES = {"url": write_part_image_url, ...}` and `write_any_image = by_source("image")`.

    Attributes:
        key: What `Writers.sources` calls the table.
        rows: A source -> the function that writes a medium given so.
    """

    key: str
    rows: Mapping[str, str]
    form: ClassVar[str] = "sources"

    @property
    def name(self) -> str:
        """Return the name of the table."""
        return f"{self.key.upper()}_SOURCES"


ChooserDefinition: TypeAlias = Chooser | UnionWriter | Sources


class Choosers:
    """All functions of one wire that choose among shapes."""

    def __init__(self, wire: WireModel, filters: Mapping[str, ShapeFilter], placing: Placing) -> None:
        """`filters` are those that shapes may name."""
        self.wire, self.filters = wire, filters
        self.unions = [
            each for union, variants in wire.unions.items() for each in self._choose_in_union(union, variants)
        ]
        self.parts = [
            each for name, variants in placing.choosers.values() for each in self._choose_part(name, variants)
        ]

    @property
    def sources(self) -> list[Sources]:
        """The tables of media by their sources."""
        return [each for each in self.parts if isinstance(each, Sources)]

    def list_direct_writers(self) -> dict[str, str]:
        """Return slot of the writers table -> the function of the only shape, for unions without a choice."""
        choosers = {
            name.removeprefix("write_"): self._make_chooser(name, self.wire.unions[union], "").choice.only
            for union, name in _SINGLE.items()
            if self.wire.unions.get(union)
        }
        return {slot: f"write_{only.label}" for slot, only in choosers.items() if only is not None}

    def _make_chooser(self, name: str, variants: Sequence[Variant], doc: str) -> Chooser:
        kind = variants[0].kind
        variable = "part" if variants[0].union == "part" else name_variable(kind)
        subject = FieldHolder(self.wire, self.filters, variable, kind)
        return Chooser(name, subject, order_choice(variants, subject), doc)

    def _choose_in_union(self, union: str, variants: Sequence[Variant]) -> list[ChooserDefinition]:
        if not variants:
            return []
        if union in _SINGLE:
            single = self._make_chooser(_SINGLE[union], variants, f"Write one {union}.")
            return [single] if single.choice.only is None else []
        modes: dict[str, list[Variant]] = {}
        for variant in variants:
            modes.setdefault(variant.mode, []).append(variant)
        if union == "tool":
            return self._choose_tool(modes)
        field = _BY_MODE[union]
        choosers = {
            mode: replace(self._choose_by_fit(f"{union}_{mode}", shapes), nothing="mode", field=field)
            for mode, shapes in modes.items()
        }
        writers = {mode: _name_function(each) for mode, each in choosers.items()}
        table = UnionWriter(f"write_{union}", "by_word", writers, field)
        if union == "tool_choice":
            table = UnionWriter(f"write_{union}", "by_mode", writers, named=bool(modes.keys() & _NAMED))
        return [*[each for each in choosers.values() if each.choice.only is None], table]

    def _choose_tool(self, modes: Mapping[str, Sequence[Variant]]) -> list[ChooserDefinition]:
        choosers = {
            kind.cls: replace(self._choose_by_fit(f"{mode}_tool", modes[mode]), nothing="tool")
            for mode, kind in TOOLS.items()
            if mode in modes
        }
        writers = {cls: _name_function(each) for cls, each in choosers.items()}
        several = [each for each in choosers.values() if each.choice.only is None]
        return [*several, UnionWriter("write_tool", "by_class", writers)]

    def _choose_by_fit(self, label: str, variants: Sequence[Variant]) -> Chooser:
        doc = f"Write {add_article(label.replace('_', ' '))} by the shape that takes it."
        return self._make_chooser(f"write_any_{label}", variants, doc)

    def _choose_part(self, name: str, variants: Sequence[Variant]) -> list[ChooserDefinition]:
        if variants[0].kind.sources:
            return self._choose_medium(name, variants)
        doc = f"Write {add_article(variants[0].mode.replace('_', ' '))} by the shape that takes it."
        return [replace(self._make_chooser(name, variants, doc), nothing="part")]

    def _choose_medium(self, name: str, variants: Sequence[Variant]) -> list[ChooserDefinition]:
        """Return a function for each source with several shapes, and the table of sources."""
        by_source: dict[str, list[Variant]] = {}
        for variant in variants:
            assert variant.source_key is not None
            by_source.setdefault(variant.source_key, []).append(variant)
        choosers: list[ChooserDefinition] = []
        rows: dict[str, str] = {}
        for source, shapes in by_source.items():
            first = shapes[0]
            rows[source] = f"write_{first.label}"
            if len(shapes) > 1 or not first.written or is_guarded(first):
                rows[source] = f"{name}_{source}"
                doc = f"Write {add_article(first.kind.name)} given by {source}."
                choosers.append(replace(self._make_chooser(rows[source], shapes, doc), nothing="source"))
        # `image`, or `image_in_tool` if the place matters
        return [*choosers, Sources(name.removeprefix("write_any_"), rows)]


def _name_function(chooser: Chooser) -> str:
    """Return the function that writes every such node, or the one that chooses."""
    return chooser.name if chooser.choice.only is None else f"write_{chooser.choice.only.label}"
