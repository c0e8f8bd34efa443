"""The types of the JSON of a wire's requests: TypedDicts and aliases, in the order in which its shapes need them.

The macro `annotation` of `templates/types/annotations.j2` writes an annotation as text.
"""

from __future__ import annotations

import keyword
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from typing import Any, ClassVar, NamedTuple, TypeAlias

from jinja2 import Environment

from ..model.body_model import SPREAD
from ..model.message_places import RESULTS
from ..model.neutral import CONTAINERS, MESSAGE, ROLES, Kind, find_field
from ..model.offers import ShapeFilter
from ..model.wire import Variant, WireModel
from ..spec.shapes import (
    Alternatives,
    ConstantShape,
    Hole,
    HoleFilter,
    Interpolation,
    Listing,
    Object,
    Shape,
    Tolerated,
)
from .dedupe import Definition, ModuleTexts, split_definitions, strip_prose
from .docs import locate_span, locate_variant
from .text_shapes import add_article


@dataclass(frozen=True, slots=True)
class Named:
    """A type by its name: `str`, `int`, `float`, `bool`, `Any`, or one that the same module defines (`local`)."""

    form: ClassVar[str] = "name"
    name: str
    local: bool = False


@dataclass(frozen=True, slots=True)
class ListOf:
    """`list[element]`."""

    form: ClassVar[str] = "list"
    element: Annotation


@dataclass(frozen=True, slots=True)
class MapOf:
    """`Mapping[str, value]`."""

    form: ClassVar[str] = "map"
    value: Annotation


@dataclass(frozen=True, slots=True)
class UnionOf:
    """`first | second`."""

    form: ClassVar[str] = "union"
    members: tuple[Annotation, ...]


@dataclass(frozen=True, slots=True)
class LiteralOf:
    """`Literal["a", "b"]`."""

    form: ClassVar[str] = "literal"
    values: tuple[object, ...]


Annotation: TypeAlias = Named | ListOf | MapOf | UnionOf | LiteralOf

ANY = Named("Any")
TEXT = Named("str")
OBJECT = MapOf(ANY)


def _list_local_types(annotation: Annotation) -> Iterator[str]:
    """Yield the types of the same module that an annotation names."""
    match annotation:
        case Named(name, local=True):
            yield name
        case ListOf(inner) | MapOf(inner):
            yield from _list_local_types(inner)
        case UnionOf(members):
            for member in members:
                yield from _list_local_types(member)
        case _:
            return


def name_type(record: str) -> Named:
    """Return a type of the same module."""
    return Named(record, local=True)


def unite_types(members: Iterable[Annotation]) -> Annotation:
    """Return `first | second`, each once; `Any` where there is none."""
    distinct = tuple(dict.fromkeys(members))
    if len(distinct) < 2:
        return distinct[0] if distinct else ANY
    return UnionOf(distinct)


def make_literal_type(values: Iterable[object]) -> Annotation:
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
    "strings": ListOf(TEXT),
    "json": ANY,
    "object": OBJECT,
    "arguments": OBJECT,
    "text_object": MapOf(TEXT),
    "number_object": MapOf(Named("float")),
}
# result type of a filter -> type in the body
_RESULTS: dict[str, Annotation] = {"str": TEXT, "bool": Named("bool"), "list": ListOf(ANY), "object": OBJECT}


@dataclass(slots=True)
class HoleTypes:
    """Annotates the holes of one wire.

    slots  slot of the current message -> its type
    last   role of the last message, or role and slot -> the type of the key of the body that has it
    """

    model: WireModel
    filters: Mapping[str, ShapeFilter]
    slots: dict[str, Annotation] = field(default_factory=dict[str, Annotation])
    last: dict[tuple[str, ...], Annotation] = field(default_factory=dict[tuple[str, ...], Annotation])

    def annotate(self, hole: Hole, kind: Kind | None) -> Annotation:
        """Annotate the JSON value of a hole."""
        declared = self.get_type(hole, kind)
        if hole.wants_object and declared == "json":
            return self._annotate_unfiltered(hole, kind, "object")
        if (
            hole.guard is not None
            and "*" not in hole.guard
            and not hole.filters
            and declared in ("str", "json")
        ):
            return make_literal_type(hole.guard.split("|"))
        if declared in ("parts", "slot") and hole.filters and hole.filters[-1].name == "join":
            return TEXT
        annotation = self._annotate_unfiltered(hole, kind, declared)
        for used in hole.filters:
            annotation = self._annotate_filtered(used, annotation)
        return annotation

    def annotate_list(self, element: Annotation) -> Annotation:
        """Annotate a list of nodes, which may also hold cache marks if these are elements of their own."""
        return ListOf(unite_types([element, name_type("CacheJson")]) if self.model.marks_cache else element)

    def get_type(self, hole: Hole, kind: Kind | None) -> str:
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

    def _annotate_unfiltered(self, hole: Hole, kind: Kind | None, declared: str) -> Annotation:
        """Return the type of a value that no filter changes."""
        if declared == "strings" and hole.listed:
            return TEXT
        if declared in _SCALARS:
            return _SCALARS[declared]
        match declared:
            case "parts" if kind is not None:
                inside = name_type(name_part_type(self.model.find_content_role(kind.name)))
                return _annotate_content(hole, self.annotate_list(inside))
            case "slot":
                slot_type = self.slots[hole.path[-1]]
                return _annotate_content(hole, slot_type) if hole.path[-1] == "content" else slot_type
            case "messages":
                return TEXT if self.model.prompt else ListOf(name_type("Item"))
            case "results":
                return ListOf(name_type("ResultItem"))
            case "last":
                return self.last[hole.path[2:]]
            case "tools":
                return self.annotate_list(name_type("ToolJson"))
            case "instructions":
                return _annotate_content(hole, self.annotate_list(name_type("InstructionJson")))
            case _:
                return name_type(f"{make_camel_case(declared)}Json")

    def _annotate_filtered(self, used: HoleFilter, inner: Annotation) -> Annotation:
        """Return the type of a filter's result."""
        match used.name:
            case "word":
                return make_literal_type(used.arguments)
            case "list":
                return ListOf(inner)
            case "one" if isinstance(inner, ListOf):
                return inner.element
            case "upper":
                return inner
            case name:
                return _RESULTS.get(self.filters[name].result, ANY)


def _annotate_content(hole: Hole, elements: Annotation) -> Annotation:
    """Return a list, or text where it may be bare."""
    return elements if hole.listed else unite_types([TEXT, elements])


def name_part_type(role: str) -> str:
    """Return the name for any element of the content of a message of this role, or of a part of this kind."""
    return f"Inside{make_camel_case(role)}" if role in CONTAINERS else f"{make_camel_case(role)}Part"


@cache
def make_camel_case(words: str) -> str:
    """Return words in camel case: `image_data` as `ImageData`."""
    pieces = "".join(letter if letter.isalnum() else " " for letter in words).split()
    return "".join(piece[:1].upper() + piece[1:] for piece in pieces)


class TypedKey(NamedTuple):
    """One key of a TypedDict."""

    name: str
    type: Annotation
    required: bool


@dataclass(frozen=True, slots=True)
class TypedDictClass:
    """One TypedDict: its keys, or only the others that it joins (`bases`)."""

    is_alias: ClassVar[bool] = False
    name: str
    doc: str
    keys: tuple[TypedKey, ...]
    bases: tuple[str, ...] = ()

    @property
    def is_class(self) -> bool:
        """Return whether class syntax can spell all keys."""
        return all(key.name.isidentifier() and not keyword.iskeyword(key.name) for key in self.keys)

    @property
    def type(self) -> Named:
        """The annotation that names it."""
        return name_type(self.name)


@dataclass(frozen=True, slots=True)
class Alias:
    """A name for any of several types."""

    is_alias: ClassVar[bool] = True
    name: str
    type: Annotation


TypeDefinition: TypeAlias = TypedDictClass | Alias


def define_types(model: WireModel, filters: Mapping[str, ShapeFilter]) -> Sequence[TypeDefinition]:
    """Return every type of the JSON of a wire, TypedDicts first; `Body` is the whole body."""
    return _Records(model, HoleTypes(model, filters)).collect()


@dataclass(slots=True)
class _Records:
    """Collects the TypedDicts and aliases of one wire."""

    model: WireModel
    holes: HoleTypes
    records: list[TypedDictClass] = field(default_factory=list[TypedDictClass])
    aliases: dict[str, Alias] = field(default_factory=dict[str, Alias])
    taken: set[str] = field(default_factory=set[str])
    types: dict[str, Annotation] = field(default_factory=dict[str, Annotation])

    def collect(self) -> Sequence[TypeDefinition]:
        """Return all types, without aliases of `Any` that no type uses."""
        self._collect_parts()
        self._collect_unions()
        self._collect_messages()
        title = self.model.title
        doc = f"The body of a request: {title}."
        shape, rest = self.model.body.sent_shape, self.model.body.shape.extra_keys
        if rest is None:
            self._add_object("Body", shape, None, doc)
        else:
            self._add_body_with(replace(shape, extra_keys=None), rest.name, doc)
        types = [key.type for record in self.records for key in record.keys]
        used = frozenset([base for record in self.records for base in record.bases])
        used = used.union(*map(_list_local_types, types))
        aliases = [alias for alias in self.aliases.values() if alias.type is not ANY or alias.name in used]
        return [*self.records, *aliases]

    def _collect_parts(self) -> None:
        model = self.model
        for part in model.parts:
            if not part.refused:
                self._add_variant(part, _name_part(part))
        for role in dict.fromkeys((*ROLES, *model.content_roles)):
            parts = [
                part for part in model.list_parts_of(role) if part.slot == "content" and not part.refused
            ]
            self._add_alias(
                name_part_type(role), [self._annotate_variant(part, _name_part(part)) for part in parts]
            )

    def _collect_unions(self) -> None:
        model = self.model
        for union, variants in model.unions.items():
            accepted = [variant for variant in variants if not variant.refused]
            types = [
                self._add_variant(variant, make_camel_case(variant.label) + "Json") for variant in accepted
            ]
            if union == "tool" and model.group_under:
                types = self._gather(model.group_under[0], list(zip(accepted, types, strict=True)))
            self._add_alias(f"{make_camel_case(union)}Json", types)

    def _collect_messages(self) -> None:
        model = self.model
        items: list[Annotation] = []
        for role, message in model.messages.items():
            self.holes.slots = self._annotate_slots(role)
            doc = f"{add_article(role).capitalize()} message. Spec: {locate_span(message.span)}."
            items.append(self._add_object(f"{make_camel_case(role)}Message", message.shape, MESSAGE, doc))
            self._collect_last(role)
        if model.prompt:
            # the body itself has the other slots of the message of the user
            self.holes.slots = self._annotate_slots("user")
        items += [
            self._annotate_variant(part, _name_part(part)) for part in model.parts if part.slot == "messages"
        ]
        self._add_alias("Item", items)
        if model.body.results is not None:
            results = [
                self._annotate_variant(part, _name_part(part))
                for part in model.parts
                if part.slot == "results"
            ]
            self._add_alias("ResultItem", results)

    def _collect_last(self, role: str) -> None:
        """Record the types of the keys of the body that take the last message of a role."""
        for place in self.model.body.last:
            if place.role == role:
                whole = name_type(f"{make_camel_case(role)}Message")
                entry = dict(self.model.messages[role].slots).get(place.slot or "")
                if entry is None or not isinstance(entry.shape, Hole):
                    annotation: Annotation = ListOf(whole) if place.every else whole
                else:
                    annotation = self.holes.annotate(entry.shape, MESSAGE)
                self.holes.last[place.hole.path[2:]] = annotation

    def _annotate_slots(self, role: str) -> dict[str, Annotation]:
        """Return the type of each slot of a message, from the shapes of its parts."""
        model = self.model
        slots: dict[str, Annotation] = {}
        for slot, arity in model.slots.items():
            parts = [part for part in model.parts if part.slot == slot and part.serves(role)]
            element = unite_types([self._annotate_variant(part, _name_part(part)) for part in parts])
            slots[slot] = ListOf(element) if arity == "list" else element
        word = model.messages[role].wire_role
        # consecutive messages of one wire role are merged
        joined = [name for name, shape in model.messages.items() if model.merges and shape.wire_role == word]
        slots["content"] = self.holes.annotate_list(
            unite_types([name_type(name_part_type(name)) for name in joined or [role]])
        )
        return slots

    def _gather(self, key: str, tools: list[tuple[Variant, Annotation]]) -> list[Annotation]:
        """Return the types of the elements of the list of tools, if one element holds all functions."""
        functions = unite_types([tool for variant, tool in tools if variant.mode == "function"])
        keys = (TypedKey(key, ListOf(functions), required=True),)
        record = self._add(
            TypedDictClass(
                self._take_free_name("ToolFunctionsJson"), "The functions, all in one element.", keys
            )
        )
        return [record, *(tool for variant, tool in tools if variant.mode != "function")]

    def _take_free_name(self, record: str) -> str:
        """Return a name that no type has yet: `a-b` and `a_b` are two keys, and one name."""
        while record in self.taken:
            record += "_"
        self.taken.add(record)
        return record

    def _add(self, record: TypedDictClass) -> Named:
        self.records.append(record)
        return record.type

    def _add_alias(self, name: str, members: Iterable[Annotation]) -> Named:
        self.aliases[name] = Alias(name, unite_types(self._drop_equal(members)))
        return name_type(name)

    def _drop_equal(self, members: Iterable[Annotation]) -> list[Annotation]:
        """Return types without those equal to an earlier one, between which a checker could not choose."""
        keys = {record.name: record.keys for record in self.records if not record.bases}
        first: dict[object, Annotation] = {}
        for member in members:
            first.setdefault(keys.get(member.name, member) if isinstance(member, Named) else member, member)
        return list(first.values())

    def _annotate_variant(self, variant: Variant, record: str) -> Annotation:
        shape = variant.shape
        if isinstance(shape, Object) and shape.extra_keys is None:
            return name_type(record)
        if variant.label not in self.types:
            doc = f"Spec: {locate_variant(variant)}."
            self.types[variant.label] = self._annotate(shape, variant.kind, record, doc)
        return self.types[variant.label]

    def _add_variant(self, variant: Variant, record: str) -> Annotation:
        shape = variant.shape
        if isinstance(shape, Object) and shape.extra_keys is None:
            self._add_object(record, shape, variant.kind, f"Spec: {locate_variant(variant)}.")
        return self._annotate_variant(variant, record)

    def _add_object(self, record: str, shape: Object, kind: Kind | None, doc: str) -> Named:
        self.taken.add(record)
        keys: list[TypedKey] = []
        for entry in shape.fields:
            inside = f"Inside {record}: its `{entry.key}`."
            annotation = self._annotate(entry.shape, kind, record + make_camel_case(entry.key), inside)
            keys.append(TypedKey(entry.key, annotation, not (entry.optional or entry.by_default)))
            keys += [TypedKey(alias, annotation, required=False) for alias in entry.aliases]
        return self._add(TypedDictClass(record, doc, tuple(keys)))

    def _annotate(self, shape: Shape, kind: Kind | None, record: str, doc: str) -> Annotation:
        """Annotate a value; an object becomes a TypedDict of this name, or one like it, with this docstring."""
        match shape:
            case Hole():
                return self.holes.annotate(shape, kind)
            case ConstantShape():
                return make_literal_type([shape.value])
            case Tolerated():
                return make_literal_type(shape.values)
            case Interpolation():
                return TEXT
            case Object():
                if shape.extra_keys is not None and self.holes.get_type(shape.extra_keys, kind) in SPREAD:
                    return self._annotate_spread(shape, shape.extra_keys, kind, record, doc)
                if shape.extra_keys is not None or not shape.fields:
                    return OBJECT
                return self._add_object(self._take_free_name(record), shape, kind, doc)
            case Listing():
                items = [self._annotate(item, kind, f"{record}Item", doc) for item in shape.items]
                return ListOf(unite_types(items))
            case Alternatives():
                names = [f"{record}{index or ''}" for index in range(len(shape.forms))]
                # an empty list matches any element type
                forms = [form for form in zip(shape.forms, names, strict=True) if not _is_empty(form[0])]
                return unite_types([self._annotate(form, kind, name, doc) for form, name in forms])

    def _annotate_spread(
        self, shape: Object, rest: Hole, kind: Kind | None, record: str, doc: str
    ) -> Annotation:
        """Annotate an object into which a union is spread: its own keys, perhaps with those of one shape."""
        union = self.holes.get_type(rest, kind)
        rows = [(variant, variant.shape) for variant in self.model.unions[union]]
        spellings = _list_spellings(shape)
        for _, inner in rows:
            if (
                not isinstance(inner, Object)
                or inner.extra_keys is not None
                or spellings & _list_spellings(inner)
            ):
                return OBJECT
        if not shape.fields:
            return name_type(f"{make_camel_case(union)}Json")
        record_type = self._add_object(
            self._take_free_name(record), Object(shape.fields, None, shape.span), kind, doc
        )
        joined = [self._add_joined(variant, union, record_type, doc) for variant, _ in rows]
        return self._add_alias(f"{record_type.name}Forms", [record_type, *joined])

    def _add_body_with(self, shape: Object, union: str, doc: str) -> None:
        """Add the type of the body, with the keys of all shapes of a union as optional ones."""
        keys: dict[str, list[Annotation]] = {}
        for variant in self.model.unions[union]:
            for entry in variant.shape.fields if isinstance(variant.shape, Object) else ():
                record = f"Body{make_camel_case(variant.label)}{make_camel_case(entry.key)}"
                inside = f"Inside Body: its `{entry.key}`."
                annotation = self._annotate(entry.shape, variant.kind, record, inside)
                for key in entry.spellings:
                    keys.setdefault(key, []).append(annotation)
        whole = self._add_object("Body", shape, None, doc)
        known = next(record for record in self.records if record.name == whole.name)
        taken = {key.name for key in known.keys}
        more = [
            TypedKey(key, unite_types(types), required=False)
            for key, types in keys.items()
            if key not in taken
        ]
        self.records[self.records.index(known)] = replace(known, keys=(*known.keys, *more))

    def _add_joined(self, variant: Variant, union: str, record_type: Named, doc: str) -> Named:
        """Return the type of an object with the keys of one shape of the union that is spread into it."""
        shape = make_camel_case(variant.label) + "Json"
        name = self._take_free_name(f"{record_type.name}{make_camel_case(variant.label.removeprefix(union))}")
        sentence = f"{doc.removesuffix('.')}, with the keys of {shape}."
        return self._add(TypedDictClass(name, sentence, (), (shape, record_type.name)))


def _list_spellings(shape: Object) -> set[str]:
    """Return the keys of an object, aliases among them."""
    return {spelling for entry in shape.fields for spelling in entry.spellings}


def _is_empty(shape: Shape) -> bool:
    return isinstance(shape, Listing) and not shape.items


def _name_part(part: Variant) -> str:
    return make_camel_case(part.label.removeprefix("part_")) + "Part"


class TypesModules(ModuleTexts):
    """The modules of types of all wires."""

    def __init__(self, filters: Mapping[str, ShapeFilter], jinja: Environment) -> None:
        """`filters` are those that shapes may name."""
        super().__init__(self._define)
        self._filters = filters
        self._jinja = jinja

    def _define(self, model: WireModel) -> list[Definition]:
        template = self._jinja.get_template("types/definitions.j2")
        text = template.render(definitions=define_types(model, self._filters))
        return split_definitions(text, _sort_keys)

    def make_context(self, model: WireModel) -> dict[str, Any]:
        """Return the template context of the module of a wire."""
        text = self.get_text(model)
        return {"definitions": text.own_definitions, "inherited": text.group_by_wire(text.inherited_names)}


def _sort_keys(text: str) -> str:
    """Return a type with its keys in alphabetical order, because it takes the same objects in any order."""
    return "\n".join(sorted(strip_prose(text).splitlines()))
