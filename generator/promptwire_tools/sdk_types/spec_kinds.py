"""Convert the shapes of a wire to kinds: the keys that its spec knows at each place of a body."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial

from pydantic.alias_generators import to_snake

from promptwire_gen.emit.types import HoleTypes
from promptwire_gen.model.neutral import MESSAGE, OBJECTS, UNIONS, Kind as Node
from promptwire_gen.model.offers import ShapeFilter
from promptwire_gen.model.wire import Variant, WireModel
from promptwire_gen.spec.shapes import (
    Alternatives,
    ConstantShape,
    Hole,
    Interpolation,
    KeyShape,
    Listing,
    Object,
    Shape,
    Tolerated,
)

from .kinds import ANY, SCALAR, Kind, ListKind, RecordKey, RecordKind

_FREE = ("json", "arguments", *OBJECTS)
# the key that a filter of a tool result writes
_WRITTEN: Mapping[str, Kind] = {"list": (ListKind(SCALAR),), "object": ANY}


def body_kind(model: WireModel, filters: Mapping[str, ShapeFilter]) -> Kind:
    """Return the kind of the whole body of a wire."""
    return (_Shapes(model, HoleTypes(model, filters)).object(model.body.shape, None, "body"),)


@dataclass(slots=True)
class _Shapes:
    """The records of one wire; each variant is one record wherever it occurs."""

    model: WireModel
    holes: HoleTypes
    variants: dict[str, Kind] = field(default_factory=dict[str, Kind])

    def object(self, shape: Object, node: Node | None, name: str, role: str = "") -> RecordKind:
        """Return the record of an object shape; for a message, `role` decides which parts it holds."""
        spread = self._spread(shape, node)
        is_open = shape.extra_keys is not None and spread is None
        return RecordKind(name, partial(self._keys, shape, node, role, spread or ()), is_open)

    def _keys(
        self, shape: Object, node: Node | None, role: str, spread: Iterable[Variant]
    ) -> dict[str, RecordKey]:
        keys: dict[str, RecordKey] = {}
        for variant in spread:
            inner = (
                self._keys(variant.shape, variant.kind, "", ()) if isinstance(variant.shape, Object) else {}
            )
            for name, key in inner.items():
                old = keys.get(name, RecordKey(SCALAR))
                keys[name] = RecordKey((*old.kind, *key.kind))
        for entry in shape.fields:
            key = RecordKey(
                self._shape(entry.shape, node, entry.key, role), self._words(entry), not entry.optional
            )
            # a snake_case alias is no separate key; of several aliases, none is required
            others = [name for name in entry.aliases if name != to_snake(entry.key)]
            key = replace(key, required=key.required and not others)
            keys |= dict.fromkeys([entry.key, *others], key)
        return keys

    def _words(self, entry: KeyShape) -> tuple[str, ...]:
        """Return the constant words of a key."""
        match entry.shape:
            case ConstantShape(value=str() as word):
                return (word, *self._other_words(entry, word))
            case Tolerated(values=values):
                return tuple([value for value in values if isinstance(value, str)])
            case Hole(guard=str() as guard, filters=()):
                return tuple(guard.split("|"))
            case Interpolation(texts=texts):
                return ("*".join(texts),)
            case _:
                return ()

    def _other_words(self, entry: KeyShape, word: str) -> list[str]:
        """Return the alternative words for the role of a message."""
        if entry.key != self.model.speaker:
            return []
        shapes = [shape for shape in self.model.messages.values() if shape.wire_role == word]
        return [other for shape in shapes for other in shape.also if other is not None]

    def _shape(self, shape: Shape, node: Node | None, name: str, role: str) -> Kind:
        match shape:
            case Hole():
                return self._hole(shape, node, role)
            case Object():
                return (self.object(shape, node, name),)
            case Listing(items=shapes):
                return (ListKind(self._any(shapes, node, name, role)),)
            case Alternatives(forms=shapes):
                return self._any(shapes, node, name, role)
            case _:
                return SCALAR

    def _any(self, shapes: Iterable[Shape], node: Node | None, name: str, role: str) -> Kind:
        return tuple([kind for shape in shapes for kind in self._shape(shape, node, name, role)])

    def _hole(self, hole: Hole, node: Node | None, role: str) -> Kind:
        kind = self._value(hole, node, role)
        for used in hole.filters:
            if used.name == "list":
                kind = (ListKind(kind),)
            elif used.name == "one":
                kind = tuple([inner for row in kind if isinstance(row, ListKind) for inner in row.kind])
            elif used.name != "upper":
                kind = _WRITTEN.get(self.holes.filters[used.name].result, SCALAR)
        return kind

    def _value(self, hole: Hole, node: Node | None, role: str) -> Kind:
        """Return the kinds of a value in a hole without filters."""
        declared = self.holes.get_type(hole, node)
        if declared in _FREE:
            return ANY
        if declared in UNIONS:
            return self._named(self.model.unions[declared])
        if declared == "strings":
            return SCALAR if hole.listed else (ListKind(SCALAR),)
        if declared == "parts" and node is not None:
            return self._listed(self._content(self.model.find_content_role(node.name)))
        return self._of_request(declared, hole, role)

    def _of_request(self, declared: str, hole: Hole, role: str) -> Kind:
        """Return the kinds of a hole for messages or one of their slots, for tools or instructions."""
        match declared:
            case "slot":
                return self._slot(hole.path[-1], role or "user")
            case "messages":
                # a prompt of templates is one text
                return SCALAR if self.model.prompt else (ListKind(self._items()),)
            case "results":
                return (ListKind(self._named(self._standing("results"))),)
            case "last":
                return self._last(hole)
            case "tools":
                return self._listed(self._tools())
            case "instructions":
                return self._listed(self._named(self.model.unions["instruction"]))
            case _:
                return SCALAR

    def _listed(self, element: Kind) -> Kind:
        """Return the kind of a list; cache marks that are elements of their own are included."""
        marks = self._named(self.model.unions.get("cache", ())) if self.model.marks_cache else ()
        return (ListKind((*element, *marks)),)

    def _named(self, variants: Iterable[Variant]) -> Kind:
        """Return the kinds of the variants of a union, or of parts."""
        kinds: list[Kind] = []
        for variant in variants:
            if variant.label not in self.variants:
                self.variants[variant.label] = self._shape(variant.shape, variant.kind, variant.label, "")
            kinds.append(self.variants[variant.label])
        return tuple([row for kind in kinds for row in kind])

    def _content(self, role: str) -> Kind:
        return self._named(
            [part for part in self.model.list_parts_of(role) if part.slot == "content" and not part.refused]
        )

    def _slot(self, slot: str, role: str) -> Kind:
        """Return the kinds of the parts that a message of a role has in a slot."""
        if slot == "content":
            return self._listed(self._content(role))
        kind = self._named([part for part in self.model.parts if part.slot == slot and part.serves(role)])
        return (ListKind(kind),) if self.model.slots[slot] == "list" else kind

    def _items(self) -> Kind:
        """Return the kinds of the elements of the message list."""
        messages = [
            self.object(message.shape, MESSAGE, f"{role} message", role)
            for role, message in self.model.messages.items()
        ]
        return (*messages, *self._named(self._standing("messages")))

    def _standing(self, slot: str) -> list[Variant]:
        return [part for part in self.model.parts if part.slot == slot]

    def _tools(self) -> Kind:
        tools = self.model.unions["tool"]
        if not self.model.group_under:
            return self._named(tools)
        key = self.model.group_under[0]
        functions = self._named([tool for tool in tools if tool.mode == "function"])
        gathered = RecordKind(key, lambda: {key: RecordKey((ListKind(functions),), (), required=True)})
        return (gathered, *self._named([tool for tool in tools if tool.mode != "function"]))

    def _last(self, hole: Hole) -> Kind:
        """Return the kinds of a key that holds the last message."""
        role, *slot = hole.path[2:]
        kind: Kind = (self.object(self.model.messages[role].shape, MESSAGE, f"{role} message", role),)
        if slot:
            return self._slot(slot[0], role)
        return (ListKind(kind),) if hole.listed else kind

    def _spread(self, shape: Object, node: Node | None) -> tuple[Variant, ...] | None:
        """Return the variants whose keys are merged into an object, or None if there are none."""
        if shape.extra_keys is None:
            return None
        return self.model.unions.get(self.holes.get_type(shape.extra_keys, node))
