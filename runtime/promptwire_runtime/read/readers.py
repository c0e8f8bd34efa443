"""All that reads one wire, by which its functions find each other; a dialect's is its parent's with changes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from types import ModuleType
from typing import Any, TypeAlias

from ..build.context import BuildContext, start
from ..build.wire import Wire
from ..build.writers import Writers
from ..errors import BodyError, InvalidRequest
from ..model.request import Message, Request
from ..model.wire_memory import Form, Kept, Swap, make_kept
from ..nodes.records import replace
from ..reporting.policies import VERBATIM
from ..wire_json.kinds import is_object, same
from ..wire_json.values import patched
from .choices import Choice, Shape
from .form_memory import Comparison, MemoryWords
from .messages import PlainItem
from .nearest import Nearest
from .plain_reading import PlainBody

NEAREST_ITEM = "messages, nearest"
"""The place of an item that is neither a message nor exactly a part of its own."""
# from a body to fields and their values
ReadFields: TypeAlias = Callable[[dict[str, Any], Any], dict[str, Any]]
# the result where a wire has no shape
_NO_CHOICES: dict[str, Choice] = {
    "tools": Choice(place="tools"),
    **dict.fromkeys(("tool_choice", "response_format", "reasoning", "instructions", "cache"), Choice()),
}
# the fields of a table
_STATED = (
    "words",
    "needs",
    "model",
    "body",
    "options",
    "vendor",
    "shapes",
    "choices",
    "messages",
    "marks",
    "groups",
    "listed",
    "speaker",
    "plain_body",
    "plain_messages",
    "lifts",
)
_NO_ITEMS: dict[str, PlainItem] = {}
_NO_WRITERS: dict[str, Callable[[Any, Any], Any]] = {}


def _read_nearest_item(nearest: Nearest) -> Callable[[Any, Any], Any]:
    def read(item: Any, reader: Any) -> tuple[str, Any] | None:
        near = nearest.read(item, reader) if is_object(item) else None
        return None if near is None else (near[0].alone, near[1])

    return read


def _no_fields(_body: dict[str, Any], _reader: Any) -> dict[str, Any]:
    """Read no options: the wire has none."""
    return {}


class Readers:
    """The reading functions of one wire; each takes JSON and the `Reader` that holds this table.

    words      the wire's own keys and constants
    needs      keys of the body, one of which holds the conversation
    model      keys of the body, the first of which that is there names the model
    body       the fields of a request; `options` and `vendor`: what the body says of those two
    shapes     label of a shape -> what reads it
    choices    the shapes of an element, by where it stands: a field of a request (`tools`, `messages`), a role
               (`user`), a kind of part that holds others (`tool_result`), a place beside the content
               (`assistant.tool_calls`)
    messages   a message, by the `role` that its JSON states; None: it states none
    writing    all that writes this wire: reading compares what it writes with what was read; made with its module,
               whose `write_<label>` writes a shape
    marks      whether elements of lists may be marks of a cache
    speaker    the key of a message that says whose it is
    groups     whether consecutive items of one role are one message
    listed     keys of the body that hold messages, where the API accepts no text in place of the list
    plain_body      the keys of a body whose values are written as they were read; None where no body is plain
    lifts           the role of a first message that is read as instructions; empty where they stand elsewhere
    plain_messages  how a message is written that has nothing but plain parts, by its role
    texts      word of a message that may be one text and nothing else -> its role, and how it is written
    speaks     the words of messages that are surely no part of their own
    elements   what reads an element, by where it stands; of `messages`: an item that is a part, and its role
    writers    label of a shape -> what writes it; a dialect's module has only what differs from its parent's
    alike      whether results of free-text calls are read as those of functions
    """

    __slots__ = (*_STATED, "_module", "alike", "elements", "speaks", "texts", "writers", "writing")

    def __init__(  # noqa: PLR0913  # a row a thing that is read
        self,
        *,
        words: MemoryWords,
        body: ReadFields,
        shapes: Mapping[str, Shape],
        choices: Mapping[str, Choice],
        messages: Mapping[str | None, Callable[[dict[str, Any], Any], Message]],
        writing: ModuleType,
        options: ReadFields = _no_fields,
        vendor: ReadFields = _no_fields,
        needs: tuple[str, ...] = (),
        model: tuple[str, ...] = (),
        marks: bool = False,
        groups: bool = False,
        listed: tuple[str, ...] = (),
        speaker: str = "role",
        plain_body: PlainBody | None = None,
        plain_messages: Mapping[str, PlainItem] = _NO_ITEMS,
        lifts: str = "",
        inherited: Mapping[str, Callable[[Any, Any], Any]] = _NO_WRITERS,
    ) -> None:
        """Store the functions; a kind without shapes is read as nothing."""
        self.words = words
        self.needs = needs
        self.model = model
        self.body = body
        self.options = options
        self.vendor = vendor
        self.shapes = shapes
        self.choices = choices
        self.messages = messages
        self._module = writing
        self.writing: Writers = writing.WRITERS
        written = vars(writing).items()
        own = {name.removeprefix("write_"): write for name, write in written if name.startswith("write_")}
        self.writers = {**inherited, **own}
        self.marks = marks
        self.groups = groups
        self.listed = listed
        self.speaker = speaker
        self.plain_body = plain_body
        self.plain_messages = plain_messages
        self.lifts = lifts
        self._derive()

    def _derive(self) -> None:
        """Compute the facts that several rows of the table state together."""
        # a role that only hands results back has no word of its own
        self.texts = {
            row.word: (role, row)
            for role, row in self.plain_messages.items()
            if role != "tool" and row.speaker == self.speaker
        }
        kinds = [label for label in self.shapes if label.startswith("part_custom_tool_")]
        self.alike = bool(kinds) and not any(label.startswith("part_custom_tool_result") for label in kinds)
        items = self.choices.get("messages")
        # words of messages that are not parts of their own
        self.speaks = frozenset[str]()
        if items is not None and items.key == self.speaker and not items.others:
            self.speaks = frozenset([word for word in self.messages if word is not None]) - items.cases.keys()
        readers = {label: shape.read for label, shape in self.shapes.items()}
        standing = {label: shape.read_as_item for label, shape in self.shapes.items() if shape.alone}
        keys = {label: shape.needs for label, shape in self.shapes.items() if shape.needs}
        nearest = items.nearest(self.shapes) if items is not None else None
        alone = None if nearest is None else (nearest, _read_nearest_item(nearest))
        self.elements = {
            place: choice.reading(standing, keys, by_word=alone)
            if place == "messages"
            # an element that marks the one before it is tried as a mark first, and is rarely one
            else choice.reading(readers, keys, None if place == "cache" else choice.nearest(self.shapes))
            for place, choice in {**_NO_CHOICES, **self.choices}.items()
        }
        if alone is not None:
            self.elements[NEAREST_ITEM] = alone[1]

    def changed(self, *, writing: ModuleType | None = None, **patch: Any) -> Readers:
        """Return the same table after a merge patch of its fields; shapes that are `REMOVED` are tried nowhere."""
        stated: dict[str, Any] = {field: getattr(self, field) for field in _STATED}
        stated |= {field: patched(stated[field], value) for field, value in patch.items()}
        return Readers(**stated, writing=writing or self._module, inherited=self.writers)


class Memories:
    """The state that all nodes of a body share to derive their memory: how their wire is written and the model."""

    __slots__ = ("model", "readers", "wire")

    def __init__(self, wire: Wire, readers: Readers, model: str | None) -> None:
        self.wire = wire
        self.readers = readers
        self.model = model

    def build(self) -> BuildContext:
        """Start a build that writes nodes for comparison: of the body, only its model matters there."""
        build = start(self.wire, Request(self.model))
        build.writers = self.readers.writing
        build.configure(None, VERBATIM)
        return build

    def of(
        self,
        node: object,
        fresh: Any,
        item: dict[str, Any],
        shape: str | None = None,
        model: str | None = None,
    ) -> Kept | None:
        """Return how the JSON that a node was read from differs from a fresh build's; None if it does not."""
        if same(fresh, item):
            return None if shape is None else Kept(self.wire.name, shape=shape)
        form = Comparison(self.readers.words, node, self.wire.name).compare(fresh, item)
        return Kept(self.wire.name, form, shape, model)


class OfShape:
    """Derives the memory of a node that was read as one shape."""

    __slots__ = ("_item", "_label", "_memories", "_shape")

    def __init__(self, memories: Memories, item: dict[str, Any], label: str, shape: str | None) -> None:
        self._memories = memories
        self._item = item
        self._label = label
        self._shape = shape

    def __call__(self, node: Any) -> Kept | None:
        """Write the node, and compare."""
        memories = self._memories
        write = memories.readers.writers[self._label]
        try:
            fresh = write(replace(node, kept=None), memories.build())
        except InvalidRequest as error:  # a value that no JSON text can hold
            raise BodyError(f"{memories.wire.name}: the body cannot be read: {error}") from error
        return memories.of(node, fresh, self._item, self._shape)


class OfMessage:
    """Derives the memory of a message from its one item; `is_split` is whether a build writes several, then known."""

    __slots__ = ("_item", "_memories", "is_split")

    def __init__(self, memories: Memories, item: dict[str, Any]) -> None:
        self._memories = memories
        self._item = item
        self.is_split = False

    def __call__(self, message: Message) -> Kept | None:
        """Write the message, and compare."""
        memories = self._memories
        fresh: list[Any] = []
        memories.readers.writing.messages((replace(message, kept=None),), memories.build(), fresh)
        self.is_split = len(fresh) != 1
        return memories.of(message, fresh[-1], self._item) if fresh else None


class OfBody:
    """Derives the memory of a request from its body; `write` writes one as it is.

    `shape` is the template of its prompt, where a request without a model would be written with another. `settled`
    writes a body with the settings that this one shows: their keys are known, though a build without them lacks them.
    `plain` is the memory where none of these nodes has one.
    """

    __slots__ = ("_body", "_memories", "_plain", "_settled", "_shape", "_write")

    def __init__(
        self,
        memories: Memories,
        body: dict[str, Any],
        shape: str | None,
        write: Callable[[Request], Any],
        settled: Callable[[Request], Any] | None = None,
        *,
        plain: tuple[Form | None, list[tuple[Any, OfMessage | None]]] | None = None,
    ) -> None:
        self._memories = memories
        self._body = body
        self._shape = shape
        self._write = write
        self._settled = settled
        self._plain = plain

    def __call__(self, request: Request) -> Kept | None:
        """Write the body, and compare."""
        if self._plain is not None and all(
            node.kept is None and not (of_message is not None and of_message.is_split)
            for node, of_message in self._plain[1]
        ):
            form = self._plain[0]
            return None if form is None else make_kept(self._memories.wire.name, form, model=request.model)
        shape = self._shape
        bare = replace(request, kept=None if shape is None else Kept(self._memories.wire.name, shape=shape))
        fresh = self._write(bare)
        kept = self._memories.of(request, fresh, self._body, shape, request.model)
        if self._settled is None or kept is None or kept.form is None:
            return kept
        known = self._settled(bare).keys() - fresh.keys()
        added = {key: value for key, value in kept.form.added.items() if key not in known}
        settled = {key: value for key, value in kept.form.added.items() if key in known}
        swapped = (*kept.form.swapped, Swap({}, settled)) if settled else kept.form.swapped
        return replace(kept, form=replace(kept.form, added=added, swapped=swapped))
