"""The types of what stands in holes: of neutral fields, of what filters make of them, and of the parts of messages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache

from ..model.filters import ShapeFilter
from ..model.neutral import CONTAINERS, DOTTED, MESSAGE, OPTIONS, REQUEST, Kind
from ..model.wire import WireModel
from ..spec.shapes import Filter, Hole
from .python import code, literal

_SCALARS = {
    "str": "str", "int": "int", "number": "float", "bool": "bool", "strings": "list[str]", "json": "Any",
    "object": "Mapping[str, Any]", "arguments": "Mapping[str, Any]",
    "text_object": "Mapping[str, str]", "number_object": "Mapping[str, float]",
}  # fmt: skip
# what a filter of this result writes
_RESULTS = {"str": "str", "bool": "bool", "list": "list[Any]", "object": "Mapping[str, Any]"}


@dataclass(slots=True)
class HoleTypes:
    """Annotates the holes of one wire; `slots` are the types of what the message at hand holds."""

    model: WireModel
    filters: Mapping[str, ShapeFilter]
    slots: dict[str, str] = field(default_factory=dict[str, str])

    def of(self, hole: Hole, kind: Kind | None) -> str:
        """Annotate the JSON value of a hole."""
        declared = self.type_of(hole, kind)
        if (
            hole.guard is not None
            and "*" not in hole.guard
            and not hole.filters
            and declared in ("str", "json")
        ):
            return literals(tuple(hole.guard.split("|")))
        if declared in ("parts", "slot") and hole.filters and hole.filters[-1].name == "join":
            return "str"
        found = self._plain(hole, kind, declared)
        for used in hole.filters:
            found = self._filtered(used, found)
        return found

    def elements(self, name: str) -> str:
        """Annotate a list of nodes; where marks are elements of their own, they stand in it too."""
        return f"list[{name} | CacheJson]" if self.model.marks_cache else f"list[{name}]"

    def type_of(self, hole: Hole, kind: Kind | None) -> str:
        """The neutral type of a hole; `slot` for parts of a message."""
        head = hole.path[0]
        if head in ("vendor", "settings"):
            return "json"
        if kind is MESSAGE and head in self.model.slots:
            return "slot"
        if kind is not None:
            return kind.fields[head].type
        if head in DOTTED and len(hole.path) == 2:
            return DOTTED[head].fields[hole.path[1]].type
        return (OPTIONS.get(head) or REQUEST[head]).type

    def _plain(self, hole: Hole, kind: Kind | None, declared: str) -> str:
        """The type of a value that no filter changes."""
        if declared == "strings" and hole.listed:
            return "str"
        if declared in _SCALARS:
            return _SCALARS[declared]
        match declared:
            case "parts" if kind is not None:
                return _content(hole, self.elements(part_type(self.model.content_role(kind.name))))
            case "slot":
                held = self.slots[hole.path[0]]
                return _content(hole, held) if hole.path[0] == "content" else held
            case "messages":
                return "list[Item]"
            case "tools":
                return self.elements("ToolJson")
            case "instructions":
                return _content(hole, self.elements("InstructionJson"))
            case _:
                return f"{camel(declared)}Json"

    def _filtered(self, used: Filter, inner: str) -> str:
        """The type of what a filter makes of a value."""
        match used.name:
            case "word":
                return literals(used.arguments)
            case "list":
                return f"list[{inner}]"
            case "one" if inner.startswith("list["):
                return inner.removeprefix("list[").removesuffix("]")
            case "upper":
                return inner
            case name:
                return _RESULTS.get(self.filters[name].result, "Any")


def _content(hole: Hole, elements: str) -> str:
    """A list, or text where it may be bare."""
    return elements if hole.listed else f"str | {elements}"


def literals(values: tuple[object, ...]) -> str:
    """`Literal["a", "b"]`; numbers with a fraction cannot stand there."""
    if any(isinstance(value, float) for value in values):
        return "float"
    return f"Literal[{', '.join(code(literal(value)) for value in values)}]"


def part_type(role: str) -> str:
    """The name for any element of the content of a message of this role, or of a part of this kind."""
    return f"Inside{camel(role)}" if role in CONTAINERS else f"{camel(role)}Part"


@cache
def camel(words: str) -> str:
    """`image_data` as `ImageData`."""
    pieces = "".join(c if c.isalnum() else " " for c in words).split()
    return "".join(piece[:1].upper() + piece[1:] for piece in pieces)
