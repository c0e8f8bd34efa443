"""The state of one reading, which the reading functions of a wire share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..build.context import BuildContext, start
from ..build.wire import Wire
from ..errors import BodyError
from ..model.options import Continuation, Instruction, Options, ReasoningOptions, ResponseFormat, ToolChoice
from ..model.parts import Cache, Opaque, Part, Text, ToolResult
from ..model.request import Message, Request
from ..model.tools import AnyTool
from ..model.wire_memory import Kept, Provenance
from ..nodes.records import replace
from ..reporting.notes import Note
from ..reporting.policies import VERBATIM
from ..wire_json.kinds import is_empty, is_list, is_object, same
from ..wire_json.places import places_of_elements
from ..wire_json.values import as_object, as_str, as_strings, plain_text, vendor_of
from .form_memory import Comparison
from .located import Located
from .readers import NEAREST_ITEM, Readers
from .result import Reading
from .turns import Turns

if TYPE_CHECKING:
    from .urls import Shown

NodeT = TypeVar("NodeT")
_UNMARKABLE = object()
_NO_MESSAGE = object()


class Reader:
    """The state of one reading: it compares every node with what a fresh build writes for it.

    Functions that read a part of the body find each other by the table of their wire: `readers`.
    """

    __slots__ = (
        "build",
        "deviations",
        "notes",
        "origin",
        "problems",
        "readers",
        "role",
        "said",
        "shown",
        "wire",
    )

    def __init__(self, wire: Wire, readers: Readers, model: Any, url: str | None = None) -> None:
        """Prepare to read one body that was sent to `url`."""
        model = model if type(model) is str else None
        self.wire = wire
        self.readers = readers
        self.shown: Shown | None = None
        self.said: dict[str, Any] = {}
        self.notes: list[Note] = []
        # an object, the keys inside it, and what was assumed there (see `Deviations`)
        self.deviations: list[tuple[Any, tuple[str, ...], str, str]] = []
        # what no shape takes: the value, and where it stands
        self.problems: list[tuple[Any, str]] = []
        if url is not None:
            from .urls import read_url

            address: Any = url
            if not isinstance(address, str):
                raise BodyError(f"{wire.name}: the URL is text, not {type(address).__name__}")
            self.shown = read_url(wire, str(plain_text(address)), model)
            if self.shown is None:
                # the URL is not repeated: it may hold a credential
                expected = f": expected {wire.urls[-1][0]}" if wire.urls else ""
                why = f"no URL of {wire.title} has this form{expected}"
                self.notes.append(Note("dropped", "", "url", why))
            elif self.shown.refused:
                why = "a build takes no settings such as it shows: they are left out"
                self.notes.append(Note("dropped", "", "url", why))
            model = self.shown.model if self.shown is not None and model is None else model
        self.build: BuildContext = start(wire, _request_for(model))
        self.build.writers = readers.writing
        self.build.configure(None, VERBATIM)
        self.origin = Provenance(wire.name, model, wire.api)
        self.role = wire.decide(model, None).role

    def read(self, body: dict[str, Any], build: Callable[..., Any]) -> Reading:
        """Read a whole body; `build` is that of its wire."""
        return self._finished(self._request(body), body, partial(_verbatim, build))

    def _request(self, body: dict[str, Any]) -> Request:
        """Read the body, and of the URL what only it says."""
        fields = self.readers.body(body, self)
        if self.shown is not None:
            for name in ("model", "stream", "continuation"):
                if fields.get(name) is None:
                    fields[name] = getattr(self.shown, name)
        continuation: Continuation | None = fields.get("continuation")
        if continuation is not None:
            # what this API holds is nothing to another
            fields["continuation"] = replace(continuation, wire=self.wire.name)
        return Request(**fields)

    def _finished(self, request: Request, body: dict[str, Any], write: Callable[..., Any]) -> Reading:
        """Keep on the request how its body differs from a fresh one."""
        settings: Mapping[str, Any] = self.shown.settings if self.shown is not None else {}
        fresh = write(request)
        kept = request
        if not same(fresh, body):
            kept = replace(request, kept=self._memory(request, fresh, body, model=request.model))
        said, words = self.said, self.readers.words
        # what the body says of settings is understood, though only a build with these settings writes it
        counted = self.keep(request, write(request, settings=said), body) if said else kept
        return Reading(
            self.wire,
            words,
            body,
            kept,
            counted=counted,
            write=partial(write, settings=said) if said else write,
            settings={**settings, **said},
            notes=self.notes,
            noted=self.noted(body),
        )

    def say(self, name: str, value: Any) -> None:
        """Note a setting that stands in the body, its default aside."""
        setting = self.wire.settings[name]
        wanted = as_strings(value) if setting.listed else as_str(value)
        known = not setting.choices or value in setting.choices
        if wanted and wanted != setting.default and known:
            self.said[name] = value

    def remember(self, node: NodeT, label: str, item: dict[str, Any], shape: str | None = None) -> NodeT:
        """Keep on a node that was just read as the shape of a label whatever a fresh build would write differently."""
        fresh = self.readers.writers[label](node, self.build)
        if shape is None and same(fresh, item):
            return node
        return self.keep(node, fresh, item, shape)

    def keep(self, node: NodeT, fresh: Any, item: dict[str, Any], shape: str | None = None) -> NodeT:
        """Keep on a node how `item` differs from `fresh`."""
        if same(fresh, item):
            return node if shape is None else self.spelled(node, shape)
        kept = self._memory(node, fresh, item, shape)
        return replace(node, kept=kept)  # type: ignore[type-var]

    def _memory(
        self,
        node: object,
        fresh: Any,
        item: dict[str, Any],
        shape: str | None = None,
        model: str | None = None,
    ) -> Kept:
        wire = self.wire.name
        return Kept(wire, Comparison(self.readers.words, node, wire).compare(fresh, item), shape, model)

    def spelled(self, node: NodeT, shape: str) -> NodeT:
        """Keep which alternative a node was read as."""
        return replace(node, kept=Kept(self.wire.name, shape=shape))  # type: ignore[type-var]

    def opaque(self, value: Any, place: str) -> Opaque:
        """Hold an element that no shape knows, and note the problem."""
        self.problems.append((value, place))
        return Opaque(self.wire.name, value, place)

    def unread(self, value: Any, place: str) -> None:
        """Note a value that says something, and that nothing at its place takes."""
        if not is_empty(value):
            self.problems.append((value, place))

    def noted(self, body: Any) -> tuple[tuple[Located, ...], tuple[Located, ...]]:
        """Return the deviations and the problems of a body that was read, each with its place."""
        if not self.deviations and not self.problems:
            return (), ()
        elements = [row[0] for row in (*self.deviations, *self.problems)]
        places = places_of_elements(body, elements)
        deviations = [
            Located((*places.get(id(element), ()), *keys), action, why)
            for element, keys, action, why in self.deviations
        ]
        kept = f"no shape of {self.wire.title} takes this: it is kept as it came"
        lacking = f"{self.wire.title} always has this, and here it is absent or null"
        problems = [
            Located(places.get(id(element)) or (place,), "kept", lacking if element is None else kept)
            for element, place in self.problems
        ]
        return tuple(deviations), tuple(problems)

    def vendor(self, options: Mapping[str, Any]) -> dict[str, dict[str, Any]] | None:
        """Collect the wire's own options; None when there are none."""
        return vendor_of(self.wire, options)

    def body_options(self, body: dict[str, Any]) -> Options:
        """Read the options of a request."""
        return Options(**self.readers.options(body, self))

    def body_vendor(self, body: dict[str, Any]) -> dict[str, dict[str, Any]] | None:
        """Read the options of a request that only this API has; one that only its parent knows stays unread."""
        known = self.readers.writing.body.shape.vendor
        options = {
            name: value
            for name, value in self.readers.vendor(body, self).items()
            if value is not None and name in known
        }
        return {self.wire.name: options} if options else None

    def parts(self, value: Any, place: str) -> tuple[Part, ...]:
        """Read the content of a message: text, a list of elements (some may mark the one before), or nothing."""
        if type(value) is str:
            return (Text(value),)
        if not is_list(value):
            self.unread(value, place)
            return ()
        return tuple(self._marked(value, self.readers.elements[place]))

    def _marked(self, elements: list[Any], read: Callable[[Any, Reader], NodeT]) -> list[NodeT]:
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
                nodes[-1] = replace(cast("Any", nodes[-1]), cache=mark)
        return nodes

    def slot(self, value: Any, place: str) -> tuple[Part, ...]:
        """Read a list of parts beside the content."""
        if not is_list(value):
            self.unread(value, place.rpartition(".")[2])
            return ()
        read = self.readers.elements[place]
        return tuple([read(element, self) for element in value])

    def one(self, value: Any, place: str) -> tuple[Part, ...]:
        """Read a slot that holds one value."""
        part = None if value is None else self.readers.elements[place](value, self)
        if part is None:
            self.unread(value, place.rpartition(".")[2])
            return ()
        return (part,)

    def tools(self, value: Any) -> tuple[AnyTool, ...] | None:
        """Read a list of tools (some elements may mark the one before); None when it is no list."""
        return tuple(self._marked(value, self.readers.elements["tools"])) if is_list(value) else None

    def gathered(self, value: Any, *keys: str) -> tuple[AnyTool, ...] | None:
        """Read a list in which some elements hold several tools under one key, or its only element without a list."""
        if not (is_list(value) or is_object(value)):
            return None
        read, tools = self.readers.elements["tools"], list[AnyTool]()
        for element in value if is_list(value) else [value]:
            held = as_object(element)
            inner = next((held[key] for key in keys if key in held), None)
            tools += [read(tool, self) for tool in (inner if is_list(inner) else [element])]
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

    def role_of(self, parts: tuple[Part, ...], role: str) -> str:
        """Tell whether a turn only hands tool results back: then its role is `tool`."""
        return "tool" if parts and all(type(part) is ToolResult for part in parts) else role

    def hoist(self, messages: tuple[Message, ...], role: str) -> tuple[Any, tuple[Message, ...]]:
        """Take the first message out of the list when it is instructions: system text and nothing else."""
        first = messages[0] if messages else None
        if first is None or first.role not in ("system", "developer") or not first.parts:
            return None, messages
        if first.name is not None or not all(type(part) is Text and part.text for part in first.parts):
            return None, messages
        texts = cast("tuple[Text, ...]", first.parts)
        if any(part.citations is not None or part.vendor is not None for part in texts):
            return None, messages
        self.notes.append(
            Note("moved", "", "instructions", f"they were the first message, of role {first.role}")
        )
        default = self.role or role
        if len(texts) == 1 and texts[0].is_plain and first.role == default:
            return texts[0].text, messages[1:]
        own = None if first.role == default else first.role
        layers = [Instruction(part.text, own, cache=part.cache, kept=part.kept) for part in texts]
        return tuple(layers), messages[1:]

    def layers(self, value: Any) -> Any:
        """Read instructions: text, or a list of layers; None when an element is no layer."""
        if type(value) is str:
            return value or None
        if not is_list(value):
            return None
        layers = self._marked(value, self.readers.elements["instructions"])
        return tuple(layers) if layers and all(layer is not None for layer in layers) else None

    def messages(self, value: Any) -> tuple[Message, ...]:
        """Read the conversation: a list of messages and items of their own, or text as one user message."""
        elements, message_readers = self.readers.elements, self.readers.messages
        read_part, read_nearest = elements.get("messages"), elements.get(NEAREST_ITEM)
        if type(value) is str:
            return (Message("user", (Text(value),), provenance=self.origin),)
        turns = Turns(self.origin, group=self.readers.groups)
        for item in value if is_list(value) else []:
            standing = None if read_part is None else read_part(item, self)
            if standing is not None:
                turns.alone(*standing)
                continue
            role: Any = item.get(self.readers.speaker) if is_object(item) else _NO_MESSAGE
            read = message_readers.get(role) if role is None or type(role) is str else None
            if read is not None:
                turns.message(read(item, self))
                continue
            standing = None if read_nearest is None else read_nearest(item, self)
            if standing is not None:
                turns.alone(*standing)
            elif (message := self._unnamed(item)) is not None:
                turns.message(message)
            else:
                turns.unknown(self.opaque(item, "messages"))
        return turns.finish()

    def _unnamed(self, _item: Any) -> Message | None:
        """Read a message that does not say whose it is; None where nobody knows."""
        return None

    def message(self, message: Message, item: dict[str, Any]) -> Message:
        """Keep on a message what a fresh build of its one item would write differently."""
        fresh: list[Any] = []
        self.readers.writing.messages((message,), self.build, fresh)
        return self.keep(message, fresh[-1], item) if fresh else message


def _verbatim(
    build: Callable[..., Any], request: Request, *, settings: Mapping[str, Any] | None = None
) -> Any:
    """Write a body as it is for the memory: no rule, no repair."""
    return build(request, settings=settings, policies="verbatim").body


@lru_cache(maxsize=64)
def _request_for(model: str | None) -> Request:
    """Make the request of the build that writes nodes for comparison: of the body, only its model matters there."""
    return Request(model)


def with_fields(node: NodeT | None, cls: type[NodeT], **values: Any) -> NodeT | None:
    """Complete a node by fields that stood elsewhere in the body; None when there is nothing at all."""
    stated = {key: value for key, value in values.items() if value is not None}
    if not stated:
        return node
    return cls(**stated) if node is None else replace(node, **stated)  # type: ignore[type-var]
