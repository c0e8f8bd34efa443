"""The TypedDicts of a wire's JSON, from the same shapes that write and read it."""

from __future__ import annotations

import keyword
from dataclasses import dataclass, field
from functools import cache

from ..model.neutral import DOTTED, MESSAGE, OPTIONS, REQUEST, ROLES, Kind
from ..model.wire import Alternative, WireModel
from ..spec.shapes import Choice, Constant, Hole, Interpolation, Listing, Object, Shape, Tolerated
from .docs import spec_line, stands_at
from .printing import code
from .python import literal

_SCALARS = {
    "str": "str", "int": "int", "number": "float", "bool": "bool", "strings": "list[str]", "json": "Any",
    "object": "Mapping[str, Any]", "arguments": "Mapping[str, Any]",
    "text_object": "Mapping[str, str]", "number_object": "Mapping[str, float]",
}  # fmt: skip
# the JSON type that a filter writes, where it is not text
_FILTERED = {"not": "bool", "one": "Any", "list": "list[Any]", "upper": "Any", "keyed": "Mapping[str, Any]"}


@dataclass(frozen=True, slots=True)
class Record:
    """One TypedDict; `plain` when its keys are identifiers."""

    name: str
    doc: str
    fields: tuple[tuple[str, str, bool], ...]

    @property
    def plain(self) -> bool:
        """Whether the class syntax can spell all keys."""
        return all(key.isidentifier() and not keyword.iskeyword(key) for key, _, _ in self.fields)


@dataclass(slots=True)
class Records:
    """Collects the TypedDicts and aliases of one wire in the order they are needed."""

    model: WireModel
    records: list[Record] = field(default_factory=list[Record])
    aliases: dict[str, str] = field(default_factory=dict[str, str])
    taken: set[str] = field(default_factory=set[str])

    def collect(self) -> Records:
        """Make all of them."""
        model = self.model
        for part in model.parts:
            self._named(part, _part_name(part))
        for role in ROLES:
            rows = [p for p in model.parts_of(role) if p.slot == "content"]
            self._alias(f"{camel(role)}Part", [self._name_of(row, _part_name(row)) for row in rows])
        for union, alternatives in model.unions.items():
            names = [self._named(row, camel(row.label) + "Json") for row in alternatives]
            if union == "tool" and model.gather is not None:
                names = self._gather(model.gather, list(zip(alternatives, names, strict=True)))
            self._alias(f"{camel(union)}Json", names)
        for role, shape in model.messages.items():
            self._object(
                f"{camel(role)}Message",
                shape.shape,
                MESSAGE,
                f"A {role} message. Spec: {spec_line(shape.span)}.",
            )
        items = [f"{camel(role)}Message" for role in model.messages]
        items += [self._name_of(p, _part_name(p)) for p in model.parts if p.slot == "messages"]
        self._alias("Item", items)
        self._object("Body", model.body.shape, None, f"The body of a request: {model.title}.")
        return self

    def _gather(self, key: str, tools: list[tuple[Alternative, str]]) -> list[str]:
        """Name what stands in the list of tools, where one element holds all functions."""
        functions = list(dict.fromkeys(name for row, name in tools if row.mode == "function"))
        record = self._own("ToolFunctionsJson")
        fields = ((key, f"list[{' | '.join(functions)}]", True),)
        self.records.append(Record(record, "The functions, all in one element.", fields))
        return [record, *(name for row, name in tools if row.mode != "function")]

    def _elements(self, name: str) -> str:
        """Annotate a list of nodes; where marks are elements of their own, they stand in it too."""
        return f"list[{name} | CacheJson]" if self.model.marks_cache else f"list[{name}]"

    def _own(self, record: str) -> str:
        """A name that no type has yet: `a-b` and `a_b` are two keys, and one name."""
        while record in self.taken:
            record += "_"
        self.taken.add(record)
        return record

    def _alias(self, name: str, members: list[str]) -> None:
        unique = list(dict.fromkeys(members))
        self.aliases[name] = " | ".join(unique) or "Any"

    def _name_of(self, alternative: Alternative, record: str) -> str:
        shape = alternative.shape
        if isinstance(shape, Object) and shape.rest is None:
            return record
        return self._annotation(shape, alternative.kind, record, f"Spec: {stands_at(alternative)}.")

    def _named(self, alternative: Alternative, record: str) -> str:
        shape = alternative.shape
        if isinstance(shape, Object) and shape.rest is None:
            self._object(record, shape, alternative.kind, f"Spec: {stands_at(alternative)}.")
        return self._name_of(alternative, record)

    def _object(self, record: str, shape: Object, kind: Kind | None, doc: str) -> None:
        self.taken.add(record)
        fields: list[tuple[str, str, bool]] = []
        for entry in shape.fields:
            inside = f"Inside {record}: its `{entry.key}`."
            annotation = self._annotation(entry.shape, kind, record + camel(entry.key), inside)
            fields.append((entry.key, annotation, not entry.optional))
            fields += [(synonym, annotation, False) for synonym in entry.synonyms]
        self.records.append(Record(record, doc, tuple(fields)))

    def _annotation(self, shape: Shape, kind: Kind | None, record: str, doc: str) -> str:
        """Annotate a value; an object becomes a TypedDict of this name, or one like it, with this docstring."""
        match shape:
            case Hole():
                return self._hole(shape, kind)
            case Constant():
                return _literals((shape.value,))
            case Tolerated():
                return _literals(shape.values)
            case Interpolation():
                return "str"
            case Object():
                if shape.rest is not None or not shape.fields:
                    return "Mapping[str, Any]"
                own = self._own(record)
                self._object(own, shape, kind, doc)
                return own
            case Listing():
                inner = [self._annotation(item, kind, f"{record}Item", doc) for item in shape.items]
                return f"list[{' | '.join(dict.fromkeys(inner)) or 'Any'}]"
            case Choice():
                names = [f"{record}{index or ''}" for index in range(len(shape.forms))]
                rows = zip(shape.forms, names, strict=True)
                forms = [self._annotation(form, kind, name, doc) for form, name in rows]
                return " | ".join(dict.fromkeys(forms))

    def _hole(self, hole: Hole, kind: Kind | None) -> str:
        if hole.filters:
            return _FILTERED.get(hole.filters[0].name, "str")
        declared = self._type(hole, kind)
        if declared == "strings" and hole.listed:
            return "str"
        if declared in _SCALARS:
            return _SCALARS[declared]
        match declared:
            case "parts":
                return "list[Any]" if hole.listed else "str | list[Any]"
            case "slot":
                return self._slot(hole)
            case "messages":
                return "list[Item]"
            case "tools":
                return self._elements("ToolJson")
            case "instructions":
                layers = self._elements("InstructionJson")
                return layers if hole.listed else f"str | {layers}"
            case _:
                return f"{camel(declared)}Json"

    def _slot(self, hole: Hole) -> str:
        name = hole.path[0]
        if name == "content":
            return "list[Any]" if hole.listed else "str | list[Any]"
        return "list[Any]" if self.model.slots[name] == "list" else "Any"

    def _type(self, hole: Hole, kind: Kind | None) -> str:
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


def _literals(values: tuple[object, ...]) -> str:
    if any(isinstance(value, float) for value in values):
        return "float"
    return f"Literal[{', '.join(code(literal(value)) for value in values)}]"


def _part_name(part: Alternative) -> str:
    return camel(part.label.removeprefix("part_")) + "Part"


@cache
def camel(words: str) -> str:
    """`image_data` as `ImageData`."""
    pieces = "".join(c if c.isalnum() else " " for c in words).split()
    return "".join(piece[:1].upper() + piece[1:] for piece in pieces)
