"""The tables of functions that write one wire: a dialect's are those of its parent with changes."""

from __future__ import annotations

from ..typed import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any, TypeAlias, TypeVar

    from ..model.options import Instruction, ReasoningOptions, ResponseFormat, ToolChoice
    from ..model.parts import Cache
    from ..model.request import Message, Request
    from ..model.tools import AnyTool
    from .message_places import MessagePlaces
    from .shape_rows import BodyRow

    # the context of a build holds these tables, and is handed to every function in them
    Context: TypeAlias = Any
    WritePart: TypeAlias = Callable[[Any, Context], Any]
    # it takes the request, the context, the body, and the options of the API that the body has a key for
    WriteKeys: TypeAlias = Callable[[Request, Context, dict[str, Any], Mapping[str, Any]], None]
    # it takes the part, its message where it stands in one, and the context
    CheckPart: TypeAlias = Callable[..., None]
    KeyT = TypeVar("KeyT")
    ValueT = TypeVar("ValueT")

# the slot of a part that is an item of its own among the messages
STANDALONE = -1


class PartWriter:
    """How parts of one kind are written where they stand.

    write     gives a part's JSON; None where no shape takes the part, which `write` has reported
    slot      which slot of its message it lands in, by index; STANDALONE for an item of its own
    sure      whether `write` always gives JSON
    blank     whether text of nothing but white space is left out
    payloads  the fields with a place here that only the API which made them can read
    pairs     `opens` a call, `closes` one, or empty
    check     lets the rules look at a part in its place
    others    writers of shapes that land elsewhere: the first whose test holds takes the part
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
    """How the parts inside a part are written.

    kinds    class of a part -> its writer
    nowhere  why a part of any other class has no place
    text     the `type` of a text that may stand bare, or its key and the constants beside it; empty where none may
    marks    whether cache marks are elements of their own, which stand between the parts of messages only
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

    def changed(
        self, kinds: Mapping[type, PartWriter] | None = None, *, without: tuple[type, ...] = (), **values: Any
    ) -> ContentWriter:
        """Give these with other writers of some kinds, and without some; `values` are other arguments."""
        arguments: dict[str, Any] = {
            "nowhere": self.nowhere,
            "text": self.text,
            "marks": self.marks,
            **values,
        }
        return ContentWriter(changed(self.kinds, kinds, without=without), **arguments)


class MessageWriter:
    """How the messages of one role are written.

    kinds    class of a part -> its writer
    nowhere  why a part of any other class has no place
    write    gives the item from message, context and slots; None where all parts are items of their own
    slots    the names of the slots, in the order of `write`'s arguments
    single   the indexes of the slots that have room for one part; the others are lists
    shared   what stands on every piece of a message that standalone parts split: `name`, `vendor.prefix`
    check    lets the rules look at a message
    marks    whether cache marks are elements of their own, each behind the part that it marks
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
        """`calls` are the slots of calls that stand behind the content."""
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

    def opened(self) -> list[Any]:
        """Make empty slots."""
        single = self.single
        if not single:
            return [[]] if len(self.slots) == 1 else [[] for _ in self.slots]
        return [None if index in single else [] for index in range(len(self.slots))]

    def changed(
        self, kinds: Mapping[type, PartWriter] | None = None, *, without: tuple[type, ...] = (), **values: Any
    ) -> MessageWriter:
        """Give these with other writers of some kinds, and without some; `values` are other arguments."""
        arguments: dict[str, Any] = {
            "nowhere": self.nowhere,
            "write": self.write,
            "slots": self.slots,
            "single": self.single,
            "calls": self.calls,
            "shared": self.shared,
            "check": self.check,
            "marks": self.marks,
            **values,
        }
        return MessageWriter(changed(self.kinds, kinds, without=without), **arguments)


def changed(
    table: Mapping[KeyT, ValueT],
    others: Mapping[KeyT, ValueT] | None = None,
    *,
    without: tuple[KeyT, ...] = (),
) -> dict[KeyT, ValueT]:
    """Give a table with other rows, and without some."""
    return {key: value for key, value in {**table, **(others or {})}.items() if key not in without}


def no_source(part: Any, build: Context) -> Any:
    """Report a medium that is given in a way for which there is no shape where it stands."""
    build.lost(part, "", f"this wire takes none given by {part.source} here")
    return None


def no_shape(node: object, build: Context) -> None:
    """Report a node of a kind for which a wire has no shape at all."""
    build.lost(node, "")


def _not_at_once(parts: tuple[Any, ...]) -> None:
    """Leave the parts of a message to the writers of each."""


class Writers:
    """All that writes one wire.

    body      what the body has no key for
    messages  writes the conversation into a list
    roles     role -> how its messages are written
    contents  kind of a part that holds parts -> how those are written
    shown     writes texts and images of the user at once; None where one of them must be looked at
    sources   kind of a medium, with its place where that matters -> how it is given -> its writer
    signed    whether a message may hold what only the API that made it can read
    blank     whether messages that hold nothing are left out
    merges    whether neighbours of one role become one message
    places    the keys of the body that hold a conversation together, where one list does not

    `optional_keys` are functions that write what most requests leave out of the body, some keys each, in order.
    """

    __slots__ = (
        "blank",
        "body",
        "cache",
        "contents",
        "layer",
        "merges",
        "messages",
        "optional_keys",
        "places",
        "reasoning",
        "response_format",
        "roles",
        "shown",
        "signed",
        "sources",
        "tool",
        "tool_choice",
        "tools",
    )

    def __init__(
        self,
        *,
        body: BodyRow,
        messages: Callable[[tuple[Message, ...], Context, list[Any]], None],
        roles: Mapping[str, MessageWriter],
        contents: Mapping[str, ContentWriter] | None = None,
        sources: Mapping[str, Mapping[str, WritePart]] | None = None,
        tools: Callable[[tuple[AnyTool, ...], Context], Any] = no_shape,
        tool: Callable[[AnyTool, Context], Any] = no_shape,
        tool_choice: Callable[[ToolChoice, Context], Any] = no_shape,
        response_format: Callable[[ResponseFormat, Context], Any] = no_shape,
        reasoning: Callable[[ReasoningOptions, Context], Any] = no_shape,
        layer: Callable[[Instruction, Context], Any] = no_shape,
        cache: Callable[[Cache, Context], Any] = no_shape,
        shown: Callable[[tuple[Any, ...]], list[Any] | None] = _not_at_once,
        signed: bool = False,
        blank: bool = False,
        merges: bool = False,
        places: MessagePlaces | None = None,
        optional_keys: tuple[WriteKeys, ...] = (),
    ) -> None:
        self.body = body
        self.optional_keys = optional_keys
        self.messages = messages
        self.roles = roles
        self.contents = contents or {}
        self.sources = sources or {}
        self.tools = tools
        self.tool = tool
        self.tool_choice = tool_choice
        self.response_format = response_format
        self.reasoning = reasoning
        self.layer = layer
        self.cache = cache
        self.shown = shown
        self.signed = signed
        self.blank = blank
        self.merges = merges
        self.places = places

    def changed(self, **values: Any) -> Writers:
        """Give these with other arguments; of `roles`, `contents` and `sources`, the named ones are replaced."""
        arguments: dict[str, Any] = {name: getattr(self, name) for name in self.__slots__}
        for name in ("roles", "contents", "sources"):
            values[name] = {**arguments[name], **values.get(name, {})}
        return Writers(**{**arguments, **values})
