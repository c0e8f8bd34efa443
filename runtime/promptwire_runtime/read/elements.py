"""Read the elements of a body, each by the shapes that the table of the wire allows at its place."""

from __future__ import annotations

from collections.abc import Callable
from json import dumps
from typing import Any, TypeVar, cast

from ..build.wire import Wire
from ..model.options import Options, ReasoningOptions, ResponseFormat, ToolChoice
from ..model.parts import Cache, Opaque, Part, Refusal
from ..model.text import make_text
from ..model.tools import AnyTool, Tool
from ..nodes.node import changed, may_remember
from ..nodes.plain import is_blank
from ..wire_json.kinds import class_of, is_empty, is_list, is_object, says_nothing
from ..wire_json.values import EMPTY, as_object
from .readers import OfMessage, Readers

NodeT = TypeVar("NodeT")
_UNMARKABLE = object()
_NO_REFUSAL = Refusal("")
# places of the content of results
_OF_RESULTS = ("tool", "tool_result")
_NODES = ("tool_choice", "response_format", "reasoning", "cache")


class Elements:
    """The methods of a `Reader` for elements: parts, tools, and the nodes of a request that shapes write.

    deviations  an object, the keys inside it, and what was assumed there
    unread    what no shape takes: the value, and where it stands
    loose     whether the list of messages may be written with other items than those that were read
    unsure    nodes that may be written otherwise, which their own memory says
    """

    __slots__ = ("deviations", "loose", "readers", "unread", "unsure", "wire")

    # whether content may be an object in place of text or a list
    takes_objects = False

    wire: Wire
    readers: Readers
    deviations: list[tuple[Any, tuple[str, ...], str, str]]
    unread: list[tuple[Any, str]]
    loose: bool
    unsure: list[tuple[Any, OfMessage | None]]

    def opaque(self, value: Any, place: str) -> Opaque:
        """Return an element that no shape accepts as `Opaque`, and note the problem."""
        self.unread.append((value, place))
        self.loose = True
        return Opaque(self.wire.name, value, place)

    def note_unread(self, value: Any, place: str) -> None:
        """Note a value that is not empty and that no shape at its place accepts."""
        if not is_empty(value):
            self.unread.append((value, place))

    def parts(self, value: Any, place: str) -> tuple[Part, ...]:
        """Read the content of a message: text, a list of elements (some may mark the one before), or nothing."""
        if class_of(value) is list:
            read = self.readers.elements[place]
            if self.readers.marks:
                return tuple(self._read_with_marks(value, read))
            return tuple([read(element, self) for element in value])
        if type(value) is str:
            return (make_text(value),)
        part = (
            self._read_bare_object(value, place)
            if value and is_object(value) and (self.takes_objects or place in _OF_RESULTS)
            else None
        )
        if part is None:
            self.note_unread(value, place)
            # a tool may return a number, or true
            is_result = place in _OF_RESULTS and class_of(value) in (int, float, bool)
            text = _write_json(value) if is_result else None
            return () if text is None else (make_text(text),)
        return (part,)

    def content(self, value: Any, place: str, item: dict[str, Any], key: str) -> tuple[Part, ...]:
        """Read the content that a message always has; an item where it is absent or null is read as one without."""
        if value is None:
            why = "a message always has content, and this was read as one without"
            self.deviations.append((item, (key,), "added", why))
        return self.parts(value, place)

    def _read_bare_object(self, value: dict[str, Any], place: str) -> Part | None:
        """Read content that is an object: an element without its list, or the JSON of a text as some hosts answer."""
        noted = len(self.unread)
        part: Part = self.readers.elements[place](value, self)
        why = "an element was read as a list of it"
        if type(part) is Opaque:
            del self.unread[noted:]
            text = _write_json(value)
            if text is None:
                return None
            part = make_text(text)
            why = "an object was read as JSON text"
        self.deviations.append((value, (), "replaced", why))
        return part

    def _read_with_marks(self, elements: list[Any], read: Callable[[Any, Any], NodeT]) -> list[NodeT]:
        """Read elements; a mark goes onto the element before it, the first of its kind only."""
        if not self.readers.marks:
            return [read(element, self) for element in elements]
        read_mark = self.readers.elements["cache"]
        nodes: list[NodeT] = []
        for element in elements:
            mark = (
                read_mark(element, self)
                if nodes and getattr(nodes[-1], "cache", _UNMARKABLE) is None
                else None
            )
            if mark is None:
                nodes.append(read(element, self))
            else:
                nodes[-1] = cast("NodeT", changed(nodes[-1], cache=mark))
        return nodes

    def slot(self, value: Any, place: str) -> tuple[Part, ...]:
        """Read a list of parts under a key of its own, outside the content."""
        if not is_list(value):
            self.note_unread(value, place.rpartition(".")[2])
            return ()
        read = self.readers.elements[place]
        return tuple([read(element, self) for element in value])

    def single(self, value: Any, place: str) -> tuple[Part, ...]:
        """Read a slot that holds one value."""
        if is_object(value) and says_nothing(value):
            return ()
        part = None if value is None else self.readers.elements[place](value, self)
        if part is None:
            self.note_unread(value, place.rpartition(".")[2])
            return ()
        # some hosts send an empty refusal with every answer
        return () if part == _NO_REFUSAL else (part,)

    def tools(self, value: Any) -> tuple[AnyTool, ...] | None:
        """Read a list of tools; an element may be the cache mark of the tool before. Return None for another value."""
        return tuple(self._read_with_marks(value, self.readers.elements["tools"])) if is_list(value) else None

    def gathered(self, value: Any, *keys: str) -> tuple[AnyTool, ...] | None:
        """Read a list in which some elements hold several tools under one key, or its only element without a list."""
        if not (is_list(value) or is_object(value)):
            return None
        read = self.readers.elements["tools"]
        tools: list[AnyTool] = []
        for element in value if is_list(value) else [value]:
            held = as_object(element)
            inner: Any = None
            for key in keys:
                if key in held:
                    inner = held[key]
                    break
            tools += [read(tool, self) for tool in (inner if class_of(inner) is list else [element])]
        return tuple(tools)

    def cache(self, value: Any) -> Cache | None:
        """Read a mark of the cache."""
        return None if value is None else self.readers.elements["cache"](value, self)

    def tool_choice(self, value: Any) -> ToolChoice | None:
        """Read which tools may be called."""
        node: ToolChoice | None = self.readers.elements["tool_choice"](value, self)
        return node

    def response_format(self, value: Any) -> ResponseFormat | None:
        """Read the form of the answer."""
        node: ResponseFormat | None = self.readers.elements["response_format"](value, self)
        return node

    def reasoning(self, value: Any) -> ReasoningOptions | None:
        """Read how the model shall think."""
        node: ReasoningOptions | None = self.readers.elements["reasoning"](value, self)
        return node

    def layers(self, value: Any) -> Any:
        """Read instructions: text, or a list of layers. Return None if an element is not a layer."""
        if type(value) is str:
            return value or None
        if not is_list(value):
            return None
        layers = self._read_with_marks(value, self.readers.elements["instructions"])
        for layer in layers:
            if layer is None:
                return None
        return tuple(layers) or None

    def with_numbers(self, body: dict[str, Any]) -> dict[str, Any]:
        """Return the body with numbers and booleans in place of texts that state them, and note each."""
        plain = self.readers.plain_body
        if plain is None:
            return body
        changed_body, places = plain.level.with_numbers(body)
        for item, key in places:
            self.deviations.append((item, (key,), "replaced", "text was read as the value that it states"))
        return changed_body

    def is_foreign(self, fields: dict[str, Any], body: dict[str, Any]) -> bool:
        """Return whether a body has content, of which only the model and the stream flag were understood.

        A key of this API with a value that no field takes is understood.
        """
        plain = self.readers.plain_body
        known = {} if plain is None else plain.level.rows
        named = ("messages", "model", "stream")
        others = [key for key in body if key != "stream" and key not in self.readers.model]
        if any(key in known for key in others) or any(body.get(key) == [] for key in self.readers.needs):
            return False
        if any(value for name, value in fields.items() if name not in named and value != Options()):
            return False
        for message in fields["messages"]:
            if not message.parts or any(
                type(part) is not Opaque or part.place != "messages" for part in message.parts
            ):
                return False
        return any(not is_empty(body[key]) for key in others)

    def plain_instructions(self, fields: dict[str, Any], *, bare: bool) -> bool:
        """Read the instructions of a plain body; return whether they are known to be written."""
        json = fields["instructions"]
        layers = fields["instructions"] = self.layers(json)
        if type(layers) is str:
            return not is_blank(layers)
        if layers is None or len(layers) != len(json):
            return False
        for layer in layers:
            if is_blank(layer.text):
                return False
        # a single text without further layers may be written without a list
        if bare and len(layers) == 1 and may_remember(layers[0]):
            self.loose = True
        return True

    def plain_nodes(self, fields: dict[str, Any], grouped: tuple[str, ...]) -> None:
        """Read tools, tool choice, response format, reasoning and cache mark of a plain body."""
        before = len(self.unread)
        elements = self.readers.elements
        for name in _NODES:
            if name not in fields:
                continue
            json = fields[name]
            node = fields[name] = elements[name](json, self)
            if name == "cache":
                self.loose = self.loose or node is None or len(json) != 1 + (node.ttl is not None)
            elif (node is None and json is not EMPTY) or (node is not None and json == {}):
                self.loose = True
            elif node is not None and may_remember(node):
                self.unsure.append((node, None))
        if "tools" in fields:
            json = fields["tools"]
            tools = fields["tools"] = self.gathered(json, *grouped) if grouped else self.tools(json)
            if not tools or len(self.unread) > before or not _are_written_so(tools, json, grouped):
                self.loose = True


def _are_written_so(tools: tuple[AnyTool, ...], json: Any, grouped: tuple[str, ...]) -> bool:
    """Return whether a list of tools is written unchanged: no cache marks, all functions in one group."""
    if not grouped:
        return len(tools) == len(json)
    if not is_list(json):
        return False
    groups = [element for element in json if is_object(element) and not element.keys().isdisjoint(grouped)]
    if len(groups) > 1 or not all(len(group) == 1 and is_list(group.get(grouped[0])) for group in groups):
        return False
    functions = len([tool for tool in tools if type(tool) is Tool])
    # a group without functions is not written
    return functions == len(groups[0][grouped[0]]) > 0 if groups else functions == 0


def _write_json(value: Any) -> str | None:
    """Return the JSON text of what a tool returned; None where JSON cannot hold it."""
    try:
        return dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):
        return None
