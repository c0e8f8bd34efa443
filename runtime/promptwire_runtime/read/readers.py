"""The reading functions of a wire, by which they find each other; a dialect's table is its parent's with changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ..model.parts import Opaque

if TYPE_CHECKING:
    from ..build.context import BuildContext
    from ..build.writers import Writers
    from ..model.options import Instruction, ReasoningOptions, ResponseFormat, ToolChoice
    from ..model.parts import Cache, Part
    from ..model.request import Message, Request
    from ..model.tools import AnyTool
    from .form_memory import Words
    from .turns import Turns


class Readers:
    """What reads what on one wire; each function takes JSON and the `Reader` that holds this table.

    words      the wire's own keys and constants
    body       a whole body
    contents   one element of a list of parts, by where it stands: a role (`user`), a kind of part that holds others
               (`tool_result`), a list beside the content (`assistant.tool_calls`)
    single     a value that is one part (`assistant.refusal`)
    messages   a message, by the `role` that its JSON states; None: it states none
    item       a part that stands as an item of its own among the messages; False where there is none
    tool ...   one node of each kind
    writers    what writes a shape, by the label of the shape: reading compares what is written with what was read
    writing    all that writes this wire, for the same end
    marks      whether elements of lists may be marks of a cache
    groups     whether consecutive items of one role are one message
    """

    __slots__ = (
        "body",
        "cache",
        "contents",
        "groups",
        "item",
        "layer",
        "marks",
        "messages",
        "reasoning",
        "response_format",
        "single",
        "tool",
        "tool_choice",
        "words",
        "writers",
        "writing",
    )

    def __init__(  # noqa: PLR0913  # a row a thing that is read
        self,
        *,
        words: Words,
        body: Callable[[dict[str, Any], Any], Request],
        writers: Mapping[str, Callable[[Any, BuildContext], Any]],
        writing: Writers,
        contents: Mapping[str, Callable[[Any, Any], Part]],
        messages: Mapping[str | None, Callable[[dict[str, Any], Any], Message]],
        single: Mapping[str, Callable[[Any, Any], Part | None]] | None = None,
        item: Callable[[Any, Turns, Any], bool] | None = None,
        tool: Callable[[Any, Any], AnyTool] | None = None,
        tool_choice: Callable[[Any, Any], ToolChoice | None] | None = None,
        response_format: Callable[[Any, Any], ResponseFormat | None] | None = None,
        reasoning: Callable[[Any, Any], ReasoningOptions | None] | None = None,
        layer: Callable[[Any, Any], Instruction | None] | None = None,
        cache: Callable[[Any, Any], Cache | None] | None = None,
        marks: bool = False,
        groups: bool = False,
    ) -> None:
        """Hold the functions; what a wire has no shapes for is read as nothing."""
        self.words = words
        self.body = body
        self.writers = writers
        self.writing = writing
        self.contents = contents
        self.messages = messages
        self.single = single or {}
        self.item = item
        self.tool = tool or _opaque_tool
        self.tool_choice = tool_choice or _nothing
        self.response_format = response_format or _nothing
        self.reasoning = reasoning or _nothing
        self.layer = layer or _nothing
        self.cache = cache or _nothing
        self.marks = marks
        self.groups = groups

    def changed(self, **changes: Any) -> Readers:
        """The same table with other values; rows of a mapping go beside those that it has, or in their place."""
        fields: dict[str, Any] = {field: getattr(self, field) for field in self.__slots__}
        for field, value in changes.items():
            rows = field in ("writers", "contents", "messages", "single")
            fields[field] = {**fields[field], **value} if rows else value
        return Readers(**fields)


def _nothing(item: Any, reader: Any) -> None:  # one of several readers
    """Read nothing: the wire has no shape of this."""


def _opaque_tool(item: Any, reader: Any) -> AnyTool:
    """Read a tool of a wire that has none."""
    return Opaque(reader.wire.name, item, "tools")
