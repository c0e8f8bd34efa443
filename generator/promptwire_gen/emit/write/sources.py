"""Media by their sources: which function writes an image given by a URL; a dialect takes some away or adds some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, TypeAlias

from ...model.wire import Variant
from ..field_access import FieldAccess
from ..python import call, name
from ..text_shapes import with_article
from .changes import differing
from .choosers import Chooser, chooser, is_guarded


@dataclass(frozen=True, slots=True)
class Sources:
    """`IMAGE_SOURCES = {"url": write_part_image_url, ...}`.

    key      what `Writers.sources` calls it
    rows     source -> the function that writes a medium given so
    parent   the wire of whose table this one is a change, `without` some sources
    """

    key: str
    rows: tuple[tuple[str, str], ...]
    parent: str = ""
    without: tuple[str, ...] = ()
    macro: ClassVar[str] = "sources"

    @property
    def name(self) -> str:
        """Return the name of the table."""
        return f"{self.key.upper()}_SOURCES"

    @property
    def uses(self) -> frozenset[str]:
        """The functions that it names."""
        return frozenset([function for _, function in self.rows])

    def changed_from(self, other: Sources, wire: str, inherited: frozenset[str]) -> Sources:
        """Return the same table as a change of another wire's, where that says less."""
        without = tuple([source for source, _ in other.rows if source not in dict(self.rows)])
        rows = differing(self.rows, other.rows, self.uses - inherited)
        if len(rows) + len(without) >= len(self.rows):
            return self
        return replace(self, rows=rows, parent=wire, without=without)


@dataclass(frozen=True, slots=True)
class SourceChooser:
    """`write_any_image = by_source("image")`: writes a medium by the table of its sources."""

    name: str
    key: str
    uses: frozenset[str] = frozenset()
    macro: ClassVar[str] = "source_chooser"


MediumDefinition: TypeAlias = Chooser | Sources | SourceChooser


def medium_writers(function: str, variants: Sequence[Variant], access: FieldAccess) -> list[MediumDefinition]:
    """Return a function for each source with several shapes, the table of sources, and the function that uses it."""
    by_source: dict[str, list[Variant]] = {}
    for variant in variants:
        assert variant.source_key is not None
        by_source.setdefault(variant.source_key, []).append(variant)
    functions: list[Chooser] = []
    rows: list[tuple[str, str]] = []
    for source, shapes in by_source.items():
        if len(shapes) == 1 and shapes[0].written and not is_guarded(shapes[0]):
            rows.append((source, f"write_{shapes[0].label}"))
        else:
            doc = f"Write {with_article(shapes[0].kind.name)} given by {source}."
            nothing = call("no_source", name(access.subject), name("build"))
            functions.append(chooser(f"{function}_{source}", shapes, access, doc, nothing))
            rows.append((source, functions[-1].name))
    # `image`, or `image_in_tool` if the place matters
    key = function.removeprefix("write_any_")
    return [*functions, Sources(key, tuple(rows)), SourceChooser(function, key)]
