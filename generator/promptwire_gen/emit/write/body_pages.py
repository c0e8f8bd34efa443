"""Functions that write the keys which most requests leave out, a page of them each; a dialect keeps its parent's pages.

A page of the parent serves a dialect that lacks some of its options of the API: options that a wire does not know
are never handed to a page, so what the page has for them is dead there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from ...model.neutral import COMMON_OPTIONS, COMMON_REQUEST_FIELDS, OPTIONS
from ...model.wire import WireModel
from ...spec.shapes import KeyShape, Object
from ..docs import shape_text
from ..literals import word_of
from .body_row import known_vendor
from .limits import Limit, limits, options_in

# fields of a request whose nodes may be absent
_NODES = ("tool_choice", "reasoning", "continuation")
# holes that one page function fills; twice as many for a dialect with keys of its own
_HOLES_OF_A_PAGE = 8


@dataclass(frozen=True)
class BodyPage:
    """The function that writes some of the keys which most requests leave out."""

    keys: Sequence[KeyShape]

    @property
    def name(self) -> str:
        """Return the name of the function."""
        return f"write_keys_from_{word_of(self.keys[0].key)}"

    @property
    def doc(self) -> str:
        """Return the docstring of the function."""
        first, last = self.keys[0].key, self.keys[-1].key
        span = f"{first} to {last}"
        return f"Write the optional keys {span}." if first != last else f"Write the optional key {first}."

    @property
    def variables(self) -> list[str]:
        """The variables that the keys need."""
        return variables_of(self.keys, page=True)


def body_pages(wire: WireModel) -> list[BodyPage]:
    """Return the functions that write all such keys, in the order of the spec."""
    keys = optional_keys(wire)
    if wire.parent is None:
        return [BodyPage(page) for page in _split(keys, {}, _HOLES_OF_A_PAGE)]
    above = [page.keys for page in body_pages(wire.parent)]
    homes = {entry.key: index for index, page in enumerate(above) for entry in page}
    known = known_vendor(wire)
    alike = {_text(_without_unknown(page, known)): page for page in above}
    pages: list[BodyPage] = []
    for page in _split(keys, homes, 2 * _HOLES_OF_A_PAGE):
        whole = alike.get(_text(page))
        # rules of the dialect may read more fields
        same = whole is not None and _limits(whole, wire) == _limits(whole, wire.parent)
        pages.append(BodyPage(whole if whole is not None and same else page))
    return pages


def _limits(page: Sequence[KeyShape], wire: WireModel) -> list[list[Limit]]:
    """Return the limits of all options that a page writes."""
    return [limits(option, wire) for entry in page for option in options_in(entry.shape, wire)]


def _split(keys: Sequence[KeyShape], homes: dict[str, int], most: int) -> Iterator[list[KeyShape]]:
    """Split keys into runs of at most so many holes; those of a parent's page stay together, new ones join them."""
    page: list[KeyShape] = []
    size = home = 0
    for entry in keys:
        # adjacent copied keys become one statement
        copied = bool(page) and entry.copied and page[-1].copied
        weight = 0 if copied else max(1, len(entry.shape.written_holes))
        moved = homes.get(entry.key, home) != home
        if page and (moved or size + weight > most):
            yield page
            page, size = [], 0
        home = homes.get(entry.key, home)
        page.append(entry)
        size += weight
    if page:
        yield page


def _without_unknown(keys: Sequence[KeyShape], known: frozenset[str]) -> list[KeyShape]:
    """Return keys without optional ones, also inside objects, that hold only unknown options of the API."""
    rest: list[KeyShape] = []
    for entry in keys:
        paths = [hole.path for hole in entry.shape.holes]
        if entry.optional and paths and all(path[0] == "vendor" and path[1] not in known for path in paths):
            continue
        shape = entry.shape
        if isinstance(shape, Object):
            fields = tuple(_without_unknown(shape.fields, known))
            entry = replace(entry, shape=Object(fields, shape.extra_keys, shape.span))  # noqa: PLW2901  # what is left of it
        rest.append(entry)
    return rest


def _text(keys: Sequence[KeyShape]) -> str:
    return shape_text(Object(tuple(keys), None, keys[0].shape.span)) if keys else ""


def optional_keys(model: WireModel) -> list[KeyShape]:
    """Return the keys of a wire's body that most requests leave out."""
    common = COMMON_REQUEST_FIELDS | COMMON_OPTIONS | {"settings"}
    keys: list[KeyShape] = []
    for entry in model.body.entries:
        heads = {hole.path[0] for hole in entry.shape.holes}
        if entry.optional and heads and not heads & common:
            keys.append(entry)
    return keys


def variables_of(entries: Sequence[KeyShape], *, page: bool = False) -> list[str]:
    """Return the variables behind the holes of some keys; `page` where they stand in a function of their own."""
    heads = {hole.path[0] for entry in entries for hole in entry.shape.written_holes}
    options = ["options"] if page and heads & OPTIONS.keys() else []
    vendor = ["vendor"] if "vendor" in heads and not page else []
    return [*options, *[head for head in _NODES if head in heads], *vendor]
