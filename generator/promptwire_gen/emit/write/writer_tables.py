"""The tables of a wire: which function writes which kind of part where. A dialect's are its parent's with changes."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

from ...model.neutral import CONTAINERS
from ...model.wire import MessageShape, Variant
from ..field_access import FieldAccess
from ..python import Expression, literal, literal_text, literal_tuple
from ..text_shapes import bare_element, text_type, with_article, words
from .choosers import fits_one_of
from .message_checks import CheckFunction, message_check, part_check
from .placing import Placing, payloads_of

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
    """A function that tells whether a part takes a shape that lands elsewhere."""

    name: str
    test: Expression
    macro: ClassVar[str] = "part_test"


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
class WriterTable:
    """A `MessageWriter` or a `ContentWriter`.

    cls      which of the two
    values   what stands behind the rows: argument -> code
    """

    name: str
    cls: str
    rows: tuple[PartRow, ...]
    values: tuple[tuple[str, str], ...]
    macro: ClassVar[str] = "table"


class Tables:
    """Makes the tables of one wire, and the small functions that they name."""

    def __init__(self, placing: Placing, outer: FieldAccess) -> None:
        """`outer` carries filters."""
        self.placing = placing
        self.model = placing.model
        self.outer = outer
        self.functions: dict[str, PartTest | CheckFunction] = {}

    def roles(self) -> dict[str, WriterTable]:
        """Role -> the table of its messages."""
        return {role: self._role(role) for role in self.placing.roles}

    def contents(self) -> dict[str, WriterTable]:
        """Kind of part -> the table of the parts inside."""
        return {kind: self._content(kind) for kind in self.model.content_roles}

    def _role(self, role: str) -> WriterTable:
        shape = self.model.messages.get(role)
        nowhere = _NO_RESULT if role == "tool" else _no_place(f"in {with_article(words(role))}")
        item = f"write_item_{role}" if shape is not None else "None"
        slots = tuple(slot for slot, _ in shape.slots) if shape is not None else ()
        values = {"nowhere": literal_text(nowhere), "write": item, "slots": literal_tuple(slots).text}
        single = tuple(index for index, slot in enumerate(slots) if self.model.slots[slot] == "one")
        calls = tuple(index for index, slot in enumerate(slots) if slot in self._call_slots(role))
        shared = _shared(shape) if shape is not None else ()
        check = self._named(message_check(role, self.model))
        values |= {"single": literal_tuple(single).text} if single else {}
        values |= {"calls": literal_tuple(calls).text} if calls else {}
        values |= {"shared": literal_tuple(shared).text} if shared else {}
        values |= {"check": check} if check else {}
        values |= {"marks": "True"} if self.model.marks_cache and "content" in slots else {}
        rows = tuple(self._rows(role, slots, nested=False))
        return WriterTable(f"{role.upper()}_MESSAGES", "MessageWriter", rows, tuple(values.items()))

    def _content(self, kind: str) -> WriterTable:
        bare = self.placing.bare(kind)
        nowhere = _no_place(f"inside a {'' if kind in CONTAINERS else 'part of a '}{words(kind)}")
        text = literal(text_type(bare) if bare is not None else "")
        if bare is not None and not text_type(bare) and self._may_be_bare(kind):
            text = bare_element(bare)
        values = {"nowhere": literal_text(nowhere), "text": text.text}
        values |= {"marks": "True"} if self.model.marks_cache else {}
        rows = tuple(self._rows(kind, ("content",), nested=True))
        return WriterTable(f"{kind.upper()}_CONTENT", "ContentWriter", rows, tuple(values.items()))

    def _may_be_bare(self, kind: str) -> bool:
        """Return whether the content of some part of this kind may be one text instead of a list."""
        shapes = [part.shape for part in self.model.parts if self.model.content_role(part.mode) == kind]
        holes = [hole for shape in shapes for hole in shape.holes if hole.path == ("content",)]
        return any(not (hole.listed or hole.filters) for hole in holes)

    def _rows(self, holder: str, slots: Sequence[str], *, nested: bool) -> Iterator[PartRow]:
        for kind, groups in self.placing.shapes(holder, nested=nested).items():
            *others, last = groups
            check = self._named(part_check(holder, kind, self.model, nested=nested))
            variants = [variant for group in groups for variant in group]
            row = self._row(last, slots)
            elsewhere = tuple([(self._test(holder, group), self._row(group, slots)) for group in others])
            blank = kind == "text" and self.model.drops_blank and not nested
            paired = _PAIRS | (_HOSTED_PAIRS if self.model.pairs_hosted else {})
            yield replace(
                row,
                check=check,
                others=elsewhere,
                blank=blank,
                payloads=payloads_of(variants),
                pairs=paired.get(kind, "") if self.model.pairs and not nested else "",
            )

    def _row(self, variants: Sequence[Variant], slots: Sequence[str]) -> PartRow:
        first = variants[0]
        write, sure = self.placing.writer(variants)
        if first.standalone:
            return PartRow(first.kind.cls, write, None, sure=sure)
        return PartRow(first.kind.cls, write, slots.index(first.slot))

    def _test(self, holder: str, variants: Sequence[Variant]) -> str:
        access = FieldAccess("part", variants[0].kind, self.outer.filters)
        name = f"is_{variants[0].mode}_in_{holder}_{variants[0].slot}"
        self.functions[name] = PartTest(name, fits_one_of(variants, access))
        return name

    def _named(self, check: CheckFunction | None) -> str:
        if check is None:
            return ""
        self.functions[check.name] = check
        return check.name

    def _call_slots(self, role: str) -> set[str]:
        """Return the slots of calls that stand behind the content of a message."""
        calls = self.placing.kinds(role).get("tool_call", ())
        return {call.slot for call in calls if self.model.slots.get(call.slot) == "list"} - {"content"}


def _no_place(where: str) -> str:
    return f"this API does not support this kind of part {where}"


def _shared(shape: MessageShape) -> tuple[str, ...]:
    """Return the fields that every piece of a message repeats."""
    holes = shape.shape.written_holes
    return tuple(sorted({hole.name for hole in holes if hole.path[0] in (*_SHARED, "vendor")}))


@dataclass(frozen=True, slots=True)
class WritersTable:
    """`WRITERS = Writers(roles=..., contents=..., sources=..., optional_keys=..., tool=write_tool, ...)`.

    tables  of roles, contents and sources: key -> what the table is called
    pages   the functions that write what most requests leave out of the body
    values  the other arguments -> code
    """

    tables: Mapping[str, tuple[tuple[str, str], ...]]
    pages: tuple[str, ...]
    values: tuple[tuple[str, str], ...]
    name: str = "WRITERS"
    macro: ClassVar[str] = "writers"
