"""The state of one reading, which the reading functions of a wire share."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..build.context import BuildContext
from ..build.prompt_text import RAW
from ..build.wire import Wire, has_control
from ..errors import BodyError
from ..model.options import Continuation, Options, make_options
from ..model.parts import Part, Text, ToolResult
from ..model.request import Message, Request, make_message, make_request
from ..model.text import make_text
from ..model.wire_memory import Form, Kept, make_kept, make_provenance
from ..nodes.node import changed, defer_memory, may_remember, with_memory
from ..nodes.plain import SPEAKERS, form_of
from ..nodes.records import replace
from ..reporting.notes import Note
from ..wire_json.copies import own_json
from ..wire_json.kinds import class_of, is_list
from ..wire_json.values import as_str, as_strings, plain_text, unwrapped, vendor_of
from .elements import Elements
from .form_memory import with_listed_text
from .messages import UNSURE_KEPT, TurnCollector, with_custom_results, without_instructions
from .plain_reading import PARTIAL, UNSURE, PlainBody
from .readers import NEAREST_ITEM, Memories, OfBody, OfMessage, OfShape, Readers
from .result import Reading, located
from .urls import Shown, read_url, repeats_held

if TYPE_CHECKING:
    from .result import PlacedNote

NodeT = TypeVar("NodeT")
_NO_MESSAGE = object()


class Reader(Elements):
    """The state of one reading.

    Functions that read a part of the body find each other by the table of their wire: `readers`.
    """

    __slots__ = ("_build", "memories", "notes", "origin", "owned", "raw", "said", "shown", "template")

    # whether the arguments of a call may be text that is not a JSON object
    takes_cut_calls = False

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
        # values that no shape accepts, each with its place
        self.unread: list[tuple[Any, str]] = []
        if url is not None:
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
        self.memories = Memories(wire, readers, model)
        # whether nobody else changes the body
        self.owned = True
        self._build: BuildContext | None = None
        # whether the list of messages may be written with other items than those that were read
        self.loose = False
        self.unsure: list[tuple[Any, OfMessage | None]] = []
        # whether a prompt has no marks; its template, where the model is unknown and a build would take another
        self.raw = False
        self.template: str | None = None
        self.origin = make_provenance(wire.name, model, wire.api)

    @property
    def build(self) -> BuildContext:
        """The build that writes nodes for comparison, which plain bodies do without."""
        build = self._build
        if build is None:
            build = self._build = self.memories.build()
        return build

    def read(self, body: dict[str, Any], build: Callable[..., Any]) -> Reading:
        """Read a whole body; `build` is that of its wire."""
        write = partial(_verbatim, build)
        wrapping = self.wire.wrapping
        if wrapping:
            # shapes have the messages outside the object that holds them; a body that is built again has them inside
            flat = unwrapped(body, *wrapping)
            return self._with_memory(self._request(self.readers.body(flat, self)), body, write)
        read = self._plain(body)
        if read is None:
            fields = self.readers.body(self.with_numbers(body), self)
            if not self.said and self.is_foreign(fields, body):
                title = self.wire.title
                raise BodyError(
                    f"{self.wire.name}: nothing in the body is understood: is this a request of {title}?"
                )
            return self._with_memory(self._request(fields), body, write)
        fields, form = read
        loose = self.loose or repeats_held(self.wire, self.shown, fields)
        if self.unsure and not loose:
            return self._with_memory(self._request(fields), body, write, form)
        request = self._request(fields, None if loose else form)
        return (self._with_memory if loose else self._reading)(request, body, write)

    def _plain(self, body: dict[str, Any]) -> tuple[dict[str, Any], Form | None] | None:
        """Read a body all of whose keys are plain: the fields of its request and their memory; None of any other."""
        plain = self.readers.plain_body
        if plain is None:
            return None
        found, form = plain.read(body)
        if form is UNSURE:
            return None
        fields = found[""]
        if not self._is_like_url(fields, plain):
            return None
        if "instructions" in fields:
            listed = fields["instructions"]
            if not self.plain_instructions(fields, bare=plain.bare):
                self.deviations, self.unread = [], []
                return None
            layers: Any = fields["instructions"]
            if plain.bare and type(layers) is not str and len(layers) == 1 and layers[0].is_plain:
                form = with_listed_text(form, body, listed, layers[0].text)
        # deviations are in the order of `body`
        if self.readers.lifts:
            self._read_conversation(fields)
        self.plain_nodes(fields, plain.grouped)
        if len(found) > 1:
            self._read_partial(fields, found)
        if not self.readers.lifts:
            self._read_conversation(fields)
        return fields, form

    def _read_conversation(self, fields: dict[str, Any]) -> None:
        """Read the messages of a plain body, and the instructions among them."""
        messages = fields["messages"] = self.messages(fields["messages"])
        if not messages:
            self.loose = True
        elif self.readers.lifts:
            fields["instructions"], fields["messages"] = self.hoist(messages, self.readers.lifts)
            # instructions have no place for what their message remembers, and several may be joined
            first = messages[0]
            if fields["instructions"] is not None and (len(first.parts) > 1 or may_remember(first)):
                self.loose = True

    def _is_like_url(self, fields: dict[str, Any], plain: PlainBody) -> bool:
        """Return whether messages were read and the body agrees with the URL, whose values a build writes as well."""
        messages, shown = fields["messages"], self.shown
        if not (type(messages) is str or is_list(messages)):
            return False
        # a single text may be written as a list
        self.loose = type(messages) is str
        return shown is None or all(getattr(shown, name) in (None, fields.get(name)) for name in plain.named)

    def _read_partial(self, fields: dict[str, Any], found: dict[str, dict[str, Any]]) -> None:
        """Add the options of a plain body, and the nodes of which several keys hold a field each."""
        for place, values in found.items():
            if place == "options":
                fields[place] = make_options(values)
            elif place == "vendor":
                fields[place] = {self.wire.name: values}
            elif place:
                fields[place] = with_fields(fields.get(place), PARTIAL[place], **values)

    def _request(self, fields: dict[str, Any], form: Form | None = None) -> Request:
        """Make the request from the fields of the body and of the URL; it remembers `form`."""
        if self.shown is not None:
            for name in ("model", "stream", "continuation"):
                if fields.get(name) is None:
                    fields[name] = getattr(self.shown, name)
        if self.raw:
            options: dict[str, dict[str, Any]] = fields.get("vendor") or {}
            fields["vendor"] = {**options, self.wire.name: {**options.get(self.wire.name, {}), RAW: True}}
        continuation: Continuation | None = fields.get("continuation")
        if continuation is not None:
            # what this API holds is nothing to another
            fields["continuation"] = replace(continuation, wire=self.wire.name)
        if form is not None:
            fields["kept"] = make_kept(self.wire.name, form, model=fields.get("model"))
        return make_request(fields)

    def _with_memory(
        self,
        request: Request,
        body: dict[str, Any],
        write: Callable[..., Any],
        form: Form | None = UNSURE,
    ) -> Reading:
        """Store the differences between the body and a fresh build on the request.

        They are `form` if that is known, and none of the nodes that may remember something does.
        """
        memory = partial(OfBody, self.memories, body, self.template)
        if form is not UNSURE:
            memory = partial(memory, plain=(form, self.unsure))
        if not self.said:
            return self._reading(defer_memory(request, memory(write)), body, write)
        # settings that the body states are understood, but only a build with these settings writes them
        with_settings = partial(write, settings=self.said)
        counted = defer_memory(replace(request), memory(with_settings))
        remembered = defer_memory(request, memory(write, with_settings))
        return self._reading(remembered, body, with_settings, counted)

    def _reading(
        self, kept: Request, body: dict[str, Any], write: Callable[..., Any], counted: Request | None = None
    ) -> Reading:
        settings: Mapping[str, Any] = self.shown.settings if self.shown is not None else {}
        clean = not self.deviations and not self.unread
        return Reading(
            self.wire,
            self.readers.words,
            body,
            kept,
            counted=kept if counted is None else counted,
            write=write,
            settings={**settings, **self.said} if settings or self.said else settings,
            notes=self.notes,
            noted=((), ()) if clean else self.located_notes(body),
        )

    def note_setting(self, name: str, value: Any) -> None:
        """Store a setting that the body states, unless it is the default."""
        setting = self.wire.settings[name]
        wanted = as_strings(value) if setting.listed else as_str(value)
        known = not setting.choices or value in setting.choices
        if wanted and wanted != setting.default and known and not any(map(has_control, wanted)):
            self.said[name] = value

    def remember(self, node: NodeT, label: str, item: dict[str, Any], shape: str | None = None) -> NodeT:
        """Store on a node that was just read the differences from what a fresh build would write."""
        remembering: NodeT = defer_memory(node, OfShape(self.memories, self.owned_json(item), label, shape))
        return remembering

    def owned_json(self, item: dict[str, Any]) -> dict[str, Any]:
        """Return JSON that nobody else changes: all of a body that was copied, else a copy."""
        if self.owned:
            return item
        own: dict[str, Any] = own_json(item)
        return own

    def with_shape(self, node: NodeT, shape: str) -> NodeT:
        """Store the shape that a node was read as."""
        remembering: NodeT = with_memory(node, _spelling(self.wire.name, shape))
        return remembering

    def located_notes(self, body: Any) -> tuple[tuple[PlacedNote, ...], tuple[PlacedNote, ...]]:
        """Return the deviations and the unread content of a body that was read, each with its place."""
        return located(body, self.deviations, self.unread, self.wire.title)

    def vendor(self, options: Mapping[str, Any]) -> dict[str, dict[str, Any]] | None:
        """Collect the wire's own options; None when there are none."""
        for value in options.values():
            if value is not None:
                return vendor_of(self.wire, options)
        return None

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

    def role_of(self, parts: tuple[Part, ...], role: str) -> str:
        """Return whether a turn has only tool results, so that its role is `tool`."""
        if not parts or type(parts[0]) is not ToolResult:
            return role
        return "tool" if all(type(part) is ToolResult for part in parts) else role

    def hoist(self, messages: tuple[Message, ...], role: str) -> tuple[Any, tuple[Message, ...]]:
        """Move the first message out of the list if it is only system text, which is instructions."""
        return without_instructions(messages, role, self)

    def messages(self, value: Any) -> tuple[Message, ...]:
        """Read the conversation: a list of messages and items of their own, or text as one user message."""
        if type(value) is str:
            return (Message("user", (Text(value),), provenance=self.origin),)
        readers = self.readers
        turns = TurnCollector(self.origin, group=readers.groups)
        speaker, speaks, texts, name = readers.speaker, readers.speaks, readers.texts, self.wire.name
        read_part = readers.elements.get("messages")
        for item in value if class_of(value) is list else ():
            role: Any = item.get(speaker) if class_of(item) is dict else _NO_MESSAGE
            if type(role) is not str:
                word = None if role is None else ""
            else:
                word = role
                # most messages are one text
                if word in texts and len(item) == 2:
                    role, row = texts[word]
                    content: Any = item.get(row.content)
                    listed = class_of(content) is list
                    text = row.text_alone(content) if listed else content if row.bare else None
                    if type(text) is str and (part := make_text(text)).is_plain:
                        kept = row.memory_of_text(content, name) if listed else None
                        form = "" if kept else "text" if role in SPEAKERS else "worded"
                        turns.add_message(make_message(form, role, (part,), self.origin, kept))
                        continue
            if read_part is not None and word not in speaks and (part := read_part(item, self)) is not None:
                turns.add_item(*part)
            elif (read := readers.messages.get(word)) is not None:
                turns.add_message(read(item, self))
            else:
                self._odd(item, turns)
        return with_custom_results(turns.finish()) if readers.alike else turns.finish()

    def _odd(self, item: Any, turns: TurnCollector) -> None:
        """Read an item that is neither a message nor exactly a part of its own."""
        self.loose = True
        read_nearest = self.readers.elements.get(NEAREST_ITEM)
        part = None if read_nearest is None else read_nearest(item, self)
        if part is not None:
            turns.add_item(*part)
        elif (message := self._unnamed(item)) is not None:
            turns.add_message(message)
        else:
            turns.add_unknown(self.opaque(item, "messages"))

    def _unnamed(self, _item: Any) -> Message | None:
        """Read a message that does not say whose it is; None where nobody knows."""
        return None

    def message(self, role: str, parts: tuple[Part, ...], item: dict[str, Any], **fields: Any) -> Message:
        """Build the message of one item, with the differences from what a fresh build would write."""
        plain = self.readers.plain_messages.get(role)
        given = [value for value in fields.values() if value is not None] if fields else ()
        kept: Kept | None = UNSURE_KEPT
        if plain is not None:
            kept = plain.memory(parts, item, self.readers.words, self.wire.name, others=any(given))
        if kept is UNSURE_KEPT:
            # it may be written as several items
            derive = OfMessage(self.memories, self.owned_json(item))
            message: Message = defer_memory(make_message("", role, parts, self.origin, **fields), derive)
            self.unsure.append((message, derive))
            return message
        form = "" if kept or given else form_of(role, parts)
        return make_message(form, role, parts, self.origin, kept, **fields)


def _verbatim(
    build: Callable[..., Any], request: Request, *, settings: Mapping[str, Any] | None = None
) -> Any:
    """Write a body as it is for the memory: no rule, no repair."""
    return build(request, settings=settings, policies="verbatim").body


@lru_cache(maxsize=512)
def _spelling(wire: str, shape: str) -> Kept:
    """Return the memory of a node that was read as an alternative; all such nodes share it."""
    return make_kept(wire, shape=shape)


def constant(
    node_class: type[NodeT],
    fields: Mapping[str, Any],
    *,
    label: str = "",
    shape: str | None = None,
    size: int = 0,
) -> Callable[[Any, Reader], NodeT]:
    """Return a function that reads JSON without values of its own: it always makes the same node.

    Args:
        node_class: The class of the node.
        fields: The fields of the node.
        label: The label of the function that writes the shape, where the node remembers how it was written.
        shape: The word of a shape that a fresh build would not choose.
        size: How many keys an object has that a build writes as it stands; 0 if no object has.
    """
    usual = node_class(**fields)

    def read(item: Any, reader: Reader) -> NodeT:
        if label and not (size and len(item) == size):
            return reader.remember(node_class(**fields), label, item, shape)
        return usual if shape is None else reader.with_shape(node_class(**fields), shape)

    return read


def with_fields(node: NodeT | None, cls: type[NodeT], **values: Any) -> NodeT | None:
    """Complete a node by fields that stood elsewhere in the body; None when there is nothing at all."""
    stated = {key: value for key, value in values.items() if value is not None}
    if not stated:
        return node
    return cls(**stated) if node is None else cast("NodeT", changed(node, **stated))
