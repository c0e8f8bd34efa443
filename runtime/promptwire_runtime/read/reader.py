"""Reading: a wire body as a neutral Request, and how much of it was understood."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar, cast

from ..build.context import BuildContext, start
from ..build.wire import Wire
from ..errors import BodyError
from ..model.nodes import fields, is_node, replace
from ..model.options import Instruction
from ..model.parts import Cache, Opaque, Part, Text, ToolResult
from ..model.paths import holds_nodes
from ..model.plain import is_plain
from ..model.request import Message, Request
from ..model.wire_memory import Kept, Provenance
from ..reporting.notes import Note
from ..reporting.policies import VERBATIM
from ..wire_json.kinds import as_leaf, bag, count_leaves, is_empty, is_list, is_object, json_kind
from ..wire_json.values import as_object, as_str, as_strings, plain_text
from .form_memory import Words, kept_leaves, names_only, remembered, unknown_paths

if TYPE_CHECKING:
    from .urls import Shown

NodeT = TypeVar("NodeT")
_UNMARKABLE = object()


class Reader:
    """The state of one reading: it compares every node with what a fresh build writes for it."""

    __slots__ = ("build", "notes", "origin", "role", "said", "shown", "wire", "words")

    def __init__(self, wire: Wire, words: Words, model: Any, url: str | None = None) -> None:
        """Prepare to read one body that was sent to `url`."""
        model = model if type(model) is str else None
        self.wire = wire
        self.words = words
        self.shown: Shown | None = None
        self.said: dict[str, Any] = {}
        self.notes: list[Note] = []
        if url is not None:
            from .urls import read_url

            given: Any = url
            if not isinstance(given, str):
                raise BodyError(f"{wire.name}: the URL is text, not {type(given).__name__}")
            self.shown = read_url(wire, str(plain_text(given)), model)
            if self.shown is None:
                # the URL is not repeated: it may hold a credential
                expected = f": expected {wire.urls[-1][0]}" if wire.urls else ""
                why = f"no URL of {wire.title} has this form{expected}"
                self.notes.append(Note("dropped", "", "url", why))
            model = self.shown.model if self.shown is not None and model is None else model
        self.build: BuildContext = start(wire, Request(model))
        self.build.configure(None, VERBATIM)
        self.origin = Provenance(wire.name, model, wire.api)
        self.role = wire.decide(model, None).role

    def finish(self, request: Request, found: dict[str, Any], write: Callable[..., Any]) -> Reading:
        """Add what only the URL says, and keep on the request how its body differs from a fresh one."""
        said: dict[str, Any] = {}
        if self.shown is not None:
            for name in ("model", "stream"):
                value = getattr(self.shown, name)
                if value is not None and getattr(request, name) is None:
                    said[name] = value
        if request.continuation is not None:
            # what this API holds is nothing to another
            said["continuation"] = replace(request.continuation, wire=self.wire.name)
        request = replace(request, **said) if said else request
        settings: Mapping[str, Any] = self.shown.settings if self.shown is not None else {}
        kept = self.keep(request, write(request), found)
        if kept.kept is not None:
            kept = replace(kept, kept=replace(kept.kept, model=request.model))
        if not self.said:
            return Reading(self, found, kept, write, settings)
        # what the body says of settings is understood, though only a build with these settings writes it
        said = self.said
        counted = self.keep(request, write(request, said), found)
        reading = Reading(self, found, kept, lambda known: write(known, said), {**settings, **said})
        reading.counted = counted
        return reading

    def say(self, name: str, value: Any) -> None:
        """Note a setting that stands in the body, its default aside."""
        setting = self.wire.settings[name]
        wanted = as_strings(value) if setting.listed else as_str(value)
        known = not setting.choices or value in setting.choices
        if wanted and wanted != setting.default and known:
            self.said[name] = value

    def remember(
        self,
        node: NodeT,
        write: Callable[[NodeT, BuildContext], Any],
        read: dict[str, Any],
        shape: str | None = None,
    ) -> NodeT:
        """Keep on a node that was just read whatever a fresh build would write differently."""
        return self.keep(node, write(node, self.build), read, shape)

    def keep(self, node: NodeT, fresh: Any, read: dict[str, Any], shape: str | None = None) -> NodeT:
        """Keep on a node how `read` differs from `fresh`."""
        kept = remembered(self.wire.name, self.words, fresh, read, node, shape)
        return node if kept is None else replace(node, kept=kept)  # type: ignore[type-var]

    def spelled(self, node: NodeT, shape: str) -> NodeT:
        """Keep which alternative a node was read as."""
        return replace(node, kept=Kept(self.wire.name, shape=shape))  # type: ignore[type-var]

    def parts(
        self,
        value: Any,
        read_part: Callable[[Any, Reader], Part],
        read_mark: Callable[[Any, Reader], Cache | None] | None = None,
    ) -> tuple[Part, ...]:
        """Read the content of a message: text, a list of elements (some may mark the one before), or nothing."""
        if type(value) is str:
            return (Text(value),)
        if not is_list(value):
            return ()
        return tuple(self._marked(value, read_part, read_mark))

    def _marked(
        self,
        value: list[Any],
        read_one: Callable[[Any, Reader], NodeT],
        read_mark: Callable[[Any, Reader], Cache | None] | None,
    ) -> list[NodeT]:
        """Read elements; a mark goes onto the element before it, the first of its kind only."""
        if read_mark is None:
            return [read_one(element, self) for element in value]
        found: list[NodeT] = []
        for element in value:
            mark = (
                read_mark(element, self)
                if found and getattr(found[-1], "cache", _UNMARKABLE) is None
                else None
            )
            if mark is None:
                found.append(read_one(element, self))
            else:
                found[-1] = replace(cast("Any", found[-1]), cache=mark)
        return found

    def slot(self, value: Any, read_part: Callable[[Any, Reader], Part]) -> tuple[Part, ...]:
        """Read a list of parts beside the content."""
        return tuple([read_part(element, self) for element in value]) if is_list(value) else ()

    def one(self, value: Any, read_part: Callable[[Any, Reader], Part | None]) -> tuple[Part, ...]:
        """Read a slot that holds one value."""
        part = None if value is None else read_part(value, self)
        return () if part is None else (part,)

    def role_of(self, parts: tuple[Part, ...], role: str) -> str:
        """Tell whether a turn only hands tool results back: then its role is `tool`."""
        return "tool" if parts and all(type(part) is ToolResult for part in parts) else role

    def lift(self, messages: tuple[Message, ...], role: str) -> tuple[Any, tuple[Message, ...]]:
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
        if len(texts) == 1 and is_plain(texts[0]) and first.role == default:
            return texts[0].text, messages[1:]
        own = None if first.role == default else first.role
        layers = [Instruction(part.text, own, cache=part.cache, kept=part.kept) for part in texts]
        return tuple(layers), messages[1:]

    def items(self, value: Any) -> list[Any]:
        """Read the conversation: a list of items, or text as one user message."""
        if type(value) is str:
            return [{"role": "user", "content": value}]
        return value if is_list(value) else []

    def layers(
        self,
        value: Any,
        read_layer: Callable[[Any, Reader], Instruction | None],
        read_mark: Callable[[Any, Reader], Cache | None] | None = None,
    ) -> Any:
        """Read instructions: text, or a list of layers; None when an element is no layer."""
        if type(value) is str:
            return value or None
        if not is_list(value):
            return None
        found = self._marked(value, read_layer, read_mark)
        return tuple(found) if found and all(layer is not None for layer in found) else None

    def message(self, message: Message, fresh: list[Any], item: dict[str, Any]) -> Message:
        """Keep on a message what a fresh build of its one item would write differently."""
        return self.keep(message, fresh[-1], item) if fresh else message

    def elements(
        self,
        value: Any,
        read_one: Callable[[Any, Reader], NodeT],
        read_mark: Callable[[Any, Reader], Cache | None] | None = None,
    ) -> tuple[NodeT, ...] | None:
        """Read a list of nodes (some elements may mark the one before); None when it is no list."""
        return tuple(self._marked(value, read_one, read_mark)) if is_list(value) else None

    def gathered(
        self, value: Any, key: str, read_one: Callable[[Any, Reader], NodeT]
    ) -> tuple[NodeT, ...] | None:
        """Read a list in which some elements hold several nodes under one key."""
        if not is_list(value):
            return None
        found: list[NodeT] = []
        for element in value:
            held = as_object(element).get(key)
            found += [read_one(one, self) for one in (held if is_list(held) else [element])]
        return tuple(found)


def body_to_read(body: Any, wire: Wire, *needs: str) -> dict[str, Any]:
    """Check that a body is an object that holds its conversation."""
    if not is_object(body):
        raise BodyError(f"{wire.name}: the body is {json_kind(body)}, not an object")
    if needs and not any(type(body.get(key)) in (list, str) for key in needs):
        named = " or ".join(f'"{key}"' for key in needs)
        wrong = [f'"{key}" is {json_kind(body[key])}, not a list' for key in needs if key in body]
        found = wrong[0] if wrong else f"the body has no {named}"
        raise BodyError(f"{wire.name}: {found}: is this a request of {wire.title}?")
    return body


class Reading:
    """What `read` returns.

    request  the neutral Request, with its form memory
    settings what URL and body show of the build's settings, defaults aside
    leaves   how many JSON leaves the body has
    kept     how many of them no neutral field holds (unknown keys, elements that no shape knows)
    understood  how many landed in neutral fields: the request without any memory builds them again
    notes    what reading moved (instructions out of the messages), and a URL that is none of this wire
    """

    def __init__(
        self,
        reader: Reader,
        body: dict[str, Any],
        request: Request,
        write: Callable[[Request], Any],
        settings: Mapping[str, Any],
    ) -> None:
        """Hold the result; the counts are made when they are asked for."""
        self.settings = dict(settings)
        self.wire = reader.wire
        self._words = reader.words
        self.body = body
        self.request = request
        self.counted = request
        self.notes = tuple(reader.notes)
        self._write = write

    @cached_property
    def leaves(self) -> int:
        """The number of leaves of the body."""
        return count_leaves(self.body)

    @cached_property
    def _kept(self) -> Counter[tuple[type, Any]]:
        found: Counter[tuple[type, Any]] = Counter()
        for node in _nodes(self.counted):
            if isinstance(node, Opaque):
                found.update(bag(node.value))
            elif node.kept is not None:
                found.update(as_leaf(leaf) for leaf in kept_leaves(node.kept))
        return found

    @property
    def kept(self) -> int:
        """The number of leaves that only the memory holds."""
        return self._kept.total()

    @cached_property
    def understood(self) -> int:
        """The number of leaves that a build without memory reproduces, or that are the wire's own words."""
        fresh = bag(self._write(without_memory(self.counted)))
        count = 0
        for (kind, value), number in bag(self.body).items():
            rest = number - self._kept[kind, value]
            silent = kind in (dict, list) or is_empty(value) or self._words.explain(value)
            count += rest if silent else min(rest, fresh[kind, value])
        return count

    @property
    def unknown(self) -> Iterator[str]:
        """The dotted key paths of what only the memory holds."""
        for node in _nodes(self.counted):
            name = type(node).__name__
            if isinstance(node, Opaque):
                yield f"{node.place}[] (unknown element)"
            elif node.kept is not None:
                yield from (f"{name}.{path}" for path in unknown_paths(node.kept.form))


def _nodes(node: Any) -> Iterator[Any]:
    """Walk every node that may carry memory."""
    if hasattr(node, "kept"):
        yield node
    for name in ("messages", "parts", "tools", "instructions"):
        children = getattr(node, name, None)
        if holds_nodes(children):
            for child in children:
                yield from _nodes(child)
    if isinstance(node, Request):
        for child in (node.tool_choice, node.response_format, node.reasoning):
            if child is not None:
                yield child


def without_memory(node: NodeT) -> NodeT:
    """Give a copy of a node that remembers no value: only its shape, and which names said one thing twice."""
    changes: dict[str, Any] = {}
    if not is_node(node):
        return node
    for field in fields(node):
        value = getattr(node, field.name)
        if field.name == "kept" and value is not None:
            names = names_only(value.form)
            kept = None if value.shape is None and names is None else Kept(value.wire, names, value.shape)
            changes["kept"] = kept
        elif holds_nodes(value) and value and is_node(value[0]):
            changes[field.name] = tuple([without_memory(child) for child in value])
        elif field.init and is_node(value) and field.name not in ("provenance", "options"):
            changes[field.name] = without_memory(value)
    return cast("NodeT", replace(node, **changes)) if changes else node
