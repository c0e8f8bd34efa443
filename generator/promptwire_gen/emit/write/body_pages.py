"""Functions that write the keys which most requests leave out, a page of them each; a dialect keeps its parent's pages.

A page of the parent serves a dialect that lacks some of its options of the API: options that a wire does not know
are never handed to a page, so what the page has for them is dead there.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ...model.neutral import COMMON_OPTIONS, COMMON_REQUEST_FIELDS, OPTIONS
from ...model.wire import WireModel
from ...spec.shapes import KeyShape, Object
from ..conditions import conditional, either
from ..docs import shape_text
from ..field_access import FieldAccess
from ..python import Expression, attribute, call, name, word_of
from .body_keys import BodyKey, body_key
from .body_row import known_vendor
from .keys import is_copied, joined_copies

# values of absent fields
EMPTY = {"tool_choice": "NO_TOOL_CHOICE", "reasoning": "NO_REASONING", "continuation": "NO_CONTINUATION"}
# holes that one page function fills; twice as many for a dialect with keys of its own
_HOLES_OF_A_PAGE = 8


@dataclass(frozen=True, slots=True)
class Variable:
    """`name = value`, before the keys that need it."""

    name: str
    value: Expression


@dataclass(frozen=True, slots=True)
class BodyPage:
    """The function that writes some keys that most requests leave out."""

    name: str
    doc: str
    variables: tuple[Variable, ...]
    keys: tuple[BodyKey, ...]
    macro: ClassVar[str] = "body_page"


def body_page(entries: Sequence[KeyShape], access: FieldAccess, model: WireModel) -> BodyPage:
    """Return the function that writes these keys."""
    first, last = entries[0].key, entries[-1].key
    span = f"{first} to {last}"
    return BodyPage(
        f"write_keys_from_{word_of(first)}",
        f"Write the optional keys {span}." if first != last else f"Write the optional key {first}.",
        variables_of(entries, page=True),
        joined_copies([key for entry in entries for key in body_key(entry, access, model)]),
    )


def body_pages(model: WireModel, access: FieldAccess) -> list[BodyPage]:
    """Return the functions that write all such keys, in the order of the spec; `access` is the request's place."""
    return [page for _, page in _laid_out(model, access)]


def _laid_out(model: WireModel, access: FieldAccess) -> list[tuple[list[KeyShape], BodyPage]]:
    """Return the pages, each with the keys that it writes."""
    keys = optional_keys(model)
    if model.parent is None:
        return [(page, body_page(page, access, model)) for page in _split(keys, {}, _HOLES_OF_A_PAGE)]
    above = _laid_out(model.parent, replace(access, marks=model.parent.marks_cache))
    homes = {entry.key: index for index, (page, _) in enumerate(above) for entry in page}
    known = known_vendor(model)
    alike = {_text(_without_unknown(page, known)): (page, written) for page, written in above}
    pages: list[tuple[list[KeyShape], BodyPage]] = []
    for page in _split(keys, homes, 2 * _HOLES_OF_A_PAGE):
        whole, written = alike.get(_text(page), (page, None))
        inherited = body_page(whole, access, model)
        # rules of the dialect may read more fields
        same = inherited == written
        pages.append((whole, inherited) if same else (page, body_page(page, access, model)))
    return pages


def _split(keys: Sequence[KeyShape], homes: dict[str, int], most: int) -> Iterator[list[KeyShape]]:
    """Split keys into runs of at most so many holes; those of a parent's page stay together, new ones join them."""
    page: list[KeyShape] = []
    size = home = 0
    for entry in keys:
        # adjacent copied keys become one statement
        copied = bool(page) and is_copied(entry) and is_copied(page[-1])
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


def variables_of(entries: Sequence[KeyShape], *, page: bool = False) -> tuple[Variable, ...]:
    """Return the variables behind the holes of some keys; `page` where they stand in a function of their own."""
    heads = {hole.path[0] for entry in entries for hole in entry.shape.written_holes}
    variables: list[Variable] = []
    for head, word in EMPTY.items():
        if head in heads:
            empty = name(word)
            value = either(attribute(name("request"), head), empty)
            if page and head == "tool_choice":
                value = conditional(attribute(name("build"), "no_tools"), empty, value)
            variables.append(Variable(head, value))
    if page and heads & OPTIONS.keys():
        variables.insert(0, Variable("options", attribute(name("request"), "options")))
    if "vendor" in heads and not page:
        variables.append(Variable("vendor", call("build.known_vendor", name("request"))))
    return tuple(variables)
