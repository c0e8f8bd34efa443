"""The tables of functions that write one wire. The tables of a dialect are copies of its parent's with changes."""

from __future__ import annotations

from ..model.parts import Opaque
from ..nodes.light_dataclasses import dataclass
from ..nodes.records import LightRecord
from ..typed import TYPE_CHECKING
from ..wire_json.copies import own_json
from ..wire_json.kinds import class_of

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from typing import Any, TypeAlias

    from ..model.options import Instruction, ReasoningOptions, ResponseFormat, ToolChoice
    from ..model.parts import Cache
    from ..model.request import Message, Request
    from ..model.tools import AnyTool
    from .message_places import MessagePlaces
    from .prompt_text import PromptPlace

    Context: TypeAlias = Any
    WritePart: TypeAlias = Callable[[Any, Context], Any]
    WriteKeys: TypeAlias = Callable[[Request, Context, dict[str, Any], Mapping[str, Any]], None]
    CheckPart: TypeAlias = Callable[..., None]


class _FieldEffects(dict[str, tuple[str, str]]):
    """Marked word -> field and effect; most words are in many rows, so each is parsed once."""

    def __missing__(self, word: str) -> tuple[str, str]:
        effect = "ignored" if word[0] == "~" else "unsupported_if_true" if word[-1] == "?" else "unsupported"
        self[word] = pair = (word.strip("~?"), effect)
        return pair


_EFFECTS = _FieldEffects()


class Row:
    """The fields and options of a node that its shape has no key for.

    Attributes:
        fields: What happens to a field that has a value: `ignored` (a note), `unsupported` (an error), or
            `unsupported_if_true` (an error if true, else a note). Reports are in this order.
        vendor: The vendor options that the shape knows.
        read_only: An option that is only read -> the path where form memory and answers write it.
        answered: A field that answers have beside the source of the node -> the path where they write it.
    """

    __slots__ = ("answered", "fields", "read_only", "vendor")

    def __init__(
        self,
        fields: str = "",
        *,
        vendor: frozenset[str] = frozenset(),
        read_only: Mapping[str, Sequence[str]] | None = None,
        answered: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Parse `fields`, names separated by spaces.

        `name` is unsupported, `~name` is ignored, and `name?` is unsupported if it is true.
        """
        self.fields = tuple([_EFFECTS[word] for word in fields.split()])
        self.vendor = vendor
        self.read_only = read_only or {}
        self.answered = answered or {}


class BodyRow:
    """The fields and options of a request that the body has no key for.

    Attributes:
        options: The options that the body has a key for.
        fields: Other fields of a request without a key.
        parts: Fields of tool choice, reasoning and continuation without a key; they are reported as `reasoning.depth`.
        alone: Those of the three that have a shape if they have a mode or kind. Their fields are lost only otherwise.
        read_only: An option that is only read -> the path where form memory writes it.
        shape: The row that finishes the body like any other node.
    """

    __slots__ = ("alone", "fields", "options", "parts", "read_only", "shape")

    def __init__(
        self,
        *,
        options: frozenset[str],
        fields: tuple[str, ...] = (),
        parts: Mapping[str, Sequence[str]],
        alone: frozenset[str] = frozenset(),
        vendor: frozenset[str] = frozenset(),
        read_only: Mapping[str, Sequence[str]] | None = None,
    ) -> None:
        """Store what the spec says about the body."""
        self.options = options
        self.fields = fields
        self.parts = parts
        self.alone = alone
        self.read_only = read_only or {}
        self.shape = Row(vendor=vendor)


# the slot of a part that is written as an item of its own
STANDALONE = -1


class PartWriter:
    """The writer of the parts of one kind.

    Attributes:
        write: Returns a part's JSON, or None after reporting that no shape accepts it.
        slot: The index of the slot of the message that it is written into; STANDALONE for an item of its own.
        sure: Whether `write` never returns None.
        blank: Whether text of nothing but white space is omitted.
        payloads: The fields that only the API which produced them can read.
        pairs: `opens` for a call, `closes` for a result, or empty.
        check: Checks a part against the rules.
        others: Pairs of a test and a writer for shapes in other slots. The first whose test passes is used.
    """

    __slots__ = ("blank", "check", "others", "pairs", "payloads", "slot", "sure", "write")

    def __init__(
        self,
        write: WritePart,
        slot: int = 0,
        *,
        sure: bool = False,
        blank: bool = False,
        payloads: tuple[str, ...] = (),
        pairs: str = "",
        check: CheckPart | None = None,
        others: tuple[tuple[WritePart, PartWriter], ...] = (),
    ) -> None:
        self.write = write
        self.slot = slot
        self.sure = sure
        self.blank = blank
        self.payloads = payloads
        self.pairs = pairs
        self.check = check
        self.others = others


class ContentWriter:
    """The writer of the parts inside a part.

    Attributes:
        kinds: The class of a part -> its writer.
        nowhere: Why a part of any other class cannot be sent.
        text: The `type` of a text part that may be written as plain text, or its key and constants; empty for none.
        marks: Whether cache marks are elements of their own, which only messages can contain.
    """

    __slots__ = ("kinds", "marks", "nowhere", "text")

    def __init__(
        self,
        kinds: Mapping[type, PartWriter],
        nowhere: str,
        text: str | tuple[str, dict[str, Any]] = "",
        *,
        marks: bool = False,
    ) -> None:
        self.kinds = kinds
        self.nowhere = nowhere
        self.text = text
        self.marks = marks


class MessageWriter:
    """The writer of the messages of one role.

    Attributes:
        kinds: The class of a part -> its writer.
        nowhere: Why a part of any other class cannot be sent.
        write: Returns the item for message, context and slots; None if all parts are items of their own.
        slots: The names of the slots, in the order of `write`'s arguments.
        single: The indexes of slots that hold one part; the others are lists.
        shared: The fields that every item of a message gets when standalone parts split it: `name`, `vendor.prefix`.
        check: Checks a message against the rules.
        marks: Whether cache marks are elements of their own, each after the part that it marks.
    """

    __slots__ = (
        "calls",
        "check",
        "content",
        "kinds",
        "marks",
        "nowhere",
        "shared",
        "single",
        "slots",
        "write",
    )

    def __init__(
        self,
        kinds: Mapping[type, PartWriter],
        nowhere: str,
        write: Callable[..., Any] | None,
        slots: tuple[str, ...] = ("content",),
        *,
        single: tuple[int, ...] = (),
        calls: tuple[int, ...] = (),
        shared: tuple[str, ...] = (),
        check: Callable[[Message, Context], None] | None = None,
        marks: bool = False,
    ) -> None:
        """Store the table. `calls` are the slots of calls that follow the content."""
        self.kinds = kinds
        self.nowhere = nowhere
        self.write = write
        self.slots = slots
        self.content = slots.index("content") if "content" in slots else STANDALONE
        self.single = single
        self.calls = calls
        self.shared = shared
        self.check = check
        self.marks = marks

    def open_slots(self) -> list[Any]:
        """Return empty slots."""
        single = self.single
        if not single:
            return [[]] if len(self.slots) == 1 else [[] for _ in self.slots]
        return [None if index in single else [] for index in range(len(self.slots))]


def no_source(part: Any, build: Context) -> Any:
    """Report media from a source that has no shape here."""
    build.report.lost(part, "", f"this API does not accept it by {part.source} here")
    return None


def by_source(medium: str) -> WritePart:
    """Return a function that writes a medium, such as `image`, by how it is given.

    It looks in the table of the wire that is built, so that a dialect may accept other sources than its parent.
    """

    def write(part: Any, build: Context) -> Any:
        return build.writers.sources[medium].get(part.source, no_source)(part, build)

    return write


def constant(value: Any, fields: str = "") -> WritePart:
    """Return a function that writes a tool choice, response format or reasoning whose JSON is always the same.

    Args:
        value: The JSON; every call returns a copy of an object.
        fields: The fields without a key, as `Row` takes them.
    """
    row = Row(fields)

    def write_scalar(node: Any, build: Context) -> Any:
        build.finish_scalar(node, row)
        return value

    def write_object(node: Any, build: Context) -> Any:
        return build.finish(own_json(value), node, row)

    return write_object if class_of(value) is dict else write_scalar


def by_word(field: str, writers: Mapping[str, WritePart]) -> WritePart:
    """Return a function that writes a node by the word in one of its fields."""

    def write(node: Any, build: Context) -> Any:
        word = getattr(node, field)
        writer = writers.get(word)
        if writer is None:
            build.report.lost(node, field, f"{word} is not supported by this API")
            build.finish_scalar(node)
            return None
        return writer(node, build)

    return write


def by_mode(writers: Mapping[str, WritePart], *, named: bool = False) -> WritePart:
    """Return a function that writes a tool choice by its mode; with `named`, its names must be those of tools."""
    write_mode = by_word("mode", writers)

    def write(choice: ToolChoice, build: Context) -> Any:
        if build.no_tools:
            return None
        if named and (choice.name, choice.names, choice.type) != (None, None, None):
            (build.rules.check_choice if choice.mode != "hosted" else build.rules.check_hosted_choice)(choice)
        return write_mode(choice, build)

    return write


def by_class(writers: Mapping[type, WritePart]) -> WritePart:
    """Return a function that writes a tool by its class; JSON of the wire that is built is taken as it is."""

    def write(tool: Any, build: Context) -> Any:
        kind = class_of(tool)
        writer = writers.get(kind)
        if writer is not None:
            return writer(tool, build)
        if kind is Opaque and tool.wire == build.wire.name:
            return build.opaque(tool)
        build.lost_tool(tool)
        return None

    return write


def no_shape(node: object, build: Context) -> None:
    """Report a node of a kind that the wire has no shape for."""
    build.report.lost(node, "")


# no row of a table
_NONE: Mapping[str, Any] = {}


def _not_at_once(parts: tuple[Any, ...]) -> None:
    """Return None, so that each part is written by its own writer."""


@dataclass(kw_only=True)
class Writers(LightRecord):
    """All tables that write one wire.

    Attributes:
        body: The fields that the body has no key for.
        messages: Writes the conversation into a list.
        roles: The role -> how its messages are written.
        contents: The kind of a part that holds parts -> how those are written.
        media: Writes all texts and images of a user message; returns None if one of them needs its own writer.
        sources: The kind of media, with its position where that matters -> its source -> its writer.
        signed: Whether messages may hold payloads that only the API which produced them can read.
        blank: Whether empty messages are omitted.
        merges: Whether consecutive messages of one role are merged.
        places: The keys of the body that hold the conversation, if there are several or it is one text.
        optional_keys: Functions that write the keys which most requests omit, some keys each, in order.
    """

    body: BodyRow
    messages: Callable[[tuple[Message, ...], Context, list[Any]], None]
    roles: Mapping[str, MessageWriter]
    contents: Mapping[str, ContentWriter] = _NONE
    sources: Mapping[str, Mapping[str, WritePart]] = _NONE
    tools: Callable[[tuple[AnyTool, ...], Context], Any] = no_shape
    tool: Callable[[AnyTool, Context], Any] = no_shape
    tool_choice: Callable[[ToolChoice, Context], Any] = no_shape
    response_format: Callable[[ResponseFormat, Context], Any] = no_shape
    reasoning: Callable[[ReasoningOptions, Context], Any] = no_shape
    layer: Callable[[Instruction, Context], Any] = no_shape
    cache: Callable[[Cache, Context], Any] = no_shape
    media: Callable[[tuple[Any, ...]], list[Any] | None] = _not_at_once
    signed: bool = False
    blank: bool = False
    merges: bool = False
    places: MessagePlaces | PromptPlace | None = None
    optional_keys: tuple[WriteKeys, ...] = ()
