"""Media by their sources: which function writes an image given by a URL; a dialect takes some away or adds some."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar, TypeAlias

from ...model.wire import Variant
from ..field_access import FieldAccess
from ..python import call, name
from ..text_shapes import with_article
from .choosers import Chooser, chooser, is_guarded


@dataclass(frozen=True, slots=True)
class Sources:
    """`IMAGE_SOURCES = {"url": write_part_image_url, ...}`.

    key      what `Writers.sources` calls it
    rows     source -> the function that writes a medium given so
    """

    key: str
    rows: tuple[tuple[str, str], ...]
    macro: ClassVar[str] = "sources"

    @property
    def name(self) -> str:
        """Return the name of the table."""
        return f"{self.key.upper()}_SOURCES"


@dataclass(frozen=True, slots=True)
class SourceChooser:
    """`write_any_image = by_source("image")`: writes a medium by the table of its sources."""

    name: str
    key: str
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
