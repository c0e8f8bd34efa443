"""The tables of a wire: which function writes which kind of part where, and where its messages stand in the body."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

from ...model.body_model import LastPlace
from ...model.neutral import CONTAINERS, LAYER_ROLES
from ...model.offers import ShapeFilter
from ...model.prompts import TEXT_HOLE, split_turns
from ...model.wire import MessageShape, Variant, WireModel
from ..field_holder import FieldHolder, Test
from ..text_shapes import add_article, get_text_type, spell_role
from .placing import Placing, find_payloads
from .rule_facts import CheckFunction, make_message_check, make_part_check

_NO_RESULT = "this is no result, and a tool message holds nothing else: write ToolResult(call_id, ...)"
# what a part does to the list of calls without a result
_PAIRS = {
    "tool_call": "opens",
    "custom_tool_call": "opens",
    "tool_result": "closes",
    "custom_tool_result": "closes",
}
_HOSTED_PAIRS = {"hosted_call": "opens", "hosted_result": "closes"}
# speaker fields are repeated on every piece of a message; other fields are on the first only
_SHARED = ("name", "phase")


@dataclass(frozen=True, slots=True)
class PartTest:
    """A function that returns whether a part is written to another slot; one of the groups of tests must hold.

    remembered  whether only parts that were read as such a shape take it, and no plain one
    """

    name: str
    subject: FieldHolder
    groups: tuple[tuple[Test, ...], ...]
    remembered: bool
    form: ClassVar[str] = "part_test"


@dataclass(frozen=True, slots=True)
class PartRow:
    """A row of a table: a `PartWriter`, by the class of its parts; `slot` is None for items of their own."""

    cls: str
    write: str
    slot: int | None
    sure: bool = False
    blank: bool = False
    payloads: tuple[str, ...] = ()
    pairs: str = ""
    check: str = ""
    others: tuple[tuple[str, PartRow], ...] = ()


@dataclass(frozen=True, slots=True)
class ContentTable:
    """A `ContentWriter`: the parts inside a role's or a kind's parts.

    text  the shape of text that may stand bare, if it has a type or some part may hold it bare
    """

    kind: str
    nowhere: str
    rows: tuple[PartRow, ...]
    text: Variant | None


@dataclass(frozen=True, slots=True)
class MessageTable:
    """A `MessageWriter`.

    written  whether a message has an item of its own
    single   the slots that hold one part
    calls    the slots of calls that stand behind the content
    shared   the fields that every piece of a message repeats
    check    the function that lets the rules look at a message
    marks    whether cache marks are elements of the content
    """

    role: str
    nowhere: str
    rows: tuple[PartRow, ...]
    slots: tuple[str, ...]
    written: bool
    single: tuple[int, ...]
    calls: tuple[int, ...]
    shared: tuple[str, ...]
    check: str
    marks: bool


class Tables:
    """Makes the tables of one wire, and the small functions that they name."""

    def __init__(self, placing: Placing, filters: Mapping[str, ShapeFilter]) -> None:
        """`filters` are those that shapes may name."""
        self.placing = placing
        self.model = placing.model
        self.filters = filters
        self.functions: dict[str, PartTest | CheckFunction] = {}
        self.roles = [self._make_message_table(role) for role in self.placing.roles]
        self.contents = [self._make_content_table(kind) for kind in self.model.content_roles]

    def _make_message_table(self, role: str) -> MessageTable:
        shape = self.model.messages.get(role)
        slots = tuple([slot for slot, _ in shape.slots]) if shape is not None else ()
        behind = self._find_call_slots(role)
        check = self._register_check(make_message_check(role, self.model))
        return MessageTable(
            role,
            _NO_RESULT if role == "tool" else _say_no_place(f"in {add_article(spell_role(role))}"),
            tuple(self._make_rows(role, slots, nested=False)),
            slots,
            written=shape is not None,
            single=tuple([index for index, slot in enumerate(slots) if self.model.slots[slot] == "one"]),
            calls=tuple([index for index, slot in enumerate(slots) if slot in behind]),
            shared=_find_shared_fields(shape) if shape is not None else (),
            check=check,
            marks=self.model.marks_cache and "content" in slots,
        )

    def _make_content_table(self, kind: str) -> ContentTable:
        bare = self.placing.find_bare_text(kind)
        nowhere = _say_no_place(f"inside a {'' if kind in CONTAINERS else 'part of a '}{spell_role(kind)}")
        stated = bare is not None and (get_text_type(bare) or self._may_be_bare(kind))
        rows = tuple(self._make_rows(kind, ("content",), nested=True))
        return ContentTable(kind, nowhere, rows, bare if stated else None)

    def _may_be_bare(self, kind: str) -> bool:
        """Return whether the content of some part of this kind may be one text instead of a list."""
        shapes = [part.shape for part in self.model.parts if self.model.find_content_role(part.mode) == kind]
        holes = [hole for shape in shapes for hole in shape.holes if hole.path == ("content",)]
        return any(not (hole.listed or hole.filters) for hole in holes)

    def _make_rows(self, holder: str, slots: Sequence[str], *, nested: bool) -> Iterator[PartRow]:
        for kind, groups in self.placing.group_shapes(holder, nested=nested).items():
            *others, last = groups
            check = self._register_check(make_part_check(holder, kind, self.model, nested=nested))
            variants = [variant for group in groups for variant in group]
            row = self._make_row(last, slots)
            elsewhere = tuple(
                [(self._register_test(holder, group), self._make_row(group, slots)) for group in others]
            )
            blank = kind == "text" and self.model.drops_blank and not nested
            paired = _PAIRS | (_HOSTED_PAIRS if self.model.pairs_hosted else {})
            yield replace(
                row,
                check=check,
                others=elsewhere,
                blank=blank,
                payloads=find_payloads(variants),
                pairs=paired.get(kind, "") if self.model.pairs and not nested else "",
            )

    def _make_row(self, variants: Sequence[Variant], slots: Sequence[str]) -> PartRow:
        first = variants[0]
        write, sure = self.placing.find_writer(variants)
        if first.standalone:
            return PartRow(first.kind.cls, write, None, sure=sure)
        return PartRow(first.kind.cls, write, slots.index(first.slot))

    def _register_test(self, holder: str, variants: Sequence[Variant]) -> str:
        kind = variants[0].kind
        subject = FieldHolder(self.model, self.filters, "part", kind)
        groups = [(*_list_read_tests(each), *subject.list_fitting_tests(each)) for each in variants]
        remembered = kind.plain and not any(each.written for each in variants)
        name = f"is_{variants[0].mode}_in_{holder}_{variants[0].slot}"
        self.functions[name] = PartTest(name, subject, tuple(filter(None, groups)), remembered)
        return name

    def _register_check(self, check: CheckFunction | None) -> str:
        if check is None:
            return ""
        self.functions[check.name] = check
        return check.name

    def _find_call_slots(self, role: str) -> set[str]:
        """Return the slots for calls, other than the content of a message."""
        calls = self.placing.list_kinds(role).get("tool_call", ())
        return {call.slot for call in calls if self.model.slots.get(call.slot) == "list"} - {"content"}


def _list_read_tests(variant: Variant) -> list[Test]:
    """Return the tests of the shape that a part was read as, and of its source."""
    tests = [] if variant.written else [Test("read_as", word=variant.remembered or "")]
    return tests + ([] if variant.source_key is None else [Test("source", word=variant.source_key)])


def _say_no_place(where: str) -> str:
    return f"this API does not support this kind of part {where}"


def _find_shared_fields(shape: MessageShape) -> tuple[str, ...]:
    """Return the fields that every piece of a message repeats."""
    holes = shape.shape.written_holes
    return tuple(sorted({hole.name for hole in holes if hole.path[0] in (*_SHARED, "vendor")}))


@dataclass(frozen=True)
class PlaceTable:
    """The table of one wire: `MessagePlaces`, or a `PromptPlace`."""

    wire: WireModel

    @property
    def last(self) -> list[tuple[LastPlace, MessageShape, dict[str, str]]]:
        """The keys of the last message, each with its message and the fields that keys of the message hold."""
        messages = self.wire.messages
        return [
            (place, messages[place.role], _find_fields(messages[place.role])) for place in self.wire.body.last
        ]

    @property
    def words(self) -> dict[str, str | None]:
        """Role -> its word on the wire."""
        return {role: message.wire_role for role, message in self.wire.messages.items()}

    @property
    def beside(self) -> dict[str, str]:
        """Key of a message -> the key of the body that takes its value if the conversation is one prompt."""
        slots = {slot: entry.key for message in self.wire.messages.values() for slot, entry in message.slots}
        return {slots[entry.shape.holes[0].path[1]]: entry.key for entry in self.wire.body.beside}

    @property
    def templates(self) -> list[tuple[Any, dict[str, list[str]]]]:
        """The templates of a prompt, each with the texts before and after the text of each role."""
        return [
            (template, {role: turn.split(TEXT_HOLE) for role, turn in split_turns(template).items()})
            for template in self.wire.prompt
        ]


def make_place_table(wire: WireModel) -> PlaceTable | None:
    """Return the table of one wire; None if all messages are in one list."""
    return PlaceTable(wire) if wire.prompt or wire.body.messages_apart else None


def _find_fields(message: MessageShape) -> dict[str, str]:
    """Return the keys of a message -> the fields of the neutral one that they hold."""
    slots = {entry.key for _, entry in message.slots}
    return {
        entry.key: "parts" if entry.key in slots else entry.shape.holes[0].name
        for entry in message.shape.fields
        if entry.shape.holes
    }


@dataclass(frozen=True)
class FirstMessages:
    """`{speaker: role, content: ...}`.

    Attributes:
        words: The roles that a message may have -> the words of the wire; empty where these are the same.
    """

    wire: WireModel
    words: dict[str, str]

    @property
    def role(self) -> str:
        """The role of a layer that names none."""
        return self.wire.instructions.speaker

    @property
    def roles(self) -> list[str]:
        """The roles that layers may have here."""
        return sorted(set(self.wire.messages) & {"system", "developer"})

    @property
    def content(self) -> str:
        """The key of the content."""
        return self.wire.find_content_key(self.role)

    @property
    def joins_layers(self) -> bool:
        """Whether the texts of several layers become one."""
        return self.wire.instructions.joins


def find_first_messages(wire: WireModel) -> FirstMessages | None:
    """Return how instructions are written as first messages; None where they have a key."""
    if wire.instructions.placement != "first_message":
        return None
    assigned = [str(rule.set["instructions.role"]) for rule in wire.rules if "instructions.role" in rule.set]
    roles = dict.fromkeys((wire.instructions.speaker, *assigned, *LAYER_ROLES))
    words = {role: wire.messages[role].wire_role for role in roles if role in wire.messages}
    return FirstMessages(wire, words if any(role != word for role, word in words.items()) else {})
