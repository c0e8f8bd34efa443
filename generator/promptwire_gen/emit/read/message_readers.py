"""The readers of messages, and the order in which shapes are tried for one element.

An element is first told apart by its discriminating key; then shapes are tried one after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Literal, TypeAlias

from ...model.dispatch import find_discriminator, find_fixed_words, order_for_reading, switch_on_key
from ...model.neutral import CONTAINERS, MESSAGE, ROLES
from ...model.offers import ShapeFilter
from ...model.wire import MessageShape, Variant, WireModel
from ...spec.shapes import ConstantShape, Hole, KeyShape, Object, Shape
from ..field_holder import FieldHolder
from ..write.node import ShapedNode
from .readings import FieldReading, JsonPlace, Readings, ReadingStep, locate_key
from .shape_readers import ShapeReader, has_plain_marks


@dataclass(frozen=True, slots=True)
class SlotReading:
    """The parts of one slot of a message.

    Attributes:
        how: The method of the reader: `content` for a content that must be given, `parts` for any other, and beside the
            content `slot` for a list and `one` for a single value.
        key: The key of a content that must be given.
        place: The place by which the reader finds the shapes of the elements.
    """

    how: Literal["content", "parts", "slot", "single"]
    json: JsonPlace
    place: str
    key: str


@dataclass(frozen=True, slots=True)
class MessageReader:
    """The function that reads a message of one role.

    Attributes:
        slots: Its slots, in the order of the wire.
        is_shared: Whether turns that only hand results back look the same.
        steps: The steps before the message is made.
        fields: The fields of the message, beside role and parts.
    """

    role: str
    slots: tuple[SlotReading, ...]
    is_shared: bool
    node: FieldHolder
    steps: tuple[ReadingStep, ...]
    fields: tuple[FieldReading, ...]

    @property
    def name(self) -> str:
        """The name of the function."""
        return f"read_message_{self.role}"


class MessageReaders:
    """The reading functions of one wire's messages, and the shapes to try for their elements.

    choices   the shapes of an element, by role, kind of part, or role and slot; of an item that is a part: `messages`,
              of a result beside the messages: `results`
    messages  the readers of messages, by the `role` that stands in the JSON
    """

    def __init__(self, model: WireModel, choice: VariantChoice, filters: Mapping[str, ShapeFilter]) -> None:
        """`choice` knows the readers of the part shapes."""
        self._model = model
        self._choice = choice
        self.filters = filters
        self._read = {role: shape for role, shape in model.messages.items() if not shape.twin}
        self.choices: dict[str, ReaderChoice] = {}
        self.messages: dict[str | None, MessageReader] = {}
        for role in self._list_content_roles():
            parts = [part for part in model.list_parts_of(role) if part.slot == "content"]
            self.choices[role] = choice.choose(parts, "content")
        for role, shape in self._read.items():
            self._choose_for_slots(role, shape)
            message = self._make_message_reader(role, shape)
            for word in (shape.wire_role, *shape.also):
                self.messages.setdefault(word, message)
        standalone = [part for part in model.parts if part.slot == "messages"]
        if standalone:
            self.choices["messages"] = choice.choose(standalone)
        beside = [part for part in model.parts if part.slot == "results"]
        if beside:
            self.choices["results"] = choice.choose(beside)

    def _list_content_roles(self) -> list[str]:
        """Return the roles whose content is read: those of messages, and those that nested content uses."""
        inside = self._model.content_roles
        shaped = {role for role, shape in self._read.items() if shape.content is not None}
        return [role for role in (*ROLES, *CONTAINERS) if role in inside or role in shaped]

    def _choose_for_slots(self, role: str, shape: MessageShape) -> None:
        """Choose the shapes of the slots next to the content of a message; an unlisted slot has one value or none."""
        for slot, _ in shape.slots:
            if slot != "content":
                parts = [part for part in self._model.list_parts_of(role) if part.slot == slot]
                listed = self._model.slots[slot] == "list"
                self.choices[f"{role}.{slot}"] = self._choice.choose(parts, slot if listed else "")

    def _make_message_reader(self, role: str, shape: MessageShape) -> MessageReader:
        own = tuple([entry for entry in shape.shape.fields if not self._is_slot(entry.shape)])
        node = FieldHolder(self._model, self.filters, "message", MESSAGE)
        readings = Readings(node)
        readings.read_object(Object(own, None, shape.span), "item")
        fields = readings.list_fields()
        if options := readings.list_options():
            fields["vendor"] = FieldReading("vendor", below=options)
        twins = self._model.messages.values()
        return MessageReader(
            role,
            tuple([self._read_slot(role, slot, entry) for slot, entry in shape.slots]),
            any(twin.twin and twin.wire_role == shape.wire_role for twin in twins),
            node,
            tuple(readings.steps),
            tuple(fields.values()),
        )

    def _read_slot(self, role: str, slot: str, entry: KeyShape) -> SlotReading:
        json, inner = locate_key("item", entry.spellings), entry.shape
        while isinstance(inner, Object):
            json, inner = json.inside((inner.fields[0].key,)), inner.fields[0].shape
        if slot != "content":
            listed = self._model.slots[slot] == "list"
            return SlotReading("slot" if listed else "single", json, f"{role}.{slot}", "")
        # what an assistant says may be calls alone, whatever a build writes beside them
        must = role != "assistant" and not entry.optional and isinstance(entry.shape, Hole)
        return SlotReading("content" if must else "parts", json, role, entry.key)

    def _is_slot(self, shape: Shape) -> bool:
        return any(hole.path[0] in self._model.slots for hole in shape.holes)


Labels: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class ReaderChoice:
    """The shapes of an element, by their labels, as the runtime's class of this name takes them.

    A word for which the same shapes are tried as for any other is not among the cases.
    """

    key: str | None
    cases: tuple[tuple[str, Labels], ...]
    others: Labels
    words: tuple[tuple[str, Labels], ...]
    values: Labels
    place: str

    def drop_shapes(self, labels: Collection[str]) -> ReaderChoice:
        """Return a copy without shapes that are tried nowhere; a word left without shapes joins the others."""

        def drop(tried: Labels) -> Labels:
            return tuple([label for label in tried if label not in labels])

        cases = [(word, drop(tried)) for word, tried in self.cases]
        words = [(word, drop(tried)) for word, tried in self.words]
        return replace(
            self,
            cases=tuple([row for row in cases if row[1] and row[1] != drop(self.others)]),
            others=drop(self.others),
            words=tuple([row for row in words if row[1]]),
            values=drop(self.values),
        )

    def tries_the_same(self, other: ReaderChoice) -> bool:
        """Return whether both try the same shapes for any element, regardless of the order of their words."""
        same = self.others == other.others and self.values == other.values and self.place == other.place
        key = self.key == other.key or not (self.cases or other.cases)
        return (
            same and key and dict(self.cases) == dict(other.cases) and dict(self.words) == dict(other.words)
        )


class VariantChoice:
    """The readers of one wire's shapes, and which of them are tried where."""

    def __init__(self, variants: Iterable[Variant], node_of: Callable[[Variant], ShapedNode]) -> None:
        """`variants` are all that are read."""
        groups: dict[tuple[str, str], list[Variant]] = {}
        readable = [variant for variant in variants if not variant.write_only]
        for variant in readable:
            groups.setdefault(_group(variant), []).append(variant)
        self._order = {variant.label: index for index, variant in enumerate(readable)}
        self._keys = {group: find_discriminator(members) for group, members in groups.items()}
        self.readers: dict[str, ShapeReader] = {}
        marks = has_plain_marks(readable)
        for variant in readable:
            key = self._keys[_group(variant)]
            discriminator = key if key is not None and find_fixed_words(variant, key) else None
            is_exact = _is_shared(variant, groups[_group(variant)])
            self.readers[variant.label] = ShapeReader(node_of(variant), discriminator, is_exact, marks)

    def choose(self, variants: Sequence[Variant], place: str = "") -> ReaderChoice:
        """Return the shapes to try for an element of these variants; any other element is kept at `place`, if given."""
        runs = [(sort, list(run)) for sort, run in groupby(order_for_reading(variants), _sort)]
        words = [
            (str(_get_word(variant)), (variant.label,))
            for sort, run in runs
            if sort is str
            for variant in run
        ]
        # write-only shapes have no key
        key = self._keys.get(_group(variants[0])) if variants else None
        order = self._order
        switches = [
            switch_on_key(
                sorted(run, key=lambda variant: order[variant.label]), key if sort is Object else None
            )
            for sort, run in runs
            if sort is not str
        ]

        def list_tried(word: str | None) -> Labels:
            rows = [others if word is None else cases.get(word, others) for cases, others in switches]
            return self._cut_after_sure([variant for run in rows for variant in run])

        others = list_tried(None)
        cases = [
            (word, list_tried(word))
            for word in dict.fromkeys([word for cases, _ in switches for word in cases])
        ]
        values = [variant for sort, run in runs if sort is object for variant in run]
        return ReaderChoice(
            key,
            tuple([row for row in cases if row[1] != others]),
            others,
            tuple(words),
            self._cut_after_sure(values),
            place,
        )

    def _cut_after_sure(self, variants: Iterable[Variant]) -> Labels:
        """Return the labels of shapes that are tried in turn, up to the first that takes anything."""
        labels: list[str] = []
        for variant in variants:
            labels.append(variant.label)
            if self.readers[variant.label].sure:
                break
        return tuple(labels)


def _get_word(variant: Variant) -> object:
    """Return the bare word that a shape is."""
    return variant.shape.value if isinstance(variant.shape, ConstantShape) else None


def _group(variant: Variant) -> tuple[str, str]:
    """Return the group of a shape: shapes of one group may be elements of one list."""
    return variant.union, variant.slot


def _is_shared(variant: Variant, others: Iterable[Variant]) -> bool:
    """Return whether a part has no keys except those that other parts have as optional ones.

    An object with any other key is of another shape, which may be a new one.
    """
    shape = variant.shape
    if variant.union != "part" or not isinstance(shape, Object) or shape.extra_keys is not None:
        return False
    shared = {entry.key for other in others for entry in _list_optional_keys(other)}
    return bool(shape.fields) and all(
        isinstance(entry.shape, Hole) and not entry.optional and entry.key in shared for entry in shape.fields
    )


def _list_optional_keys(variant: Variant) -> Iterable[KeyShape]:
    shape = variant.shape
    return [entry for entry in shape.fields if entry.optional] if isinstance(shape, Object) else ()


def _sort(variant: Variant) -> type[object]:
    """Return the type of a shape: a string constant, an object, or any other value."""
    shape = variant.shape
    if isinstance(shape, ConstantShape) and isinstance(shape.value, str):
        return str
    return Object if isinstance(shape, Object) else object
