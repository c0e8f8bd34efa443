"""The TypedDicts of a wire's JSON, from the same shapes that write and read it."""

from __future__ import annotations

import keyword
import re
from dataclasses import dataclass, field

from ..model.neutral import MESSAGE, ROLES, Kind
from ..model.wire import Alternative, WireModel
from ..spec.shapes import Choice, Constant, Hole, Interpolation, Listing, Object, Shape, Tolerated
from .docs import spec_line, stands_at
from .hole_types import HoleTypes, camel, literals, part_type
from .text_shapes import with_article

_WORD = re.compile(r"\w+")
# unions whose shape may be spread among other keys
_SPREAD = ("tool_choice", "response_format", "reasoning")


@dataclass(frozen=True, slots=True)
class Record:
    """One TypedDict; `plain` when its keys are identifiers, `bases` when it only joins others."""

    name: str
    doc: str
    fields: tuple[tuple[str, str, bool], ...]
    bases: tuple[str, ...] = ("TypedDict",)

    @property
    def plain(self) -> bool:
        """Whether the class syntax can spell all keys."""
        return all(key.isidentifier() and not keyword.iskeyword(key) for key, _, _ in self.fields)


@dataclass(slots=True)
class Records:
    """Collects the TypedDicts and aliases of one wire in the order they are needed."""

    model: WireModel
    holes: HoleTypes
    records: list[Record] = field(default_factory=list[Record])
    aliases: dict[str, str] = field(default_factory=dict[str, str])
    taken: set[str] = field(default_factory=set[str])
    names: dict[str, str] = field(default_factory=dict[str, str])

    def collect(self) -> Records:
        """Make all of them."""
        model = self.model
        for part in model.parts:
            self._named(part, _part_name(part))
        for role in dict.fromkeys((*ROLES, *model.content_roles)):
            rows = [p for p in model.parts_of(role) if p.slot == "content"]
            self._alias(part_type(role), [self._name_of(row, _part_name(row)) for row in rows])
        for union, alternatives in model.unions.items():
            names = [self._named(row, camel(row.label) + "Json") for row in alternatives]
            if union == "tool" and model.gather is not None:
                names = self._gather(model.gather, list(zip(alternatives, names, strict=True)))
            self._alias(f"{camel(union)}Json", names)
        for role, shape in model.messages.items():
            self.holes.slots = self._slots(role)
            doc = f"{with_article(role).capitalize()} message. Spec: {spec_line(shape.span)}."
            self._object(f"{camel(role)}Message", shape.shape, MESSAGE, doc)
        items = [f"{camel(role)}Message" for role in model.messages]
        items += [self._name_of(p, _part_name(p)) for p in model.parts if p.slot == "messages"]
        self._alias("Item", items)
        self._object("Body", model.body.shape, None, f"The body of a request: {model.title}.")
        self._drop_unused()
        return self

    def _slots(self, role: str) -> dict[str, str]:
        """The type of each slot of a message, by the shapes of the parts that land there."""
        model = self.model
        found: dict[str, str] = {}
        for slot, arity in model.slots.items():
            rows = [p for p in model.parts if p.slot == slot and p.serves(role)]
            held = " | ".join(dict.fromkeys(self._name_of(row, _part_name(row)) for row in rows)) or "Any"
            found[slot] = f"list[{held}]" if arity == "list" else held
        word = model.messages[role].wire_role
        # neighbours of one role of the wire become one message
        joined = [each for each, shape in model.messages.items() if model.merges and shape.wire_role == word]
        found["content"] = self.holes.elements(" | ".join(map(part_type, joined or [role])))
        return found

    def _drop_unused(self) -> None:
        """Leave out the names of nothing: no shape gives them, and no type mentions them."""
        said = " ".join(annotation for record in self.records for _, annotation, _ in record.fields)
        words = set(_WORD.findall(said))
        self.aliases = {
            name: members for name, members in self.aliases.items() if members != "Any" or name in words
        }

    def _gather(self, key: str, tools: list[tuple[Alternative, str]]) -> list[str]:
        """Name what stands in the list of tools, where one element holds all functions."""
        functions = list(dict.fromkeys(name for row, name in tools if row.mode == "function"))
        record = self._own("ToolFunctionsJson")
        fields = ((key, f"list[{' | '.join(functions)}]", True),)
        self.records.append(Record(record, "The functions, all in one element.", fields))
        return [record, *(name for row, name in tools if row.mode != "function")]

    def _own(self, record: str) -> str:
        """A name that no type has yet: `a-b` and `a_b` are two keys, and one name."""
        while record in self.taken:
            record += "_"
        self.taken.add(record)
        return record

    def _alias(self, name: str, members: list[str]) -> None:
        self.aliases[name] = " | ".join(self._distinct(members)) or "Any"

    def _distinct(self, names: list[str]) -> list[str]:
        """Leave out a type that says the same as one before it: a checker would be lost between the two."""
        fields = {record.name: record.fields for record in self.records if record.bases == ("TypedDict",)}
        first: dict[object, str] = {}
        for name in names:
            first.setdefault(fields.get(name, name), name)
        return list(first.values())

    def _name_of(self, alternative: Alternative, record: str) -> str:
        shape = alternative.shape
        if isinstance(shape, Object) and shape.rest is None:
            return record
        if alternative.label not in self.names:
            doc = f"Spec: {stands_at(alternative)}."
            self.names[alternative.label] = self._annotation(shape, alternative.kind, record, doc)
        return self.names[alternative.label]

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
                return self.holes.of(shape, kind)
            case Constant():
                return literals((shape.value,))
            case Tolerated():
                return literals(shape.values)
            case Interpolation():
                return "str"
            case Object():
                if shape.rest is not None and self.holes.type_of(shape.rest, kind) in _SPREAD:
                    return self._spread(shape, kind, record, doc)
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
                # an empty list is one of any type
                rows = [row for row in zip(shape.forms, names, strict=True) if not _is_empty(row[0])]
                forms = [self._annotation(form, kind, name, doc) for form, name in rows]
                return " | ".join(dict.fromkeys(forms))

    def _spread(self, shape: Object, kind: Kind | None, record: str, doc: str) -> str:
        """Annotate an object that a union's shape is spread in: its own keys, alone or with those of one shape."""
        assert shape.rest is not None
        union = self.holes.type_of(shape.rest, kind)
        rows = [(row, row.shape) for row in self.model.unions[union]]
        keys = {spelling for entry in shape.fields for spelling in (entry.key, *entry.synonyms)}
        whole = all(isinstance(inner, Object) and inner.rest is None for _, inner in rows)
        if not whole or any(not keys.isdisjoint(_keys(inner)) for _, inner in rows):
            return "Mapping[str, Any]"
        names = [self._name_of(row, camel(row.label) + "Json") for row, _ in rows]
        if shape.fields:
            own = self._own(record)
            self._object(own, Object(shape.fields, None, shape.span), kind, doc)
            for index, (row, _) in enumerate(rows):
                joined = self._own(own + camel(row.label.removeprefix(union)))
                said = f"{doc.removesuffix('.')}, with the keys of {names[index]}."
                self.records.append(Record(joined, said, (), (names[index], own)))
                names[index] = joined
            self._alias(f"{own}Forms", [own, *names])
            return f"{own}Forms"
        return f"{camel(union)}Json"


def _keys(shape: Shape) -> set[str]:
    """The keys of an object."""
    assert isinstance(shape, Object)
    return {spelling for entry in shape.fields for spelling in (entry.key, *entry.synonyms)}


def _is_empty(shape: Shape) -> bool:
    return isinstance(shape, Listing) and not shape.items


def _part_name(part: Alternative) -> str:
    return camel(part.label.removeprefix("part_")) + "Part"
