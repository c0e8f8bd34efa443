"""Types of JSON values as trees, and the types of holes: neutral fields, results of filters, parts of messages.

The macro `annotation` of `templates/types/annotations.j2` writes them as text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import ClassVar, TypeAlias

from ...model.message_places import RESULTS
from ...model.neutral import CONTAINERS, MESSAGE, Kind, find_field
from ...model.offers import ShapeFilter
from ...model.wire import WireModel
from ...spec.shapes import Hole, HoleFilter


@dataclass(frozen=True, slots=True)
class Named:
    """A type by its name: `str`, `int`, `float`, `bool`, `Any`, or one that the same module defines (`local`)."""

    form: ClassVar[str] = "name"
    name: str
    local: bool = False

    @property
    def uses(self) -> frozenset[str]:
        """The types of the same module that it names."""
        return frozenset([self.name] if self.local else [])


@dataclass(frozen=True, slots=True)
class ListOf:
    """`list[element]`."""

    form: ClassVar[str] = "list"
    element: Annotation

    @property
    def uses(self) -> frozenset[str]:
        """The types of the same module that it names."""
        return self.element.uses


@dataclass(frozen=True, slots=True)
class MapOf:
    """`Mapping[str, value]`."""

    form: ClassVar[str] = "map"
    value: Annotation

    @property
    def uses(self) -> frozenset[str]:
        """The types of the same module that it names."""
        return self.value.uses


@dataclass(frozen=True, slots=True)
class UnionOf:
    """`first | second`."""

    form: ClassVar[str] = "union"
    members: tuple[Annotation, ...]

    @property
    def uses(self) -> frozenset[str]:
        """The types of the same module that it names."""
        return frozenset[str]().union(*[member.uses for member in self.members])


@dataclass(frozen=True, slots=True)
class LiteralOf:
    """`Literal["a", "b"]`."""

    form: ClassVar[str] = "literal"
    values: tuple[object, ...]
    uses: frozenset[str] = frozenset()


Annotation: TypeAlias = Named | ListOf | MapOf | UnionOf | LiteralOf

ANY = Named("Any")
TEXT = Named("str")
OBJECT = MapOf(ANY)


def named(record: str) -> Named:
    """Return a type of the same module."""
    return Named(record, local=True)


def list_of(element: Annotation) -> ListOf:
    """Return `list[element]`."""
    return ListOf(element)


def union_of(members: Iterable[Annotation]) -> Annotation:
    """Return `first | second`, each once; `Any` where there is none."""
    distinct = tuple(dict.fromkeys(members))
    if len(distinct) < 2:
        return distinct[0] if distinct else ANY
    return UnionOf(distinct)


def literals(values: Iterable[object]) -> Annotation:
    """Return `Literal["a", "b"]`, or `float` where a value is a number with a fraction."""
    words = tuple(values)
    if any(isinstance(value, float) for value in words):
        return Named("float")
    return LiteralOf(words)


_SCALARS: dict[str, Annotation] = {
    "str": TEXT,
    "int": Named("int"),
    "number": Named("float"),
    "bool": Named("bool"),
    "strings": list_of(TEXT),
    "json": ANY,
    "object": OBJECT,
    "arguments": OBJECT,
    "text_object": MapOf(TEXT),
    "number_object": MapOf(Named("float")),
}
# result type of a filter -> type in the body
_RESULTS: dict[str, Annotation] = {"str": TEXT, "bool": Named("bool"), "list": list_of(ANY), "object": OBJECT}


@dataclass(slots=True)
class HoleTypes:
    """Annotates the holes of one wire.

    slots  the types of what the message at hand holds
    last   role, or role and slot -> the type of what stands under the key of a last message
    """

    model: WireModel
    filters: Mapping[str, ShapeFilter]
    slots: dict[str, Annotation] = field(default_factory=dict[str, Annotation])
    last: dict[tuple[str, ...], Annotation] = field(default_factory=dict[tuple[str, ...], Annotation])

    def of(self, hole: Hole, kind: Kind | None) -> Annotation:
        """Annotate the JSON value of a hole."""
        declared = self.type_of(hole, kind)
        if hole.wants_object and declared == "json":
            return self._plain(hole, kind, "object")
        if (
            hole.guard is not None
            and "*" not in hole.guard
            and not hole.filters
            and declared in ("str", "json")
        ):
            return literals(hole.guard.split("|"))
        if declared in ("parts", "slot") and hole.filters and hole.filters[-1].name == "join":
            return TEXT
        annotation = self._plain(hole, kind, declared)
        for used in hole.filters:
            annotation = self._filtered(used, annotation)
        return annotation

    def elements(self, element: Annotation) -> Annotation:
        """Annotate a list of nodes; where marks are elements of their own, they stand in it too."""
        return list_of(union_of([element, named("CacheJson")]) if self.model.marks_cache else element)

    def type_of(self, hole: Hole, kind: Kind | None) -> str:
        """Return the neutral type of a hole; `slot` for parts of a message."""
        head = hole.path[0]
        if kind is None and hole.path[:2] == ("messages", "last"):
            return "last"
        if kind is None and hole.path == RESULTS:
            return "results"
        if kind is None and head == "messages" and len(hole.path) > 1:
            return "slot"
        if kind is MESSAGE and head in self.model.slots:
            return "slot"
        declared = find_field(hole.path, kind)
        return "json" if declared is None else declared.type

    def _plain(self, hole: Hole, kind: Kind | None, declared: str) -> Annotation:
        """Return the type of a value that no filter changes."""
        if declared == "strings" and hole.listed:
            return TEXT
        if declared in _SCALARS:
            return _SCALARS[declared]
        match declared:
            case "parts" if kind is not None:
                inside = named(part_type(self.model.content_role(kind.name)))
                return _content(hole, self.elements(inside))
            case "slot":
                slot_type = self.slots[hole.path[-1]]
                return _content(hole, slot_type) if hole.path[-1] == "content" else slot_type
            case "messages":
                return TEXT if self.model.prompt else list_of(named("Item"))
            case "results":
                return list_of(named("ResultItem"))
            case "last":
                return self.last[hole.path[2:]]
            case "tools":
                return self.elements(named("ToolJson"))
            case "instructions":
                return _content(hole, self.elements(named("InstructionJson")))
            case _:
                return named(f"{camel(declared)}Json")

    def _filtered(self, used: HoleFilter, inner: Annotation) -> Annotation:
        """Return the type of a filter's result."""
        match used.name:
            case "word":
                return literals(used.arguments)
            case "list":
                return list_of(inner)
            case "one" if isinstance(inner, ListOf):
                return inner.element
            case "upper":
                return inner
            case name:
                return _RESULTS.get(self.filters[name].result, ANY)


def _content(hole: Hole, elements: Annotation) -> Annotation:
    """Return a list, or text where it may be bare."""
    return elements if hole.listed else union_of([TEXT, elements])


def part_type(role: str) -> str:
    """Return the name for any element of the content of a message of this role, or of a part of this kind."""
    return f"Inside{camel(role)}" if role in CONTAINERS else f"{camel(role)}Part"


@cache
def camel(words: str) -> str:
    """`image_data` as `ImageData`."""
    pieces = "".join(letter if letter.isalnum() else " " for letter in words).split()
    return "".join(piece[:1].upper() + piece[1:] for piece in pieces)
